from __future__ import annotations

import base64

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
