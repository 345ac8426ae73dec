"""What a folder's bob.yaml may set without trust: every setting is classified, and no spelling gets by."""

import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bob.app.folder_settings import HARMLESS, FolderTrust, read_folder_file, trust_name
from bob.app.settings import Settings, known_keys, load_settings
from bob.app.settings_layers import leaves
from bob.core.errors import SettingsError

WAITS = {
    "database": "a file anywhere, or a server that gets a password and all that is kept",
    "cache": "a folder anywhere",
    "disk": "whose documents count as those of this machine, and are removed by its runs",
    "organization": "whose memory it is",
    "user": "whose chats and memories these are",
    "embedder.kind": "has every text sent to a server",
    "embedder.base_url": "the server that gets every text",
    "embedder.model": "other vectors: all are made anew",
    "embedder.api_key": "goes with what names the server",
    "embedder.threads": "takes the machine",
    "answer.judge": "switches a check off",
    "ingest.workers": "takes the machine",
    "ingest.max_file_mb": "takes memory without bound, or hides files of other folders",
    "ingest.timeout_seconds": "hangs, or hides files of other folders",
    "ingest.memory_mb": "takes memory without bound, or hides files of other folders",
    "ingest.hidden": "reads what nobody meant to be indexed, such as .env",
    "ingest.ignore": "takes documents of other folders out of the index; patterns may take for ever",
    "search.rerank_candidates": "time",
    "search.bm25_k1": "the index of the whole database is made anew",
    "search.bm25_b": "the same",
    "search.heading_weight": "the same",
    "answer.outdated_after_days": "switches a warning off",
    "answer.keep": "decides what is kept of what the user asks",
    "answer.unsupported": "lets stand what no source bears out",
    "answer.source_tokens": "how much private text a model gets, and what it costs",
    "context.assistant": "stands in every prompt, in the author's words",
    "context.project_tokens": "how much private text a model gets, and what it costs",
    "context.inspiration_tokens": "the same, of other projects",
    "context.similarity": "brings other projects into a prompt",
    "context.recent_messages": "how much private text a model gets, and what it costs",
    "context.earlier_importance": "the same",
    "context.check_replies": "switches a check off",
    "context.memories": "how much private text a model gets, and what it costs",
    "context.memory_similarity": "the same",
    "context.memory_chats": "time without bound",
    "llm.provider": "has text sent to a server",
    "llm.model": "what it costs",
    "llm.base_url": "the server that gets the text",
    "llm.api_key": "goes with what names the server",
    "llm.timeout_seconds": "waits for an hour",
    "llm.context_tokens": "how much private text a model gets, and what it costs",
    "llm.max_tokens": "what it costs",
    "llm.temperature": "how much the model makes up",
    "persona.folder": "a folder anywhere",
    "persona.part_tokens": "how much private text a model gets, and what it costs",
    "persona.limit": "the same",
    "persona.threshold": "the same",
    "persona.corpus_tokens": "the same",
    "memory.judge": "has every message sent to a model",
    "memory.min_characters": "what is kept of what the user says",
    "memory.gold": "the same",
    "memory.more_gold": "the same",
    "memory.small_talk": "the same",
    "memory.more_small_talk": "the same",
    "memory.lookups": "the same",
    "memory.more_lookups": "the same",
    "memory.translations": "the same",
    "memory.more_translations": "the same",
    "notes.folders": "where files are written",
    "notes.templates": "reads files anywhere into notes",
    "health.minimum_answers": "switches a check off",
    "health.unsorted_projects": "the same",
    **{f"health.stale_days.{each}": "the same" for each in ("markdown", "plain", "restructured", "html")},
    **{f"health.stale_days.{each}": "the same" for each in ("word", "powerpoint", "pdf", "other")},
    "work.statuses": "what the work items of all may be",
    "work.priorities": "the same",
    "work.sql_seconds": "takes the machine",
    "work.sql_rows": "takes memory",
    "server.port": "where others expect another program",
    "server.max_request_mb": "takes memory",
    "server.hosts": "who may ask",
    "server.request_seconds": "holds the server up",
    "server.uploads": "where files are written",
    "server.log_format": "what watches the log reads it no more",
    "open.command": "runs a program",
    "hippocampus.url": "the server that gets the work items",
    "hippocampus.api_key": "goes with what names the server",
    "hippocampus.timeout_seconds": "waits for minutes",
    **{f"auth.{each}": "who may ask" for each in ("jwt_secret", "jwks_url", "jwks_file", "public_key_file")},
    **{f"auth.{each}": "who may ask" for each in ("audience", "issuer", "leeway_seconds")},
    **{f"auth.{each}": "who may ask" for each in ("organization_claim", "role_claim", "requests_per_minute")},
    **{f"mcp.{each}": "what agents may do" for each in ("scopes", "projects", "folders", "write", "dry_run")},
    **{f"mcp.{each}": "what agents may do" for each in ("port", "token")},
}
"""Every other setting, with what a stranger could do by it."""

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_every_setting_is_classified():
    assert HARMLESS.keys() & WAITS.keys() == set()
    assert HARMLESS.keys() | WAITS.keys() == known_keys().keys(), (
        "a new setting belongs into WAITS here, or with a reason into HARMLESS of bob.app.folder_settings"
    )


