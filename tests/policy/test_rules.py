"""Rules: what they say of which calls, how they are written, and which of several decides."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tooldeck import Deck, DefinitionError, Origin, Policy
from tooldeck.core.vocabulary import Effect
from tooldeck.policy import PRESETS, Rule
from tooldeck.policy.rules import read_rules
from tooldeck.testing import fake_deck


def body(path: str = "a.txt", n: int = 1, names: list[str] = [], where: Path = Path("x")):  # noqa: B006
    return "ran"


def word(*rules, tool=body, preset="ask_everything", arguments=None, **options):
    """What a policy of these rules says of a call."""
    deck = Deck(policy=Policy(preset, rules))
    made = deck.add(tool, name=options.pop("name", "file"), **options)
    return deck.policy.explain(made, arguments or {"path": "a.txt"}).verdict.word


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("allow file", True),
        ("allow fi*", True),
        ("allow FILE", False),
        ("allow other", False),
        ("allow 'f[a-i]le'", True),
        ("allow effects=read", False),
        ("allow effects=read,write", True),
        ("allow effects=write", False),
        ("allow effects=none", False),
        ("allow effects=undeclared", False),
        ("allow origin=python", True),
        ("allow origin=python:tests*", True),
        ("allow origin=mcp", False),
        ("allow trust=trusted", True),
        ("allow trust=untrusted", False),
        ("allow risk=medium", True),
        ("allow risk=low,high", False),
        ("allow file effects=read,write path=a.*", True),
        ("allow file effects=read,write path=b.*", False),
        ("allow path=A.TXT", False),
        ("allow n=1", True),
        ("allow n=2", False),
        ("allow missing=*", False),
    ],
)
def test_a_rule_fits_when_all_of_its_conditions_do(text, fits):
    assert word(text, effects="read,write") == ("allow" if fits else "ask")


@pytest.mark.parametrize(
    ("effects", "allowed", "denied"),
    [("read", True, True), ("read,network", False, True), ("network", False, False), ("none", True, False)],
)
def test_an_allow_rule_needs_every_effect_and_a_deny_rule_only_one(effects, allowed, denied):
    assert (word("allow effects=read", effects=effects) == "allow") is allowed
    assert (word("deny effects=read", effects=effects) == "deny") is denied


def test_undeclared_effects_are_named_as_such_and_are_none_of_the_others():
    assert word("allow effects=undeclared") == "allow"
    assert word("allow effects=read,write,execute,network,repository,human,model") == "ask"
    assert word("deny effects=undeclared") == "deny"


@pytest.mark.parametrize(
    ("pattern", "path", "allowed", "denied"),
    [
        ("src/*", "src/a.py", True, True),
        ("src/*", "src/../etc/passwd", False, True),
        ("src/*", "lib/../src/a.py", False, True),
        ("/etc/*", "/tmp/../etc/passwd", False, True),
        ("/etc/*", "//etc/passwd", False, True),
        ("/etc/*", "/etc//passwd", True, True),
        ("/etc/*", "/etcetera", False, False),
        ("https://a.example/*", "https://a.example/x//y", True, True),
    ],
)
def test_a_path_with_detours_is_read_in_the_way_that_is_less_lenient(pattern, path, allowed, denied):
    given = {"path": path}
    assert (word(f"allow path={pattern}", arguments=given, effects="write") == "allow") is allowed
    assert (word(f"deny path={pattern}", arguments=given, effects="write") == "deny") is denied


@pytest.mark.parametrize(
    ("names", "allowed", "denied"),
    [(["a", "ab"], True, True), (["a", "b"], False, True), (["b"], False, False), ([], False, False)],
)
def test_of_a_list_an_allow_rule_needs_every_item_and_a_deny_rule_one(names, allowed, denied):
    given = {"names": names}
    assert (word("allow names=a*", arguments=given, effects="none") == "allow") is allowed
    assert (word("deny names=a*", arguments=given, effects="none") == "deny") is denied


def test_an_argument_that_is_left_out_counts_with_its_default():
    assert word("deny path=a.*", arguments={"n": 2}) == "deny"
    assert word("allow path=a.*", arguments={"n": 2}, effects="none") == "allow"


def test_an_argument_whose_default_nobody_can_see_is_taken_for_the_worse():
    class Odd:
        pass

    def tool(n: int, thing: object = Odd()):
        return n

    assert word("deny thing=x", tool=tool, arguments={"n": 1}) == "deny"
    assert word("allow thing=*", tool=tool, arguments={"n": 1}, effects="none") == "ask"


def test_a_rule_sees_the_argument_as_the_body_gets_it():
    assert word({"word": "deny", "arguments": {"n": 5}}, arguments={"n": "5"}) == "deny"
    assert word({"word": "deny", "arguments": {"n": True}}, arguments={"n": 1}) == "ask"
    assert word("deny where=/etc/*", arguments={"where": "/etc/passwd"}) == "deny"


@pytest.mark.parametrize(
    "command",
    ["git status; rm -r .", "git log | sh", "git diff `id`", "git add $(id)", "git x\nrm y", "git a&b"],
)
def test_a_pattern_for_a_command_does_not_allow_a_second_command(command):
    def shell(command: str):
        return command

    for effects in ("execute", None):
        given = {"tool": shell, "arguments": {"command": command}, "effects": effects}
        assert word("allow 'command=git *'", **given) == "ask"
        assert word("deny 'command=git *'", **given) == "deny"
    assert word("allow 'command=git *'", tool=shell, arguments={"command": "git status"}) == "allow"
    assert word("allow 'command=*|*'", tool=shell, arguments={"command": "a | b"}) == "allow"
    assert word("allow command=*", tool=shell, effects="none", arguments={"command": command}) == "allow"


def test_a_rule_said_again_is_listed_once_and_counts_as_said_last(tmp_path):
    policy = Policy("default", ["allow file"])
    policy.allow("file")
    policy.add("ask file", "allow other")
    assert [str(rule) for rule in policy.rules] == ["allow file", "ask file", "allow other"]
    policy.add("allow file")
    assert [str(rule) for rule in policy.rules] == ["ask file", "allow other", "allow file"]
    (tmp_path / "policy.toml").write_text("rules = ['ask file']")
    policy.adopt(tmp_path / "policy.toml")
    assert [str(rule) for rule in policy.rules] == ["allow other", "allow file", "ask file"]
    policy.add("allow file note=tested")
    assert len(policy.rules) == 4, "a rule with another note is another rule"


def test_any_deny_wins_else_the_last_rule_that_fits():
    assert word("deny *", "allow file") == "deny"
    assert word("allow file", "deny path=a.txt", "allow *") == "deny"
    assert word("allow *", "ask file") == "ask"
    assert word("ask file", "allow *") == "allow"
    assert word("ask *", "allow path=a.txt", effects="none") == "allow"
    assert word("ask *", "allow path=b.txt", effects="none") == "ask"


@pytest.mark.parametrize(
    ("preset", "ask", "expected"),
    [
        ("default", True, "ask"),
        ("default", False, "allow"),
        ("auto", True, "ask"),
        ("accept_edits", True, "ask"),
        ("read_only", False, "deny"),
        ("plan", True, "deny"),
    ],
)
def test_the_author_decides_over_the_question_and_never_over_a_denial(preset, ask, expected):
    assert word(preset=preset, ask=ask, effects="write") == expected
    assert word("allow file", preset=preset, ask=ask, effects="write") == "allow"


def test_a_remote_tool_has_no_say():
    assert word(preset="default", ask=False, origin=Origin("mcp", "git")) == "ask"
    assert word("allow origin=mcp:git", preset="default", origin=Origin("mcp", "git")) == "allow"
    assert word("allow origin=mcp:git", preset="default", origin=Origin("mcp", "git2")) == "ask"


EFFECTS = [
    None,
    "none",
    "read",
    "human",
    "network",
    "model",
    "read,network",
    "write",
    "write,network",
    "execute",
]


@pytest.mark.parametrize(
    ("preset", "words"),
    [
        ("default", "ask allow allow allow ask ask ask ask ask ask"),
        ("read_only", "deny allow allow allow deny deny deny deny deny deny"),
        ("plan", "deny allow allow allow ask ask ask deny deny deny"),
        ("accept_edits", "ask allow allow allow ask ask ask allow ask ask"),
        ("ask_everything", "ask ask ask ask ask ask ask ask ask ask"),
        ("auto", "allow allow allow allow allow allow allow allow allow allow"),
    ],
)
def test_each_preset_says_of_declared_effects(preset, words):
    assert " ".join(word(preset=preset, effects=effects) for effects in EFFECTS) == words


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    "name",
    ["transfer_money", "drop_table", "charge_card", "send_sms", "create_cloud_vm", "run_shell", "transform"],
)
def test_no_preset_looks_at_the_name(preset, name):
    for effects in (None, "none", "write"):
        assert word(preset=preset, name=name, effects=effects) == word(preset=preset, effects=effects)


def test_a_preset_says_something_of_every_combination_of_effects():
    every = [frozenset(), *(frozenset({one, other}) for one in Effect for other in Effect)]
    for preset in PRESETS:
        for effects in every:
            assert word(preset=preset, effects=list(effects)) in {"allow", "ask", "deny"}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("alow x", "did you mean 'allow'"),
        ("deny", "names no tool"),
        ("", "is empty"),
        ("deny x effect=read", "did you mean 'effects'"),
        ("deny x efects=read", "arguments.efects="),
        ("deny x effects=raed", "did you mean 'read'"),
        ("deny x risk=hi", "Unknown risk 'hi'"),
        ("deny x trust=trustd", "did you mean 'trusted'"),
        ("deny 'x", "never closed"),
        ("deny x a=1 a=2", "says a twice"),
        ("deny x =1", "no name before"),
        ({"word": "deny", "tols": "x"}, "did you mean 'tools'"),
        ({"tools": "x"}, "needs a word"),
        ({"word": "deny", "tools": []}, "empty list"),
        ({"word": "deny", "tools": 5}, "got 5"),
        ({"word": "deny", "arguments": "path"}, "patterns by parameter name"),
        ({"word": "deny", "effects": 5}, "must be words"),
        ({"word": "deny", "origin": 5}, "must be text"),
        (5, "must be text such as"),
    ],
)
def test_a_rule_that_is_not_understood_is_refused_with_the_remedy(given, says):
    with pytest.raises(DefinitionError) as error:
        Policy("default", [given])
    assert says in str(error.value)


def test_text_mapping_and_object_mean_the_same_rule():
    text = "ask git__* effects=read,write origin=mcp:git trust=untrusted risk=high path='a b' note='ask Ada'"
    mapping = {
        "word": "ask", "tools": "git__*", "effects": ["read", "write"], "origin": "mcp:git",
        "trust": "untrusted", "risk": "high", "arguments": {"path": "a b"}, "note": "ask Ada",
    }  # fmt: skip
    assert read_rules(text) == read_rules(mapping) == read_rules(Rule(**mapping))


NAMES = st.text(st.sampled_from("abz_*?-[]"), min_size=1, max_size=6)
TEXTS = st.text(st.sampled_from("ab '\"\\=*#é\n,"), max_size=8)
RULES = st.builds(
    Rule,
    word=st.sampled_from(["allow", "ask", "deny"]),
    tools=NAMES,
    arguments=st.dictionaries(st.sampled_from(["path", "note", "effect", "arguments.x", "risk"]), TEXTS),
    effects=st.none() | st.frozensets(st.sampled_from([*Effect, "undeclared"])),
    origin=st.sampled_from(["", "mcp", "mcp:a b", "python:*"]),
    trust=st.sampled_from([None, "trusted", "untrusted"]),
    risk=st.none() | st.frozensets(st.sampled_from(["low", "medium", "high"]), min_size=1),
    note=TEXTS,
)


@given(RULES)
def test_a_rule_is_read_back_from_its_text(rule):
    assert read_rules(str(rule)) == (rule,)


def test_a_rule_about_several_tools_is_one_for_each():
    policy = Policy()
    policy.deny("a", "b*", effects="write")
    policy.add("allow c d")
    assert [str(rule) for rule in policy.rules] == [
        "deny a effects=write",
        "deny b* effects=write",
        "allow c",
        "allow d",
    ]
    assert policy.forget("b*")
    assert policy.forget("allow c")
    assert not policy.forget("c")
    assert [str(rule) for rule in policy.rules] == ["deny a effects=write", "allow d"]


def test_the_verdict_on_every_call_is_open_only_where_arguments_decide():
    deck = Deck()
    tool = deck.add(body, name="file")
    other = deck.add(lambda x: x, name="other")
    for rules, static in [
        (["deny path=a"], None),
        (["deny file", "deny path=a"], "deny"),
        (["allow path=a"], None),
        (["allow path=a", "ask file"], "ask"),
        (["ask file", "allow path=a"], None),
        (["deny missing=a"], "ask"),
    ]:
        verdict = Policy("default", rules).static(tool)
        assert (verdict and verdict.word) == static, rules
        assert Policy("default", ["deny path=a"]).static(other).word == "ask"


def test_an_explanation_names_the_rule_that_decides_and_what_else_fits():
    deck = Deck(policy=Policy("default", ["allow file", "deny path=/etc/*", "ask fi*"]))
    tool = deck.add(body, name="file", ask=True)
    assert str(deck.policy.explain(tool)).splitlines() == [
        "file: that hangs on the arguments; give them as key=value.",
        "  also matches: allow file (your rule)",
        "  matches some arguments: deny path=/etc/* (your rule)",
        "  also matches: ask fi* (your rule)",
        "  also matches: the tool asks always (the tool's author)",
        "  also matches: default/undeclared-effects (preset default)",
    ]
    assert str(deck.policy.explain(tool, {"path": "/etc/x"})).startswith(
        "file: deny, by the rule deny path=/etc/*."
    )
    assert str(deck.policy.explain(tool, {"path": "/x"})).startswith("file: ask, by the rule ask fi*.")
    said = str(deck.policy.explain(tool, {"n": "x"}))
    assert "an argument does not fit: n" in said


def test_the_note_of_a_rule_reaches_whoever_is_refused(run):
    deck, _ = fake_deck(policy=Policy("auto", ["deny file path=/etc/* note='use settings() instead'"]))
    deck.add(body, name="file")
    assert "use settings() instead" in run(deck, "file", path="/etc/x").error
    assert run(deck, "file", path="/tmp/x").ok


def test_a_tool_that_is_denied_for_some_arguments_is_shown_to_models_and_one_that_never_runs_is_not():
    deck = Deck(policy=Policy("auto", ["deny path=/etc/*", "deny hidden"]))
    deck.add(body, name="file")
    deck.add(body, name="hidden")
    assert [tool["name"] for tool in deck.export("mcp")] == ["file"]


@pytest.mark.parametrize(
    ("pattern", "address", "allowed", "denied"),
    [
        ("https://a.org/pub/*", "https://a.org/pub/x", True, True),
        ("https://a.org/pub/*", "https://a.org/pub/", True, True),
        ("https://a.org/pub/*", "https://a.org/pub/../key", False, True),
        ("https://a.org/pub/*", "https://a.org/pub/%2e%2e/key", False, True),
        ("https://a.org/pub/*", "https://a.org/pub/..\\key", False, True),
        ("https://a.org/pub/*", "https://a.org/x/../pub/y?q=../z", False, True),
        ("https://a.org/*", "https://a.org/x%20y?q=1#top", True, True),
        ("https://a.org/*", "HTTPS://A.org/x", False, True),
        ("https://a.org/*", " https://a.org:443/x", False, True),
        ("https://a.org/*", "https://ann@a.org/x", False, True),
        ("https://a.org/*", "https:\\\\a.org/x", False, True),
        ("https://a.org/*", "https://a.org:8443/x", False, False),
        ("https://a.org/*", "https://a.org@b.org/x", False, False),
        ("https://*.a.org/*", "https://www.a.org/x", True, True),
        ("https://*.a.org/*", "https://b.org/.a.org/", False, True),
        ("https://*.a.org/*", "https://b.org/?x=www.a.org/", False, True),
        ("https://*.a.org/*", "https://b.org#.a.org/", False, True),
        ("https://*.a.org/*", "https://b.org\\.a.org/", False, True),
        ("*://a.org/*", "https://b.org/?x://a.org/", False, True),
        ("*://a.org/*", "https://a.org/x", True, True),
        ("https://[[]::1]:80/*", "https://[::1]:80/x", True, True),
        ("https://*", "https://[bad/x", False, True),
        ("/data/*", "/data/x://../../etc/passwd", False, True),
        ("/data/*", "/data/x", True, True),
        ("*", "https://a.org/../x", True, True),
    ],
)
def test_an_address_is_read_as_a_client_reads_it_in_the_way_that_is_less_lenient(
    pattern, address, allowed, denied
):
    given = {"path": address}
    assert (word({"word": "allow", "arguments": {"path": pattern}}, arguments=given) == "allow") is allowed
    assert (word({"word": "deny", "arguments": {"path": pattern}}, arguments=given) == "deny") is denied
