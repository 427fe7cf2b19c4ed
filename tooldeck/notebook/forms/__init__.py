"""Forms: a JSON Schema becomes ipywidgets, and what a person fills in becomes JSON values.

One file for each kind of field; `choose` says which kind a schema gets. A schema that no kind fits gets an
editor for JSON text, for that field alone. Raises `SetupError` on import when ipywidgets is not installed.
"""

from __future__ import annotations

from tooldeck.core.errors import SetupError

try:
    import ipywidgets as _ipywidgets
except ImportError as fault:
    raise SetupError(
        f"Forms need {fault.name}, which is not installed; "
        "everything else works without. Install it with: pip install ipywidgets anywidget"
    ) from fault

from tooldeck.notebook.forms.form import Form

del _ipywidgets

__all__ = ["Form"]