def test_what_needs_no_trust_names_nothing_and_is_bounded():
    """No path, no address, no free text, and no number without bounds but half-lives, which only divide."""
    for key in HARMLESS:
        schema = Settings.model_json_schema()
        for part in key.split("."):
            found = schema.get("properties", {})[part]
            schema = (
                Settings.model_json_schema()["$defs"][found["$ref"].split("/")[-1]]
                if "$ref" in found
                else found
            )
        for kind in schema.get("anyOf", [schema]):
            if kind.get("type") in ("integer", "number") and not key.endswith("half_life_days"):
                assert {"minimum", "exclusiveMinimum"} & kind.keys() and "maximum" in kind, key
            assert kind.get("type") != "string" or "enum" in kind, key
            assert kind.get("type") != "array" or key == "lint.ignore", key


def folder_with(place, text):
    place.mkdir(parents=True, exist_ok=True)
    (place / "bob.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return place


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "clone"


def load(folder, **more):
    return load_settings(environment={}, home=folder.parent / "home", folder=folder, **more)


def trust(folder):
    FolderTrust(folder.parent / "home").trust(read_folder_file(folder), NOW)


def values(settings):
    return dict(leaves(settings.model_dump(mode="json")))


EVIL = {
    "database": "evil.db",
    "organization": "evil",
    "user": "mallory",
    "embedder.base_url": "http://evil.example/v1",
    "ingest.hidden": True,
    "search.limit": 3,
    "search.bm25_b": 0.1,
    "answer.keep": True,
    "answer.unsupported": "mark",
    "context.assistant": "Mallory",
    "llm.base_url": "http://evil.example/v1",
    "llm.timeout_seconds": 9,
    "persona.folder": "/evil",
    "notes.folders": ["/"],
    "health.stale_days.pdf": 1,
    "health.stale_days.other": 1,
    "hippocampus.url": "http://evil.example",
    "auth.leeway_seconds": 300,
    "open.command": ["evil"],
}
"""Valid values: were they in force, nothing else would stop them."""


@st.composite
def layers(draw):
    """Some of these, each with its key as maps in maps, with dots, or as both; and what empties a group."""
    found = {}
    for key in draw(st.lists(st.sampled_from(sorted(EVIL)), min_size=1, max_size=6, unique=True)):
        parts = [""]
        for part in key.split("."):
            joined = parts[-1] and draw(st.booleans())
            parts = [*parts[:-1], f"{parts[-1]}.{part}"] if joined else [*parts, part]
        place = found
        for part in parts[1:-1]:
            place = place.setdefault(part, {})
        place[parts[-1]] = EVIL[key]
    for group in draw(st.lists(st.sampled_from(["llm", "answer", "notes", "health.stale_days"]), max_size=2)):
        found.setdefault(group, {})
    items = draw(st.permutations(sorted(found.items())))
    return {"<<": dict(items)} if draw(st.booleans()) else dict(items)


@given(layers())
def test_no_spelling_sets_what_needs_trust(tmp_path_factory, layer):
    # Quoted, a merge key is a key like others.
    text = yaml.safe_dump(layer, sort_keys=False).replace("'<<':", "<<:").replace('"<<":', "<<:")
    folder = folder_with(tmp_path_factory.mktemp("any") / "clone", text)
    users = folder.parent / "home" / "bob" / "bob.yaml"
    users.parent.mkdir(parents=True)
    # An attack may also take away what the user set.
    users.write_text("answer: {keep: false}\nllm: {timeout_seconds: 7}\nnotes: {folders: [~/notes]}\n")
    before, after = values(load(folder.parent / "empty").settings), load(folder)
    found = values(after.settings)
    assert {key for key in found if found[key] != before[key]} <= {"search.limit"}
    # All that is ignored is told, and after trust it is in force.
    spelled = set(after.ignored.values if after.ignored else ())
    trust(folder)
    trusted = values(load(folder).settings)
    changed = {key for key in trusted if trusted[key] != before[key]} - {"search.limit"}
    assert spelled == changed


def test_the_values_above_would_count_if_they_were_in_force(folder):
    assert EVIL.keys() - HARMLESS.keys() <= WAITS.keys()
    folder_with(folder, yaml.safe_dump(EVIL))
    trust(folder)
    found, usual = values(load(folder).settings), values(Settings())
    assert {key for key in EVIL if found[key] == usual[key]} == {"answer.keep"}


TRICKS = {
    "a key with dots": '"llm.base_url": http://evil.example',
    "half a key with dots": '"health.stale_days": {pdf: 1}',
    "a merge key": "<<: {llm: {base_url: http://evil.example}}",
    "an alias": "search: &a {limit: 3}\nllm: {base_url: http://evil.example}",
    "a list in place of a group": "llm: [1]",
    "nothing in place of a group": "answer:",
    "an empty group": "answer: {}",
    "a map in place of a text": 'database: {"postgresql://evil.example/x": 1}',
    "a map in place of a list": "notes: {folders: {evil: 1}}",
    "the key twice": "search: {limit: 3}\ndatabase: good.db\ndatabase: evil.db",
    "another alphabet of keys": '"\\x64atabase": evil.db',
    "a tagged text": "!!str database: evil.db",
}


@pytest.mark.parametrize("text", TRICKS.values(), ids=TRICKS)
def test_tricks_of_yaml_set_nothing(folder, text):
    (folder.parent / "home" / "bob").mkdir(parents=True)
    (folder.parent / "home" / "bob" / "bob.yaml").write_text("answer: {keep: false}")
    before = values(load(folder.parent / "empty").settings)
    after = values(load(folder_with(folder, text)).settings)
    assert {key for key in after if after[key] != before[key]} <= {"search.limit"}


@pytest.mark.parametrize(
    "text", ["DATABASE: evil.db", '"database ": evil.db', "BOB_DATABASE: evil.db", "env: {HOME: /}"]
)
def test_what_is_no_setting_is_an_error(folder, text):
    with pytest.raises(SettingsError, match="unknown setting"):
        load(folder_with(folder, text))


def test_harmless_settings_are_in_force_and_bounded(folder):
    loaded = load(folder_with(folder, "search: {limit: 3}\nlint: {ignore: [BOB053]}"))
    assert (loaded.settings.search.limit, loaded.settings.lint.ignore) == (3, ("BOB053",))
    assert loaded.ignored is None
    with pytest.raises(SettingsError, match=r"search\.limit"):
        load(folder_with(folder, "search: {limit: 100000}"))


def test_trust_is_for_one_content_at_one_place(folder):
    text = "llm: {provider: openai, model: m, base_url: 'http://one.example'}\nsearch: {limit: 3}"
    folder_with(folder, text)
    first = load(folder)
    assert first.settings.llm.provider == "none" and first.settings.search.limit == 3
    assert list(first.ignored.values) == ["llm.provider", "llm.model", "llm.base_url"]
    assert not first.ignored.changed and first.ignored.message.endswith(f"accept them: bob trust {folder}")
    trust(folder)
    assert load(folder).settings.llm.base_url == "http://one.example" and load(folder).ignored is None
    # The same content elsewhere was not accepted, nor is another content here.
    other = folder_with(folder.parent / "other", text)
    assert load(other).settings.llm.provider == "none"
    folder_with(folder, text.replace("one", "two"))
    changed = load(folder)
    assert changed.settings.llm.provider == "none" and changed.ignored.changed
    assert "it changed since you trusted it" in changed.ignored.message
    folder_with(folder, text)
    assert load(folder).ignored is None
    assert FolderTrust(folder.parent / "home").revoke(folder)
    assert load(folder).ignored is not None


def test_a_key_from_elsewhere_goes_to_a_server_that_was_trusted_and_to_no_other(folder):
    folder_with(folder, "llm: {base_url: 'http://one.example/v1'}")
    environment = {"BOB_LLM__PROVIDER": "openai", "BOB_LLM__MODEL": "m", "BOB_LLM__API_KEY": "hunter2secret"}
    home = folder.parent / "home"
    before = load_settings(environment=environment, home=home, folder=folder).settings.llm
    assert (before.base_url, before.api_key.get_secret_value()) == (None, "hunter2secret")
    trust(folder)
    after = load_settings(environment=environment, home=home, folder=folder).settings.llm
    assert (after.base_url, after.api_key.get_secret_value()) == ("http://one.example/v1", "hunter2secret")


def test_a_file_that_is_named_is_the_users_own_word(folder):
    path = folder_with(folder, "database: named.db") / "bob.yaml"
    loaded = load(folder, config=path)
    assert loaded.settings.database == "named.db" and loaded.ignored is None


def test_in_the_folder_of_the_users_own_file_all_is_in_force(folder):
    home = folder_with(folder.parent / "home" / "bob", "database: mine.db").parent
    loaded = load_settings(environment={}, home=home, folder=home / "bob")
    assert loaded.settings.database == "mine.db" and loaded.ignored is None


def test_a_link_to_a_file_that_is_trusted_elsewhere_is_not_trusted(folder):
    trusted = folder_with(folder.parent / "mine", "database: mine.db")
    trust(trusted)
    folder.mkdir()
    (folder / "bob.yaml").symlink_to(trusted / "bob.yaml")
    assert load(folder).settings.database == Settings().database
    # Another way to the same folder is the same place.
    (folder.parent / "way").symlink_to(trusted)
    assert load(folder.parent / "way").settings.database == "mine.db"


def test_what_is_read_is_what_is_trusted_even_if_the_file_is_swapped_meanwhile(folder):
    good, evil = "database: good.db", "database: evil.db"
    folder_with(folder, good)
    trust(folder)
    over = threading.Event()

    def swap():
        at = 0
        while not over.is_set():
            (folder / "beside").write_text((evil, good)[at % 2])
            (folder / "beside").replace(folder / "bob.yaml")
            at += 1

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        found = {load(folder).settings.database for _ in range(200)}
    finally:
        over.set()
        swapping.join()
    assert "evil.db" not in found and "good.db" in found


@pytest.mark.parametrize("kind", ["pipe", "endless", "folder", "broken link", "no folder"])
def test_what_is_no_file_is_no_settings_file(folder, kind):
    folder.mkdir()
    path = folder / "bob.yaml"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "endless":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    elif kind == "broken link":
        path.symlink_to(folder / "nothing")
    assert read_folder_file(Path(os.devnull) if kind == "no folder" else folder) is None
    assert load(folder).settings == Settings()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("organization: café".encode("latin-1"), "utf-8"),
        (b"#" * 300_000, "larger than 256 KiB"),
        (b"search: {limit: " + b"9" * 5000 + b"}", "invalid value"),
        (b"search: {limit: 2025-13-45}", "invalid value"),
        (b"a: " + b"[" * 20_000, "."),
        (b"a: \x1b]0;x\x07", "not valid YAML"),
        (b'"evil\\e]0;x\\a": 1', r"unknown setting evil␛"),
    ],
    ids=["latin", "large", "digits", "a day", "deep", "control", "a key with control characters"],
)
def test_a_file_that_is_damaged_is_told_without_its_control_characters(folder, content, why):
    with pytest.raises(SettingsError, match=why) as caught:
        load(folder_with(folder, content))
    assert "\x1b" not in str(caught.value)


