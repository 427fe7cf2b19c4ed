"""The part of a deck that lets a model work with its tools. The loops are loaded when first used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from tooldeck.core.errors import DefinitionError
from tooldeck.core.host import Host
from tooldeck.core.messages import Message, ModelReply
from tooldeck.core.model import Model, check_model
from tooldeck.core.observers import Observers
from tooldeck.core.run import Run
from tooldeck.core.run_result import RunResult
from tooldeck.core.runs import Runs
from tooldeck.core.tool import Tool
from tooldeck.hosts.blocking import step

if TYPE_CHECKING:
    from tooldeck.loops.limits import RunLimits
    from tooldeck.loops.loop import Doors
    from tooldeck.loops.text_actions import TextActions

__all__ = ["Running", "limits_of"]


def limits_of(**limits: Any) -> RunLimits:
    """The `RunLimits` with these members, for those who may not import the loops."""
    from tooldeck.loops.limits import RunLimits

    return RunLimits(**limits)


class _Deck(Protocol):
    """What a deck has besides."""

    _host: Host
    _async_host: Host
    _observers: Observers
    _runs: Runs

    def _offer(self, context: int | None) -> Any: ...

    def _batch(self, calls: Iterable[Any], *, limit: int, blocking: bool) -> Any: ...

    def _told(self, tools: Sequence[Tool]) -> str: ...

    @property
    def model(self) -> Model | None: ...

    @property
    def store(self) -> Any: ...

    def _doors(self, *, blocking: bool) -> Doors: ...


class Running:
    """The methods of a deck for models."""

    _model: Model | None = None

    @property
    def model(self) -> Model | None:
        """The deck's own model; None while there is none. Set it to what `tooldeck.loops` makes.

        It answers in runs that name no other, and to tools and servers that ask the deck by `complete`.
        """
        return self._model

    @model.setter
    def model(self, model: Model | None) -> None:
        self._model = None if model is None else check_model(model)

    def complete(
        self: _Deck,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        model: Model | None = None,
        seconds: float | None = None,
    ) -> ModelReply:
        """One reply of a model, by default the deck's own, to a conversation; no call in it is made.

        `seconds` bounds the wait. Raises what the model raises, `Cancelled` when the call around it is given
        up, `LimitPassed` after `seconds`, and `SetupError` where there is no model.
        """
        from tooldeck.loops.starting import complete

        return step(complete(self._doors(blocking=True), messages, tools, model, seconds))

    async def acomplete(
        self: _Deck,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        model: Model | None = None,
        seconds: float | None = None,
    ) -> ModelReply:
        """The same as `complete`, to be awaited, on any loop."""
        from tooldeck.loops.starting import complete

        return await complete(self._doors(blocking=False), messages, tools, model, seconds)

    def run(
        self: _Deck,
        prompt: str | Message,
        *,
        model: Model | None = None,
        system: str = "",
        messages: Iterable[Message] = (),
        actions: str | TextActions = "native",
        limits: RunLimits | None = None,
        run: Run | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> RunResult:
        """Let `model` work on `prompt` with the deck's tools, until it answers; returns how that ended.

        `model` is a function of messages and tools (see `tooldeck.loops.Model`) or one that
        `tooldeck.loops` makes, by default the deck's own. Every call of it passes the deck's pipeline; calls
        of one reply run beside each other where their effects allow it, and the next reply reads all of
        their ends in order.

        `messages` is an earlier conversation to go on with, as in ``result.messages``; `system` goes before
        it. `actions` is ``"native"`` for the calls of providers, or ``"text"`` (or `TextActions` with
        settings) for models that write ``Action:`` lines. `limits` bounds the run, by default to 24 replies
        (8 with text) and 100 calls. `run` is what another cell or thread steers and stops; its ``messages``
        are the conversation so far, also after an interrupt. `on_text` hears the text as it is written.

        Never raises for what happens in the run, except interrupts. Raises `DefinitionError` for arguments
        that cannot be meant, `SetupError` where there is no model.
        """
        from tooldeck.loops.starting import start

        return step(
            start(
                self._doors(blocking=True), prompt=prompt, model=model, system=system, messages=messages,
                actions=actions, limits=limits, run=run, on_text=on_text,
            ).go()
        )  # fmt: skip

    async def arun(
        self: _Deck,
        prompt: str | Message,
        *,
        model: Model | None = None,
        system: str = "",
        messages: Iterable[Message] = (),
        actions: str | TextActions = "native",
        limits: RunLimits | None = None,
        run: Run | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> RunResult:
        """The same as `run`, to be awaited."""
        from tooldeck.loops.starting import start

        return await start(
            self._doors(blocking=False), prompt=prompt, model=model, system=system, messages=messages,
            actions=actions, limits=limits, run=run, on_text=on_text,
        ).go()  # fmt: skip

    def answer(self: _Deck, calls: Any, *, run: Run | None = None, limit: int = 8) -> list[dict[str, Any]]:
        """Make the calls that a provider's client was given, and return the messages to append.

        `calls` are the calls, the message or the whole response of the openai, anthropic or google-genai
        package, as their objects or as dicts; the messages come in the same form, with exactly one answer per
        id, in order, also for a call that fails, is denied or was cut off. Without calls there are no
        messages. At most `limit` run at once. With a `run`, repetitions are noticed, and it can be stopped.

        Raises `DefinitionError` for what holds no calls, before any of them runs.
        """
        from tooldeck.loops.answering import answer_calls

        return step(answer_calls(self._doors(blocking=True), calls, run, limit))

    async def aanswer(
        self: _Deck, calls: Any, *, run: Run | None = None, limit: int = 8
    ) -> list[dict[str, Any]]:
        """The same as `answer`, to be awaited."""
        from tooldeck.loops.answering import answer_calls

        return await answer_calls(self._doors(blocking=False), calls, run, limit)

    def steer(self: _Deck, message: str) -> Run:
        """Say something to the newest run under way: it reads that before its next step. Gives the run.

        From another cell, a thread or a button; `Run.steer` reaches a certain run. Raises `DefinitionError`
        where no run is under way.
        """
        active = self._runs.active()
        if not active:
            raise DefinitionError("No run is under way that could be steered; deck.runs lists them.")
        active[-1].steer(message)
        return active[-1]

    def _doors(self: _Deck, *, blocking: bool) -> Doors:
        from tooldeck.loops.loop import Doors

        return Doors(
            host=self._host if blocking else self._async_host,
            batch=partial(self._batch, blocking=blocking),
            offer=self._offer,
            told=self._told,
            model=self.model,
            store=self.store,
            saw=self._runs.saw,
            emit=self._observers.tell,
        )
