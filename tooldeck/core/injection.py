"""Injected parameters: what a body needs from its call and never from the model.

A parameter annotated ``Injected[T]`` is in no schema, form or signature, cannot be set by arguments, and is
filled anew for every call, from the call itself or from what the deck was told to provide.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, get_args, get_origin

from tooldeck.core.cancel import CancelToken
from tooldeck.core.errors import DefinitionError
from tooldeck.core.parameters import Checked, Parameters, Problem
from tooldeck.core.progress import Progress

if TYPE_CHECKING:
    from tooldeck.core.call import ToolCall

__all__ = ["CallerParameters", "Injected", "Need", "ToolContext", "for_callers", "needs_of", "without"]

T = TypeVar("T")


class _Mark:
    """Stands in an annotation for: filled by the deck."""

    def __repr__(self) -> str:
        return "Injected"


_MARK = _Mark()

if TYPE_CHECKING:
    Injected = Annotated[T, _MARK]
else:

    class Injected:
        """Marks a parameter that the deck fills: ``Injected[T]`` with a `T`, bare with the `ToolContext`.

        `T` is one of `ToolContext`, `CancelToken`, `Progress`, `ToolCall`, `Run`, `Deck`, or a type that
        ``deck.provide`` was given a value for. ``Injected[T | None]`` takes None where there is none.
        """

        def __class_getitem__(cls, wanted: Any) -> Any:
            return Annotated[wanted, _MARK]


class ToolContext:
    """Everything a body may know about its call."""

    def __init__(
        self,
        call: ToolCall,
        *,
        session_id: str,
        cancel: CancelToken,
        progress: Progress,
        deck: Any,
    ) -> None:
        self.call = call
        """The call itself: id, tool, arguments, caller, notes."""
        self.session_id = session_id
        """The run's session where it names one, else the deck's own, which lives as long as the deck."""
        self.cancel = cancel
        """Set when nobody waits for this call any more."""
        self.progress = progress
        """Tells how far the body is."""
        self.deck = deck
        """The deck that runs the call."""

    @property
    def run_id(self) -> str | None:
        """The run that the call belongs to, or None."""
        run = self.call.caller.run
        return None if run is None else run.id

    @property
    def last_user_message(self) -> str | None:
        """What the person said last to the model of this run; None outside of a run that knows."""
        run = self.call.caller.run
        return None if run is None else run.last_user_message

    @property
    def store(self) -> Any:
        """The deck's store, or None."""
        return getattr(self.deck, "store", None)

    def __repr__(self) -> str:
        return f"<ToolContext of {self.call!r}>"


class Need(NamedTuple):
    """One injected parameter."""

    name: str
    wanted: Any
    """The type that is asked for."""
    optional: bool = False
    """Whether None will do where there is none."""


def needs_of(name: str, signature: inspect.Signature) -> tuple[Need, ...]:
    """The injected parameters of a resolved signature; raises `DefinitionError` for a mark that cannot be."""
    found: list[Need] = []
    for parameter in signature.parameters.values():
        if not _is_marked(parameter.annotation):
            if _is_marked_inside(parameter.annotation):
                raise DefinitionError(
                    f"{name}: parameter {parameter.name!r} has Injected inside of another type; put it "
                    "outermost, as in Injected[Thing | None]."
                )
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise DefinitionError(f"{name}: *{parameter.name} collects arguments, so it cannot be injected.")
        found.append(_need(name, parameter))
    return tuple(found)


def without(signature: inspect.Signature, needs: tuple[Need, ...]) -> inspect.Signature:
    """The signature as a caller sees it."""
    hidden = {need.name for need in needs}
    kept = [parameter for parameter in signature.parameters.values() if parameter.name not in hidden]
    return signature.replace(parameters=kept)


@dataclass(frozen=True, slots=True)
class CallerParameters:
    """The parameters that a caller may give, also where the function would take any name."""

    params: Parameters
    hidden: frozenset[str]
    """The names of the injected parameters."""

    @property
    def schema(self) -> dict[str, Any]:
        """See `Parameters.schema`."""
        return self.params.schema

    def check(self, arguments: Mapping[str, Any], /) -> Checked:
        """See `Parameters.check`; an injected name is as wrong as any that does not exist."""
        forged = [name for name in arguments if name in self.hidden]
        if not forged:
            return self.params.check(arguments)
        honest = {name: value for name, value in arguments.items() if name not in self.hidden}
        checked = self.params.check(honest)
        accepted = ", ".join(self.schema.get("properties", ())) or "none"
        problems = tuple(Problem(name, f"is not a parameter; accepted: {accepted}") for name in forged)
        return Checked({}, arguments, (), problems + checked.problems)


def for_callers(name: str, params: Parameters, needs: tuple[Need, ...]) -> Parameters:
    """The parameters without the injected ones; raises `DefinitionError` where a schema lists one."""
    if not needs:
        return params
    hidden = frozenset(need.name for need in needs)
    shown = sorted(hidden & set(params.schema.get("properties", ())))
    if shown:
        raise DefinitionError(
            f"{name}: its schema has {shown[0]!r}, which its function takes injected; take it out of one."
        )
    return CallerParameters(params, hidden)


def _need(name: str, parameter: inspect.Parameter) -> Need:
    annotation = parameter.annotation
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    wanted = ToolContext if annotation is Injected else annotation
    members = get_args(wanted) if get_origin(wanted) in (typing.Union, types.UnionType) else (wanted,)
    others = [member for member in members if member is not types.NoneType]
    if len(others) == 1 and _is_type(others[0]):
        return Need(parameter.name, others[0], len(members) > 1)
    raise DefinitionError(
        f"{name}: parameter {parameter.name!r} wants {wanted!r} injected, which is no one type; write "
        "Injected for the context of the call, or Injected[Type], as in Injected[CancelToken]."
    )


def _is_type(wanted: Any) -> bool:
    if isinstance(wanted, TypeVar) or wanted is Any or wanted is types.NoneType:
        return False
    return isinstance(wanted, type) or get_origin(wanted) is not None or callable(wanted)


def _is_marked(annotation: Any) -> bool:
    if annotation is Injected:
        return True
    if get_origin(annotation) is not Annotated:
        return False
    inner, *marks = get_args(annotation)
    return inner is Injected or any(mark is _MARK for mark in marks)


def _is_marked_inside(annotation: Any) -> bool:
    return any(_is_marked(inner) or _is_marked_inside(inner) for inner in get_args(annotation))
