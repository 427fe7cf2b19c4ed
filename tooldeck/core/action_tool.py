"""A tool of several actions: one name, and the argument ``action`` says which of its functions is called.

Each action is a declaration of its own, with parameters, effects, risk and the rest. Once the arguments of
a call are known to fit, the call is narrowed to the declaration of its action, and all that guards the call
looks at that one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import reduce
from types import MappingProxyType
from typing import Any

from tooldeck.core.action_parameters import ChosenParameters, OwnParameters
from tooldeck.core.action_schema import ACTION, flat_schema, union_schema
from tooldeck.core.define import caller_scope, define
from tooldeck.core.errors import DefinitionError
from tooldeck.core.options import check_name, check_options
from tooldeck.core.parameters import problems_text
from tooldeck.core.tool import Executor, Origin, Tool
from tooldeck.core.vocabulary import Effect, Risk, Trust

__all__ = ["ActionTool", "read_style", "shown_tool", "with_actions"]

_RISKS = (Risk.LOW, Risk.MEDIUM, Risk.HIGH)


class ActionTool:
    """Collects the actions of one tool; ``deck.add`` takes it like a function.

    `shared` are `Options` for all actions that do not say otherwise; `executor` is where the bodies run, by
    default on the caller.

    >>> lamp = ActionTool("lamp", "The lamp on the desk.", max_chars=500)
    >>> @lamp.action(effects="write", examples=[{"level": 3}])
    ... def dim(level: int) -> str:
    ...     "Set the brightness."
    ...     return f"brightness {level}"
    """

    def __init__(
        self, name: str, description: str, *, executor: Executor | None = None, **shared: Any
    ) -> None:
        self.name = check_name(name)
        self._executor = executor
        self.description = description
        self._shared = shared
        self._actions: dict[str, Tool] = {}

    def action(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        examples: Iterable[Mapping[str, Any]] = (),
        executor: Executor | None = None,
        **options: Any,
    ) -> Any:
        """Decorator that makes a function an action of its name, bare or with `Options`.

        `examples` are arguments, without the action, that a call may have as they stand; `executor` is where
        this one runs, by default where the others do. Raises
        `DefinitionError` for a parameter called ``action``, a second action of the same name and an example
        that does not fit.
        """
        scope = caller_scope()
        given = [dict(example) for example in examples]

        def add(made: Callable[..., Any]) -> Callable[..., Any]:
            plain = define(made, check_options({**self._shared, **options}), scope=scope)
            if plain.name in self._actions:
                raise DefinitionError(f"{self.name} has an action {plain.name!r} already.")
            shown = [{ACTION: plain.name, **one} for one in given]
            self._actions[plain.name] = self._own(plain, shown, executor or self._executor)
            return made

        return add if function is None else add(function)

    def _own(self, plain: Tool, examples: list[dict[str, Any]], executor: Executor | None) -> Tool:
        """The declaration of one action, made of the tool that its function would be by itself."""
        schema = plain.parameters
        if ACTION in schema["properties"]:
            raise DefinitionError(
                f"{self.name}: the action {plain.name!r} cannot have a parameter {ACTION!r}."
            )
        chosen = {"const": plain.name, "type": "string"}
        own: dict[str, Any] = {
            **schema,
            "title": plain.name,
            "description": plain.description,
            "properties": {ACTION: chosen, **schema["properties"]},
            "required": [ACTION, *schema.get("required", ())],
        }
        if examples:
            own["examples"] = examples
        params = OwnParameters(plain.name, plain.params, own, examples[0] if examples else None)
        for example in examples:
            checked = params.check(example)
            if checked.problems:
                wrong = problems_text(f"an example of {self.name} {plain.name}", checked.problems)
                raise DefinitionError(f"{wrong}.")
        return replace(
            plain,
            name=self.name,
            action=plain.name,
            params=params,
            examples=tuple(examples),
            executor=executor,
        )

    def tool(self, origin: Origin | None = None) -> Tool:
        """The tool with the actions of this moment. Raises `DefinitionError` where there are none."""
        if not self._actions:
            raise DefinitionError(f"{self.name} has no actions; write a function with @{self.name}.action.")
        where = origin or next(iter(self._actions.values())).origin
        actions = {name: replace(one, origin=where) for name, one in self._actions.items()}
        whole = Tool(self.name, self.description, next(iter(actions.values())).params, _never, origin=where)
        return with_actions(whole, actions)


def with_actions(tool: Tool, actions: Mapping[str, Tool]) -> Tool:
    """`tool` with these actions only, and with what can be said of all of them together.

    Effects are those of any, risk is the highest; it is trusted or idempotent where every action is.
    """
    every = list(actions.values())
    own = {name: one.params for name, one in actions.items() if isinstance(one.params, OwnParameters)}
    schemas = {name: one.parameters for name, one in actions.items()}
    flat = flat_schema(tool.name, schemas, {name: _told(one) for name, one in actions.items()})
    effects = [one.effects for one in every]
    known = [one for one in effects if one is not None]
    asks = {one.ask for one in every}
    return replace(
        tool,
        params=ChosenParameters(own, flat),
        actions=MappingProxyType(dict(actions)),
        choices=union_schema(tool.name, schemas),
        effects=reduce(frozenset[Effect].union, known, frozenset()) if len(known) == len(effects) else None,
        risk=max((one.risk for one in every), key=_RISKS.index),
        trust=Trust.UNTRUSTED if any(one.from_outside for one in every) else Trust.TRUSTED,
        idempotent=all(one.repeatable for one in every),
        ask=True if True in asks else next(iter(asks)) if len(asks) == 1 else None,
        is_async=all(one.is_async for one in every),
        max_chars=max(one.max_chars for one in every),
        signature=_signature(flat),
    )


def shown_tool(tool: Tool, actions: Mapping[str, Tool], style: str) -> Tool:
    """`tool` as models are shown it: with these actions only, its schema in one of `STYLES`."""
    left = with_actions(tool, actions)
    if style == "flat" or left.choices is None:
        return left
    own = {name: one.params for name, one in left.actions.items() if isinstance(one.params, OwnParameters)}
    return replace(left, params=ChosenParameters(own, left.choices))


STYLES = ("flat", "union")
"""How a schema says which parameters belong to which action: in words, or with an alternative for each."""


def read_style(given: Any) -> str:
    """`given`, if it is one of `STYLES`; else `DefinitionError`."""
    if given in STYLES:
        return given
    raise DefinitionError(f"action_schemas must be one of {', '.join(map(repr, STYLES))}, got {given!r}.")


def _told(action: Tool) -> str:
    """The first sentence about an action."""
    return " ".join(action.description.split("\n\n")[0].split())


def _signature(flat: Mapping[str, Any]) -> inspect.Signature:
    """``tool(action, *, …)`` with every parameter of every action, none of them required."""
    kinds = inspect.Parameter
    others = [name for name in flat["properties"] if name != ACTION and name.isidentifier()]
    chosen = kinds(ACTION, kinds.POSITIONAL_OR_KEYWORD)
    return inspect.Signature([chosen, *(kinds(name, kinds.KEYWORD_ONLY, default=None) for name in others)])


def _never(values: Mapping[str, Any]) -> Any:
    raise AssertionError("a call of a tool with actions was not narrowed to one of them")
