"""The tool card: what a tool is, a form to run it, its breaker, its schema, its last results."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ipywidgets
import traitlets

from tooldeck.core.breaker import BreakerState
from tooldeck.core.result import ToolResult
from tooldeck.core.tool import Tool
from tooldeck.guards.text import json_text
from tooldeck.mcp.lint import Finding
from tooldeck.notebook import facts, render
from tooldeck.notebook.forms import Form
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._panel import Panel, shown_pieces
from tooldeck.notebook.widgets.block import CodeBlock
from tooldeck.notebook.widgets.gauge import Gauge
from tooldeck.notebook.widgets.preview import call_forms, definition
from tooldeck.notebook.widgets.result import ResultView
from tooldeck.notebook.widgets.trace import TraceView
from tooldeck.policy import Policy

__all__ = ["ToolCard"]

_TRAY = 4
"""Cards of questions that stay in the tray."""


class ToolHead(Panel):
    """The head of a tool card."""

    _esm = script("card")
    _css = style("card")
    tool = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        tool: Tool,
        policy: Policy | None,
        notes: Sequence[str] = (),
        findings: Sequence[Finding] = (),
    ) -> None:
        super().__init__()
        self.notes = notes
        self.findings = findings
        self.show(tool, policy)

    def show(self, tool: Tool, policy: Policy | None, state: str = "idle") -> None:
        """Show a tool that is ``idle``, ``running`` or ``removed``."""
        self._about = tool
        self.tool = {
            "name": shown_pieces(tool.name),
            "description": shown_pieces(tool.description),
            "remote": tool.origin.remote,
            "marks": facts.marks(self.findings),
            "badges": [[[badge, False]] for badge in render.badges(tool, policy)],
            "notes": [shown_pieces(str(note)) for note in (*self.notes, *self.findings)],
            "trusted": facts.trusted(tool, None if policy is None else policy.trust_of(tool)),
            "state": state,
        }

    def text(self) -> str:
        """The tool as text."""
        return render.tool_text(self._about, notes=self.notes, findings=self.findings)


class ToolCard(ipywidgets.VBox):
    """A tool to look at and to try out.

    `run` is called with the arguments of the form once they fit; it may block, and the card shows that it
    runs. Results come in through `show_result`, from whichever side the call was started. Cards of questions
    that come up in between go into the card by `put`. `notes` are for the author of this very tool. `app`
    makes what is shown below a result that has a page of its server, else None; `look` finds what is
    suspicious in the words of this tool, and of what takes its place.
    """

    def __init__(
        self,
        tool: Tool,
        run: Callable[[dict[str, Any]], object],
        policy: Policy | None = None,
        notes: Sequence[str] = (),
        *,
        app: Callable[[ToolResult], Any] = lambda _: None,
        look: Callable[[Tool], Sequence[Finding]] = lambda _: (),
    ) -> None:
        self.tool = tool
        self._app_of = app
        self._look = look
        self._run = run
        self._policy = policy
        self._last: ToolResult | None = None
        self._head = ToolHead(tool, policy, notes, look(tool))
        self._gauge = Gauge(tool.name, tool.breaker)
        self._form = self._make_form()
        self._form_place = ipywidgets.VBox()
        self._go = ipywidgets.Button(
            description="Run", icon="play", tooltip="Run the tool with these arguments"
        )
        self._go.on_click(lambda _: self.run())
        self._preview = CodeBlock("the call", [("Python", "")], lengths=False)
        self._schema = CodeBlock("the JSON Schema of the arguments", [("JSON", "")])
        self._python = CodeBlock("the Python definition", [("Python", "")])
        self._history = ResultView(empty="No calls yet.")
        self._result = ResultView(one=True, empty="Not run yet.")
        self._tracing = ipywidgets.ToggleButton(
            description="Trace", icon="align-left", layout={"display": "none"}
        )
        self._tracing.observe(lambda _: self._show_trace(), "value")
        self._trace = ipywidgets.VBox()
        self._app = ipywidgets.VBox()
        self._tray = ipywidgets.VBox()
        super().__init__(self._parts())
        self.add_class("td-toolcard")
        self._show_tool()

    def _parts(self) -> list[Any]:
        head = ipywidgets.HBox([self._head, self._gauge])
        head.add_class("td-toolcard-head")
        bar = ipywidgets.HBox([self._go, self._preview])
        bar.add_class("td-toolcard-run")
        tabs = ipywidgets.Tab(
            [ipywidgets.VBox([self._form_place, bar]), self._schema, self._python, self._history],
            titles=["Run", "Schema", "Python", "History"],
        )
        return [head, tabs, self._tray, self._result, self._app, self._tracing, self._trace]

    def _show_tool(self) -> None:
        """Fill in everything that depends on the tool alone."""
        self._head.show(self.tool, self._policy)
        self._form_place.children = (self._form.widget,)
        self._form.observe(self._show_call)
        self._schema.show([("JSON", json_text(self.tool.parameters))])
        self._python.show([("Python", definition(self.tool))])
        self._show_call()

    def _show_call(self) -> None:
        self._preview.show(call_forms(self.tool, self._form.value))

    # --- running -------------------------------------------------------------------------------

    @property
    def form(self) -> Form:
        """The form with the arguments."""
        return self._form

    def run(self) -> bool:
        """Run the tool with the arguments of the form, as the button does; False when they do not fit."""
        if self._go.disabled:
            return False
        if self._form.check():
            return False
        arguments = self._form.value
        self._busy(running=True)
        try:
            self._run(arguments)
        finally:
            self._busy(running=False)
        return True

    def _make_form(self) -> Form:
        """A form whose words are marked as another program's where they are."""
        tool = self.tool
        return Form(tool.choices or tool.parameters, test=tool.params.check, outside=tool.origin.remote)

    def _busy(self, *, running: bool) -> None:
        self._go.disabled = running
        self._go.description = "Running…" if running else "Run"
        self._head.show(self.tool, self._policy, "running" if running else "idle")

    # --- what comes in from outside ------------------------------------------------------------

    def put(self, card: Any) -> None:
        """Put a question or a progress bar of a running call into the card."""
        self._tray.children = (*self._tray.children, card)[-_TRAY:]

    def remember(self, results: Sequence[ToolResult]) -> None:
        """List calls made before the card was there, the oldest first; none of them is shown as its own."""
        self._history.show(results[::-1])

    def show_result(self, result: ToolResult) -> None:
        """Show how a call of the tool ended. Safe from any thread."""
        self._last = result
        self._result.add(result)
        self._history.add(result)
        app = self._app_of(result)
        self._app.children = () if app is None else (app,)
        self._tracing.layout.display = None if result.trace else "none"
        self._show_trace()

    def _show_trace(self) -> None:
        if self._last is None or not self._last.trace or not self._tracing.value:
            self._trace.layout.display = "none"
            return
        self._trace.layout.display = None
        if self._trace.children:
            self._trace.children[0].show(self._last)
        else:
            self._trace.children = (TraceView(self._last),)

    def show_breaker(
        self,
        state: BreakerState,
        recent: tuple[str, ...],
        seconds_left: float,
        targets: Mapping[str, BreakerState],
    ) -> None:
        """Show the state of the tool's breaker and of those of its failing targets. Safe from any thread."""
        self._gauge.update(state, recent, seconds_left, targets)

    def replace(self, tool: Tool) -> None:
        """Show a tool that took the place of this one; what was typed into fields that are the same stays."""
        before, typed = self.tool.parameters.get("properties", {}), self._form.value
        after = tool.parameters.get("properties", {})
        self.tool = tool
        self._form = self._make_form()
        self._form.set_value(
            {
                name: value
                for name, value in typed.items()
                if name in after and after[name] == before.get(name)
            }
        )
        self._gauge.use(tool.breaker)
        self._head.notes, self._head.findings = (), self._look(tool)
        self._go.disabled = False
        self._show_tool()

    def remove(self) -> None:
        """Show that the tool left the deck: the card stays readable and runs nothing."""
        self._go.disabled = True
        self._head.show(self.tool, self._policy, "removed")

    # --- saved forms ---------------------------------------------------------------------------

    def __repr__(self) -> str:
        parts = [render.tool_text(self.tool, self._policy, self._head.notes, self._head.findings)]
        if self._last is not None:
            parts.append(render.result_text(self._last, times=False))
        return "\n".join(parts)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(**kwargs) or {})
        html = render.tool_html(self.tool, self._policy, self._head.notes, self._head.findings)
        if self._last is not None:
            html += render.result_html(self._last, times=False)
        return {**bundle, "text/plain": repr(self), "text/html": html}
