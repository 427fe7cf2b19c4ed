"""A person at JupyterLab or Notebook 7: opens a notebook, runs cells, clicks, interrupts, reloads, looks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rig.kernels import ROOT
from rig.waiting import eventually

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from rig.jupyter import JupyterServer

SCREENSHOTS = ROOT / "build" / "screenshots"
START = 60.0  # seconds until a page with a connected kernel; a cold start takes up to 15 under load

# The panel of the open notebook, in either front end.
_PANEL = "const panel = window.jupyterapp.shell.currentWidget;"
_SELECT = "panel.content.activeCellIndex = %d; panel.content.deselectAll();"
SPLASH = "#jupyterlab-splash"  # drawn over the page while a theme changes
_KERNEL = _PANEL + "const kernel = panel?.sessionContext?.session?.kernel;"


class Lab:
    """One browser page on one server; ``page`` is Playwright's, for everything not offered here."""

    def __init__(self, page: Page, server: JupyterServer) -> None:
        self.page = page
        self.server = server
        self.errors: list[str] = []
        self.notebook = ""
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda told: self.errors.append(told.text) if told.type == "error" else None)

    # -- opening ------------------------------------------------------------------------------

    def open(self, cells: list[str], *, kernel: str = "python3", name: str = "test.ipynb") -> None:
        """Write a notebook of these cells, open it and wait until its kernel is connected and idle."""
        self.server.write_notebook(name, cells, kernel)
        self.visit(name)

    def visit(self, name: str, *, timeout: float = START) -> None:
        """Open a notebook that is there already; ``timeout`` in seconds until its kernel is idle."""
        self.notebook = name
        place = "lab/tree" if self.server.front_end == "lab" else "notebooks"
        reset = "&reset" if self.server.front_end == "lab" else ""
        self.page.goto(f"{self.server.url}/{place}/{name}?token={self.server.token}{reset}")
        self.wait_ready(timeout)
        if self.server.front_end == "lab":
            self._js("window.jupyterapp.shell.collapseLeft()")
        self.wait_status("idle", timeout)

    def wait_ready(self, timeout: float = START) -> None:
        """Wait until the notebook is drawn and its kernel connected, busy or not."""
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=timeout * 1000)
        self._wait_js(_KERNEL + "return kernel?.connectionStatus === 'connected'", timeout)

    def reload(self) -> None:
        """Load the page again, as F5 does, and wait until it is connected to the same kernel."""
        self.page.reload()
        self.wait_ready()

    # -- running ------------------------------------------------------------------------------

    def select(self, index: int) -> None:
        """Make one cell the active one."""
        self._js(_PANEL + _SELECT % index)

    def run(self, index: int) -> None:
        """Start one cell and return at once."""
        # In one step, since a form that moves the focus makes its own cell the active one; and not awaited:
        # the command's promise ends with the cell, which may wait for the click that comes next.
        self._js(
            _PANEL + _SELECT % index + "window.jupyterapp.commands.execute('notebook:run-cell'); return null"
        )

    def run_to_end(self, index: int, timeout: float = 30.0) -> str:
        """Run one cell, wait until it has ended, and return what it shows as text."""
        before = self.prompt(index)
        self.run(index)
        self.wait_ended(index, timeout, other_than=before)
        return self.text(index)

    def run_all(self) -> None:
        """Start every cell, in order, and return at once."""
        self._js("window.jupyterapp.commands.execute('notebook:run-all-cells'); return null")

    def prompt(self, index: int) -> str:
        """Return what stands in a cell's brackets: a number, ``*`` while it runs or waits, or nothing."""
        label = self.cell(index).locator(".jp-InputPrompt").first.text_content() or ""
        return re.sub(r"[\[\]:\s]", "", label)

    def wait_ended(self, index: int, timeout: float = 30.0, *, other_than: str = "") -> int:
        """Wait until a cell shows a number that is not ``other_than``, and return it."""

        def number() -> int:
            found = self.prompt(index)
            return int(found) if found.isdigit() and found != other_than else 0

        return eventually(number, timeout, message=lambda: f"cell {index} has ended: {self.text(index)}")

    def wait_status(self, status: str, timeout: float = 30.0) -> None:
        """Wait until the kernel's status is this word (``idle``, ``busy``, ``restarting`` ...)."""
        self._wait_js(_KERNEL + f"return kernel?.status === {status!r}", timeout)

    def status(self) -> str:
        """Return the kernel's status as the page knows it."""
        return self._js(_KERNEL + "return kernel?.status ?? 'none'")

    def interrupt(self) -> None:
        """Interrupt the kernel, as the stop button does."""
        self._js(_KERNEL + "return kernel.interrupt()")

    def restart(self) -> None:
        """Restart the kernel without a question and wait until the new one is idle."""
        self._js(_PANEL + "return panel.sessionContext.session.kernel.restart()")
        self.wait_ready()
        self.wait_status("idle")

    def save(self) -> None:
        """Save the notebook to its file."""
        self._js(_PANEL + "return panel.context.save()")

    # -- looking ------------------------------------------------------------------------------

    def cell(self, index: int) -> Locator:
        """Return the cell as it is drawn."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(index)

    def output(self, index: int) -> Locator:
        """Return the output area of a cell as it is drawn."""
        return self.cell(index).locator(".jp-Cell-outputArea")

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """Return the outputs of a cell as the notebook's model holds them, which is what is saved."""
        return self._js(_PANEL + f"return panel.content.widgets[{index}].model.sharedModel.outputs")

    def text(self, index: int) -> str:
        """Return the outputs of a cell as text: streams, plain forms, names of errors."""
        return "".join(_plain(output) for output in self.outputs(index))

    def wait_text(self, index: int, wanted: str, timeout: float = 15.0) -> str:
        """Wait until the text of a cell's outputs contains ``wanted``."""

        def found() -> str:
            text = self.text(index)
            assert wanted in text, text
            return text

        return eventually(found, timeout, message=f"cell {index} shows {wanted!r}")

    def click(self, index: int, label: str, *, timeout: float = 15.0) -> None:
        """Press the button with this label in the output of a cell, when it is there."""
        self.output(index).get_by_role("button", name=label, exact=True).first.click(timeout=timeout * 1000)

    def focus(self, target: Locator) -> None:
        """Give the focus to a control as soon as it can take it: a disabled one cannot."""

        def taken() -> bool:
            target.focus()
            return _has_focus(target)

        eventually(taken, 15, message="the control takes the focus")

    def tab_to(self, target: Locator, *, start: Locator, most: int = 12) -> None:
        """Press Tab from ``start`` until ``target`` has the focus.

        Begins again when it was lost on the way, since the notebook moves the focus to its editor late.
        """

        def reached() -> bool:
            self.focus(start)
            for _ in range(most):
                self.page.keyboard.press("Tab")
                if _has_focus(target):
                    return True
            return False

        eventually(reached, 15, message="Tab reaches the control")

    def theme(self, name: str) -> None:
        """Change to the ``dark`` or ``light`` theme and wait until it is drawn."""
        full = "JupyterLab Dark" if name == "dark" else "JupyterLab Light"
        self._js(f"return window.jupyterapp.commands.execute('apputils:change-theme', {{theme: {full!r}}})")
        light = "false" if name == "dark" else "true"
        self._wait_js(
            f"return document.body.dataset.jpThemeLight === '{light}' && !document.querySelector('{SPLASH}')",
            15,
        )

    def viewport(self, width: int, height: int = 900) -> None:
        """Make the page so many CSS pixels wide and high."""
        self.page.set_viewport_size({"width": width, "height": height})

    def screenshot(self, name: str, of: Locator | None = None) -> Path:
        """Write ``build/screenshots/<name>.png``, of the page or of one part of it, and return the path."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        if of is None:
            self.page.screenshot(path=path)
        else:
            of.screenshot(path=path)
        return path

    # -- inside -------------------------------------------------------------------------------

    def _js(self, body: str) -> Any:
        return self.page.evaluate(f"() => {{ {body} }}")

    def _wait_js(self, body: str, timeout: float) -> None:
        self.page.wait_for_function(f"() => {{ {body} }}", timeout=timeout * 1000)


def _has_focus(node: Locator) -> bool:
    return node.evaluate("node => node === document.activeElement")


def _plain(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return "".join(output["text"])
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}"
    return "".join(output["data"].get("text/plain", ""))
