"""A model's whole reply: which action or answer it holds, what it made up, and what it is told otherwise."""

from __future__ import annotations

import pytest

from tooldeck import ActionError, read_reply

TOOLS = {"search": ["q"], "save": ["doc", "code"], "read": ["path"], "weather": ["city"], "f": ["x"]}
LONE = {"search": "q", "read": "path", "weather": "city"}

NESTED = '{\n  "doc": {"title": "T", "parts": [{"n": 1}, {"n": 2}]},\n  "code": "print(sum(range(3)))"\n}'
NESTED_VALUE = {"doc": {"title": "T", "parts": [{"n": 1}, {"n": 2}]}, "code": "print(sum(range(3)))"}


def read(text, **options):
    return read_reply(text, tools=TOOLS, lone=LONE, **options)


def only(reply):
    assert reply.refusal is None, str(reply.refusal)
    (action,) = reply.actions
    assert reply.answer is None
    return action


@pytest.mark.parametrize(
    "text",
    [
        f"Thought: go\nAction: save\n\nAction Input: {NESTED}\n",
        f"Thought: go\nAction: save\nAction Input:\n```json\n{NESTED}\n```\n",
        f"Thought: go\nAction: save\nAction Input: {NESTED} and then we see",
        f"Thought: go\nAction: save\nAction Input: {NESTED}\nand then we see",
    ],
)
def test_nested_input_is_read_in_full_and_words_behind_it_stay_out(text):
    reply = read(text)
    action = only(reply)
    assert (action.name, action.arguments, action.source) == ("save", NESTED_VALUE, "input")
    assert reply.thought == "go"
    assert ("and then we see" in "".join(action.notes)) == ("and then we see" in text)


def test_what_the_model_made_up_is_left_out_with_the_answer_behind_it():
    head = 'Thought: check\nAction: weather\nAction Input: {"city": "Oslo"}'
    reply = read(f"{head}\nObservation: 31 C and sunny\nThought: done\nFinal Answer: 31 C")
    assert only(reply).arguments == {"city": "Oslo"}
    assert reply.text == head
    assert reply.invented == "Observation: 31 C and sunny\nThought: done\nFinal Answer: 31 C"
    assert reply.notes == ("left out an observation that the model wrote itself",)


def test_an_observation_before_any_action_is_made_up_too():
    reply = read("Thought: x\n观察：晴\nFinal Answer: 晴")
    assert reply.refusal.code == "NO_ACTION"
    assert reply.answer is None
    assert reply.text == "Thought: x"


@pytest.mark.parametrize("word", ["None", "N/A", "none.", "`None`", "无"])
def test_no_action_and_an_answer_is_the_answer(word):
    reply = read(f"Thought: I know it\nAction: {word}\nAction Input: None\nFinal Answer: 42")
    assert (reply.answer, reply.actions, reply.thought) == ("42", (), "I know it")


@pytest.mark.parametrize(
    "text", ["Action: N/A", "Action: None\n", "Thought: hm", "", " \n", "Action: None(x=1)"]
)
def test_neither_action_nor_answer_is_told_the_format(text):
    reply = read(text)
    assert reply.refusal.code in ("NO_ACTION", "NO_CALL")
    assert 'tool_name(argument="value")' in str(reply.refusal)
    assert reply.answer is None


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("Action: `search`", {}),
        ("Action: search", {}),
        ('Action: search("cats")', {"q": "cats"}),
        ("Action: search[cats]", {"q": "cats"}),
        ("Action: Search ", {}),
        ('action: search\naction_input: {"q":1}', {"q": 1}),
        ("Action: search\nAction Input: None", {}),
        ("Action: search\nAction Input:", {}),
        ("Action: search()\nAction Input: {'q': 'x'}", {"q": "x"}),
        ('Action 1: "search"\nAction Input 1: {"q": "x"}', {"q": "x"}),
        ('1. **Action:** search\n2. **Action Input:** {"q": "x"}', {"q": "x"}),
        ('```\nAction: search\nAction Input: {"q": "x"}\n```', {"q": "x"}),
        ('Action:\n```json\n{"action": "search", "action_input": "x"}\n```', {"q": "x"}),
        ('{"thought": "hm", "action": "search", "action_input": {"q": "x"}}', {"q": "x"}),
        ('search(q="x")', {"q": "x"}),
        ('```python\nsearch(q="x")\n```', {"q": "x"}),
    ],
)  # fmt: skip
def test_names_are_cleaned_and_inputs_found(text, arguments):
    action = only(read(text))
    assert (action.name, action.arguments) == ("search", arguments)


