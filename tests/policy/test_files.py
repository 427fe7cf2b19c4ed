"""Policies in files: read with every mistake named, trusted only when a person says so."""

from __future__ import annotations

import pytest

from tooldeck import Deck, DefinitionError, Policy
from tooldeck.testing import fake_deck

OWN = """
preset = "plan"
rules = [
  "deny git__push",
  { word = "ask", tools = ["file", "note"], arguments = { path = "/etc/*", depth = 3 }, note = "careful" },
  "allow save",
]
"""


def own(folder, text=OWN):
    (folder / ".tooldeck").mkdir(exist_ok=True)
    path = folder / ".tooldeck" / "policy.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_file_states_a_preset_and_rules(tmp_path):
    policy = Policy.from_file(own(tmp_path))
    assert policy.preset == "plan"
    assert [str(rule) for rule in policy.rules] == [
        "deny git__push",
        "ask file path=/etc/* depth=3 note=careful",
        "ask note path=/etc/* depth=3 note=careful",
        "allow save",
    ]


def test_a_project_states_its_policy_in_its_own_file(tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text('[project]\nname = "x"\n[tool.tooldeck]\npreset = "read_only"\n', "utf-8")
    assert Policy.from_file(path).preset == "read_only"
    inner = tmp_path / "notebooks" / "deep"
    inner.mkdir(parents=True)
    assert Policy.load(inner).preset == "read_only"
    own(tmp_path / "notebooks", 'preset = "auto"')
    assert Policy.load(inner).preset == "auto"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("preset = ", "is no TOML"),
        ("presets = 'auto'", "did you mean 'preset'"),
        ("preset = 'planning'", "Unknown policy 'planning'; did you mean 'plan'"),
        ("preset = 5", "Unknown policy 5"),
        ("rules = 'deny x'", "must be a list"),
        ("rules = ['dny x']", "did you mean 'deny'"),
        ("rules = [5]", "must be text such as"),
    ],
)
def test_a_mistake_in_a_file_is_told_with_its_path(tmp_path, text, says):
    path = own(tmp_path, text)
    with pytest.raises(DefinitionError) as error:
        Policy.from_file(path)
    assert says in str(error.value)
    assert str(path) in str(error.value)


def test_a_file_that_is_missing_binary_huge_or_silent_is_no_policy(tmp_path):
    with pytest.raises(DefinitionError, match="cannot be read"):
        Policy.from_file(tmp_path / "nothing.toml")
    with pytest.raises(DefinitionError, match="no policy file"):
        Policy.load(tmp_path)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(DefinitionError, match="cannot be read"):
        Policy.from_file(binary)
    huge = tmp_path / "huge.toml"
    huge.write_text("#" * 1_000_001)
    with pytest.raises(DefinitionError, match="too large"):
        Policy.from_file(huge)
    silent = tmp_path / "pyproject.toml"
    silent.write_text("[project]\nname = 'x'\n")
    with pytest.raises(DefinitionError, match=r"no \[tool.tooldeck\] section"):
        Policy.from_file(silent)


def body(path: str = "a"):
    return "ran"


def words(policy, *rules):
    """What a policy says of a tool that writes and of one that reads."""
    deck = Deck(policy=policy)
    policy.add(*rules)
    tools = [deck.add(body, name=effects, effects=effects) for effects in ("write", "read")]
    return [policy.static(tool).word for tool in tools]


@pytest.mark.parametrize(
    ("text", "rules", "expected"),
    [
        ("preset = 'auto'\nrules = ['allow *']", [], ["ask", "allow"]),
        ("rules = ['deny write']", [], ["deny", "allow"]),
        ("rules = ['ask read']", [], ["ask", "ask"]),
        ("rules = ['ask *']", ["deny write"], ["deny", "ask"]),
        ("rules = ['deny *', 'allow *']", ["allow *"], ["deny", "deny"]),
        ("preset = 'read_only'", ["allow *"], ["deny", "allow"]),
        ("preset = 'read_only'\nrules = ['allow write']", [], ["ask", "allow"]),
        ("preset = 'accept_edits'", [], ["ask", "allow"]),
        ("", ["allow *"], ["allow", "allow"]),
    ],
)
def test_a_file_that_was_merely_found_makes_things_stricter_and_never_more_lenient(
    tmp_path, text, rules, expected
):
    own(tmp_path, text)
    policy = Policy()
    found = policy.heed(tmp_path)
    assert found is policy.found is not None
    assert words(policy, *rules) == expected


def test_nothing_found_changes_nothing_and_a_broken_file_is_told(tmp_path):
    policy = Policy()
    assert policy.heed(tmp_path) is None
    own(tmp_path, "rules = [")
    with pytest.raises(DefinitionError, match="no TOML"):
        policy.heed(tmp_path)
    assert policy.found is None


def test_what_a_found_file_allows_holds_once_a_person_loads_it(tmp_path, run):
    path = own(tmp_path, "rules = ['allow save', 'deny push']")
    deck, host = fake_deck()
    for name in ("save", "push"):
        deck.add(body, name=name, effects="write")
    deck.policy.heed(tmp_path)
    assert run(deck, "save").status == "denied"
    assert len(host.requests) == 1
    assert run(deck, "push").status == "denied"
    assert len(host.requests) == 1
    file = deck.policy.adopt(folder=tmp_path)
    assert file.path == path
    assert run(deck, "save").ok
    assert run(deck, "push").status == "denied"
    assert deck.policy.found is None


def test_a_file_that_is_no_policy_leaves_everything_as_it_was(tmp_path):
    path = own(tmp_path, "rules = ['allow *', 'alow x']")
    policy = Policy("read_only", ["deny x"])
    with pytest.raises(DefinitionError):
        policy.adopt(path)
    assert (policy.preset, [str(rule) for rule in policy.rules]) == ("read_only", ["deny x"])


def test_an_explanation_tells_the_found_rule_from_ones_own(tmp_path):
    own(tmp_path, "rules = ['deny path=/etc/*']")
    deck = Deck(policy="auto")
    tool = deck.add(body, name="file")
    deck.policy.heed(tmp_path)
    assert deck.policy.explain(tool).verdict is None
    said = str(deck.policy.explain(tool, {"path": "/etc/x"}))
    assert said.startswith("file: deny, by the rule deny path=/etc/*.")
    assert "(a file in this folder)" in str(deck.policy.explain(tool))
