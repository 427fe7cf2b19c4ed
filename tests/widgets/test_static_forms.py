"""Tools, results and traces as text and static HTML: complete, and inert."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from widget_parts import NASTY, TRACE, make_call, make_result, make_tool

from tooldeck.core.parameters import Note
from tooldeck.core.parts import File, Image, Text
from tooldeck.core.tokens import estimate_tokens, schema_tokens
from tooldeck.core.tool import Origin
from tooldeck.core.vocabulary import Status, Trust
from tooldeck.notebook import facts, render, waterfall
from tooldeck.notebook.widgets import ResultView
from tooldeck.notebook.widgets.card import ToolHead

ALLOWED = {"span", "div", "table", "tbody", "tr", "td", "code", "pre", "strong"}


class Elements(HTMLParser):
    """Collects what a browser would make of some HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def nasty_tool() -> Any:
    schema = {
        "type": "object",
        "properties": {NASTY: {"enum": [NASTY], "description": NASTY, "default": NASTY}},
    }
    return make_tool("x", schema, description=NASTY, origin=Origin("mcp", NASTY), trust=Trust.UNTRUSTED)


@pytest.mark.parametrize(
    "html",
    [
        render.tool_html(nasty_tool()),
        render.result_html(make_result(NASTY, nasty_tool(), notes=(Note("x", NASTY),))),
        render.result_html(make_result(None, nasty_tool(), Status.FAILED, error=f"</td>{NASTY}")),
        render.trace_html(
            make_result(trace=tuple(span._replace(name=NASTY, decision=NASTY) for span in TRACE), seconds=3.4)
        ),
    ],
    ids=["tool", "result", "error", "trace"],
)
def test_content_from_outside_makes_neither_elements_nor_attributes(html: str) -> None:
    seen = Elements(html)
    assert seen.tags <= ALLOWED
    assert seen.attributes <= {"style"}
    assert "window.pwned=1" in seen.text


def test_a_tool_is_told_in_full() -> None:
    text = render.tool_text(make_tool())
    assert text.splitlines() == [
        "write_note: Write a note.",
        f"  notebook · writes · asks by policy · trusted output · risk medium · about {tokens()} tokens",
        "  path: text, required",
        "  content: text, required — what to write",
    ]
    assert all(
        word in Elements(render.tool_html(make_tool())).text
        for word in ("content", "what to write", "writes")
    )


def tokens() -> int:
    tool = make_tool()
    return schema_tokens(tool.name, tool.description, tool.parameters)


def test_a_result_tells_its_status_value_and_notes() -> None:
    result = make_result({"code": "TD-1042"}, notes=(Note("arguments", 'seats: read "2" as 2'),))
    assert render.result_text(result) == (
        'write_note: ● ok · 12.4 ms · 1 attempt\n{"code": "TD-1042"}\nnote: seats: read "2" as 2'
    )
    assert render.result_text(result, times=False).startswith("write_note: ● ok\n")


@pytest.mark.parametrize(
    ("status", "sign"),
    [
        (Status.OK, '<span style="color:#388e3c">●</span> ok'),
        (Status.DENIED, '<span style="color:#757575">⊘</span> denied'),
        (Status.TRIPPED, '<span style="color:#d32f2f">◌</span> tripped'),
        (Status.FAILED, '<span style="color:#d32f2f">✕</span> failed'),
    ],
)
def test_a_stored_result_and_trace_have_the_colour_of_the_status(status: Status, sign: str) -> None:
    result = make_result(None, status=status, error="" if status is Status.OK else "no")
    assert sign in render.result_html(result)
    assert sign in render.trace_html(result)


def test_a_result_with_pictures_and_files_shows_the_ones_and_names_the_others() -> None:
    svg, huge = Image(b"<svg onload=1>", "image/svg+xml"), Image(b"x" * 3_000_001)
    report = File(f"{NASTY}.pdf", b"%PDF", "application/pdf")
    result = make_result("done", parts=(Text("done"), Image(b"one"), svg, huge), artifacts=(report,))
    html = render.result_html(result)
    assert html.count("<img") == 1
    assert 'src="data:image/png;base64,b25l"' in html
    assert "<script" not in html
    assert ".pdf, application/pdf, 4 bytes" in render.result_text(result)
    view = ResultView(one=True)
    view.add(result)
    assert view.results[0]["pictures"] == [{"mime": "image/png", "data": "b25l"}]


