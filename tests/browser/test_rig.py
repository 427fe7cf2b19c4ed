"""The rig itself: a real front end, a real kernel, a real click, with every kernel version under test."""

from __future__ import annotations

import pytest
from rig.jupyter import Comms
from rig.kernels import VERSIONS, kernel_name
from rig.lab import Lab

BUTTON = """
import ipywidgets
seen = []
button = ipywidgets.Button(description="Press")
button.on_click(lambda b: seen.append(1))
button
"""


def test_a_click_on_a_widget_reaches_the_idle_kernel(front_end: Lab) -> None:
    front_end.open([BUTTON, "print('clicks', len(seen))"])
    front_end.run_to_end(0)
    front_end.click(0, "Press")
    front_end.wait_status("idle")
    assert front_end.run_to_end(1) == "clicks 1\n"
    front_end.screenshot(f"rig-{front_end.server.front_end}")


def test_interrupt_reload_and_restart_act_on_the_same_notebook(lab: Lab) -> None:
    wait = "import threading; print('begun'); threading.Event().wait(60)"
    lab.open([wait, "x = 41; print(x + 1)", "print('x' in globals())"])
    lab.run(0)
    # Not the kernel's status: a front end's own request on a subshell may call it idle meanwhile.
    lab.wait_text(0, "begun")
    lab.interrupt()
    lab.wait_ended(0)
    assert "KeyboardInterrupt" in lab.text(0)
    assert lab.run_to_end(1) == "42\n"
    lab.save()
    lab.reload()
    assert lab.text(1) == "42\n"
    assert lab.run_to_end(2) == "True\n"
    lab.restart()
    assert lab.run_to_end(2) == "False\n"


@pytest.mark.parametrize(("mode", "thread"), [("disabled", "main"), ("perCommTarget", "another")])
def test_the_way_comm_messages_travel_can_be_chosen(lab: Lab, mode: Comms, thread: str) -> None:
    lab.server.comms_over_subshells(mode)
    tell = BUTTON.replace("seen.append(1)", "seen.append(threading.current_thread())")
    lab.open(
        [
            "import threading\n" + tell,
            "print('main' if seen[0] is threading.main_thread() else 'another')",
        ],
        kernel=kernel_name(VERSIONS[2]),
    )
    lab.run_to_end(0)
    lab.click(0, "Press")
    lab.wait_status("idle")
    assert lab.run_to_end(1) == f"{thread}\n"


def test_run_all_runs_in_order_and_theme_and_width_are_seen_in_the_picture(lab: Lab) -> None:
    lab.open(["#md # A title", "order = ['a']", BUTTON, "order.append('b'); print(order)"])
    lab.run_all()
    lab.wait_ended(3)
    assert lab.text(3) == "['a', 'b']\n"
    light = lab.screenshot("rig-light").read_bytes()
    lab.theme("dark")
    lab.viewport(600)
    dark = lab.screenshot("rig-dark").read_bytes()
    lab.theme("light")
    assert light != dark
    assert int.from_bytes(dark[16:20]) == 600
