"""Rich forms of core objects, registered with IPython so that the core need not know about notebooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tooldeck.core.added import AddedTools
from tooldeck.core.events import CallEnded, Event
from tooldeck.core.result import ToolResult
from tooldeck.core.tool import Tool
from tooldeck.deck import Deck
from tooldeck.notebook import facts, outcomes, pieces, render
from tooldeck.notebook.listing import ToolTable, findings_of

if TYPE_CHECKING:
    from tooldeck.serve.serving import Serving

__all__ = ["register", "serving_text"]


def register(formatter: Any, deck: Deck, displayed: Callable[[Any], object]) -> Callable[[], None]:
    """Teach a display formatter about results, and about tools as the deck's policy sees them.

    `displayed` is told of results, and of values of MCP servers, that are shown.

    Records of built-in tools are added as their kinds come up; the answer ends that.
    """
    html = formatter.formatters["text/html"]
    plain = formatter.formatters["text/plain"]
    html.for_type(Tool, lambda tool: render.tool_html(tool, deck.policy, (), findings_of(deck, tool)))
    plain.for_type(Tool, lambda tool, printer, _cycle: printer.text(_tool_text(tool, deck)))
    html.for_type(ToolResult, _result_html)
    html.for_type(AddedTools, lambda added: ToolTable(added, deck)._repr_html_())
    plain.for_type(AddedTools, lambda added, printer, _cycle: printer.text(repr(ToolTable(added, deck))))
    # By name: most notebooks serve nothing, and need not load what serves.
    html.for_type_by_name("tooldeck.serve.serving", "Serving", lambda made: pieces.box(serving_text(made)))

    def result_text(result: ToolResult, printer: Any, _cycle: object) -> None:
        displayed(result)
        printer.text(_result_text(result))

    def value_bundle(value: Any) -> dict[str, Any]:
        displayed(value)
        return value._repr_mimebundle_()

    plain.for_type(ToolResult, result_text)
    formatter.mimebundle_formatter.for_type_by_name("tooldeck.mcp.results", "McpValue", value_bundle)
    known = set[type[Any]]()

    def learn(event: Event) -> None:
        if not isinstance(event, CallEnded) or type(event.result.value) in known:
            return
        tool, kind = event.result.call.tool, type(event.result.value)
        if tool is not None and tool.origin.kind == "builtin" and hasattr(kind, "_tool_answer_"):
            known.add(kind)
            html.for_type(kind, lambda record: pieces.panel(pieces.block(render.record_text(record))))
            plain.for_type(kind, lambda record, printer, _cycle: printer.text(render.record_text(record)))

    return deck.subscribe(learn)


def serving_text(made: Serving) -> str:
    """Where a deck is served, with what tells other programs of it; the token is dots."""
    told = [made.mcp_json(), made.claude_command()] if made.running else []
    return "\n".join([repr(made), *told])


def _tool_text(tool: Tool, deck: Deck) -> str:
    return render.tool_text(tool, deck.policy, (), findings_of(deck, tool))


def _result_text(result: ToolResult) -> str:
    """How a call ended, without its times, so that a stored notebook stays the same from run to run."""
    head = f"{outcomes.called(result)}: {result.status}"
    if result.attempts > 1:
        head += f" after {facts.count(result.attempts, 'attempt')}"
    lines = [head, render.outcome_text(result)]
    lines += [render.visible(line) for line in render.further(result)]
    return "\n".join(lines)


def _result_html(result: ToolResult) -> str:
    return render.result_html(result, times=False)
