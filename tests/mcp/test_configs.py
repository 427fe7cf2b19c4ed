"""Lists of servers as other programs write them: read truly, nothing approved, no secret written."""

from __future__ import annotations

import json

import pytest

from tests.mcp.conftest import DictShelf
from tooldeck import Deck
from tooldeck.core.approval import Decision
from tooldeck.core.errors import DefinitionError
from tooldeck.mcp.configs import ServerConfig, read_config
from tooldeck.mcp.connections import Connections
from tooldeck.mcp.consent import START
from tooldeck.mcp.jsonc import read_jsonc
from tooldeck.mcp.target import read_target
from tooldeck.mcp.writing import PROGRAMS, config_text


def nobody(want):
    raise AssertionError(f"{want} was asked for")


@pytest.fixture
def read(tmp_path):
    """Writes a file and reads its servers by name."""

    def read(text, name="mcp.json"):
        file = tmp_path / name
        file.write_text(text if isinstance(text, str) else json.dumps(text))
        return {one.name: one for one in read_config(file)}

    return read


FILES = {
    "claude": {"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"], "env": {"A": "b"}}}},
    "cursor": {"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"], "env": {"A": "b"}}}},
    "vscode": {
        "servers": {"git": {"type": "stdio", "command": "uvx", "args": ["mcp-server-git"], "env": {"A": "b"}}}
    },
    "vscode settings": {
        "mcp": {"servers": {"git": {"command": "uvx", "args": ["mcp-server-git"], "env": {"A": "b"}}}}
    },
    "opencode": {
        "mcp": {"git": {"type": "local", "command": ["uvx", "mcp-server-git"], "environment": {"A": "b"}}}
    },
}


@pytest.mark.parametrize("program", FILES)
def test_a_command_is_found_wherever_a_program_keeps_it(read, program):
    (git,) = read(FILES[program]).values()
    assert (git.name, git.command, git.env) == ("git", ("uvx", "mcp-server-git"), {"A": "b"})
    ready = git.ready(nobody)
    assert str(ready["target"]) == "uvx mcp-server-git"
    assert (ready["label"], ready["env"], ready["unseen"]) == ("git", {"A": "b"}, True)


@pytest.mark.parametrize(
    ("entry", "transport"),
    [
        ({"url": "https://x.example/mcp"}, "auto"),
        ({"type": "sse", "url": "https://x.example/mcp"}, "sse"),
        ({"type": "http", "url": "https://x.example/mcp"}, "http"),
        ({"serverUrl": "https://x.example/mcp"}, "auto"),
        ({"httpUrl": "https://x.example/mcp"}, "auto"),
        ({"type": "remote", "url": "https://x.example/mcp"}, "auto"),
    ],
)
def test_an_address_is_read_in_all_spellings(read, entry, transport):
    (one,) = read({"mcpServers": {"x": {**entry, "headers": {"A": "b"}}}}).values()
    ready = one.ready(nobody)
    assert (str(ready["target"]), ready["transport"], ready["headers"]) == (
        "https://x.example/mcp",
        transport,
        {"A": "b"},
    )


def test_codex_is_toml_with_headers_out_of_the_environment(read, monkeypatch):
    text = """
[mcp_servers.docs]
url = "https://docs.example/mcp"
bearer_token_env_var = "DOCS_TOKEN"
env_http_headers = { "X-Team" = "TEAM" }
enabled_tools = ["search"]
disabled_tools = ["delete_*"]

[mcp_servers.off]
command = "npx"
args = ["-y", "thing"]
enabled = false
"""
    found = read(text, "config.toml")
    monkeypatch.setenv("DOCS_TOKEN", "t0ken")
    monkeypatch.setenv("TEAM", "red")
    ready = found["docs"].ready(nobody)
    assert ready["headers"] == {"Authorization": "Bearer t0ken", "X-Team": "red"}
    assert (ready["only"], ready["without"]) == (("search",), ("delete_*",))
    assert found["off"].disabled


