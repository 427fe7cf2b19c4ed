"""Many rounds of clicks, queued cells and interrupts from a fixed seed: nothing may be lost or reordered.

`TOOLDECK_SOAK` sets the number of rounds.
"""

from __future__ import annotations

import os
import random

from live_kernel import MAIN, SUBSHELL, LiveKernel

ROUNDS = int(os.environ.get("TOOLDECK_SOAK", "6"))
FORMS = [
    "Card(clicked=count).ask()",
    "await Card(clicked=count).ask_async()",
    "run_here(Card(clicked=count).on_loop())",
]


def test_rounds_of_clicks_and_queued_cells_lose_nothing(kernel: LiveKernel) -> None:
    dice = random.Random(20261130)
    kernel.run("clicks = []\ndef count(button): clicks.append(1); pause(0.001)")
    routes = [MAIN, SUBSHELL] if kernel.has_subshells else [MAIN]
    for number in range(ROUNDS):
        form = dice.choice(FORMS)
        cell = kernel.blocked(form, widgets=2)
        queued = []
        sent = 0
        for _ in range(dice.randrange(10, 30)):
            if dice.random() < 0.25:
                queued.append(kernel.send(f"print('round {number}', {len(queued)})"))
            else:
                last = kernel.click(cell.widgets[0], dice.choice(routes))
                sent += 1
        kernel.until(lambda: last.states[-1:] == ["idle"], 20, lambda: f"a click is missing: {last}")  # noqa: B023
        interrupted = dice.random() < 0.3
        if interrupted:
            kernel.interrupt()
        else:
            kernel.click(cell.widgets[1], dice.choice(routes))
        for each in (cell, *queued):
            kernel.finish(each, 20)
        assert cell.status == ("error" if interrupted else "ok"), f"{form}: {cell}"
        ids = [each.id for each in (cell, *queued)]
        assert [name for name in kernel.order if name in ids] == ids
        texts = ["" if interrupted else f"round {number} {n}\n" for n in range(len(queued))]
        assert [each.text for each in queued] == texts
        kernel.until(lambda: kernel.finish(kernel.send("pass")).status == "ok", 5, lambda: "still aborting")
        heard = int(kernel.run("print(len(clicks)); clicks.clear()").text)
        assert heard == sent, f"{heard} of {sent} clicks in {form}"
