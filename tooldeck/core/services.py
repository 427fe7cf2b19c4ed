"""What the deck gives to injected parameters: the call's own things, and what it was told to provide."""

from __future__ import annotations

import inspect
import secrets
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tooldeck.core.call import ToolCall
from tooldeck.core.cancel import CancelToken, token_of
from tooldeck.core.errors import DefinitionError, NotProvided
from tooldeck.core.injection import Need, ToolContext
from tooldeck.core.progress import Progress, progress_of
from tooldeck.core.run import Run
from tooldeck.core.strangers import error_words, to_repr

if TYPE_CHECKING:
    from tooldeck.core.world import World

__all__ = ["Services"]

_FROM_THE_CALL: Mapping[Any, Callable[[ToolCall, World], Any]] = {
    CancelToken: lambda call, _world: token_of(call),
    Progress: progress_of,
    Run: lambda call, _world: call.caller.run,
    ToolCall: lambda call, _world: call,
}


class _Provided(NamedTuple):
    make: Callable[[ToolContext], Any]


class Services:
    """The things of one deck that a body may ask for, by type."""

    def __init__(self, deck: Any) -> None:
        self.session_id = f"session-{secrets.token_hex(6)}"
        """Tells this deck's life from any other."""
        self._deck = deck
        self._provided: dict[Any, _Provided] = {}

    def provide(self, wanted: Any, given: Any) -> Callable[[], None]:
        """Give `given` to parameters of the type ``Injected[wanted]``; returns the function that undoes it.

        `given` is the value itself, or a plain function that makes one for each call, of nothing or of the
        `ToolContext`. What was provided for the type before comes back on undoing. Raises `DefinitionError`
        for a value of another type and for a type that every call has of its own.
        """
        if wanted is ToolContext or wanted in _FROM_THE_CALL:
            raise DefinitionError(f"Every call has its own {_name(wanted)}; nothing can be provided for it.")
        mine, before = _Provided(_maker(wanted, given)), self._provided.get(wanted)
        self._provided[wanted] = mine

        def undo() -> None:
            if self._provided.get(wanted) is not mine:
                return
            if before is None:
                del self._provided[wanted]
            else:
                self._provided[wanted] = before

        return undo

    def fill(self, needs: tuple[Need, ...], call: ToolCall, world: World) -> dict[str, Any]:
        """The injected values of one call by name; raises `NotProvided` where there is none."""
        filled = {need.name: self._one(need, call, world) for need in needs}
        call.log.injected = filled
        return filled

    def _one(self, need: Need, call: ToolCall, world: World) -> Any:
        if need.wanted is ToolContext:
            return self._context(call, world)
        from_call = _FROM_THE_CALL.get(need.wanted)
        make = partial(self._made, need) if from_call is None else from_call
        value = make(call, world)
        if value is None and not need.optional:
            raise NotProvided(_missing(need, call))
        return value

    def _made(self, need: Need, call: ToolCall, world: World) -> Any:
        if need.wanted in type(self._deck).__mro__[:-1]:
            return self._deck
        found = self._provided.get(need.wanted)
        if found is None:
            return None
        try:
            return found.make(self._context(call, world))
        except Exception as error:
            raise NotProvided(
                f"{call.name}: the function that provides {_name(need.wanted)} raised {error_words(error)}"
            ) from error

    def _context(self, call: ToolCall, world: World) -> ToolContext:
        run = call.caller.run
        return ToolContext(
            call,
            session_id=(run.session_id if run is not None else "") or self.session_id,
            cancel=token_of(call),
            progress=progress_of(call, world),
            deck=self._deck,
        )


def _missing(need: Need, call: ToolCall) -> str:
    name = _name(need.wanted)
    if need.wanted is Run:
        why = f"but it was called outside of a run; use calling(run=…), or declare Injected[{name} | None]"
    else:
        why = f"and this deck provides none; use deck.provide({name}, …) first"
    return f"{call.name} takes {need.name!r}, a {name}, from its deck, {why}."


def _maker(wanted: Any, given: Any) -> Callable[[ToolContext], Any]:
    """`given` as a function of the context."""
    try:
        fits = isinstance(given, wanted)
    except TypeError:  # a generic alias, or a protocol that cannot be asked
        fits = None
    if not fits and (inspect.isroutine(given) or inspect.isclass(given) or _is_partial(given)):
        return _factory(wanted, given)
    if fits is False and not getattr(wanted, "_is_protocol", False):
        raise DefinitionError(f"provide({_name(wanted)}, …) was given {to_repr(given)}, which is none.")
    return lambda _context: given


def _factory(wanted: Any, given: Any) -> Callable[[ToolContext], Any]:
    if inspect.iscoroutinefunction(given):
        raise DefinitionError(
            f"provide({_name(wanted)}, …) was given an async function; await it and provide its value."
        )
    try:
        inspect.signature(given).bind()
    except TypeError:
        return given
    except ValueError:  # a class of C that does not tell what it takes
        pass
    return lambda _context: given()


def _is_partial(given: Any) -> bool:
    return isinstance(given, partial)


def _name(wanted: Any) -> str:
    return getattr(wanted, "__name__", None) or str(wanted)
