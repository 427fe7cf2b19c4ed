"""Single actions: what is read, what is refused, with which code, and the call that is shown instead."""

from __future__ import annotations

import warnings

import pytest

from tooldeck import ActionCode, ActionError, ActionLimits, Refusal, parse_action

TOOLS = {
    "get_weather": ["city"],
    "get_attraction": ["city", "weather"],
    "search": ["q"],
    "book": ["opts"],
    "pay": ["amount"],
    "查天气": ["城市"],
}


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ('get_weather(city="北京")', "get_weather", {"city": "北京"}),
        ("get_weather()", "get_weather", {}),
        (' get_weather(city="北京")', "get_weather", {"city": "北京"}),
        ('查天气(城市="北京")', "查天气", {"城市": "北京"}),
        ("search(q='他说\"你好\"')", "search", {"q": '他说"你好"'}),
        ('get_attraction(city="a，b（c）", weather="晴")', "get_attraction",
         {"city": "a，b（c）", "weather": "晴"}),
        ('note(text="""两\n行""")', "note", {"text": "两\n行"}),
        ('note(text="""a\r\nb""")', "note", {"text": "a\nb"}),
        ("note(text='''a \"\" ' b''')", "note", {"text": "a \"\" ' b"}),
        ('get_weather(\n    city="北京",\n)', "get_weather", {"city": "北京"}),
        ('grep(pattern=r"\\d+")', "grep", {"pattern": "\\d+"}),
        ('read(path=r"C:\\new\\t.txt")', "read", {"path": "C:\\new\\t.txt"}),
        ('read(path="C:\\\\new\\\\t.txt")', "read", {"path": "C:\\new\\t.txt"}),
        ('stay(dates=("2026-01-01", "2026-01-02"))', "stay", {"dates": ["2026-01-01", "2026-01-02"]}),
        ("stay(dates=())", "stay", {"dates": []}),
        ('stay(dates=("x",), n=(1))', "stay", {"dates": ["x"], "n": 1}),
        ("move(dx=-3, dy=+4)", "move", {"dx": -3, "dy": 4}),
        ("pay(amount=.5, rest=5., big=1e3)", "pay", {"amount": 0.5, "rest": 5.0, "big": 1000.0}),
        ('search_train(from="北京", to="上海")', "search_train", {"from": "北京", "to": "上海"}),
        ('get_hotel(name="和平饭店", self="x")', "get_hotel", {"name": "和平饭店", "self": "x"}),
        ('finish_booking(id="1")', "finish_booking", {"id": "1"}),
        ('f(x="\\N{BULLET}\\u4e2d\\x41\\U0001F600")', "f", {"x": "•中A😀"}),
        ('f(x={"a": [1, {"b": None}], "c": {}}, y=[[], [True]])', "f",
         {"x": {"a": [1, {"b": None}], "c": {}}, "y": [[], [True]]}),
        ("f(x=9007199254740992)", "f", {"x": 2**53}),
        ("f (x=1)", "f", {"x": 1}),
        ('{"name": "get_weather", "arguments": {"city": "北京"}}', "get_weather", {"city": "北京"}),
        ('{"action": "f", "action_input": {"a": null, "b": true}}', "f", {"a": None, "b": True}),
        ('{"tool": "f", "args": {"x": "\\ud83d\\ude00\\/"}}', "f", {"x": "😀/"}),
        ('{"type": "function", "function": {"name": "f", "arguments": "{\\"x\\": 1}"}}', "f", {"x": 1}),
        ('{"name": "f"}', "f", {}),
        ("Action: f(x=1)", "f", {"x": 1}),
        ("**Action：** f(x=1)", "f", {"x": 1}),
        ("行动：f(x=1)", "f", {"x": 1}),
        ("Thought: one\nAction: f(x=1)", "f", {"x": 1}),
    ],
)  # fmt: skip
def test_plain_calls_are_read(text, name, arguments):
    action = parse_action(text)
    assert action.ok, str(action)
    assert (action.name, dict(action.arguments)) == (name, arguments)
    assert repr(list(action.arguments.values())) == repr(list(arguments.values()))
    assert text[slice(*action.span)] == action.raw
    assert action.repairs == ()
    assert action.unwrap() is action