def test_goose_is_yaml_whose_extensions_are_servers(read):
    text = """
extensions:
  github:
    type: stdio
    cmd: npx
    args: [-y, gh]
    envs: {MODE: fast}
    env_keys: [GITHUB_TOKEN]
    available_tools: [search]
    enabled: true
  far: {type: streamable_http, uri: "https://x.example/mcp", headers: {A: b}, enabled: false}
  developer: {type: builtin, enabled: true}
"""
    found = read(text, "config.yaml")
    assert list(found) == ["github", "far"]
    ready = found["github"].ready(lambda want: f"<{want.name}>")
    assert str(ready["target"]) == "npx -y gh"
    assert ready["env"] == {"GITHUB_TOKEN": "<GITHUB_TOKEN>", "MODE": "fast"}
    assert ready["only"] == ("search",)
    assert (found["far"].url, found["far"].disabled) == ("https://x.example/mcp", True)
    with pytest.raises(DefinitionError, match=r"bad\.yaml.*cannot be read"):
        read("a: [", "bad.yaml")


def test_a_description_of_the_registry_is_a_package_and_its_addresses(read):
    found = read(
        {
            "name": "io.github.somebody/weather",
            "packages": [
                {
                    "registryType": "npm",
                    "identifier": "@x/weather",
                    "version": "1.2.0",
                    "environmentVariables": [
                        {"name": "KEY", "isRequired": True, "isSecret": True, "description": "API key"},
                        {"name": "EXTRA"},
                    ],
                    "packageArguments": [
                        {
                            "type": "named",
                            "name": "--zone",
                            "value": "{zone}",
                            "variables": {"zone": {"default": "eu"}},
                        },
                        {"type": "named", "name": "--quiet"},
                        {"type": "positional", "valueHint": "folder", "isRequired": True},
                    ],
                },
                {"registryType": "pypi", "identifier": "weather"},
            ],
            "remotes": [
                {
                    "type": "streamable-http",
                    "url": "https://x.example/mcp",
                    "headers": [{"name": "X-Key", "isRequired": True, "isSecret": True}],
                }
            ],
        },
        "server.json",
    )
    assert list(found) == ["weather", "weather-remote"]
    local = found["weather"]
    assert [(want.name, want.secret) for want in local.wants] == [
        ("zone", False),
        ("folder", False),
        ("KEY", True),
    ]
    ready = local.ready(lambda want: {"zone": ""}.get(want.name, f"<{want.name}>"))
    assert ready["target"].words == (
        *("npx", "-y", "@x/weather@1.2.0"),
        *("--zone", "eu", "--quiet", "<folder>"),
    )
    assert ready["env"] == {"KEY": "<KEY>"}
    assert found["weather-remote"].ready(lambda want: "k")["headers"] == {"X-Key": "k"}


@pytest.mark.parametrize(
    ("kind", "command"),
    [("pypi", "uvx it==2"), ("oci", "docker run -i --rm -e KEY it:2"), ("npm", "npx -y it@2")],
)
def test_a_package_is_run_by_the_program_of_its_kind(read, kind, command):
    package = {
        "registryType": kind,
        "identifier": "it",
        "version": "2",
        "environmentVariables": [{"name": "KEY", "value": "1"}],
    }
    (one,) = read({"name": "it", "packages": [package]}, "server.json").values()
    assert one.shown == command
    assert one.env == {"KEY": "1"}


@pytest.mark.parametrize(
    "given",
    [
        {"packages": [3, {"registryType": "npm"}, {"registryType": []}], "remotes": ["x"]},
        {"extensions": {"a": 3, "b": {"cmd": 4}}},
        {"projects": 3, "mcpServers": {"x": {"command": 3}}},
        {"packages": [{"registryType": "npm", "environmentVariables": 3, "packageArguments": {}}]},
    ],
)
def test_nonsense_in_any_form_is_no_traceback(read, given):
    try:
        for one in read(given).values():
            one.ready(lambda want: "x")
    except DefinitionError as told:
        assert "mcp.json" in str(told)  # noqa: PT017 - either is right


