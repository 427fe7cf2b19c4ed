"""A form for the arguments of a call: one row for each property of an object schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import ipywidgets

from tooldeck.core.parameters import Problem
from tooldeck.notebook.forms.choose import Chooser
from tooldeck.notebook.forms.field import UNSET, Watchers
from tooldeck.notebook.forms.object import ObjectField
from tooldeck.notebook.forms.raw import RawField
from tooldeck.notebook.forms.row import Row
from tooldeck.notebook.schemas import resolve
from tooldeck.notebook.widgets.summary import Summary

__all__ = ["Form"]

_OTHER = "other arguments"


class Form:
    """Fields for an object schema; `value` is what they hold, as JSON values by name.

    What nobody touched is left out, unless it is required and has a value on screen. `widget` is what is
    displayed. Names that the schema allows without listing them go into one box of JSON at the end.
    """

    def __init__(self, schema: Mapping[str, Any], value: Mapping[str, Any] | None = None) -> None:
        self.schema = schema
        self._watchers = Watchers()
        chooser = Chooser(schema)
        too_many = not chooser.fits(schema)
        self._fields = ObjectField("", chooser.rows(schema))
        self._other = Row(_OTHER, RawField(_OTHER, "an object"), {}, required=False, path="")
        self._summary = Summary()
        self.widget = ipywidgets.VBox([self._fields.widget, self._other.widget, self._summary])
        self.widget.add_class("td-form")
        self._offer_other(too_many or _takes_any(schema))
        self._fields.watch(self._watchers.tell)
        self._other.watch(self._watchers.tell)
        if value:
            self.set_value(value)

    @property
    def rendered(self) -> Future[None]:
        """Done as soon as the form is on some screen."""
        return self._summary.rendered

    @property
    def value(self) -> dict[str, Any]:
        """The arguments as they would be sent."""
        sent = self._fields.get()
        other = self._other.get()
        return {**(other if isinstance(other, dict) else {}), **(sent if isinstance(sent, dict) else {})}

    def set_value(self, value: Mapping[str, Any]) -> None:
        """Show these arguments; what is not among them is left out."""
        names = {row.name for row in self._fields.rows}
        self._fields.set(value)
        more = {name: item for name, item in value.items() if name not in names}
        self._other.set(more or UNSET)
        if more:
            self._offer_other(True)

    def faults(self) -> list[Problem]:
        """What was typed and cannot be sent: text that is no number or no JSON."""
        found = [Problem(row.path, row.fault()) for row in self._fields.rows if row.fault()]
        other = self._other.get()
        if self._other.fault():
            found.append(Problem("", f"{_OTHER}: {self._other.fault()}"))
        elif other is not UNSET and not isinstance(other, dict):
            found.append(Problem("", f"{_OTHER}: this must be one JSON object"))
        return found

    def problems(self, problems: Sequence[Problem | str]) -> None:
        """Show problems beside the fields they belong to, the others below; an empty list takes them away."""
        rows = self._fields.leaves()
        beside: dict[int, list[str]] = {}
        below: list[str] = []
        for problem in problems:
            owner = next(
                (row for row in rows if isinstance(problem, Problem) and row.owns(problem.path)), None
            )
            if owner is None or not isinstance(problem, Problem):
                below.append(str(problem))
            else:
                inner = problem.path.removeprefix(owner.path).lstrip(".")
                beside.setdefault(id(owner), []).append(str(Problem(inner, problem.wanted, problem.got)))
        for row in rows:
            row.show_problems(beside.get(id(row), []))
        self._summary.show(len(problems), below)

    def observe(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change of a field."""
        self._watchers.add(changed)

    def _offer_other(self, offered: bool) -> None:  # noqa: FBT001 - a switch
        self._other.widget.layout.display = None if offered else "none"


def _takes_any(schema: Mapping[str, Any]) -> bool:
    """Whether a person may want to send names that the schema does not list."""
    found = resolve(schema, schema)
    more = found.get("additionalProperties")
    if isinstance(more, Mapping) or more is True or "patternProperties" in found:
        return True
    return (
        more is None
        and not found.get("properties")
        and any(word in found for word in ("anyOf", "oneOf", "allOf", "minProperties"))
    )
