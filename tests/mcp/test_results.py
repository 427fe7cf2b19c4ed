from __future__ import annotations

import base64

import pytest

from tooldeck.core.model_text import value_text
from tooldeck.core.parts import Audio, Image, Link, Resource, Text
from tooldeck.mcp.results import McpValue

LIMIT = 40.0
PNG = b"\x89PNG fake"


def test_all_parts_of_a_result_are_kept_in_order(raw, connected):
    value = connected(raw()).call("mix").result(LIMIT)
    assert [type(part) for part in value.parts] == [Text, Image, Text, Resource]
    assert value.parts[1].data.startswith(b"\x89PNG")
    assert value.parts[3] == Resource("file:///a.txt", "text/plain", "inside")
    assert value.structured == {"n": 2}
    assert value["n"] == 2


def test_the_model_s_text_has_every_text_and_a_mark_for_the_picture(raw, connected):
    value = connected(raw()).call("mix").result(LIMIT)
    text = value_text(value, 20_000)
    assert text.index("one") < text.index("[image/png, ") < text.index("two") < text.index("inside")
    assert base64.b64encode(value.images[0].data).decode() not in text


def test_an_answer_with_nothing_in_it_is_an_explicit_empty_value(raw, connected):
    value = connected(raw()).call("empty").result(LIMIT)
    assert (value.parts, value.structured, value.text, value.data) == ((), None, "(empty result)", [])
    assert value is not None
    assert value


def test_a_part_of_a_kind_nobody_knows_is_kept_as_text(raw, connected):
    value = connected(raw()).call("novel").result(LIMIT)
    assert [str(part) for part in value.parts] == ['{"type": "hologram", "depth": 3}', "after"]


def test_a_result_that_does_not_fit_its_own_schema_is_not_lost(raw, connected):
    assert connected(raw()).call("misfit").result(LIMIT).structured == {"n": "seven"}


def test_the_handiest_form_of_a_value():
    assert McpValue((Text("hi"),)).data == "hi"
    assert McpValue((Text("hi"),), {"n": 1}).data == {"n": 1}
    assert McpValue((Text("a"), Text("b"))).data == [Text("a"), Text("b")]
    assert McpValue((), {"n": 1}).text == '{"n": 1}'
    assert (
        McpValue((Audio(b"12", "audio/wav"), Link("file:///x", "x"))).text
        == "[audio/wav, 2 bytes]\n[x: file:///x]"
    )
    assert McpValue((Resource("u:1", "a/b", b"123"),)).text == "[u:1, a/b, 3 bytes]"


def test_a_lone_picture_is_displayed_as_one():
    bundle = McpValue((Image(PNG, "image/png"),))._repr_mimebundle_()
    assert bundle["image/png"] == base64.b64encode(PNG).decode()
    assert bundle["text/plain"] == "[image/png, 9 bytes]"


def test_pictures_among_text_are_displayed_in_order_with_the_text_escaped():
    bundle = McpValue(
        (Text("<script>alert(1)</script>"), Image(PNG, "image/png"), Text("end"))
    )._repr_mimebundle_()
    page = bundle["text/html"]
    assert "<script>" not in page
    assert page.index("&lt;script&gt;") < page.index("<img ") < page.index("end")


def test_a_picture_that_may_hold_a_script_is_not_displayed():
    value = McpValue((Image(b"<svg onload=alert(1)>", "image/svg+xml"),))
    assert set(value._repr_mimebundle_()) == {"text/plain"}
    assert set(value.parts[0]._repr_mimebundle_()) == {"text/plain"}


def test_a_value_of_text_alone_has_no_html():
    assert McpValue((Text("<b>x</b>"),))._repr_mimebundle_() == {"text/plain": "<b>x</b>"}


def test_values_compare_by_their_contents():
    assert McpValue((Text("a"),), {"n": 1}) == McpValue((Text("a"),), {"n": 1})
    assert McpValue((Text("a"),)) != McpValue((Text("b"),))