def test_claude_keeps_servers_of_the_current_folder_beside_those_of_all(read, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = {
        "mcpServers": {"all": {"command": "a"}, "both": {"command": "a"}},
        "projects": {
            str(tmp_path): {"mcpServers": {"both": {"command": "b"}}},
            "/elsewhere": {"mcpServers": {"no": {"command": "c"}}},
        },
    }
    assert {name: one.shown for name, one in read(text).items()} == {"all": "a", "both": "b"}


def test_values_that_are_no_texts_are_written_as_in_a_shell(read):
    entry = {"command": "p", "env": {"YES": True, "NONE": None, "N": 3, "G": "$HOME"}, "enabled_tools": []}
    (one,) = read({"mcpServers": {"x": entry}}).values()
    assert one.env == {"YES": "true", "N": "3", "G": "${HOME}"}
    assert one.only == ()


def test_inputs_are_asked_for_once_and_never_shown(read):
    text = """{
      // what VS Code writes
      "inputs": [
        {"type": "promptString", "id": "key", "description": "API key", "password": true},
        {"type": "pickString", "id": "zone", "options": ["eu", "us"], "default": "eu"}, /* last */
      ],
      "servers": {
        "api": {"command": "node", "args": ["s.js", "--key", "${input:key}", "--zone=${input:zone}"],
                "env": {"KEY": "${input:key}"},},
      }
    }"""
    (api,) = read(text).values()
    asked = []

    def ask(want):
        asked.append(want)
        return {"key": "s3cret", "zone": ""}[want.name]

    ready = api.ready(ask)
    assert [(want.name, want.about, want.secret, want.options) for want in asked] == [
        ("key", "API key", True, ()),
        ("zone", "", False, ("eu", "us")),
    ]
    assert ready["target"].words == ("node", "s.js", "--key", "s3cret", "--zone=eu")
    assert ready["env"] == {"KEY": "s3cret"}
    assert "s3cret" not in f"{api!r} {ready['target']}"
    with pytest.raises(DefinitionError, match="zone must be one of eu, us"):
        api.ready(lambda want: "moon")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("${SET}", "yes"),
        ("${env:SET}", "yes"),
        ("{env:SET}", "yes"),
        ("${UNSET_HERE:-else}", "else"),
        ("a-${SET}-b", "a-yes-b"),
        ("${workspaceFolder}/x", "/work space/x"),
    ],
)
def test_variables_are_filled_as_each_program_writes_them(read, monkeypatch, written, expected):
    monkeypatch.setenv("SET", "yes")
    (one,) = read({"mcpServers": {"x": {"command": "p", "env": {"V": written}}}}).values()
    assert one.ready(nobody, "/work space")["env"] == {"V": expected}


def test_a_variable_that_is_missing_is_asked_for(read, monkeypatch):
    monkeypatch.delenv("NOT_SET_HERE", raising=False)
    (one,) = read({"mcpServers": {"x": {"command": "p", "env": {"V": "${NOT_SET_HERE}"}}}}).values()
    assert [want.name for want in one.wants] == ["NOT_SET_HERE"]
    assert one.ready(lambda want: "typed")["env"] == {"V": "typed"}
    with pytest.raises(DefinitionError, match="NOT_SET_HERE is needed and was not given"):
        one.ready(lambda want: "")


def test_what_approves_by_itself_is_left_out_and_said(read):
    (one,) = read({"mcpServers": {"x": {"command": "p", "autoApprove": ["*"], "trust": True}}}).values()
    assert one.notes == ("autoApprove is not taken over", "trust is not taken over")
    assert "trust" not in one.ready(nobody)


