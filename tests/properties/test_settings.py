"""Settings: later sources win key by key, and a wrong one is told with key, place and what is allowed."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.app.settings import known_keys, load_settings
from bob.core.errors import SettingsError

KEYS = sorted(known_keys())
_NOWHERE = Path("/nonexistent-folder-of-nobody")


@pytest.fixture
def load(tmp_path):
    def loaded(home="", folder="", config=None, **environment):
        (tmp_path / "home" / "bob").mkdir(parents=True, exist_ok=True)
        (tmp_path / "here").mkdir(exist_ok=True)
        (tmp_path / "home" / "bob" / "bob.yaml").write_text(home, encoding="utf-8")
        (tmp_path / "here" / "bob.yaml").write_text(folder, encoding="utf-8")
        return load_settings(
            config, environment=environment, home=tmp_path / "home", folder=tmp_path / "here"
        )

    return loaded


def test_without_any_source_all_is_default(tmp_path):
    loaded = load_settings(environment={}, home=tmp_path, folder=tmp_path)
    assert {row.origin for row in loaded.rows()} == {"default"}
    assert [row.key for row in loaded.rows()] == list(known_keys())


def test_later_sources_win_key_by_key(load, tmp_path):
    loaded = load(
        "search: {limit: 3, threshold: 0.1, bm25_b: 0.3}",
        "search: {limit: 4, threshold: 0.2}",
        BOB_SEARCH__LIMIT="5",
    )
    search = loaded.settings.search
    assert (search.limit, search.threshold, search.bm25_b) == (5, 0.2, 0.3)
    origins = {row.key: row.origin for row in loaded.rows()}
    assert origins["search.limit"] == "environment BOB_SEARCH__LIMIT"
    assert origins["search.threshold"] == str(tmp_path / "here" / "bob.yaml")
    assert origins["search.bm25_b"] == str(tmp_path / "home" / "bob" / "bob.yaml")


def test_a_named_file_takes_the_place_of_the_folders(load, tmp_path):
    named = tmp_path / "named.yaml"
    named.write_text("search: {limit: 9}", encoding="utf-8")
    loaded = load("search: {threshold: 0.1}", "search: {limit: 4, threshold: 0.2}", named)
    assert (loaded.settings.search.limit, loaded.settings.search.threshold) == (9, 0.1)


@pytest.mark.parametrize(
    ("where", "text", "said"),
    [
        ("folder", "serach: {limit: 3}", ["here/bob.yaml", "serach"]),
        ("folder", "search: {limt: 3}", ["here/bob.yaml", "search.limt", "did you mean search.limit"]),
        ("home", "search: {limit: 0}", ["home/bob/bob.yaml", "search.limit", "greater than or equal to 1"]),
        ("folder", "search: {limit: many}", ["here/bob.yaml", "search.limit", "integer"]),
        (
            "home",
            "embedder: {kind: magic}",
            ["home/bob/bob.yaml", "embedder.kind", "onnx", "openai-compatible"],
        ),
        ("home", "organization: UPPER", ["home/bob/bob.yaml", "organization"]),
        ("home", "search: 5", ["home/bob/bob.yaml", "search"]),
        ("folder", "search: {limit: [5]}", ["here/bob.yaml", "search.limit"]),
        ("folder", "- a list", ["here/bob.yaml", "keys and values"]),
        ("folder", "a: [", ["here/bob.yaml", "not valid YAML"]),
    ],
)
def test_a_wrong_file_is_told_with_key_and_place(load, where, text, said):
    with pytest.raises(SettingsError) as caught:
        load(**{where: text})
    assert all(each in str(caught.value) for each in said), str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("BOB_SEARCH__LIMIT", "0", "search.limit"),
        ("BOB_NOTHING", "x", "unknown setting nothing"),
        ("BOB_SEARCH__NOTHING__DEEP", "x", "search.nothing"),
        ("BOB_CHUNK__MIN_TOKENS", "900", "chunk.min_tokens"),
        ("BOB_EMBEDDER__KIND", "openai-compatible", "embedder.base_url"),
    ],
)
def test_a_wrong_variable_is_told_with_its_key(load, name, value, said):
    with pytest.raises(SettingsError) as caught:
        load(**{name: value})
    assert said in str(caught.value)


@pytest.mark.parametrize("harm", ["folder", "latin"])
def test_a_file_that_cannot_be_read(tmp_path, harm):
    place = tmp_path / "bob.yaml"
    if harm == "latin":
        place.write_bytes("organization: café".encode("latin-1"))
        with pytest.raises(SettingsError, match=r"bob\.yaml"):
            load_settings(environment={}, home=tmp_path, folder=tmp_path)
    else:
        place.mkdir()
        with pytest.raises(SettingsError, match="no such settings file"):
            load_settings(place, environment={}, home=tmp_path, folder=tmp_path)


def test_a_secret_is_shown_nowhere(load):
    loaded = load(BOB_EMBEDDER__API_KEY="hunter2secret", BOB_EMBEDDER__BASE_URL="http://x")
    assert "hunter2secret" not in repr(loaded.rows()) + repr(loaded.settings)
    with pytest.raises(SettingsError) as caught:
        load(BOB_EMBEDDER__THREADS="hunter2secret")
    assert "hunter2secret" not in str(caught.value)


def test_what_is_recorded_of_a_run_has_no_secret(load):
    address = "http://me:hunter2secret@models:8000/v1?key=hunter2secret"
    loaded = load(BOB_EMBEDDER__API_KEY="hunter2secret", BOB_EMBEDDER__BASE_URL=address)
    recorded = loaded.settings.without_secrets()
    assert "hunter2secret" not in repr(recorded)
    assert recorded["embedder.base_url"] == "http://models:8000/v1"
    assert recorded.keys() == known_keys().keys() - {
        *("auth.jwt_secret", "embedder.api_key", "hippocampus.api_key", "llm.api_key", "mcp.token")
    }


def test_the_memory_service_may_be_named_by_the_variables_that_others_share(load):
    shared = {"HIPPOCAMPUS_API_URL": "http://one.example/api", "HIPPOCAMPUS_API_KEY": "hunter2secret"}
    loaded = load("hippocampus: {url: 'http://files.example'}", **shared)
    chosen = loaded.settings.hippocampus
    assert (chosen.url, chosen.api_key.get_secret_value()) == ("http://one.example/api", "hunter2secret")
    shown = {row.key: (row.value, row.origin) for row in loaded.rows()}
    assert shown["hippocampus.url"] == ("http://one.example/api", "environment HIPPOCAMPUS_API_URL")
    assert "hunter2secret" not in repr(shown)
    # Bob's own variable says it more plainly.
    own = load(BOB_HIPPOCAMPUS__URL="http://two.example", **shared).settings.hippocampus
    assert own.url == "http://two.example"
    assert load(HIPPOCAMPUS_API_URL="").settings.hippocampus.url is None
    # A folder's file does not send the key to its own server.
    folders = load("", "hippocampus: {url: 'http://evil.example'}", HIPPOCAMPUS_API_KEY="hunter2secret")
    assert folders.settings.hippocampus.url is None and "hippocampus.url" in folders.ignored.values
    with pytest.raises(SettingsError):
        load(HIPPOCAMPUS_API_URL="ftp://one.example")


@given(st.sampled_from(KEYS), st.text(max_size=20))
def test_any_value_for_any_key_loads_or_is_told(key, value):
    name = "BOB_" + key.upper().replace(".", "__")
    try:
        load_settings(environment={name: value}, home=_NOWHERE, folder=_NOWHERE)
    except SettingsError as error:
        assert key in str(error) or key.split(".")[0] in str(error)


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=3))
def test_any_variables_load_or_are_told(variables):
    environment = {f"BOB_{name}": value for name, value in variables.items()}
    try:
        load_settings(environment=environment, home=_NOWHERE, folder=_NOWHERE)
    except SettingsError as error:
        assert str(error)