def test_a_kept_file_can_be_saved_from_the_page_but_is_never_opened_as_one() -> None:
    page, huge = File("../out/a\u202e.html", b"<script>", "text/html"), File("b", b"x" * 3_000_001)
    result = make_result("done", artifacts=(page, huge))
    html = render.result_html(result)
    address = "data:application/octet-stream;base64,PHNjcmlwdD4="
    assert f'<a download="a\\u202e.html" href="{address}">' in html
    assert html.count("<a ") == 1
    view = ResultView(one=True)
    view.add(result)
    assert [(file["name"], file["data"]) for file in view.results[0]["files"]] == [
        ("a\\u202e.html", "PHNjcmlwdD4="),
        ("b", ""),
    ]
    assert "kept: b" in render.result_text(result)


def test_a_value_that_is_too_long_says_how_much_is_missing() -> None:
    assert render.value_text("x" * 30_000).endswith("… 10\u2009000 more characters")


def test_the_thin_spaces_of_counts_are_no_characters_from_outside() -> None:
    big = make_tool("f", {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(300)}})
    result = make_result("x" * 30_000, call=make_call(big, {"p1": "y" * 2000}))
    head = ToolHead(big, None)
    view = ResultView()
    view.add(result)
    said = [
        render.tool_text(big),
        render.tool_html(big),
        render.result_text(result),
        render.result_html(result),
        *("".join(text for text, _ in badge) for badge in head.tool["badges"]),
        *("".join(text for text, _ in view.results[0][key]) for key in ("call", "text")),
        repr(view),
    ]
    assert any("\u2009" in text for text in said)
    for text in said:
        assert r"\u2009" not in text
    assert "p1=<2\u2009000 characters>" in facts.call_line("f", {"p1": "y" * 2000})


@pytest.mark.parametrize("value", [None, b"bytes", {1, 2}, float("nan"), [[]] * 3, object])
def test_any_value_has_a_text(value: object) -> None:
    assert render.result_text(make_result(value))


def test_the_trace_gives_each_stage_its_own_time() -> None:
    rows = {row.name: row for row in waterfall.rows(make_result(trace=TRACE, seconds=3.4))}
    assert list(rows) == ["resolve", "approve", "retry", "attempt 1", "wait", "attempt 2"]
    assert rows["resolve"].own == pytest.approx(0.005)
    assert rows["approve"].own == pytest.approx(3.2)
    assert rows["attempt 1"].own == pytest.approx(0.04)


def test_a_persons_time_does_not_squeeze_the_work_out_of_sight() -> None:
    rows = {row.name: row for row in waterfall.rows(make_result(trace=TRACE, seconds=3.4))}
    assert rows["approve"].kind == "person"
    assert sum(width for _, width in rows["approve"].bars) == pytest.approx(0.2)
    assert rows["attempt 1"].reach[1] > 0.1
    for row in rows.values():
        for left, width in (*row.bars, row.reach):
            assert 0 <= left <= left + width <= 1 + 1e-9


def test_a_trace_of_nothing_is_told_as_such() -> None:
    assert "no trace was kept" in render.trace_text(make_result())
    assert waterfall.rows(make_result(seconds=0.0)) == []


def test_the_trace_text_has_times_bars_and_decisions() -> None:
    lines = render.trace_text(make_result(trace=TRACE, seconds=3.4)).splitlines()
    assert lines[0].startswith("write_note: ● ok · 3.4 s")
    assert "3.2 s" in lines[2]
    assert "·····" in lines[2]
    assert lines[2].endswith("allowed by you")
    assert "░" in lines[5]


def test_estimates_follow_the_kind_of_text() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("a" * 47) == 10
    assert estimate_tokens("漢字" * 7) == 10
    prose = schema_tokens("f", "word " * 94, {})
    dense = schema_tokens("f", "", {"enum": ["word"] * 94})
    assert dense > prose