def test_a_file_of_variables_is_read(read, tmp_path):
    (tmp_path / "x.env").write_text("# none\nexport A='1'\nB=two\n")
    entry = {"command": "p", "envFile": str(tmp_path / "x.env"), "env": {"B": "given"}}
    (one,) = read({"servers": {"x": entry}}).values()
    assert one.env == {"A": "1", "B": "given"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot be read"),
        ("[]", "lists no MCP servers"),
        ('{"mcpServers": {"x": {}}}', "lists no MCP servers"),
        ('{"mcpServers": {"x": {"command": "p", "args": "no list"}}}', "no list of words"),
        ('{"servers": {"x": {"command": "p", "envFile": "a\\u0000b"}}}', "cannot be read"),
        pytest.param("[" * 100_000, "nested too deeply", id="brackets"),
    ],
)
def test_what_is_no_list_of_servers_is_one_sentence_with_the_file(read, text, said):
    with pytest.raises(DefinitionError, match=said) as caught:
        read(text)
    assert "mcp.json" in str(caught.value)


def test_odd_names_and_inputs_of_a_list_are_read_for_what_they_are(read):
    assert list(read("mcpServers:\n  1: {command: p}\n  2020-01-01: {command: p}\n", "a.yaml")) == [
        "1",
        "2020-01-01",
    ]
    assert list(read({"inputs": [{"id": ["x"]}], "servers": {"x": {"command": "p"}}})) == ["x"]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"url": "rm -rf /"}, "said to be at 'rm -rf /', which is no URL"),
        ({"url": "${ADDRESS}"}, "which is no URL"),
        ({"url": 5}, "neither a program nor a URL"),
        ({"command": ""}, "neither a program nor a URL"),
    ],
)
def test_an_address_that_is_none_never_becomes_a_command(read, entry, said):
    (one,) = read({"mcpServers": {"x": entry}}).values()
    with pytest.raises(DefinitionError, match=said):
        one.ready(lambda want: "rm -rf /")


def test_comments_and_commas_inside_of_texts_stay():
    text = '{"a": "// no comment, /* none */ ,}", /* c */ "b": [1, 2, // two\n],}'
    assert read_jsonc(text) == {"a": "// no comment, /* none */ ,}", "b": [1, 2]}
    with pytest.raises(ValueError, match="line 2"):
        read_jsonc('{"a": 1 /* x\n */ "b"}')


def test_a_server_of_a_file_is_asked_about_and_its_secret_is_in_no_question(raw, tmp_path):
    asked = []

    async def person(request):
        asked.append(request)
        return Decision(approved=True)

    config = ServerConfig("my server", (*raw(), "--about", "${env:NOT_SET}"), env={"TOKEN": "s3cret"})
    config = ServerConfig(config.name, config.command, env=config.env, wants=_wants(config))
    deck = Deck(approver=person, store=tmp_path / "deck.db")
    try:
        deck.mcp.connect(**config.ready(lambda want: "s3cret"))
        (question,) = [request for request in asked if request.tool.name == START]
        assert question.call.arguments["command"] == list(config.command)
        assert question.call.arguments["environment"] == ["TOKEN"]
        shown = f"{question} {deck.log()} {deck.mcp} {deck.mcp['my-server']!r}"
        assert "s3cret" not in shown
        assert b"s3cret" not in (tmp_path / "deck.db").read_bytes()
        assert deck.mcp["my-server"].session.tools[0].description == "s3cret"  # it did reach the server
    finally:
        deck.close()


def _wants(config):
    from tooldeck.mcp.places import wanted_in

    return tuple(wanted_in(config.command, {}))


def test_only_the_chosen_tools_come_into_the_deck(raw):
    deck = Deck(policy="auto")
    try:
        made = deck.mcp.connect(raw(), label="one", only=["e*", "seen"], without=["empty", "env"])
        assert sorted(made) == ["echo", "seen"]
        assert sorted(deck.tools) == ["echo", "seen"]
    finally:
        deck.close()


def test_a_command_with_something_filled_in_is_shown_without_it():
    assert str(read_target(["a", "b"])) == "a b"