def test_what_is_shown_hides_nothing_and_is_no_markup():
    hostile = "<b>\x1b[31m\u202e</b>"
    value = McpValue((Text(hostile), Image(PNG, "image/png"), Resource(hostile, hostile, hostile)))
    bundle = value._repr_mimebundle_()
    for shown in (repr(value), bundle["text/plain"], bundle["text/html"]):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert "\\x1b[31m\\u202e" in shown
    assert "<b>" not in bundle["text/html"]
    assert hostile in value.text


def test_an_output_is_no_longer_than_a_notebook_can_show():
    value = McpValue((Text("x" * 5_000_000),))
    assert len(value._repr_mimebundle_()["text/plain"]) < 30_000
    assert "5000000 characters in all" in repr(value)
    assert len(value.text) == 5_000_000


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ('{"a": [1, null]}', {"a": [1, None]}),
        ("[{'a': 1, 'b': None}]", [{"a": 1, "b": None}]),
        ("3", 3),
        (
            "name\tstate\nk1\tidle\nk2\tbusy\n",
            [{"name": "k1", "state": "idle"}, {"name": "k2", "state": "busy"}],
        ),
    ],
)
def test_a_text_is_read_as_what_it_means_when_that_is_asked_for(text, meaning):
    value = McpValue((Text(text),))
    assert value.data == text
    assert value.parsed == meaning


@pytest.mark.parametrize("text", ["Error: none found", "__import__('os').system('x')", "a\tb", "[" * 300_000])
def test_words_are_never_more_than_words(text):
    with pytest.raises(ValueError, match="read it as text"):
        _ = McpValue((Text(text),)).parsed


@pytest.mark.parametrize(
    "value",
    [
        McpValue((), {"result": [{"a": 1}, {"a": 2, "b": "x"}]}),
        McpValue((Text('{"page": 1, "items": [{"a": 1}, {"a": 2, "b": "x"}]}'),)),
        McpValue((Text("[{'a': 1}, {'a': 2, 'b': 'x'}]"),)),
    ],
)
def test_the_table_in_a_value_is_rows_and_a_data_frame(value):
    assert value.rows == [{"a": 1}, {"a": 2, "b": "x"}]
    pandas = pytest.importorskip("pandas")
    pandas.testing.assert_frame_equal(value.frame(), pandas.DataFrame(value.rows))


def test_no_table_or_two_of_them_is_said():
    for structured in ({"n": 1}, {"a": [{"x": 1}], "b": [{"x": 1}]}, [1, 2]):
        with pytest.raises(ValueError, match="no table"):
            _ = McpValue((), structured).rows


def test_what_is_no_text_is_saved_under_plain_names_that_are_new(tmp_path):
    parts = (
        Image(PNG, "image/png"),
        Resource("file:///etc/../../passwd", "text/plain", "mine"),
        Resource("demo://x/..%2F..%2Fevil.sh", "text/plain", "mine too"),
        Resource("u:", "application/json", b"{}"),
        Text("stays"),
        Image(PNG, "image/png"),
    )
    saved = McpValue(parts).save(tmp_path / "out")
    assert [file.name for file in saved] == [
        "picture.png",
        "passwd.txt",
        "evil.sh",
        "resource.json",
        "picture-2.png",
    ]
    assert {file.parent for file in saved} == {tmp_path / "out"}
    assert saved[2].read_text() == "mine too"


def test_a_link_that_lies_in_the_way_is_not_followed(tmp_path):
    (tmp_path / "picture.png").symlink_to(tmp_path / "elsewhere")
    (file,) = McpValue((Image(PNG, "image/png"),)).save(tmp_path)
    assert file.name == "picture-2.png"
    assert not (tmp_path / "elsewhere").exists()


def test_links_and_resources_are_listed():
    link, inside = Link("file:///x", "x"), Resource("u:1", "a/b", b"1")
    value = McpValue((link, Text("t"), inside))
    assert (value.links, value.resources) == ([link], [inside])
