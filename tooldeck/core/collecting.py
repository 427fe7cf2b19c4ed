"""What a body gave back, as an outcome: answers with parts, results of other calls, failures of strangers.

Figures, pictures and tables of other libraries are recognised where those libraries are loaded already;
nothing is imported for it.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

from tooldeck.core.call import Outcome
from tooldeck.core.parts import Answer, Image, Part, Table, Text
from tooldeck.core.result import ToolResult
from tooldeck.core.strangers import to_text
from tooldeck.core.vocabulary import Status

__all__ = ["outcome_of"]

_PLAIN = frozenset({type(None), bool, int, float, str, dict})
_LISTS = frozenset({list, tuple})
_MOST_PARTS = 100
"""Items of a list that are looked at; a longer one is data."""
_MOST_ROWS = 100
"""Rows of a table that its part holds."""
_OK = Status.OK


def outcome_of(value: Any) -> Outcome:
    """How a body ended that returned `value`. Never raises for what the value does when it is looked at."""
    kind: type[Any] = type(value)  # asked of its type throughout, since a proxy may raise when asked itself
    if kind in _PLAIN:
        return Outcome(_OK, value)
    if kind in _LISTS and (len(value) > _MOST_PARTS or all(type(item) in _PLAIN for item in value)):
        return Outcome(_OK, value)
    if kind is ToolResult:
        return _nested(value)
    if kind is Answer:
        return Outcome(_OK, value.value, answer=value)
    said = _failure(kind, value)
    if said is not None:
        return Outcome(Status.FAILED, error=said)
    try:
        answer = _answer(kind, value)
    except Exception:  # noqa: BLE001 - what cannot be shown in its own form is shown as text
        answer = None
    return Outcome(_OK, value, answer=answer)


def _nested(result: ToolResult) -> Outcome:
    """A body that returns another call's result ends the way that call ended, with the text made there.

    The text goes along because it may be fenced, and a trusted tool around it must not take the fence away.
    """
    return Outcome(
        result.status, result.value, result.error, result.exception, result.problems, result.retry_after,
        inner=result,
    )  # fmt: skip


def _failure(kind: type[Any], value: Any) -> str | None:
    """What went wrong, where `value` is another library's record of a failure."""
    look = _RECORDS.get(kind.__name__)
    try:
        return None if look is None else look(value)
    except Exception:  # noqa: BLE001 - a namesake with other fields
        return None


def _of_success(value: Any) -> str | None:
    return None if value.success is not False else to_text(getattr(value, "error", None) or "it failed")


def _of_is_error(value: Any) -> str | None:
    failed = getattr(value, "is_error", False) is True or getattr(value, "isError", False) is True
    return "\n".join(to_text(getattr(block, "text", block)) for block in value.content) if failed else None


def _of_status(value: Any) -> str | None:
    return to_text(value.content) if value.status == "error" else None


_RECORDS: dict[str, Callable[[Any], str | None]] = {
    "ToolResult": _of_success,  # PraisonAI and others: success, error
    "CallToolResult": _of_is_error,  # the MCP SDK: is_error, content
    "ToolMessage": _of_status,  # LangChain: status, content
}


def _answer(kind: type[Any], value: Any) -> Answer | None:
    own = getattr(kind, "_tool_answer_", None)
    if own is not None:
        answer = own(value)
        return answer if type(answer) is Answer else None
    if issubclass(kind, Part):
        return Answer(value, "", (value,))
    if kind in _LISTS:
        return _listed(value)
    part = _recognised(kind, value)
    return None if part is None else Answer(value, "", (part,))


def _listed(items: list[Any] | tuple[Any, ...]) -> Answer | None:
    """A list is an answer when all its items are texts and parts, one part at least."""
    parts: list[Part] = []
    for item in items:
        kind: type[Any] = type(item)
        part = Text(item) if kind is str else item if issubclass(kind, Part) else _recognised(kind, item)
        if part is None:
            return None
        parts.append(part)
    return Answer(items, "", tuple(parts))


def _recognised(kind: type[Any], value: Any) -> Part | None:
    """Another library's picture or table as a part."""
    for module, name, make in _KNOWN:
        known = getattr(sys.modules.get(module), name, None)
        if isinstance(known, type) and issubclass(kind, known):
            return make(value)
    return None


def _figure(figure: Any) -> Image:
    out = io.BytesIO()
    figure.savefig(out, format="png", bbox_inches="tight")
    return Image(out.getvalue())


def _picture(picture: Any) -> Image:
    out = io.BytesIO()
    picture.save(out, format="PNG")
    return Image(out.getvalue())


def _pandas(frame: Any) -> Table:
    head = frame.head(_MOST_ROWS)
    if type(frame.index).__name__ != "RangeIndex":  # one that says something
        head = head.reset_index()
    return _table(head.columns, head.itertuples(index=False, name=None), len(frame))


def _polars(frame: Any) -> Table:
    return _table(frame.columns, frame.head(_MOST_ROWS).rows(), frame.height)


def _table(columns: Any, rows: Any, total: int) -> Table:
    cells = tuple(tuple(to_text(cell) for cell in row) for row in rows)
    return Table(tuple(to_text(column) for column in columns), cells, total)


_KNOWN: tuple[tuple[str, str, Callable[[Any], Part]], ...] = (
    ("matplotlib.figure", "Figure", _figure),
    ("matplotlib.axes", "Axes", lambda axes: _figure(axes.figure)),
    ("PIL.Image", "Image", _picture),
    ("pandas", "DataFrame", _pandas),
    ("pandas", "Series", lambda series: _pandas(series.to_frame())),
    ("polars", "DataFrame", _polars),
)