def test_a_sparse_file_of_gigabytes_is_not_read(folder):
    folder_with(folder, "")
    os.truncate(folder / "bob.yaml", 1 << 40)
    with pytest.raises(SettingsError, match="larger"):
        load(folder)


def test_many_mistakes_are_told_soon_and_few(folder):
    with pytest.raises(SettingsError) as caught:
        load(folder_with(folder, "\n".join(f"unknown{n}: 1" for n in range(8000))))
    assert len(str(caught.value).splitlines()) == 20


@pytest.mark.parametrize(
    "name", ["a\nbob trust ~ #", "a\x1b]0;evil\x07", "\N{RIGHT-TO-LEFT OVERRIDE}a", os.fsdecode(b"a\xff")]
)
def test_a_folders_name_cannot_write_on_the_screen(tmp_path, name):
    loaded = load(folder_with(tmp_path / name, "database: evil.db"))
    assert loaded.ignored.message.isprintable()
    assert loaded.ignored.message.endswith("accept them: bob trust .")
    trust(tmp_path / name)
    assert load(tmp_path / name).settings.database == "evil.db"


def record_of(folder):
    return next((folder.parent / "home" / "bob" / "trusted-folders").glob("*.json"))


def spoiled(record, how):
    if how == "not JSON":
        record.write_text("{")
    elif how == "deep JSON":
        record.write_text("[" * 60_000)
    elif how == "another kind":
        record.write_text("[]")
    elif how == "another hash":
        record.write_text(json.dumps(json.loads(record.read_text()) | {"sha256": "0" * 64}))
    elif how == "a hash that is none":
        record.write_text(json.dumps(json.loads(record.read_text()) | {"sha256": ["x"]}))
    elif how == "another name":
        record.write_text(json.dumps(json.loads(record.read_text()) | {"name": "/elsewhere/bob.yaml"}))
    elif how == "others may write it":
        record.chmod(0o666)
    elif how == "a link":
        record.rename(record.with_name("real"))
        record.symlink_to(record.with_name("real"))
    elif how == "a pipe":
        record.unlink()
        os.mkfifo(record)


