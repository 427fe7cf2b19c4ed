"""Tools, calls and a stand-in for the page, shared by the widget tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tooldeck.core.approval import ApprovalRequest
from tooldeck.core.call import ToolCall
from tooldeck.core.call_log import CallLog, Span
from tooldeck.core.caller import Caller
from tooldeck.core.parameters import Checked, Problem
from tooldeck.core.result import ToolResult
from tooldeck.core.run import Run
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import Effect, Risk, Source, Status, Trust

NASTY = "<script>window.pwned=1</script><img src=x onerror=\"window.pwned=1\"> & 'quotes' $x$ \u202e\u200b"


class Params:
    """Parameters that check required names and text only; enough to see problems arise."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema

    def check(self, arguments: Mapping[str, Any], /) -> Checked:
        missing = [name for name in self.schema.get("required", []) if name not in arguments]
        problems = [Problem(name, "required") for name in missing]
        for name, value in arguments.items():
            wanted = self.schema.get("properties", {}).get(name, {}).get("type")
            if wanted == "string" and not isinstance(value, str):
                problems.append(Problem(name, "text", repr(value)))
        return Checked({} if problems else dict(arguments), arguments, (), tuple(problems))


SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "content": {"type": "string", "description": "what to write"}},
    "required": ["path", "content"],
}


def make_tool(name: str = "write_note", schema: dict[str, Any] | None = None, **more: Any) -> Tool:
    settings: dict[str, Any] = {
        "description": "Write a note.",
        "effects": frozenset({Effect.WRITE}),
        "risk": Risk.MEDIUM,
        "trust": Trust.TRUSTED,
        "origin": Origin("notebook"),
        **more,
    }
    return Tool(name=name, params=Params(schema or SCHEMA), invoke=lambda values: values, **settings)


def make_call(
    tool: Tool,
    arguments: dict[str, Any],
    source: Source = Source.CELL,
    label: str = "",
    run: Run | None = None,
) -> ToolCall:
    return ToolCall(
        id="call-1",
        name=tool.name,
        given=tool,
        raw=arguments,
        caller=Caller(source, run, label),
        log=CallLog(0.0),
        tool=tool,
        arguments=arguments,
    )


def make_result(
    value: Any = "done", tool: Tool | None = None, status: Status = Status.OK, **more: Any
) -> ToolResult:
    tool = tool or make_tool()
    settings: dict[str, Any] = {
        "text": str(value),
        "error": None if status is Status.OK else "it broke",
        "notes": (),
        "attempts": 1,
        "seconds": 0.0124,
        "call": make_call(tool, {"path": "a.txt", "content": "hello"}),
        **more,
    }
    return ToolResult(status=status, value=value, **settings)


def make_request(arguments: dict[str, Any] | None = None, **more: Any) -> ApprovalRequest:
    tool = more.pop("tool", None) or make_tool()
    given = {"path": "a.txt", "content": "hello"} if arguments is None else arguments
    label, source, run = more.pop("label", ""), more.pop("source", Source.CELL), more.pop("run", None)
    rule = "asks before it writes"
    settings: dict[str, Any] = {"id": "ask-1", "rule": rule, "check": tool.params.check, **more}
    return ApprovalRequest(tool=tool, call=make_call(tool, given, source, label, run), **settings)


class Page:
    """The front end of one widget: sends messages and keeps what it is sent."""

    def __init__(self, widget: Any) -> None:
        self.widget = widget
        self.sent: list[dict[str, Any]] = []
        widget.send = lambda content, buffers=None: self.sent.append(content)

    def say(self, **content: Any) -> None:
        """A message as it arrives from the comm."""
        self.widget._handle_custom_msg(content, [])

    def last(self, kind: str) -> dict[str, Any] | None:
        return next((content for content in reversed(self.sent) if content["type"] == kind), None)


class Clock:
    """Monotonic seconds that move by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


TRACE = (
    Span("attempt 1", 3.21, 3.25, "", 4),
    Span("wrap", 3.205, 3.255, "", 3),
    Span("wait", 3.26, 3.34, "", 3),
    Span("attempt 2", 3.35, 3.39, "", 4),
    Span("wrap", 3.345, 3.392, "", 3),
    Span("retry", 3.2, 3.395, "attempt 2 after 0.08 s", 2),
    Span("approve", 0.002, 3.397, "allowed by you", 1),
    Span("resolve", 0.0, 3.4, "", 0),
)