def test_another_case_of_a_name_is_read_only_where_one_tool_fits_and_said():
    assert "read 'Search' as 'search'" in only(read("Action: Search\nAction Input: x")).repairs
    twins = read_reply("Action: SEARCH\nAction Input: {}", tools=["search", "Search"])
    assert twins.refusal.code == "UNKNOWN_TOOL"


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ("{'city': 'Oslo', 'metric': True, 'limit': None, 'tags': ['a','b',],}",
         {"city": "Oslo", "metric": True, "limit": None, "tags": ["a", "b"]}),
        ('{"is_path": True}', {"is_path": True}),
        ('{"msg": "True story, it\'s None"}', {"msg": "True story, it's None"}),
        ("Oslo", {"city": "Oslo"}),
        ('"Oslo"', {"city": "Oslo"}),
        ("'O\\'s'", {"city": "O's"}),
        ("New York\nCity", {"city": "New York\nCity"}),
        ("```\nOslo\n```", {"city": "Oslo"}),
        ('"{\\"city\\": \\"Oslo\\"}"', {"city": "Oslo"}),
    ],
)  # fmt: skip
def test_inputs_in_pythons_words_or_bare_are_understood(given, arguments):
    assert only(read(f"Action: weather\nAction Input: {given}")).arguments == arguments


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Action: weather\nAction Input: {'x': __import__('os').getcwd()}", "NESTED_CALL"),
        ("Action: weather\nAction Input: {city: 'Oslo'}", "UNQUOTED"),
        ('Action: weather\nAction Input: {"city": "Oslo"', "CUT_OFF"),
        ('Action: weather\nAction Input: city="Oslo"', "SYNTAX"),
        ("Action: save\nAction Input: Oslo", "POSITIONAL"),
        ("Action: weather\nAction Input: Os\0lo", "CONTROL_CHAR"),
        ("Action: weather[Os\0lo]", "CONTROL_CHAR"),
        ('Action: weather(city="a")\nAction Input: {"city": "b"}', "CONFLICT"),
        ('Action Input: {"path":"a"}\nAction: read', "NO_CALL"),
        ("Action: nosuch\nAction Input: {}", "UNKNOWN_TOOL"),
        ("Action: weather\nOslo please", "TRAILING_TEXT"),
        ("Action: look around", "NO_CALL"),
        ("Action: look", "NO_CALL"),
    ],
)
def test_a_failed_reading_is_never_an_empty_call(text, code):
    reply = read(text)
    assert reply.refusal.code == code, str(reply.refusal)
    assert reply.actions == ()
    with pytest.raises(ActionError):
        reply.unwrap()


@pytest.mark.parametrize(
    "head", ["", "I will look.\n", "Thought: Action: f(x=1)? No.\n", "\ufeff", "> quoted\n"]
)
def test_a_reply_without_a_thought_label_is_read_all_the_same(head):
    action = only(read(head + 'Action: read\nAction Input: {"path": "a"}'))
    assert (action.name, action.arguments) == ("read", {"path": "a"})


def test_labels_inside_of_texts_do_not_count():
    text = 'Thought: t\nAction: save(doc="""a\nObservation: b\nAction: f()\n""", code="Final Answer: x")'
    assert only(read(text)).arguments == {
        "doc": "a\nObservation: b\nAction: f()\n",
        "code": "Final Answer: x",
    }


def test_plain_words_are_the_answer_unless_they_mention_a_call():
    assert read("The answer is 4 (four).").answer == "The answer is 4 (four)."
    assert read("The answer is 4.", plain_answer=False).refusal.code == "NO_ACTION"
    assert read('I will call search(q="x") now.').refusal.code == "NO_ACTION"
    assert read("Use print(x) for that.").answer == "Use print(x) for that."
    assert read_reply("Use print(x) for that.").refusal.code == "NO_ACTION"
    assert read('search(q="x") is what I would call').refusal.code == "TRAILING_TEXT"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Finish[今天北京晴]", "今天北京晴"),
        ("Thought: done\nFinish[今天北京晴]", "今天北京晴"),
        ('Action: Finish["see [1] and\n[2]"]', "see [1] and\n[2]"),
        ('Action: finish(answer="两\n行 "quoted" text")', '两\n行 "quoted" text'),
        ('Action: finish(answer="a\\nb")', "a\nb"),
        ("Action: finish(answer='it's')", "it's"),
        ('Action: finish("x")', "x"),
        ('Action: FINISH(answer="""a\n"b" """)', 'a\n"b"'),
        ('Action: finish（answer="晴"）', "晴"),
        ('Action: finish (answer="a "b" c")', 'a "b" c'),
        ('Action: final_answer(answer="x")', "x"),
        ('Thought: t\nAction: [finish(answer="x")]', "x"),
        ("Action: finish(answer=no quotes", "no quotes"),
        ("Action: Final Answer\nAction Input: 42", "42"),
        ("Thought: t\nFinal Answer: line one\nline two", "line one\nline two"),
        ("最终答案：晴", "晴"),
        ('{"action": "Final Answer", "action_input": "42"}', "42"),
        ('Action: {"action": "finish", "action_input": {"answer": "42"}}', "42"),
    ],
)
def test_the_end_is_read_however_it_is_quoted(text, answer):
    reply = read(text)
    assert reply.refusal is None, str(reply.refusal)
    assert (reply.answer, reply.actions) == (answer, ())


