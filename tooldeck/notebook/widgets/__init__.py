"""The widgets: approval cards, breaker gauges, traces, tool cards, session cards, questions of servers.

Raises `SetupError` on import when ipywidgets or anywidget is not installed.
"""

from __future__ import annotations

from tooldeck.core.errors import SetupError

try:
    import anywidget as _anywidget
    import ipywidgets as _ipywidgets
except ImportError as fault:
    raise SetupError(
        f"Cards, forms and gauges need {fault.name}, which is not installed; "
        "everything else works without. Install it with: pip install ipywidgets anywidget"
    ) from fault

from tooldeck.notebook.widgets.approval import ApprovalCard
from tooldeck.notebook.widgets.card import ToolCard
from tooldeck.notebook.widgets.gauge import Gauge
from tooldeck.notebook.widgets.result import ResultView
from tooldeck.notebook.widgets.trace import TraceView

del _anywidget, _ipywidgets

__all__ = ["ApprovalCard", "Gauge", "ResultView", "ToolCard", "TraceView"]
