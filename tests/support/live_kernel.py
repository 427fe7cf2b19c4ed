"""A real kernel in a process of its own, driven as a front end would: cells, clicks, interrupts.

A test sends a cell, waits until it shows its widgets, clicks, and looks at what came back. Nothing here knows
the code under test.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zmq
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager
from rig import kernels

ROOT = Path(__file__).resolve().parents[2]
MAIN, SUBSHELL = "main", "subshell"
VIEW = "application/vnd.jupyter.widget-view+json"


@dataclass(repr=False)
class Cell:
    """What came back for one request."""

    id: str
    messages: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    reply: dict[str, Any] | None = None
    replied_at: float = 0.0

    def __repr__(self) -> str:
        kinds = [kind for kind, _ in self.messages][-8:]
        return f"<Cell {self.status} {self.states[-3:]} {self.text!r} {self.error!r} {kinds}>"

    def contents(self, kind: str) -> list[dict[str, Any]]:
        """Every message of a kind, in order."""
        return [content for name, content in self.messages if name == kind]

    @property
    def text(self) -> str:
        """What it printed."""
        return "".join(content["text"] for content in self.contents("stream"))

    @property
    def widgets(self) -> list[str]:
        """The model of each widget it displayed, in order."""
        shown = self.contents("display_data")
        return [content["data"][VIEW]["model_id"] for content in shown if VIEW in content["data"]]

    @property
    def error(self) -> str:
        """The kind of exception it ended with; empty when there was none."""
        return "".join(content["ename"] for content in self.contents("error"))

    @property
    def status(self) -> str:
        """The status of its reply: ok, error, aborted, or missing."""
        return self.reply["status"] if self.reply else "missing"

    @property
    def done(self) -> bool:
        """Whether reply and idle have both come."""
        return self.reply is not None and bool(self.states) and self.states[-1] == "idle"


class LiveKernel:
    """One kernel; `version` as in `kernels.program`."""

    def __init__(
        self, version: str | None = None, setup: str = "", *paths: Path, launcher: list[str] | None = None
    ) -> None:
        self.version = version
        self.setup = setup
        dropped = ("PYTEST_", "JPY_", "COV_")
        self._env = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
        self._env |= {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        launcher = launcher or ["-m", "ipykernel_launcher"]
        python, first = kernels.program(version)
        self._env["PYTHONPATH"] = os.pathsep.join(str(path) for path in (*first, *paths, ROOT))
        self.manager = KernelManager()
        self.manager._kernel_spec = KernelSpec(
            argv=[python, *launcher, "-f", "{connection_file}", "--log-level=CRITICAL"],
            display_name="test",
            language="python",
        )
        self.cells: dict[str, Cell] = {}
        self.order: list[str] = []
        self._subshell: str | None = None
        self.manager.start_kernel(env=self._env, cwd=str(ROOT))
        self.client: BlockingKernelClient = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=40)
        if setup:
            self.run(setup)

    # --- cells -----------------------------------------------------------------------------------

    def send(self, code: str, *, shell: str = MAIN, allow_stdin: bool = True, **options: Any) -> Cell:
        """Queue a cell and return at once."""
        content = {
            "code": code, "silent": False, "store_history": True, "user_expressions": {},
            "allow_stdin": allow_stdin, "stop_on_error": True, **options,
        }  # fmt: skip
        return self.request("execute_request", content, shell=shell)

    def request(self, kind: str, content: dict[str, Any], *, shell: str = MAIN) -> Cell:
        """Send any request on the shell channel and return at once."""
        message = self.client.session.msg(kind, content)
        if shell == SUBSHELL:
            message["header"]["subshell_id"] = self.subshell()
        cell = self.cells[message["header"]["msg_id"]] = Cell(message["header"]["msg_id"])
        self.client.shell_channel.send(message)
        return cell

    def finish(self, cell: Cell, timeout: float = 10.0) -> Cell:
        """Wait until a cell has ended."""
        self.until(lambda: cell.done, timeout, lambda: f"the cell did not end: {cell}")
        return cell

    def run(self, code: str, *, timeout: float = 20.0, **options: Any) -> Cell:
        """Run a cell that must end well."""
        cell = self.finish(self.send(code, **options), timeout)
        assert cell.status == "ok", f"{code!r} ended with {cell.reply} after {cell.text!r}"
        return cell

    def blocked(self, code: str, widgets: int = 1, **options: Any) -> Cell:
        """Send a cell that waits, and come back when it has displayed so many widgets and is waiting.

        The cell must print "waiting" last before it waits.
        """
        cell = self.send(code, **options)
        self.shown(cell, widgets)
        return cell

    def shown(self, cell: Cell, widgets: int = 1, waiting: int = 1) -> None:
        """Wait until a cell has displayed so many widgets and said so often that it waits."""
        self.until(
            lambda: len(cell.widgets) >= widgets and cell.text.count("waiting") >= waiting,
            15.0,
            lambda: f"the cell does not wait: {cell}",
        )

    def until(self, condition: Callable[[], bool], timeout: float, message: Callable[[], str]) -> None:
        """Take in messages until a condition holds."""
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, message()
            self.listen(0.05)

    def listen(self, timeout: float) -> None:
        """Take in what has arrived, waiting up to `timeout` seconds for the first message."""
        poller = zmq.Poller()
        channels = {
            self.client.iopub_channel.socket: self._on_iopub,
            self.client.shell_channel.socket: self._on_shell,
        }
        for socket in channels:
            poller.register(socket, zmq.POLLIN)
        poller.poll(timeout * 1000)
        for socket, take in channels.items():
            while True:
                _, message = self.client.session.recv(socket, zmq.NOBLOCK)
                if message is None:
                    break
                take(message)

    def _on_iopub(self, message: dict[str, Any]) -> None:
        cell = self.cells.get(message["parent_header"].get("msg_id", ""))
        if cell is None:
            return
        kind = message["header"]["msg_type"]
        if kind == "status":
            cell.states.append(message["content"]["execution_state"])
        else:
            cell.messages.append((kind, message["content"]))

    def _on_shell(self, message: dict[str, Any]) -> None:
        cell = self.cells.get(message["parent_header"].get("msg_id", ""))
        if cell is not None:
            cell.reply = message["content"]
            cell.replied_at = time.monotonic()
            self.order.append(cell.id)

    # --- widgets ---------------------------------------------------------------------------------

    def click(self, widget: str, shell: str = MAIN) -> Cell:
        """Click a button."""
        return self._comm(widget, {"method": "custom", "content": {"event": "click"}}, shell)

    def set(self, widget: str, shell: str = MAIN, **state: Any) -> Cell:
        """Change traits of a widget, as dragging a slider does."""
        return self._comm(widget, {"method": "update", "state": state, "buffer_paths": []}, shell)

    def _comm(self, widget: str, data: dict[str, Any], shell: str) -> Cell:
        return self.request("comm_msg", {"comm_id": widget, "data": data}, shell=shell)

    # --- control ---------------------------------------------------------------------------------

    @property
    def has_subshells(self) -> bool:
        """Whether this ipykernel has them."""
        return self.version is None or not self.version.startswith("6.")

    def subshell(self) -> str:
        """The subshell for widgets, as JupyterLab makes one."""
        if self._subshell is None:
            reply = self.control("create_subshell_request", {})
            self._subshell = reply["subshell_id"]
        return self._subshell

    def control(self, kind: str, content: dict[str, Any], timeout: float = 10.0) -> dict[str, Any]:
        """Send a request on the control channel and return the reply."""
        message = self.client.session.msg(kind, content)
        self.client.control_channel.send(message)
        return self.client.get_control_msg(timeout=timeout)["content"]

    def interrupt(self) -> None:
        """Press the interrupt button."""
        self.manager.interrupt_kernel()

    def settle(self) -> None:
        """Bring the kernel back to idle after a test, by whatever it takes."""
        try:
            self.run("pass", timeout=0.5)
            return
        except AssertionError:
            pass
        self.interrupt()
        try:
            self.run("pass", timeout=5)
        except AssertionError:
            self.restart()

    def restart(self) -> None:
        """Restart the kernel, and run the setup cell again."""
        self.manager.restart_kernel(now=True)
        self._subshell = None
        self.client.wait_for_ready(timeout=40)
        if self.setup:
            self.run(self.setup)

    def close(self) -> None:
        """End the kernel."""
        self.client.stop_channels()
        if self.manager.has_kernel:
            self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()


def unique(prefix: str) -> str:
    """A word that no other output contains."""
    return f"{prefix}-{uuid.uuid4().hex[:8]}"