def test_only_the_whole_word_ends_the_work():
    assert only(read("Thought: so\nFinish (soon) the work\nAction: f(x=1)")).name == "f"
    assert only(read_reply('Action: finish_booking(id="1")')).name == "finish_booking"


def test_an_empty_answer_is_refused_once():
    assert read("Finish[]").refusal.code == "EMPTY_ANSWER"
    assert read("Final Answer: ").refusal.code == "EMPTY_ANSWER"
    assert read("Finish[]", allow_empty_answer=True).answer == ""


@pytest.mark.parametrize(
    "text",
    [
        "Action: f(x=1)\nFinal Answer: done",
        "Finish[a]\nAction: f(x=[1])",
        'Action: [f(x=1), finish(answer="a")]',
        "Action: f(x=1)\nAction: Finish[a]",
        "Final Answer: a\nFinal Answer: b",
    ],
)
def test_an_answer_together_with_an_action_is_a_conflict(text):
    assert read(text, several="sequential").refusal.code == "CONFLICT"


SEVERAL = [
    "Action: f(x=1)\nAction: f(x=2)",
    "Thought: a\nAction: f(x=1)\nThought: b\nAction: f(x=2)",
    "Action: f(x=1)\nf(x=2)",
    "Action: ```\nf(x=1)\nf(x=2)\n```",
    "Action: [f(x=1), f(x=2)]",
    "Action: f(x=1), f(x=2)",
    'Action: f\nAction Input: {"x": 1}\nAction: f\nAction Input: {"x": 2}',
    'Action: [{"name": "f", "args": {"x": 1}}, {"name": "f", "args": {"x": 2}}]',
    "[f(x=1), f(x=2)]",
]


@pytest.mark.parametrize("text", SEVERAL)
def test_several_actions_are_refused_or_kept_as_wanted(text):
    reply = read(text)
    assert reply.refusal.code == "MULTI", str(reply.refusal)
    assert reply.actions == ()
    first = read(text, several="first")
    assert only(first).arguments == {"x": 1}
    assert len(first.ignored) == 1
    assert "2" in first.ignored[0]
    both = read(text, several="sequential")
    assert [action.arguments for action in both.actions] == [{"x": 1}, {"x": 2}], str(both.refusal)
    assert both.ignored == ()


def test_one_bad_action_refuses_all():
    reply = read("Action: f(x=1)\nAction: f(x=2+3)", several="sequential")
    assert (reply.refusal.code, reply.actions) == ("NON_LITERAL", ())


def test_a_third_way_to_join_calls_is_always_refused():
    for text in ("f(x=1); f(x=2)", "f(x=1) or f(x=2)"):
        assert read(text, several="sequential").refusal.code == "MULTI"


def test_an_unknown_way_with_several_is_an_error_of_the_caller():
    with pytest.raises(ValueError, match="several must be one of refuse, first, sequential, got 'all'"):
        read("x", several="all")


def test_a_long_thought_does_not_count_against_the_action():
    reply = read("Thought: " + "x" * 100_000 + "\nAction: f(x=1)")
    assert only(reply).arguments == {"x": 1}
    assert read("y" * 1_048_577).refusal.code == "TOO_LONG"
    assert read(f'Action: f(x="{"a" * 17_000}")').refusal.code == "TOO_LONG"
    assert read(f"Action: weather\nAction Input: {'a' * 17_000}").refusal.code == "TOO_LONG"
    assert read("f(x=1)\n" * 33, several="sequential").refusal.code == "TOO_MANY"
    assert read("Action: f(x=1)\n" * 33, several="sequential").refusal.code == "TOO_MANY"


def test_half_a_character_anywhere_is_refused():
    assert read("Final Answer: \ud800").refusal.code == "SURROGATE"
