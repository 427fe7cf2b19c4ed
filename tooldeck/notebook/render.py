"""Tools, results and traces as plain text and as static HTML; needs no widgets and no kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tooldeck.core.result import ToolResult
from tooldeck.core.tokens import tool_tokens
from tooldeck.core.tool import Tool
from tooldeck.guards.text import escape_html, json_text, visible
from tooldeck.notebook import facts, outcomes, schemas, waterfall
from tooldeck.notebook.pieces import block, code, panel, shown, table
from tooldeck.notebook.states import coloured, sign_of, state_of
from tooldeck.policy import Policy

if TYPE_CHECKING:
    from tooldeck.mcp.lint import Finding

__all__ = [
    "badges",
    "further",
    "outcome",
    "outcome_text",
    "parameters",
    "record_text",
    "result_head",
    "result_html",
    "result_line",
    "result_text",
    "tool_html",
    "tool_text",
    "trace_html",
    "trace_text",
    "value_text",
]

_LIMIT = 20_000
"""Characters of a value that a stored output keeps."""


def badges(tool: Tool, policy: Policy | None = None, findings: Iterable[Finding] = ()) -> tuple[str, ...]:
    """What a person should know of a tool before anything else, in words; what the lint found comes first."""
    tokens = tool_tokens(tool)
    pace = facts.pace(tool)
    return (
        *facts.marks(findings),
        visible(facts.origin(tool.origin)),
        facts.powers(tool),
        facts.asks(tool, policy),
        facts.trust(tool, None if policy is None else policy.trust_of(tool)),
        f"risk {tool.risk}",
        f"about {facts.count(tokens, 'token')}",
        *([pace] if pace else []),
        *facts.paging(tool),
    )


def tool_text(
    tool: Tool, policy: Policy | None = None, notes: Iterable[str] = (), findings: Sequence[Finding] = ()
) -> str:
    """A tool as plain text: name, what it does, what it may do, its parameters, notes for its author."""
    told = tool.description.replace("\n", "\n    ")  # so that no line of it looks like one of ours
    lines = [visible(f"{tool.name}: {told}"), "  " + " · ".join(badges(tool, policy, findings))]
    for name, words, help_text in parameters(tool.parameters):
        lines.append(visible(f"  {name}: {words}" + (f" — {help_text}" if help_text else "")))
    lines += [visible(f"note: {note}") for note in (*notes, *findings)]
    return "\n".join(lines)


def tool_html(
    tool: Tool, policy: Policy | None = None, notes: Iterable[str] = (), findings: Sequence[Finding] = ()
) -> str:
    """The same as static HTML."""
    rows = [
        (code(name), code(words), code(help_text) if help_text else "")
        for name, words, help_text in parameters(tool.parameters)
    ]
    return panel(
        f"<strong>{code(tool.name)}</strong>",
        code(tool.description) if tool.description else "",
        shown(" · ".join(badges(tool, policy, findings))),
        table(rows),
        *(f"note: {code(str(note))}" for note in (*notes, *findings)),
    )


def parameters(root: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Name, wanted value and help of each property of an object schema."""
    found: list[tuple[str, str, str]] = []
    for name, schema, required in schemas.properties(root, root):
        inner = schemas.resolve(schema, root)
        words = schemas.describe(schema, root) + (", required" if required else "")
        if "default" in inner:
            words += f", default {_json(inner['default'])}"
        found.append((name, words, str(inner.get("description") or "")))
    return found


def _json(value: Any) -> str:
    try:
        return json_text(value, indent=None)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def value_text(value: Any, limit: int = _LIMIT) -> str:
    """A value as visible text: a string as it is, else JSON, else Python; says how much it leaves out."""
    text, more = _cut(value if isinstance(value, str) else facts.value(value), limit)
    return visible(text) + more


def record_text(record: Any) -> str:
    """What a record of a built-in tool says of itself, as visible text."""
    text, more = _cut(outcomes.told(record) or facts.value(record))
    return visible(text) + more


def _cut(text: str, limit: int = _LIMIT) -> tuple[str, str]:
    """The beginning of a text, and words for what is left out."""
    if len(text) <= limit:
        return text, ""
    return text[:limit], f"\n… {facts.count(len(text) - limit, 'more character')}"


def result_line(result: ToolResult, *, times: bool = True) -> str:
    """How a call ended, in one line; without `times` it is the same from run to run."""
    return f"{sign_of(result.status)} {_ending(result, times=times)}"