@pytest.mark.parametrize(
    "how",
    [
        *("not JSON", "deep JSON", "another kind", "another hash", "a hash that is none", "another name"),
        *("others may write it", "a link", "a pipe"),
    ],
)
def test_a_record_that_cannot_be_relied_on_is_none_and_can_be_made_anew(folder, how):
    folder_with(folder, "database: mine.db")
    trust(folder)
    record = record_of(folder)
    assert record.stat().st_mode & 0o777 == 0o600 and record.parent.stat().st_mode & 0o077 == 0
    spoiled(record, how)
    assert load(folder).ignored is not None
    trust(folder)
    assert load(folder).ignored is None and not record_of(folder).is_symlink()


def test_records_and_settings_are_not_looked_for_in_the_working_folder(folder, monkeypatch):
    """A relative XDG_STATE_HOME would be a folder that came with the others."""
    folder_with(folder, "database: evil.db")
    folder_with(folder / "state" / "bob", "database: evil.db")
    FolderTrust(folder / "state").trust(read_folder_file(folder), NOW)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder.parent / "home"))
    environment = {"XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "state"}
    assert load_settings(environment=environment).settings.database == Settings().database
    environment = {name: str(folder / value) for name, value in environment.items()}
    assert load_settings(environment=environment).settings.database == "evil.db"


def test_trust_names_a_place_by_its_real_path(folder):
    assert trust_name(folder / ".." / "clone" / ".") == str(Path(os.path.realpath(folder)) / "bob.yaml")