@pytest.mark.parametrize(
    ("text", "arguments", "note"),
    [
        ('f(x=1)  # 注释 ) "', {"x": 1}, "comment"),
        ('f( # 注释 ) "\n x=1)', {"x": 1}, "comment"),
        ("# -*- coding: latin-1 -*-\nf(x=1)", {"x": 1}, ""),
        ("f(x=1)。", {"x": 1}, "left out '。'"),
        ("f(x=1).", {"x": 1}, "left out '.'"),
        ("f(x=1);", {"x": 1}, "left out ';'"),
        ("```python\nf(x=1)\n```", {"x": 1}, "code fence"),
        ("```\nf(x=1)\n```\n", {"x": 1}, "code fence"),
        ("`f(x=1)`", {"x": 1}, "back-ticks"),
        ("Action: `f(x=1)`", {"x": 1}, "back-ticks"),
        ('```json\n{"name": "f", "arguments": {"x": 1}}\n```', {"x": 1}, "code fence"),
        ("f(\u3000x\xa0=1)", {"x": 1}, "unusual blanks"),
        ("\ufefff(x=1)", {"x": 1}, ""),
        ('f(x="北" "京")', {"x": "北京"}, "joined"),
        ('f(x="\\d+")', {"x": "\\d+"}, "start no escape"),
        ("(f(x=1))", {"x": 1}, "brackets around"),
        ("f(x=true, y=null)", {"x": True, "y": None}, "read true as True"),
        ("f(x=1_000)", {"x": 1000}, "read 1_000 as 1000"),
        ("f(x=0xFF)", {"x": 255}, "read 0xFF as 255"),
        ("f(x=1e-400)", {"x": 0.0}, "too small"),
        ('f(x="a\u202eb")', {"x": "a\u202eb"}, "U+202E"),
        ('f(x="a\u2028b")', {"x": "a\u2028b"}, "U+2028"),
        ("[f(x=1)]", {"x": 1}, "list"),
        ("f(x=1)\nObservation: 晴", {"x": 1}, ""),
        ("f(x=1)\n\n**Observation**: 晴\nAction: g(y=2)", {"x": 1}, ""),
    ],
)
def test_what_is_unusual_and_certain_is_read_with_a_note(text, arguments, note):
    action = parse_action(text)
    assert action.ok, str(action)
    assert (action.name, action.arguments) == ("f", arguments)
    assert note in "; ".join(action.notes)


