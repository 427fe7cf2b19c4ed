"""A prompt or a template of a server with its gaps: a form, the call as Python, and what comes of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ipywidgets
import traitlets

from tooldeck.core.errors import TooldeckError
from tooldeck.guards.text import visible
from tooldeck.mcp.lint import Finding
from tooldeck.notebook import facts
from tooldeck.notebook.forms import Form
from tooldeck.notebook.forms.suggested import Suggest
from tooldeck.notebook.pieces import box, code, panel, shown
from tooldeck.notebook.render import parameters
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._panel import Panel, shown_pieces
from tooldeck.notebook.widgets.block import CodeBlock

__all__ = ["FillCard"]


class FillHead(Panel):
    """The head of the card, drawn as that of a tool."""

    _esm = script("card")
    _css = style("card")
    tool = traitlets.Dict().tag(sync=True)

    def __init__(self, name: str, description: str, badges: list[str], findings: Sequence[Finding]) -> None:
        told = [f"{name}: {description}" if description else name, *(f"note: {one}" for one in findings)]
        self._line = "\n".join(told)
        super().__init__()
        self._facts = {
            "name": shown_pieces(name),
            "description": shown_pieces(description),
            "remote": True,
            "marks": facts.marks(findings),
            "badges": [shown_pieces(badge) for badge in badges],
            "notes": [shown_pieces(str(one)) for one in findings],
            "trusted": False,
        }
        self.show("idle")

    def show(self, state: str) -> None:
        """Show that it is ``idle`` or ``running``."""
        self.tool = {**self._facts, "state": state}

    def text(self) -> str:
        """The head in one line."""
        return visible(self._line)


class FillCard(ipywidgets.VBox):
    """Fills something in: `get` is called with the values of the form once they fit, and may block.

    `value` is what it gave last, drawn by `draw` as HTML; what it raises is shown in its place. `write` tells
    the call as Python.
    """

    def __init__(
        self,
        name: str,
        schema: Mapping[str, Any],
        get: Callable[[dict[str, Any]], Any],
        *,
        description: str = "",
        badges: list[str],
        findings: Sequence[Finding] = (),
        values: Mapping[str, Any] | None = None,
        suggest: Suggest | None = None,
        write: Callable[[Mapping[str, Any]], str],
        draw: Callable[[Any], str],
    ) -> None:
        self.value: Any = None
        self._schema = schema
        self._get = get
        self._write = write
        self._draw = draw
        self._head = FillHead(name, description, badges, findings)
        self.form = Form(schema, values, outside=True, suggest=suggest)
        self._go = ipywidgets.Button(
            description="Get", icon="play", tooltip="Send these values to the server"
        )
        self._go.on_click(lambda _: self.run())
        self._call = CodeBlock("the call", [("Python", "")], lengths=False)
        self._answer = ipywidgets.HTML()
        self.form.observe(self._show_call)
        self._show_call()
        bar = ipywidgets.HBox([self._go, self._call])
        bar.add_class("td-toolcard-run")
        super().__init__([self._head, self.form.widget, bar, self._answer])
        self.add_class("td-toolcard")

    def _show_call(self) -> None:
        self._call.show([("Python", self._write(self.form.value))])

    def run(self) -> bool:
        """Get it with the values of the form, as the button does; False when they do not fit, or it fails."""
        if self._go.disabled or self.form.check():
            return False
        self._busy(True)
        try:
            self.value = self._get(self.form.value)
        except TooldeckError as fault:
            self._answer.value = f"✕ {box(str(fault))}"
            return False
        finally:
            self._busy(False)
        self._answer.value = self._draw(self.value)
        return True

    def _busy(self, busy: bool) -> None:  # noqa: FBT001 - the only argument
        self._go.disabled = busy
        self._head.show("running" if busy else "idle")

    def __repr__(self) -> str:
        lines = [self._head.text()]
        lines += [
            f"  {name}: {words}{f' — {told}' if told else ''}"
            for name, words, told in parameters(self._schema)
        ]
        told = [
            visible(self._write(self.form.value)),
            *([repr(self.value)] if self.value is not None else []),
        ]
        return "\n".join([*map(visible, lines), *told])

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(**kwargs) or {})
        html = panel(
            code(self._head.text()), shown(visible(self._write(self.form.value))), self._answer.value
        )
        return {**bundle, "text/plain": repr(self), "text/html": html}
