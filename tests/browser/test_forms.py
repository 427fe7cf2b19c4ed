"""Forms of difficult schemas in JupyterLab: by keyboard, with labels, in both themes and on a narrow page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect
from rig.lab import Lab

SERVERS = Path(__file__).parents[3] / "shared" / "data" / "mcp_tool_schemas"
HARDEST: dict[tuple[str, str], dict[str, Any]] = {
    ("antv-chart", "generate_district_map"): {
        "title": "t",
        "data": {"name": "n", "colors": ["#111", "#222"]},
    },
    ("notion", "API-patch-page"): {"page_id": "p"},
    ("conformance-json-schema-2020-12-preservation", "json_schema_2020_12_tool"): {"phone": "1"},
    ("synthetic-nasty", "union_objects"): {"target": {"kind": "sms", "phone": "+12345"}},
    ("synthetic-nasty", "recursive"): {"tree": {"v": 1, "kids": [{"v": 2, "kids": [{"v": 3}]}, {"v": 4}]}},
    ("synthetic-nasty", "map_str_int"): {"m": {"a": 1, "B": 2}},
    ("synthetic-nasty", "strings"): {"d": "2026-01-31", "dt": "2026-01-31T10:00:00Z", "e": "nobody"},
    ("synthetic-nasty", "rows"): {"data": [{"time": "t", "value": 1}, {"time": "u", "value": 2}]},
    ("synthetic-nasty", "matrix"): {"m": [[1, 2], [3, 4]]},
    ("synthetic-nasty", "deep"): {"l1": {"l2": {"l3": {"l4": [{"l5": "x"}]}}}},
}
SHOW = """import json
from tooldeck.notebook.forms import Form
def show(schema, value):
    global form
    form = Form(json.loads(schema), outside=True)
    form.set_value(value)
    form.check()
    return form"""
VALUE = "print(json.dumps(form.value))"
NAMELESS = """form => [...form.querySelectorAll("input, select, textarea, button, [role=slider]")]
    .filter(one => one.offsetParent !== null && one.type !== "file")
    .filter(one => !one.labels?.length && !one.ariaLabel && !one.title && !one.textContent.trim())
    .map(one => one.outerHTML)"""


def shown(lab: Lab, index: int) -> Locator:
    """Return the form in a cell's output, once it is drawn."""
    form = lab.output(index).locator(".td-form").first
    form.wait_for(timeout=20_000)
    form.locator(".td-summary").first.wait_for(state="attached", timeout=20_000)
    form.scroll_into_view_if_needed()
    return form


def cell(schema: dict[str, Any], value: Any) -> str:
    return f"show({json.dumps(schema)!r}, {value!r})"


def properties(**listed: Any) -> dict[str, Any]:
    return {"type": "object", "properties": listed}


def value(lab: Lab, index: int) -> Any:
    """Return what the form holds, by running the cell that prints it."""
    return json.loads(lab.run_to_end(index).splitlines()[-1])


@pytest.mark.skipif(not SERVERS.is_dir(), reason=f"no schemas in {SERVERS}")
def test_the_hardest_schemas_fit_the_page_in_both_themes_and_leave_no_control_without_a_name(
    lab: Lab,
) -> None:
    cells = [SHOW]
    for (server, name), filled in HARDEST.items():
        tools = json.loads((SERVERS / f"{server}.json").read_text("utf-8"))["tools"]
        cells.append(cell(next(tool for tool in tools if tool["name"] == name)["inputSchema"], filled))
    lab.open(cells)
    for index in range(len(cells)):
        lab.run_to_end(index, timeout=60)
    for theme, width in (("light", 1000), ("dark", 1000), ("light", 420)):
        lab.theme(theme)
        lab.viewport(width, 1600)
        for index, (_, name) in enumerate(HARDEST, 1):
            form = shown(lab, index)
            lab.screenshot(f"form-{theme}-{width}-{name}", form)
            assert form.evaluate(NAMELESS) == [], name
            assert form.evaluate("form => form.scrollWidth - form.clientWidth") <= 1, name
    assert [told for told in lab.errors if "tooldeck" in told or "td-" in told] == []


def test_items_of_a_list_are_moved_and_removed_by_keyboard_and_the_focus_follows(lab: Lab) -> None:
    tags = {"type": "array", "items": {"type": "string"}}
    lab.open([SHOW, cell(properties(tags=tags), {"tags": ["a", "b", "c"]}), VALUE])
    lab.run_to_end(0)
    lab.run_to_end(1)
    form = shown(lab, 1)
    down = form.get_by_role("button", name="Move this item down")
    lab.focus(down.first)
    for place in (1, 2):
        lab.page.keyboard.press("Enter")
        name = "Move this item down" if place == 1 else "Move this item up"
        expect(
            form.get_by_role("group", name=f"{place + 1}.").get_by_role("button", name=name)
        ).to_be_focused()
    assert value(lab, 2) == {"tags": ["b", "c", "a"]}
    lab.focus(form.get_by_role("group", name="2.").get_by_role("button", name="Remove this item"))
    lab.page.keyboard.press("Enter")
    expect(
        form.get_by_role("group", name="2.").get_by_role("button", name="Remove this item")
    ).to_be_focused()
    assert value(lab, 2) == {"tags": ["b", "a"]}
    lab.focus(form.get_by_role("button", name="Add to tags"))
    lab.page.keyboard.press("Enter")
    form.get_by_role("group", name="3.").get_by_role("textbox").fill("d")
    assert value(lab, 2) == {"tags": ["b", "a", "d"]}


def test_words_beneath_a_field_belong_to_it_for_a_screen_reader(lab: Lab) -> None:
    schema = properties(
        city={"type": "string", "description": "where to fly", "minLength": 2},
        seats={"type": "integer", "minimum": 1, "maximum": 9},
    )
    lab.open([SHOW, cell({**schema, "required": ["city"]}, {"city": "x", "seats": 3})])
    lab.run_to_end(0)
    lab.run_to_end(1)
    form = shown(lab, 1)
    city = form.get_by_label("city")
    expect(city).to_have_attribute("aria-required", "true")
    expect(city).to_have_attribute("aria-invalid", "true")
    expect(city).to_have_accessible_description('where to fly must have at least 2 characters (got "x")')
    city.fill("xy")
    expect(city).not_to_have_attribute("aria-invalid", "true")
    expect(city).to_have_accessible_description("where to fly")
    expect(form.get_by_role("slider", name="seats")).to_be_visible()


def test_a_branch_is_chosen_and_filled_and_what_lies_closed_is_opened(lab: Lab) -> None:
    kinds = [
        {
            "type": "object",
            "properties": {"kind": {"const": kind}, to: {"type": "string"}},
            "required": ["kind", to],
        }
        for kind, to in (("mail", "address"), ("call", "phone"))
    ]
    node = {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/N"}}}
    schema = {**properties(target={"oneOf": kinds}, tree={"$ref": "#/$defs/N"}), "$defs": {"N": node}}
    lab.open([SHOW, cell(schema, {}), VALUE])
    lab.run_to_end(0)
    lab.run_to_end(1)
    form = shown(lab, 1)
    form.get_by_label("target", exact=True).select_option(label="call")
    form.get_by_label("phone").fill("123")
    form.get_by_role("button", name="Open or close next").click()
    form.get_by_label("v", exact=True).nth(1).fill("5")
    lab.screenshot("form-branch", form)
    assert value(lab, 2) == {"target": {"kind": "call", "phone": "123"}, "tree": {"next": {"v": 5}}}