@pytest.mark.parametrize(
    ("text", "code", "corrected"),
    [
        ('get_weather(city="北京") 然后推荐景点', "TRAILING_TEXT", None),
        ('get_weather(city="北京")\n然后推荐景点', "TRAILING_TEXT", None),
        ('get_weather（city="北京"）', "FULLWIDTH", 'get_weather(city="北京")'),
        ('get_attraction(city="北京"，weather="晴，雨")', "FULLWIDTH",
         'get_attraction(city="北京", weather="晴，雨")'),
        ("get_weather(city=“北京”)", "FULLWIDTH", 'get_weather(city="北京")'),
        ('get_weather(city＝"北京")', "FULLWIDTH", 'get_weather(city="北京")'),
        ('get_weather(city=“北京")', "FULLWIDTH", None),
        ('ｇｅｔ＿ｗｅａｔｈｅｒ(city="北京")', "NAME", 'get_weather(city="北京")'),
        ('get_weather(city="北京", ｃｉｔｙ="上海")', "DUP_ARG", None),
        ('get_weather(ｃｉｔｙ="北京", city="上海")', "DUP_ARG", None),
        ('get_weather(ｃｉｔｙ="北京")', "NAME", 'get_weather(city="北京")'),
        ('gеt_weather(city="北京")', "UNKNOWN_TOOL", 'get_weather(city="北京")'),
        ('get_wether(city="北京")', "UNKNOWN_TOOL", 'get_weather(city="北京")'),
        ('get_weather\u200b(city="北京")', "NAME", None),
        ('get_weather(ci\u200bty="北京")', "NAME", None),
        ('search(q="he said "hi"")', "SYNTAX", None),
        ('search(q="第一行\n第二行")', "LINE_BREAK", 'search(q="第一行\\n第二行")'),
        ('search(q="C:\\new\\table.txt")', "PATH_ESCAPE", 'search(q="C:\\\\new\\\\table.txt")'),
        ('search(q="C:\\Users\\me")', "PATH_ESCAPE", 'search(q="C:\\\\Users\\\\me")'),
        ('search(q="a\\qb\\n")', "ESCAPE", None),
        ('get_weather(city=f"{x}")', "FSTRING", None),
        ('get_weather(city=f"北京")', "FSTRING", None),
        ('get_weather(city="北" b"x")', "VALUE_KIND", None),
        ('get_weather(city="北"+"京")', "NON_LITERAL", None),
        ('get_weather(city="a"*10**9)', "NON_LITERAL", None),
        ('get_weather(city="%s"%x)', "NON_LITERAL", None),
        ('os.system(cmd="id")', "NAME", None),
        ('tools["get_weather"](city="北京")', "NAME", None),
        ('get_weather(city="北京").strip()', "CHAINED", None),
        ('get_weather(city="北京")(x=1)', "CHAINED", None),
        ('(get_weather)(city="北京")', "NAME", None),
        ('__import__(name="os")', "UNKNOWN_TOOL", None),
        ('__imporｔ__(name="os")', "UNKNOWN_TOOL", None),
        ('get_weather("北京")', "POSITIONAL", 'get_weather(city="北京")'),
        ('get_attraction("北京", weather="晴")', "POSITIONAL", 'get_attraction(city="北京", weather="晴")'),
        ('get_weather({"city": "北京"})', "POSITIONAL", 'get_weather(city="北京")'),
        ('get_weather(*["北京"])', "STAR", None),
        ('get_weather(**{"city": "北京"})', "STAR", None),
        ('get_weather(city="北京", city="上海")', "DUP_ARG", None),
        ('book(opts={"a":1,"a":1})', "DUP_KEY", None),
        ('{"name": "book", "arguments": {"opts": 1, "opts": 1}}', "DUP_KEY", None),
        ('{"name": "book", "arguments": {"opts": 1, "ｏpts": 1}}', "DUP_ARG", None),
        ('get_weather(city:="北京")', "WALRUS", 'get_weather(city="北京")'),
        ('get_weather(city=(c:="北京"))', "WALRUS", None),
        ('get_weather(city=="北京")', "SYNTAX", 'get_weather(city="北京")'),
        ("get_weather(city==“北京”)", "SYNTAX", 'get_weather(city="北京")'),
        ('get_weather(city: "北京")', "SYNTAX", 'get_weather(city="北京")'),
        ("get_weather(city=lambda: 1)", "NON_LITERAL", None),
        ("get_weather(city=[i for i in y])", "NON_LITERAL", None),
        ("get_weather(city=(i for i in y))", "NON_LITERAL", None),
        ("get_weather(city=1 if 1 else 2)", "NON_LITERAL", None),
        ("get_weather(city=~1)", "NON_LITERAL", None),
        ("get_weather(city=not True)", "NON_LITERAL", None),
        ("get_weather(city=1<2)", "NON_LITERAL", None),
        ("get_weather(city=__debug__)", "NON_LITERAL", None),
        ("get_weather(city=a.b)", "NON_LITERAL", None),
        ("get_weather(city=a[0])", "NON_LITERAL", None),
        ("get_weather(city=beijing)", "UNQUOTED", 'get_weather(city="beijing")'),
        ("get_weather(city=New York)", "UNQUOTED", 'get_weather(city="New York")'),
        ("book(opts={a: 1})", "UNQUOTED", 'book(opts={"a": 1})'),
        ('get_attraction(city="北京", weather=get_weather(city="北京"))', "NESTED_CALL", None),
        ("book(opts=set())", "VALUE_KIND", None),
        ('search(q=b"abc")', "VALUE_KIND", None),
        ("pay(amount=1+2j)", "NON_LITERAL", None),
        ("pay(amount=2j)", "VALUE_KIND", None),
        ('book(opts={"a","b"})', "VALUE_KIND", None),
        ("book(opts={1: 2})", "VALUE_KIND", None),
        ("book(opts=...)", "VALUE_KIND", None),
        ("pay(amount=--3)", "NON_LITERAL", None),
        ("pay(amount=+-3)", "NON_LITERAL", None),
        ("pay(amount=- 3)", "NON_LITERAL", None),
        ('pay(amount=-"3")', "NON_LITERAL", None),
        ("pay(amount=-True)", "NON_LITERAL", None),
        ("pay(amount=007)", "SYNTAX", 'pay(amount="007")'),
        ("pay(amount=1e999)", "NOT_FINITE", None),
        ("pay(amount=NaN)", "NOT_FINITE", None),
        ("pay(amount=-inf)", "NOT_FINITE", None),
        ('{"name": "pay", "arguments": {"amount": NaN}}', "NOT_FINITE", None),
        ('{"name": "pay", "arguments": {"amount": 1e999}}', "NOT_FINITE", None),
        ("pay(amount=１２)", "FULLWIDTH", "pay(amount=12)"),
        ("pay(amount=一百)", "UNQUOTED", 'pay(amount="一百")'),
        (f"pay(amount={'9' * 4301})", "INT_RANGE", None),
        (f"pay(amount=0x{'f' * 9000})", "INT_RANGE", None),
        ("pay(amount=9007199254740993)", "INT_RANGE", None),
        ("pay(amount=-9007199254740993)", "INT_RANGE", None),
        ('get-weather(city="北京")', "NAME", 'get_weather(city="北京")'),
        ('weather:get(city="北京")', "NAME", 'get_weather(city="北京")'),
        ('get_weather(city="a")\nget_weather(city="b")', "MULTI", None),
        ('Action: get_weather(city="a")\nAction: get_weather(city="b")', "MULTI", None),
        ('get_weather(city="a"), search(q="b")', "MULTI", None),
        ('[get_weather(city="a"), search(q="b")]', "MULTI", None),
        ('get_weather(city="a") or search(q="b")', "MULTI", None),
        ('get_weather(city="a"); search(q="b")', "MULTI", None),
        ('await get_weather(city="a")', "SYNTAX", None),
        ('x = get_weather(city="a")', "SYNTAX", None),
        ("import os", "SYNTAX", None),
        ("Finish[今天北京晴]", "FINISH", None),
        ('Action: finish(answer="两\n行")', "FINISH", None),
        ("get_weather[北京]", "SYNTAX", 'get_weather(city="北京")'),
        ("Action: 我要查天气", "NO_CALL", None),
        ("", "NO_CALL", None),
        ("   \n ", "NO_CALL", None),
        ("None", "NO_CALL", None),
        ("Action:", "NO_CALL", None),
        ("Action:\nObservation: x", "NO_CALL", None),
        ("```\n```\nget_weather()\n```\n```", "NO_CALL", None),
        ("1", "NO_CALL", None),
        ("[1, 2]", "NO_CALL", None),
        ('{"city": "北京"}', "NO_CALL", None),
        ('{"name": "get_weather", "city": "北京"}', "CONFLICT", None),
        ('search(q="a\0b")', "CONTROL_CHAR", None),
        ('search(q="a\\x00")', "CONTROL_CHAR", None),
        ('search(q="\\0")', "CONTROL_CHAR", None),
        ('search(q="\\x1b[31m")', "CONTROL_CHAR", None),
        ('{"name": "search", "arguments": {"q": "\\u0000"}}', "CONTROL_CHAR", None),
        ('search(q="a\ud800b")', "SURROGATE", None),
        ('search(q="\\ud800")', "SURROGATE", None),
        ('search(q="\\udc00\\ud800")', "SURROGATE", None),
        ('search(q="\\u12")', "ESCAPE", None),
        ('search(q="\\N{NO SUCH NAME}")', "ESCAPE", None),
        ('get_weather(__class__="x")', "NAME", None),
        (f"pay(amount={'-' * 3000}1)", "COMPLEXITY", None),
        (f"pay(amount={'1+' * 3000}1)", "COMPLEXITY", None),
        (f"pay(amount={'not ' * 3000}1)", "COMPLEXITY", None),
        (f"pay(amount={'lambda:' * 3000}1)", "COMPLEXITY", None),
        (f"pay(amount=x{'.y' * 3000})", "COMPLEXITY", None),
        (f"pay(amount={'1**' * 3000}1)", "COMPLEXITY", None),
        (f"book(opts={'[' * 100_000})", "DEPTH", None),
        (f"book(opts={'[' * 17}{']' * 17})", "DEPTH", None),
        ('{"name": "book", "arguments": {"opts": ' + "[" * 1000 + "]" * 1000 + "}}", "DEPTH", None),
        (f"pay(amount={'pay(amount=' * 199}", "DEPTH", None),
        (f'search(q="{"x" * 10_000_000}")', "TOO_LONG", None),
        (f"book(opts=[{'1,' * 1_000_000}])", "TOO_MANY", None),
        (f"book({','.join(f'a{n}=1' for n in range(65))})", "TOO_MANY", None),
        (f"book(opts=[{('[' + '1,' * 900 + '],') * 8}])", "TOO_MANY", None),
        ("get_weather(city=", "CUT_OFF", None),
        ('get_weather(city="Bei', "CUT_OFF", None),
        ('get_weather(city="Beijing"', "CUT_OFF", None),
        ("get_weather(city=]", "SYNTAX", None),
        ("get_weather(city=)", "SYNTAX", None),
        ("get_weather(,)", "SYNTAX", None),
        ('get_weather("city"="x")', "SYNTAX", None),
        ("book(opts=[1 2])", "SYNTAX", None),
        ("book(opts=[1,,2])", "SYNTAX", None),
        ('book(opts={"a" 1})', "SYNTAX", None),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_its_code_and_the_correct_call(text, code, corrected):
    refusal = parse_action(text, tools=TOOLS)
    assert isinstance(refusal, Refusal), refusal
    assert (refusal.code, refusal.corrected) == (code, corrected), str(refusal)
    assert 0 <= refusal.position <= len(text)
    if corrected is not None:
        assert parse_action(corrected, tools=TOOLS).raw == corrected


@pytest.mark.parametrize("count", [199, 200, 3000])
def test_brackets_up_to_the_limit_are_read_and_beyond_refused(count):
    assert parse_action(f"f(x={'[' * 16}{']' * 16})").ok
    assert parse_action(f"f(x={'[' * count}{']' * count})").code == "DEPTH"


def test_a_refusal_shows_the_place_also_below_wide_characters():
    refusal = parse_action('get_weather(city="北京", day=3 4)')
    line, mark = refusal.caret.split("\n")
    assert line == '  get_weather(city="北京", day=3 4)'
    assert mark == "  " + " " * (len('get_weather(city="北京", day=3 ') + 2) + "^"
    assert str(refusal).startswith(f"SYNTAX: {refusal.message}\n  get_weather")


def test_a_refusal_raises_for_those_who_want_that():
    with pytest.raises(ActionError, match="DUP_ARG") as raised:
        parse_action("f(x=1, x=2)").unwrap()
    assert raised.value.refusal.code is ActionCode.DUP_ARG
    assert "at 2" in raised.value.refusal.message
    assert "at 7" in raised.value.refusal.message


def test_names_with_dots_and_dashes_pass_where_they_are_known():
    aliases = {"weather.get": "weather__get"}
    assert parse_action("weather.get(x=1)", aliases=aliases).name == "weather__get"
    assert parse_action("get-weather(x=1)", tools=["get-weather"]).name == "get-weather"
    assert parse_action("ｆ(x=1)", tools=["ｆ"]).name == "ｆ"
    assert parse_action("get-weather(x=1)").code == "NAME"


def test_a_lone_value_goes_to_the_parameter_that_was_named_for_it():
    action = parse_action('search("cats")', lone={"search": "q"})
    assert action.arguments == {"q": "cats"}
    assert action.repairs == ("took the value for 'q'",)
    assert parse_action('search("cats", 2)', lone={"search": "q"}).code == "POSITIONAL"
    assert parse_action("search[cats]", lone={"search": "q"}).arguments == {"q": "cats"}
    assert parse_action("search[cats]", lone={"search": "q"}).source == "brackets"


@pytest.mark.parametrize("repair", [True, {"f"}])
@pytest.mark.parametrize(
    ("text", "value"), [("f（x＝“a，b”）", "a，b"), ('f(x="a\nb")', "a\nb"), ("f(x＝‘it's’)", "it's")]
)
def test_repairs_are_made_where_they_are_allowed_and_named(text, value, repair):
    action = parse_action(text, repair=repair)
    assert action.arguments == {"x": value}
    assert len(action.repairs) == 1
    assert not parse_action(text).ok
    assert not parse_action(text, repair={"g"}).ok


@pytest.mark.parametrize("text", ["f(x=yes)", "f(x==1)", "f(x=007)", 'f(x="C:\\new")', "f(x=１)", "f(x: 1)"])
def test_what_might_mean_something_else_is_never_repaired(text):
    refusal = parse_action(text, repair=True)
    assert not refusal.ok
    assert refusal.corrected is not None


def test_strict_reading_wants_pythons_words():
    assert parse_action("f(x=true)", strict=True).corrected == "f(x=True)"
    assert parse_action('{"name": "f", "arguments": {"x": true}}', strict=True).arguments == {"x": True}
    assert parse_action('f(x="\\d+")', strict=True).code == "ESCAPE"
    assert parse_action('f(x=r"\\d+", y="\\n")', strict=True).arguments == {"x": "\\d+", "y": "\n"}


def test_limits_are_the_callers_and_are_checked():
    text = f'f(x="{"a" * 20_000}")'
    assert parse_action(text).code == "TOO_LONG"
    assert parse_action(text, limits=ActionLimits(chars=100_000)).ok
    assert parse_action(text, limits=ActionLimits(chars=100_000, string=100)).code == "TOO_LONG"
    assert parse_action("f(x=[1, 2, 3])", limits=ActionLimits(items=2)).code == "TOO_MANY"
    with pytest.raises(ValueError, match="chars must be a whole number from 1 up to 1048576"):
        ActionLimits(chars=2**21)
    with pytest.raises(ValueError, match="tokens must be"):
        ActionLimits(tokens=0)


def test_an_odd_escape_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_action('f(x="\\d")').ok


def test_only_text_is_read():
    with pytest.raises(TypeError, match="got bytes"):
        parse_action(b"f()")
