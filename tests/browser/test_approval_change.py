"""What an approval card shows of a change, how far an approval reaches, and how a run is stopped."""

from __future__ import annotations

from asking import AFTER, card, ended, press
from rig.lab import Lab

SETUP = '''
import os
os.environ["TOOLDECK_STORE"] = "kept.db"  # what is approved for always outlives this kernel
%load_ext tooldeck
import difflib
from tooldeck import Run, calling

TEXT = """def main():
    run(debug=True)


if __name__ == "__main__":
    main()
"""
RAN = []

def diff(path, text):
    lines = difflib.unified_diff(TEXT.splitlines(True), text.splitlines(True), f"a/{path}", f"b/{path}")
    return "".join(lines)

@deck.tool(effects="write", preview=diff)
def write_file(path: str, text: str) -> str:
    "Write a file of this project."
    RAN.append(path)
    return f"wrote {path}"
'''
CALL = (
    'with calling("model", label="gpt-x", run=Run("run 7")):\n'
    '    text = TEXT.replace("debug=True", "").replace("main", "start")\n'
    '    found = [deck.call("write_file", path=path, text=text) for path in ("src/app.py", "src/b.py")]\n'
    "print([str(one.status) for one in found], RAN)"
)


def ready(lab: Lab, *cells: str) -> None:
    lab.open([SETUP, *cells])
    lab.run_to_end(0)


def test_a_change_is_shown_as_a_diff_in_full(lab: Lab) -> None:
    ready(lab, CALL)
    lab.run(1)
    box = card(lab, 1).get_by_label("What the call would change")
    lines = box.locator(".td-diff-row").all_text_contents()
    assert "2-    run(debug=True)\n" in lines
    assert "2+    run()\n" in lines
    assert "+4 −4" in (card(lab, 1).text_content() or "")
    for theme, width in (("light", 1200), ("dark", 1200), ("dark", 420), ("light", 420)):
        lab.theme(theme)
        lab.viewport(width)
        added, gone = (
            box.locator(f".td-diff-{kind}").first.evaluate("line => getComputedStyle(line).backgroundColor")
            for kind in ("new", "gone")
        )
        assert added != gone
        assert card(lab, 1).evaluate("one => one.scrollWidth <= one.clientWidth")
        card(lab, 1).scroll_into_view_if_needed()
        lab.screenshot(f"approval-diff-{theme}-{width}")
    press(lab, 1, "Deny")
    press(lab, 1, "Deny")
    lab.wait_ended(1)


def test_a_long_diff_scrolls_inside_its_own_box_and_can_be_reached_by_keyboard(lab: Lab) -> None:
    ready(lab, 'deck.call("write_file", path="a", text="line\\n" * 400).status')
    lab.run(1)
    box = card(lab, 1).get_by_label("What the call would change")
    assert box.locator(".td-diff-new").count() == 400
    assert box.evaluate("one => one.scrollHeight > one.clientHeight")
    lab.focus(box)
    lab.page.keyboard.press("End")
    lab.page.wait_for_function("one => one.scrollTop > 0", arg=box.element_handle())
    lab.screenshot("approval-diff-long")
    press(lab, 1, "Deny")
    lab.wait_ended(1)


def test_stopping_the_run_refuses_this_call_and_cancels_the_next(lab: Lab) -> None:
    ready(lab, CALL, AFTER)
    lab.run(1)
    card(lab, 1).scroll_into_view_if_needed()
    lab.screenshot("approval-run")
    press(lab, 1, "Stop the run")
    lab.wait_ended(1)
    assert "['denied', 'cancelled'] []" in lab.text(1)
    ended(lab, 1, "and the run stopped")
    lab.screenshot("approval-run-stopped")
    assert lab.run_to_end(2) == "next cell\n"


def test_stopping_the_run_answers_every_question_that_it_waits_for(lab: Lab) -> None:
    both = (
        "import asyncio\n"
        'with calling("model", run=Run("run 8")):\n'
        '    calls = [asyncio.ensure_future(deck.acall("write_file", path=p, text="x")) for p in "ab"]\n'
        'calls.append(asyncio.ensure_future(deck.acall("write_file", path="c", text="x")))\n'
        "print([str(one.status) for one in await asyncio.gather(*calls)], RAN)"
    )
    ready(lab, both)
    lab.run(1)
    cards = lab.output(1).locator(".td-approval[data-phase='waiting']")
    cards.nth(2).wait_for(timeout=20_000)
    cards.first.get_by_role("button", name="Stop the run", exact=True).click()
    lab.output(1).get_by_text("and the run stopped").nth(1).wait_for()
    assert cards.count() == 1
    press(lab, 1, "Approve")
    lab.wait_ended(1)
    assert "['denied', 'denied', 'ok'] ['c']" in lab.text(1)


def test_an_approval_for_always_holds_after_a_restart_until_it_is_revoked(lab: Lab) -> None:
    call = 'print(deck.call("write_file", path="a", text="x").status)'
    ready(lab, call, "%policy grants", "%policy revoke write_file", AFTER)
    lab.run(1)
    card(lab, 1).get_by_label("How far the approval reaches").select_option(label="this tool, always")
    press(lab, 1, "Approve")
    lab.wait_ended(1)
    ended(lab, 1, "this tool, always")
    lab.screenshot("approval-always")
    lab.restart()
    lab.run_to_end(4)  # so that no cell gets the number again that it has already
    lab.run_to_end(0)
    assert lab.run_to_end(1) == "ok\n"
    assert "write_file always" in lab.run_to_end(2)
    assert "1 grant" in lab.run_to_end(3)
    lab.run(1)
    press(lab, 1, "Deny")
    lab.wait_ended(1)
