"""A form for the arguments of a call: one row for each property of an object schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import ipywidgets

from tooldeck.core.errors import DefinitionError
from tooldeck.core.parameters import Checked, Problem
from tooldeck.guards.text import json_text, visible
from tooldeck.notebook.forms.choose import Chooser
from tooldeck.notebook.forms.field import UNSET, Watchers
from tooldeck.notebook.forms.suggested import Suggest
from tooldeck.notebook.render import parameters
from tooldeck.notebook.widgets.summary import Summary
from tooldeck.registry.json_schema import JsonSchemaParameters

__all__ = ["Form"]

Check = Callable[[Mapping[str, Any]], Checked]


class Form:
    """Fields for an object schema; `value` is what they hold, as JSON values by name.

    What nobody touched is left out, unless it is required and has a value on screen. `widget` is what is
    displayed. A value that a field cannot show is edited as JSON in the place of that field alone. `test`
    says what is wrong with arguments, by default the schema itself; `outside` marks the words of the schema
    as another program's; `suggest` offers values for the strings at its top, while they are typed.
    """

    def __init__(
        self,
        schema: Mapping[str, Any],
        value: Mapping[str, Any] | None = None,
        *,
        test: Check | None = None,
        outside: bool = False,
        suggest: Suggest | None = None,
    ) -> None:
        self.schema = schema
        self._test = test
        self._watchers = Watchers()
        self._wrong = False
        self._setting = False
        self._chooser = Chooser(schema, suggest)
        self._fields = self._chooser.whole()
        self._summary = Summary()
        self.widget = ipywidgets.VBox([self._fields.widget, self._summary])
        self.widget.add_class("td-form")
        if outside:
            self.widget.add_class("td-form-outside")
        self._fields.watch(self._changed)
        if value:
            self.set_value(value)

    def _changed(self) -> None:
        if self._setting:
            return
        self._watchers.tell()
        if self._wrong:
            self.check()

    @property
    def rendered(self) -> Future[None]:
        """Done as soon as the form is on some screen."""
        return self._summary.rendered

    @property
    def value(self) -> dict[str, Any]:
        """The arguments as they would be sent."""
        sent = self._fields.get()
        return sent if isinstance(sent, dict) else {}

    def set_value(self, value: Mapping[str, Any]) -> None:
        """Show these arguments; what is not among them is left out."""
        self._chooser.renew()
        self._setting = True
        try:
            self._fields.set(dict(value) if value else UNSET)
        finally:
            self._setting = False
        self._changed()

    def faults(self) -> list[Problem]:
        """What was typed and cannot be sent: text that is no number, no JSON or of another format."""
        return self._fields.faults()

    def check(self) -> list[Problem]:
        """Say beside the fields what is wrong with them, also in words to come, until nothing is."""
        found = self.faults() or self._misfits()
        self.problems(found)
        self._wrong = bool(found)
        return found

    def _misfits(self) -> list[Problem]:
        """What the schema, or whoever tests, would not take."""
        if self._test is None:
            try:
                self._test = JsonSchemaParameters(self.schema).check
            except DefinitionError as error:
                return [Problem("", str(error))]
        return list(self._test(self.value).problems)

    def problems(self, problems: Sequence[Problem | str]) -> None:
        """Show problems beside the fields they belong to, the others below; an empty list takes them away."""
        left = self._fields.place([one for one in problems if isinstance(one, Problem)])
        words = [one for one in problems if isinstance(one, str)]
        self._summary.show(len(problems), [*map(str, left), *words])

    def __repr__(self) -> str:
        lines = [
            f"{name}: {words}{f' — {told}' if told else ''}" for name, words, told in parameters(self.schema)
        ]
        return visible("\n".join([*lines, f"holds {json_text(self.value, indent=None)}"]))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = self.widget._repr_mimebundle_(**kwargs) or {}
        return {**bundle, "text/plain": repr(self)}

    def observe(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change of a field."""
        self._watchers.add(changed)
