"""Shutdown and restart while a cell waits."""

from __future__ import annotations

import time

import psutil
import pytest
from kernel_cells import SETUP, VERSIONS
from live_kernel import LiveKernel

FORMS = {
    "blocking": "Card().ask()",
    "awaiting": "await Card().ask_async()",
    "nested": "run_here(Card().on_loop())",
}


ENDINGS = [(None, form) for form in FORMS] + [(version, "blocking") for version in VERSIONS if version]


@pytest.mark.parametrize(("version", "form"), ENDINGS)
def test_a_shutdown_request_ends_a_waiting_kernel(version: str | None, form: str) -> None:
    kernel = LiveKernel(version, SETUP)
    try:
        process = psutil.Process(kernel.manager.provisioner.pid)
        kernel.blocked(FORMS[form], widgets=2)
        kernel.control("shutdown_request", {"restart": False})
        process.wait(timeout=20)  # a deaf one would stay for ever, since nobody kills it here
    finally:
        kernel.close()


@pytest.mark.serial
def test_a_polite_restart_of_a_waiting_kernel_takes_less_than_four_seconds(kernel: LiveKernel) -> None:
    kernel.blocked(FORMS["blocking"], widgets=2)
    start = time.monotonic()
    kernel.manager.restart_kernel(now=False)
    kernel._subshell = None
    assert time.monotonic() - start < 4
    kernel.client.wait_for_ready(timeout=40)
    kernel.run(SETUP)
    cell = kernel.blocked("print(Card().ask())", widgets=2)
    kernel.click(cell.widgets[0])
    assert "approved" in kernel.finish(cell).text
