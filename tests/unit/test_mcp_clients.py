"""Recipes for clients: what is written is what they read, and nothing else of theirs changes."""

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_memory import bob_in

from bob.core.errors import UsageError
from bob.mcp.clients import (
    RECIPES,
    Places,
    read_json,
    recipe_of,
    with_json_entry,
    with_toml_entry,
    without_json_entry,
    without_toml_entry,
)
from bob.mcp.install import installing, snippet, uninstalling

COMMAND = ["/opt/a b/bob", "mcp", "--project", "gärten"]
ENTRY = {"command": "/bin/bob", "args": ["mcp"]}
KEYS = {"vscode": "servers", "zed": "context_servers", "codex": "mcp_servers", "opencode": "mcp"}
WHERE = {
    "linux": {
        "claude-desktop": "h/.config/Claude/claude_desktop_config.json",
        "claude-code": "p/.mcp.json",
        "cursor": "h/.cursor/mcp.json",
        "vscode": "p/.vscode/mcp.json",
        "windsurf": "h/.codeium/windsurf/mcp_config.json",
        "zed": "h/.config/zed/settings.json",
        "codex": "h/.codex/config.toml",
        "gemini": "h/.gemini/settings.json",
        "lm-studio": "h/.lmstudio/mcp.json",
        "opencode": "h/.config/opencode/opencode.json",
    },
    "darwin": {
        "claude-desktop": "h/Library/Application Support/Claude/claude_desktop_config.json",
        "zed": "h/.config/zed/settings.json",
    },
    "win32": {"claude-desktop": "r/Claude/claude_desktop_config.json", "zed": "r/Zed/settings.json"},
}


@pytest.fixture
def places(tmp_path):
    return Places("linux", tmp_path / "home", tmp_path / "project", tmp_path / "roaming")


def parsed(recipe, text):
    return tomllib.loads(text) if recipe.form == "toml" else json.loads(text)


@pytest.mark.parametrize("system", WHERE)
def test_files_lie_where_clients_look(system):
    places = Places(system, Path("h"), Path("p"), Path("r"))
    found = {name: str(RECIPES[name].path(places)) for name in WHERE[system]}
    assert found == WHERE[system]
    assert WHERE["linux"].keys() == RECIPES.keys()


@pytest.mark.parametrize("name", RECIPES)
def test_a_client_without_settings_gets_some_and_gives_them_back(places, name):
    recipe = RECIPES[name]
    change = installing(recipe, places, COMMAND)
    change.write()
    written = recipe.path(places).read_text("utf-8")
    held = parsed(recipe, written)
    (entry,) = held.pop(KEYS.get(name, "mcpServers")).values()
    assert held == {} and written == snippet(recipe, COMMAND)
    if name == "opencode":
        assert entry == {"type": "local", "command": COMMAND, "enabled": True}
    else:
        assert [entry["command"], *entry["args"]] == COMMAND
        assert entry.get("type") == ("stdio" if name in ("claude-code", "vscode") else None)
    assert not change.backup.exists()
    uninstalling(recipe, places).write()
    assert "bob" not in parsed(recipe, recipe.path(places).read_text("utf-8")).get(recipe.key, {})
    assert change.backup.read_text("utf-8") == written


ZED = """// Zed settings
{
  "theme": "One Dark", // a comment, with "quotes" and a }
  /* "context_servers": {"bob": 1} */
  "context_servers": {
    "other": {"command": "x", "args": ["{", "//"],},
  },
  "vim_mode": true,
}
"""
CODEX = """# my settings
model = "m"   # kept

[mcp_servers.bob]
command = "old"
args = ["[", "x"]

[mcp_servers.bob.env]
A = "b"

# about the other
[mcp_servers.other]
command = "x"
notes = '''
text
'''

[profiles.fast]
model = "n"
"""


def test_comments_and_other_entries_of_json_stay_to_the_byte():
    after = with_json_entry(ZED, "context_servers", "bob", ENTRY)
    assert read_json(after)["context_servers"] == {
        "bob": ENTRY,
        "other": {"command": "x", "args": ["{", "//"]},
    }
    assert [line for line in ZED.splitlines() if line not in after.splitlines()] == []
    assert with_json_entry(after, "context_servers", "bob", ENTRY) == after
    again = with_json_entry(after, "context_servers", "bob", {"command": "new"})
    assert read_json(again)["context_servers"]["bob"] == {"command": "new", "args": ["mcp"]}
    assert without_json_entry(again, "context_servers", "bob") == ZED
    assert without_json_entry(ZED, "context_servers", "bob") == ZED


def test_other_tables_of_toml_stay_to_the_byte():
    after = with_toml_entry(CODEX, "mcp_servers", "bob", ENTRY)
    assert tomllib.loads(after)["mcp_servers"]["bob"] == ENTRY | {"env": {"A": "b"}}
    rest = without_toml_entry(after, "mcp_servers", "bob")
    assert "bob" not in rest and rest.startswith('# my settings\nmodel = "m"   # kept\n')
    assert rest.rstrip().endswith(CODEX[CODEX.index("# about") :].rstrip())
    assert with_toml_entry(after, "mcp_servers", "bob", ENTRY) == after


@pytest.mark.parametrize(
    "text", ["[1]", "[" * 100_000, '{"a": ', "nonsense", '{"mcpServers": []}', '{"a": "\n']
)
def test_what_is_no_json_object_is_left_alone(text):
    with pytest.raises(UsageError):
        with_json_entry(text, "mcpServers", "bob", ENTRY)


