"""The widgets: approval cards, breaker gauges, traces, tool cards, session cards, questions of servers.

Raises `SetupError` on import when ipywidgets or anywidget is not installed. The classes are loaded when they
are first asked for: cards contain forms, and forms contain a widget.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tooldeck.core.errors import SetupError

try:
    import anywidget as _anywidget
    import ipywidgets as _ipywidgets
except ImportError as fault:
    raise SetupError(
        f"Cards, forms and gauges need {fault.name}, which is not installed; "
        "everything else works without. Install it with: pip install ipywidgets anywidget"
    ) from fault

if TYPE_CHECKING:
    from tooldeck.notebook.widgets.approval import ApprovalCard
    from tooldeck.notebook.widgets.card import ToolCard
    from tooldeck.notebook.widgets.fill import FillCard
    from tooldeck.notebook.widgets.gauge import Gauge
    from tooldeck.notebook.widgets.progress import ProgressBar
    from tooldeck.notebook.widgets.question import QuestionCard
    from tooldeck.notebook.widgets.result import ResultView
    from tooldeck.notebook.widgets.run import RunView
    from tooldeck.notebook.widgets.session import SessionCard
    from tooldeck.notebook.widgets.trace import TraceView

del _anywidget, _ipywidgets

__all__ = [
    "ApprovalCard",
    "FillCard",
    "Gauge",
    "ProgressBar",
    "QuestionCard",
    "ResultView",
    "RunView",
    "SessionCard",
    "ToolCard",
    "TraceView",
]

_HOMES = {
    "ApprovalCard": "approval",
    "FillCard": "fill",
    "Gauge": "gauge",
    "ProgressBar": "progress",
    "QuestionCard": "question",
    "ResultView": "result",
    "RunView": "run",
    "SessionCard": "session",
    "ToolCard": "card",
    "TraceView": "trace",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
