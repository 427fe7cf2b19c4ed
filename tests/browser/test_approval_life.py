"""A waiting approval through everything that happens to pages and kernels."""

from __future__ import annotations

from asking import AFTER, CALL, card, ended, press, ready
from rig.lab import Lab


def test_a_closed_page_can_be_opened_again_and_its_card_still_answers(lab: Lab) -> None:
    ready(lab, CALL)
    lab.run(1)
    card(lab, 1)
    lab.save()
    lab.page.goto("about:blank")
    lab.page.goto(f"{lab.server.url}/lab/tree/{lab.notebook}?token={lab.server.token}")
    lab.wait_ready()
    press(lab, 1, "Approve")
    lab.wait_status("idle")
    ended(lab, 1, "approved")


def test_of_two_pages_the_first_answer_wins_and_both_show_it(lab: Lab) -> None:
    ready(lab, CALL)
    lab.run(1)
    card(lab, 1)
    lab.save()
    other = Lab(lab.page.context.new_page(), lab.server)
    other.page.goto(f"{lab.server.url}/lab/workspaces/second/tree/{lab.notebook}?token={lab.server.token}")
    other.wait_ready()
    waiting = card(other, 1)
    press(lab, 1, "Deny")
    lab.wait_ended(1)
    other.output(1).get_by_text("denied by you").first.wait_for(timeout=20_000)
    assert waiting.count() == 0
    assert "denied" in lab.text(1)
    other.page.close()


def test_a_kernel_restarted_while_a_call_waits_goes_on_working(lab: Lab) -> None:
    ready(lab, CALL, AFTER)
    lab.run(1)
    card(lab, 1)
    lab.restart()
    assert lab.run_to_end(2) == "next cell\n"


def test_a_saved_notebook_shows_how_it_ended_and_its_card_does_nothing(lab: Lab) -> None:
    ready(lab, CALL)
    lab.run(1)
    press(lab, 1, "Approve")
    lab.wait_ended(1)
    lab.save()
    stored = str(lab.outputs(1))
    assert "approved by you" in stored
    assert "write_note" in stored
    lab.restart()
    lab.reload()
    ended(lab, 1, "approved")
    assert lab.output(1).get_by_role("button", name="Approve", exact=True).count() == 0
    lab.screenshot("approval-saved")


def test_escape_denies_only_after_it_is_confirmed(lab: Lab) -> None:
    ready(lab, CALL)
    lab.run(1)
    lab.focus(card(lab, 1).get_by_role("button", name="Deny", exact=True))
    lab.page.keyboard.press("Escape")
    lab.page.wait_for_timeout(200)
    assert lab.prompt(1) == "*"
    lab.page.keyboard.press("Escape")
    lab.wait_ended(1)
    assert "denied" in lab.text(1)
