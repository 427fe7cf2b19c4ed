"""A run on one time axis: its replies and its calls, as text, as SVG, and as files of JSON lines or HTML."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from tooldeck.core.errors import DefinitionError
from tooldeck.core.run_result import RunResult
from tooldeck.core.strangers import to_repr
from tooldeck.guards.text import escape_html, one_line
from tooldeck.loops.records import records

__all__ = ["Stretch", "Timeline", "run_html", "run_svg", "run_text", "save_run", "timeline"]

_CELLS = 24
_ROW, _LEFT, _LANE, _RIGHT = 22, 230, 400, 200
"""Pixels: the height of a row, the widths of its name, its bar and its words."""
_NAME_CHARS, _SAID_CHARS = 30, 28
_COLOURS = {"reply": "#1976d2", "ok": "#388e3c", "refused": "#757575", "failed": "#d32f2f"}


class Stretch(NamedTuple):
    """One row: a reply of the model, or a call."""

    name: str
    kind: str
    """``reply`` or ``call``."""
    start: float
    """Seconds after the start of the run."""
    seconds: float
    said: str
    """How it ended, or what it used."""
    state: str
    """``reply``, ``ok``, ``refused`` or ``failed``."""

    def share(self, whole: float) -> tuple[float, float]:
        """Where it begins and how long it is on an axis of so many seconds, as shares from 0 to 1."""
        whole = max(whole, 1e-9)
        left = min(1.0, self.start / whole)
        return left, min(1.0 - left, self.seconds / whole)


class Timeline:
    """A run to look at: at the end of a cell its waterfall is drawn; elsewhere it is text."""

    def __init__(self, result: RunResult) -> None:
        if not isinstance(result, RunResult):
            raise DefinitionError(f"A timeline is that of a RunResult, got {to_repr(result)[:100]}.")
        self.result = result

    def __repr__(self) -> str:
        return run_text(self.result)

    def _repr_html_(self) -> str:
        return run_svg(self.result)


def timeline(result: RunResult) -> list[Stretch]:
    """The replies and calls of a run, in the order in which they began; one not made took no time."""
    rows = [
        Stretch(
            f"reply {one.number}",
            "reply",
            one.start,
            one.seconds,
            "; ".join([f"{one.usage.total} tokens", *map(one_line, one.notes)]),
            "reply",
        )
        for one in result.replies
    ]
    for step in result.calls:
        made = step.result
        if made is not None:
            start = max(0.0, made.call.log.started - result.started)
            state = "ok" if made.ok else "failed" if made.attempts else "refused"
            rows.append(Stretch(made.call.name, "call", start, made.seconds, str(made.status), state))
        else:
            asked = next((one for one in result.replies if one.number == step.round), None)
            start = 0.0 if asked is None else asked.start + asked.seconds
            rows.append(Stretch(step.request.name, "call", start, 0.0, "not run", "refused"))
    return sorted(rows, key=lambda row: (row.start, row.kind))


def run_text(result: RunResult) -> str:
    """The timeline as lines with bars of characters."""
    rows = timeline(result)
    width = max((len(one_line(row.name)) for row in rows), default=0)
    lines = [repr(result)[1:-1]]
    for row in rows:
        left, share = row.share(result.seconds)
        first = min(_CELLS - 1, int(left * _CELLS))
        bar = " " * first + ("▒" if row.kind == "reply" else "█") * max(1, round(share * _CELLS))
        lines.append(
            f"  {one_line(row.name):<{width}}  {_time(row.seconds):>9}  {bar[:_CELLS]:<{_CELLS}}  {row.said}"
        )
    return "\n".join(lines)


def run_svg(result: RunResult) -> str:
    """The timeline as a picture that needs nothing else: bars on one axis, with their words."""
    rows = timeline(result)
    width, height = _LEFT + _LANE + _RIGHT, _ROW * (len(rows) + 1)
    size = f'viewBox="0 0 {width} {height}" width="{width}"'
    told = 'role="img" aria-label="timeline of a run" style="max-width:100%;font:12px monospace"'
    drawn = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {told}>']
    for place, row in enumerate(rows):
        left, share = row.share(result.seconds)
        y = place * _ROW
        name, said = _short(row.name, _NAME_CHARS), _short(row.said, _SAID_CHARS)
        bar = f'x="{_LEFT + left * _LANE:.1f}" y="{y + 5}" width="{max(2.0, share * _LANE):.1f}" height="12"'
        drawn += [
            _words(0, y, name),
            f'<rect {bar} fill="{_COLOURS[row.state]}"/>',
            _words(_LEFT + _LANE + 10, y, f"{_time(row.seconds)} · {said}"),
        ]
    bottom = len(rows) * _ROW
    drawn += [
        _words(_LEFT, bottom, "0"),
        _words(_LEFT + _LANE, bottom, _time(result.seconds), "end"),
        "</svg>",
    ]
    return "".join(drawn)


def _words(x: int, y: int, text: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y + 15}" fill="currentColor" text-anchor="{anchor}">{text}</text>'


def run_html(result: RunResult) -> str:
    """A page of its own: the end, the timeline, and each call with its arguments, without secrets."""
    calls = "".join(
        f"<details><summary>{escape_html(one['tool'])}: {escape_html(one['status'])}</summary>"
        f"<pre>{escape_html(json.dumps(one, ensure_ascii=False, indent=2, default=str))}</pre></details>"
        for one in records(result)
    )
    style = "body{font:14px sans-serif;margin:2em;max-width:60em}pre{white-space:pre-wrap}"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape_html(result.run.id)}</title>'
        f"<style>{style}</style><h1>{escape_html(result.run.name or result.run.id)}</h1>"
        f"<p>{escape_html(repr(result)[1:-1])}</p>{run_svg(result)}{calls}</html>\n"
    )


def save_run(result: RunResult, path: str | os.PathLike[str]) -> Path:
    """Write a run to a file, without secrets: ``.jsonl`` has a line per reply and call, ``.html`` is a page.

    Raises `DefinitionError` for another ending, OSError where the file cannot be written.
    """
    where = Path(path)
    if where.suffix == ".html":
        where.write_text(run_html(result), "utf-8")
    elif where.suffix == ".jsonl":
        where.write_text("".join(f"{json.dumps(one, default=str)}\n" for one in _lines(result)), "utf-8")
    else:
        raise DefinitionError(f"A run is saved as .jsonl or .html, got {to_repr(str(path))}.")
    return where


def _lines(result: RunResult) -> list[dict[str, Any]]:
    """The run, its replies, and its calls as `records` has them."""
    usage = result.usage
    spent = {"input": usage.input, "output": usage.output, "cached": usage.cached, "cost": usage.cost}
    head = {"kind": "run", "run": result.run.id, "status": str(result.status), "reason": result.reason}
    return [
        {
            **head,
            "rounds": result.rounds,
            "seconds": result.seconds,
            "usage": spent,
            "inner_tokens": result.inner.total,
        },
        *(
            {
                "kind": "reply",
                "round": one.number,
                "start": one.start,
                "seconds": one.seconds,
                "model": one.model,
                "input": one.usage.input,
                "output": one.usage.output,
                "cost": one.usage.cost,
                "notes": list(one.notes),
            }
            for one in result.replies
        ),
        *({"kind": "call", **one} for one in records(result)),
    ]


def _short(text: str, most: int) -> str:
    line = one_line(text)
    return escape_html(line if len(line) <= most else f"{line[: most - 1]}…")


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