@pytest.fixture(scope="module")
def written():
    """Connections whose servers were never started: what is written of them is what was said of them."""
    servers = Connections(DictShelf())
    key = {"env": {"API_KEY": "s3cret"}, "cwd": "/work space", "label": "local"}
    far = {"headers": {"Authorization": "Bearer s3cret"}, "transport": "sse", "label": "far"}
    command = ["node", "s.js", "--token", "s3cret", "--user=${input:who}"]
    made = [servers._made(command, **key)[0], servers._made("https://x.example/mcp", **far)[0]]
    made.append(servers._made("https://x.example/mcp?api_key=s3cret", label="keyed")[0])
    return made


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_list_for_each_program_is_read_back_and_has_no_secret(read, written, program):
    text = config_text(written, program)
    assert "s3cret" not in text
    found = read(text, "config.toml" if program == "codex" else "mcp.json")
    assert list(found) == ["local", "far", "keyed"]
    given = lambda want: f"<{want.name}>"  # noqa: E731
    local, far = found["local"].ready(given), found["far"].ready(given)
    assert local["target"].words == ("node", "s.js", "--token", "<LOCAL_ARGUMENT_3>", "--user=<who>")
    assert local["env"] == {"API_KEY": "<API_KEY>"}
    assert local["cwd"] == (None if program == "opencode" else "/work space")
    assert str(far["target"]) == "https://x.example/mcp"
    assert far["headers"] == {"Authorization": "<FAR_AUTHORIZATION>"}
    keyed = found["keyed"].ready(lambda want: f"https://k.example/{want.name}")["target"]
    assert (keyed.url, str(keyed)) == ("https://k.example/KEYED_URL", "https://k.example/…")


@pytest.mark.parametrize(
    "word",
    [
        *("X-API-Key: s3cret", "Authorization: Basic s3cret", "${HOME}/x?token=s3cret"),
        *("https://u:${WORD}s3cret@h.example/", "export API_KEY=s3cret; run", '{"password": "s3cret"}'),
    ],
)
def test_a_secret_within_a_word_is_not_written(word):
    made = Connections(DictShelf())._made(["node", "s.js", "--config", word], label="x")[0]
    assert "s3cret" not in config_text([made])
    assert "${X_ARGUMENT_3}" in config_text([made])


def test_a_header_with_a_placeholder_is_written_as_it_is():
    words = ["npx", "far", "--header", "Authorization: Bearer ${KEY}"]
    assert json.loads(config_text([Connections(DictShelf())._made(words, label="x")[0]]))["mcpServers"]["x"][
        "args"
    ] == ["far", "--header", "Authorization: Bearer ${KEY}"]


def test_what_was_filled_into_an_address_is_neither_shown_nor_written(read):
    (one,) = read({"servers": {"x": {"url": "https://${HOST_NAME}/${KEY}/mcp"}}}).values()
    ready = one.ready(lambda want: "h.example" if want.name == "HOST_NAME" else "s3cret")
    assert ready["target"].url == "https://h.example/s3cret/mcp"
    made = Connections(DictShelf())._made(ready["target"], label="x")[0]
    assert "s3cret" not in f"{made!r} {config_text([made])}"
    assert "https://h.example/${KEY}/mcp" in config_text([made])


def test_vs_code_asks_for_each_value_without_showing_it(written):
    inputs = json.loads(config_text(written, "vscode"))["inputs"]
    assert [one["id"] for one in inputs] == [
        *("LOCAL_ARGUMENT_3", "who", "API_KEY"),
        *("FAR_AUTHORIZATION", "KEYED_URL"),
    ]
    assert all(one["password"] for one in inputs)


def test_what_no_other_program_reaches_or_reads_is_one_sentence(written):
    with pytest.raises(DefinitionError, match="did you mean 'claude'"):
        config_text(written, "cluade")
    servers = Connections(DictShelf())
    with pytest.raises(DefinitionError, match="'here' is an object of this process"):
        config_text([servers._made(object(), label="here")[0]])
