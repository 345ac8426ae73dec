"""Bob: one local-first memory for the assistants that a person or a team works with.

from bob import Bob

with Bob() as bob:
    bob.index("~/notes")
    print(bob.ask("When do we rotate the backup keys?").text)
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bob.python import Bob

__all__ = ["Bob"]


def __getattr__(name: str) -> Any:
    # Every command imports this package first, and none needs the Python face.
    if name == "Bob":
        from bob.python import Bob

        return Bob
    raise AttributeError(f"module 'bob' has no attribute {name!r}")