@pytest.mark.parametrize(
    "text", ["a = ", "a = " + "[" * 100_000, 'mcp_servers = {other = {command = "x"}}\n', "mcp_servers = 3\n"]
)
def test_toml_that_cannot_be_added_to_is_left_alone(text):
    with pytest.raises(UsageError):
        with_toml_entry(text, "mcp_servers", "bob", ENTRY)


def test_an_unknown_client_is_told_the_known_ones():
    with pytest.raises(UsageError, match=r"emacs: .* known: claude-desktop, claude-code"):
        recipe_of("emacs")


LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
SPACES = st.sampled_from(["", " ", "\n", "\r\n", "\t", " // a } , \n", '/* " { */', "\n  "])


@st.composite
def written(draw, value, depth=0):
    """The value as JSON with comments, commas at ends, and odd spaces."""
    if isinstance(value, dict | list):
        if isinstance(value, dict):
            members = [
                f"{draw(SPACES)}{json.dumps(key)}{draw(SPACES)}:{draw(SPACES)}{draw(written(each))}{draw(SPACES)}"
                for key, each in value.items()
            ]
        else:
            members = [f"{draw(SPACES)}{draw(written(each))}{draw(SPACES)}" for each in value]
        end = draw(st.sampled_from(["", ","])) if members else ""
        marks = "{}" if isinstance(value, dict) else "[]"
        return f"{marks[0]}{','.join(members)}{end}{draw(SPACES)}{marks[1]}"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_json_keeps_its_other_values(data):
    servers = data.draw(st.none() | st.dictionaries(st.sampled_from(["a", "bob", "//"]), VALUES, max_size=3))
    value = data.draw(st.dictionaries(st.text(max_size=6), VALUES, max_size=3))
    value |= {} if servers is None else {"mcpServers": servers}
    text = data.draw(SPACES) + data.draw(written(value)) + data.draw(SPACES)
    assert read_json(text) == value
    after = with_json_entry(text, "mcpServers", "bob", ENTRY)
    assert read_json(after) == value | {"mcpServers": (servers or {}) | {"bob": ENTRY}}
    gone = without_json_entry(after, "mcpServers", "bob")
    assert read_json(gone) == value | {"mcpServers": {k: v for k, v in (servers or {}).items() if k != "bob"}}
    plain = json.dumps(value)
    strict = json.loads(
        without_json_entry(with_json_entry(plain, "mcpServers", "bob", ENTRY), "mcpServers", "bob")
    )
    assert strict == read_json(gone)


def test_the_command_installs_shows_and_takes_back(tmp_path):
    bob = bob_in(tmp_path / "home")
    project = tmp_path / "project"
    project.mkdir()
    own = '{"mcpServers": {"other": {"command": "x"}}}'
    (project / ".mcp.json").write_text(own, "utf-8")
    shown = bob("mcp", "install", "claude-code", "--dry-run", cwd=project)
    assert shown.returncode == 0 and (project / ".mcp.json").read_text("utf-8") == own
    assert json.loads(shown.stdout.partition("\n\n")[2])["mcpServers"].keys() == {"bob", "other"}
    done = bob("mcp", "install", "claude-code", "-p", "garden", "--database", "my.db", cwd=project)
    assert done.stdout.startswith("Claude Code, in this folder can now start Bob: .mcp.json.")
    assert "BOB_DATABASE" in done.stderr
    entry = json.loads((project / ".mcp.json").read_text("utf-8"))["mcpServers"]["bob"]
    command = [entry["command"], *entry["args"]]
    assert command[-5:] == ["mcp", "--project", "garden", "--database", str(project / "my.db")]
    assert Path(command[0]).is_absolute()
    assert (project / ".mcp.json.before-bob").read_text("utf-8") == own
    gone = bob("mcp", "uninstall", "claude-code", cwd=project)
    assert gone.stdout == "Claude Code, in this folder no longer starts Bob: .mcp.json\n"
    assert (project / ".mcp.json").read_text("utf-8") == own
    printed = bob("mcp", "install", "codex", "--print", cwd=project).stdout
    assert tomllib.loads(printed)["mcp_servers"]["bob"]["args"][-1] == "mcp"


OLD = {"command": "/old/bob", "args": ["mcp"], "env": {"BOB_DATABASE": "/d b/x.db", "A.B": "1"}, "timeout": 9}
OLD_TOML = """[mcp_servers.bob]
command = "/old/bob"
timeout = 9

[mcp_servers.bob.env]
BOB_DATABASE = "/d b/x.db"
"A.B" = "1"
"""


def test_what_else_an_older_entry_says_stays():
    after = json.loads(with_json_entry(json.dumps({"mcpServers": {"bob": OLD}}), "mcpServers", "bob", ENTRY))
    assert after["mcpServers"]["bob"] == OLD | ENTRY
    table = with_toml_entry(OLD_TOML, "mcp_servers", "bob", ENTRY)
    assert tomllib.loads(table)["mcp_servers"]["bob"] == OLD | ENTRY
    assert with_toml_entry(table, "mcp_servers", "bob", ENTRY) == table
    address = json.dumps({"mcpServers": {"bob": {"url": "http://x"}}})
    assert json.loads(with_json_entry(address, "mcpServers", "bob", ENTRY))["mcpServers"]["bob"] == ENTRY


def test_the_copy_is_of_the_file_before_bob(places):
    recipe = recipe_of("cursor")
    path = recipe.path(places)
    path.parent.mkdir(parents=True)
    path.write_text('{"theme": "dark"}\n')
    installing(recipe, places, COMMAND).write()
    again = installing(recipe, places, ["/other/bob", "mcp"])
    again.write()
    assert again.backup.read_text() == '{"theme": "dark"}\n'
