"""A Bob that serves `/hippocampus` on loopback, with API keys for two organizations."""

from contextlib import contextmanager

from served_memory import served

from bob.core.principal import Role


@contextmanager
def serving(engine):
    """The address under which the engine's memory is a service, and its keys."""
    keys = {
        name: engine.for_organization(org_id).team.api_keys.create(name, name, role, (), None).text
        for name, org_id, role in (
            ("local", "local", Role.MEMBER),
            ("other", "other", Role.MEMBER),
            ("reader", "local", Role.READER),
        )
    }
    with served(engine) as memory:
        yield f"{memory.address}/hippocampus", keys
