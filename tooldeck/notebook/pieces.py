"""The pieces of which static HTML is made; needs no widgets and no kernel.

Everything that comes from outside goes through `code` or `box`: escaped, in the code font, where notebook
front ends look for neither markup nor formulas.
"""

from __future__ import annotations

import html
from collections.abc import Iterable

from tooldeck.guards.text import escape_html, visible
from tooldeck.notebook.diffs import DiffRow

__all__ = ["block", "box", "code", "diff_box", "folded", "line", "panel", "shown", "table"]

_LINE = "#9e9e9e;border-color:var(--jp-border-color1,#bdbdbd)"
"""The theme's colour, and one that is left where a notebook that is not trusted may name no variables."""
_PLAIN = "background:none;padding:0;overflow-wrap:anywhere"
_UNBROKEN = 20  # characters; the time of a log entry has 19


def code(text: str) -> str:
    """HTML of a short text from outside; a word or two stay on one line, also in a narrow table."""
    style = f"{_PLAIN};white-space:nowrap" if len(text) <= _UNBROKEN else _PLAIN
    return f'<code style="{style}">{escape_html(text)}</code>'


def shown(text: str) -> str:
    """HTML of a text that is ours, or visible already."""
    return html.escape(text, quote=True)


def line(text: str) -> str:
    """HTML of a line that is visible already, its indentation kept."""
    return f'<code style="{_PLAIN};white-space:pre-wrap">{shown(text)}</code>'


def box(text: str) -> str:
    """HTML of a long text from outside: a scrolling block."""
    return block(visible(text), outside=True)


def block(text: str, *, outside: bool = False) -> str:
    """HTML of a long text that is visible already; a dashed border says that it is from outside."""
    return _block(shown(text), "dashed" if outside else "solid")


def _block(inner: str, border: str) -> str:
    # JupyterLab breaks lines of <pre> anywhere; a word should only break where it does not fit at all.
    wrap = "max-height:18em;overflow:auto;white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere"
    return f'<pre style="{wrap};border:1px {border} {_LINE};padding:4px 6px;margin:2px 0">{inner}</pre>'


def diff_box(rows: list[DiffRow]) -> str:
    """HTML of a diff, its lines tinted."""
    return _block(
        "".join(
            f'<span style="display:block;background:{_TINTS.get(row.kind, "none")}">'
            f"{row.number or '':>5} {_SIGNS.get(row.kind, '')}{escape_html(row.text)}\n</span>"
            for row in rows
        ),
        "dashed",
    )


_TINTS = {"new": "rgba(56,142,60,.18)", "gone": "rgba(211,47,47,.18)"}
_SIGNS = {"new": "+", "gone": "-", "same": " "}


def table(rows: Iterable[tuple[str, ...]]) -> str:
    """HTML table of cells that are HTML already."""
    body = "".join(
        "<tr>"
        + "".join(f'<td style="text-align:left;vertical-align:top">{cell}</td>' for cell in row)
        + "</tr>"
        for row in rows
    )
    return f"<table>{body}</table>" if body else ""


def panel(*parts: str) -> str:
    """HTML parts in one bordered block."""
    return _framed(_parts(parts))


def folded(summary: str, *parts: str) -> str:
    """HTML parts behind a line that unfolds them."""
    return _framed(f"<details><summary>{summary}</summary>{_parts(parts)}</details>")


def _parts(parts: Iterable[str]) -> str:
    return "".join(f"<div>{part}</div>" for part in parts if part)


def _framed(inner: str) -> str:
    style = f"border:1px solid {_LINE};border-radius:2px;padding:4px 10px;margin:2px"
    return f'<div style="{style}">{inner}</div>'
