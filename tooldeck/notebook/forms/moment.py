"""Dates and times, picked from a calendar or typed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from typing import Any

import ipywidgets

from tooldeck.notebook.forms.field import UNSET, Leaf, labelled

__all__ = ["MOMENTS", "MomentField", "reads"]


class MomentField(Leaf):
    """A date, a time or both; `kind` is the name of the format.

    A text that was given is kept as it is spelled until another moment is picked. One that is picked is
    written as the format wants it: a time in UTC, marked with ``Z``, whatever the clock of the page says.
    """

    def __init__(self, label: str, kind: str) -> None:
        super().__init__()
        picker, self._read, self._write = MOMENTS[kind]
        self._given: tuple[Any, str] = (None, "")
        more: dict[str, Any] = {"step": 1} if picker is ipywidgets.TimePicker else {}
        self.widget = labelled(picker, label, **more)
        self.widget.observe(self._watchers.tell, "value")

    def get(self) -> Any:
        """The moment as text, or unset."""
        moment = self.widget.value
        if moment is None:
            return UNSET
        return self._given[1] if moment == self._given[0] else self._write(moment)

    def set(self, value: Any) -> None:
        """Show a moment; text that is none shows nothing."""
        try:
            moment = self._read(value) if isinstance(value, str) else None
        except ValueError:
            moment = None
        self._given = (moment, value if isinstance(value, str) else "")
        self.widget.value = moment


def reads(kind: str, text: str) -> bool:
    """Whether `text` is a moment of this kind."""
    try:
        MOMENTS[kind][1](text)
    except ValueError:
        return False
    return True


def _read_time(text: str) -> time:
    """The time on the clock; the spelling keeps its offset."""
    return time.fromisoformat(text).replace(tzinfo=None)


def _read_both(text: str) -> datetime:
    """A moment with an offset; one without is taken as UTC."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _write_both(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


MOMENTS: dict[str, tuple[Any, Callable[[str], Any], Callable[[Any], str]]] = {
    "date": (ipywidgets.DatePicker, date.fromisoformat, date.isoformat),
    "time": (ipywidgets.TimePicker, _read_time, lambda moment: f"{moment.isoformat()}Z"),
    "date-time": (ipywidgets.DatetimePicker, _read_both, _write_both),
}
"""For each format: the picker, how a text is read, and how a moment is written."""