def _ending(result: ToolResult, *, times: bool = True) -> str:
    words = [str(result.status)]
    if times:
        words.append(facts.duration(result.seconds))
    if result.attempts > (0 if times else 1):
        words.append(facts.count(result.attempts, "attempt"))
    return " · ".join(words)


def result_head(result: ToolResult, *, times: bool = True) -> str:
    """HTML of `result_line`, its sign in the colour of the state."""
    sign = coloured(sign_of(result.status), state_of(result.status))
    return f"{sign} {shown(_ending(result, times=times))}"


def outcome(result: ToolResult) -> tuple[str, str]:
    """The value or the error as raw text, cut to what an output should hold, and words for the rest."""
    if not result.ok:
        return _cut(result.error or "")
    tool = result.call.tool
    own = outcomes.own_words(result) if tool is not None and tool.origin.kind == "builtin" else None
    if own is not None:
        return _cut(own)
    return _cut(result.value if isinstance(result.value, str) else facts.value(result.value))


def outcome_text(result: ToolResult) -> str:
    """The value or the error, as visible text."""
    text, more = outcome(result)
    return visible(text) + more


def result_text(result: ToolResult, *, times: bool = True) -> str:
    """A result as plain text: how it ended, the value or the error, the notes."""
    lines = [f"{outcomes.called(result)}: {result_line(result, times=times)}", outcome_text(result)]
    lines += [visible(line) for line in further(result)]
    return "\n".join(lines)


def further(result: ToolResult) -> list[str]:
    """What a result says beside its value: the files that were kept, and the notes."""
    return [*(file.line for file in outcomes.kept(result)), *(f"note: {note}" for note in result.notes)]


def result_html(result: ToolResult, *, times: bool = True) -> str:
    """The same as static HTML."""
    why = outcomes.why_outside(result)
    outside = f" · untrusted{f': {why}' if why else ''}" if outcomes.from_outside(result) else ""
    return panel(
        f"{code(outcomes.called(result))} {result_head(result, times=times)}{shown(outside)}",
        block(outcome_text(result), outside=bool(outside)),
        *(
            f'<img alt="{mime}" style="max-width:100%" src="data:{mime};base64,{data}">'
            for mime, data in outcomes.pictures(result)
        ),
        *(_download(file) for file in outcomes.kept(result)),
        *(f"note: {code(str(note))}" for note in result.notes),
    )


def _download(file: outcomes.KeptFile) -> str:
    """A line about a file, by which it can be saved; never as a page that a browser would run."""
    if not file.data:
        return code(file.line)
    address = f"data:application/octet-stream;base64,{file.data}"
    return f'<a download="{shown(file.name)}" href="{address}">{escape_html(file.line)}</a>'


def trace_text(result: ToolResult) -> str:
    """The stages of a call with their times and decisions, as plain text."""
    found = waterfall.rows(result)
    if not found:
        return f"{outcomes.called(result)}: {result_line(result)}\n  no trace was kept"
    width = max(len(row.name) + 2 * row.depth for row in found)
    lines = [f"{outcomes.called(result)}: {result_line(result)}"]
    for row in found:
        label = ("  " * row.depth + row.name).ljust(width)
        line = f"  {label}  {facts.duration(row.own):>9}  {_bar(row)}  {row.decision}"
        lines.append(visible(line.rstrip()))
    return "\n".join(lines)


def trace_html(result: ToolResult) -> str:
    """The same as static HTML."""
    rows = [
        (
            "&nbsp;" * 2 * row.depth + code(row.name),
            shown(facts.duration(row.own)),
            f'<code style="white-space:pre">{_bar(row)}</code>',
            code(row.decision) if row.decision else "",
        )
        for row in waterfall.rows(result)
    ]
    return panel(f"{code(outcomes.called(result))} {result_head(result)}", table(rows) or "no trace was kept")


def _bar(row: waterfall.Row, cells: int = 24) -> str:
    """A bar of `cells` characters: work is solid, waiting is hatched, a person's time is dotted."""
    mark = {"wait": "░", "person": "·"}.get(row.kind, "█")
    drawn = [" "] * cells
    for left, width in row.bars:
        first = min(cells - 1, int(left * cells))
        for cell in range(first, max(first + 1, min(cells, round((left + width) * cells)))):
            drawn[cell] = mark
    return "".join(drawn)
