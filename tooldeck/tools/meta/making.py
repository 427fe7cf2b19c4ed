"""A tool of steps: its schema, what it may do altogether, and carrying it out.

Every step is a call of the deck, with its own checks, approval, breaker and entry in the log, and with this
call as its parent. So nothing can be done through such a tool that could not be done, and would not be asked
about, without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tooldeck.core.call_log import CallLog
from tooldeck.core.errors import DefinitionError, ExpectedError
from tooldeck.core.injection import Need, ToolContext
from tooldeck.core.options import check_name
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import Effect, Risk, Trust
from tooldeck.registry.json_schema import JsonSchemaParameters
from tooldeck.tools.inner_calls import Call, with_calls
from tooldeck.tools.meta.flow import filled, names_in

__all__ = ["META", "MetaTool", "Step"]

META = "meta"
"""The label of the origin of all tools of steps."""
_RISKS = (Risk.LOW, Risk.MEDIUM, Risk.HIGH)
_CONTEXT = "_context"
_DRY = "dry_run"


@dataclass(frozen=True, slots=True)
class Step:
    """One call."""

    name: str
    """By which later steps refer to its value."""
    tool: str
    arguments: Mapping[str, Any]
    """With references such as ``$query`` and ``$found.results[0].url``; see `tooldeck.tools.meta.flow`."""


@dataclass(frozen=True, slots=True)
class MetaTool:
    """A tool of steps, as data; ``deck.add(meta.tool(deck))`` adds it.

    `parameters` are JSON Schemas by name, required unless they have a default. Raises `DefinitionError` for
    steps that refer to what does not come before them.
    """

    name: str
    description: str
    parameters: Mapping[str, Mapping[str, Any]]
    steps: Sequence[Step]
    examples: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        """Check that values can flow as the steps say."""
        check_name(self.name)
        if not self.steps:
            raise DefinitionError(f"{self.name} has no steps.")
        known = set(self.parameters)
        for step in self.steps:
            try:
                used = names_in(step.arguments)
            except ValueError as error:
                raise DefinitionError(f"{self.name}, step {step.name!r}: {error}.") from None
            for one in used:
                if one not in known:
                    have = ", ".join(sorted(known)) or "nothing"
                    raise DefinitionError(
                        f"{self.name}, step {step.name!r}: there is no {one!r} before it, only {have}."
                    )
            if step.name in known or step.name == _DRY:
                raise DefinitionError(f"{self.name}: two things are called {step.name!r}; rename the step.")
            known.add(step.name)

    def tool(self, deck: Mapping[str, Tool] | Any, origin: Origin | None = None) -> Tool:
        """The tool; its effects and its risk are those of its steps, as the tools of `deck` declare them."""
        find: Callable[[str], Tool | None] = getattr(deck, "tools", deck).get
        declared = [_declared(find(step.tool), step) for step in self.steps]
        effects = [one.effects if one is not None else None for one in declared]
        known = [one for one in effects if one is not None]
        risks = [one.risk if one is not None else Risk.HIGH for one in declared]
        return Tool(
            self.name,
            self.description,
            JsonSchemaParameters(self._schema()),
            self._invoke,
            effects=frozenset[Effect]().union(*known) if len(known) == len(effects) else None,
            risk=max(risks, key=_RISKS.index),
            trust=Trust.UNTRUSTED,
            ask=False,  # each of its steps is a call that asks for itself
            max_chars=40_000,
            injected=(Need(_CONTEXT, ToolContext),),
            examples=tuple(dict(one) for one in self.examples),
            origin=origin or Origin("python", META),
        )

    def _schema(self) -> dict[str, Any]:
        dry = {"type": "boolean", "default": False, "description": "Only tell the calls that it would make."}
        properties = {**{name: dict(schema) for name, schema in self.parameters.items()}, _DRY: dry}
        required = [name for name, schema in self.parameters.items() if "default" not in schema]
        return {
            "type": "object", "properties": properties, "required": required, "additionalProperties": False,
        }  # fmt: skip

    def _invoke(self, values: Mapping[str, Any]) -> Any:
        """The values of the steps; where a loop runs, what is awaited for them."""
        context: ToolContext = values[_CONTEXT]
        return with_calls(context.deck, lambda call: self._carried_out(values, context, call))

    async def _carried_out(
        self, values: Mapping[str, Any], context: ToolContext, call: Call
    ) -> dict[str, Any]:
        _check_depth(self.name, context.call.log.outer)
        known = {name: schema["default"] for name, schema in self.parameters.items() if "default" in schema}
        known |= {name: value for name, value in values.items() if name not in {_CONTEXT, _DRY}}
        if values.get(_DRY, False):
            return {
                "dry_run": True,
                "calls": [
                    {"tool": one.tool, "arguments": filled(one.arguments, known)} for one in self.steps
                ],
            }
        for number, step in enumerate(self.steps, 1):
            arguments = self._arguments(step, number, known)
            ended = await call(step.tool, arguments)
            if not ended.ok:
                raise ExpectedError(
                    f"{self.name} ended at step {number} of {len(self.steps)}, {step.name}: {step.tool} is "
                    f"{ended.status}: {ended.error}"
                )
            known[step.name] = ended.value
        return {step.name: known[step.name] for step in self.steps}

    def _arguments(self, step: Step, number: int, known: Mapping[str, Any]) -> Any:
        try:
            return filled(step.arguments, known)
        except ExpectedError as error:
            raise ExpectedError(f"{self.name} ended before step {number}, {step.name}: {error}") from None


def _declared(tool: Tool | None, step: Step) -> Tool | None:
    """What the step's call is declared to do; None where nothing is known."""
    if tool is None or tool.origin.label == META:
        return None
    action = step.arguments.get("action")
    return tool.actions.get(str(action), tool) if tool.actions else tool


def _check_depth(name: str, outer: CallLog | None) -> None:
    """Refuse a tool of steps within another one, by whichever way it is reached."""
    while outer is not None:
        around = outer.call.tool if outer.call is not None else None
        if around is not None and around.origin.label == META:
            raise ExpectedError(
                f"{name} is a tool of steps, and {around.name} is one too; neither calls the other."
            )
        outer = outer.outer
