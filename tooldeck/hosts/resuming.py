"""The part of a deck that goes on with runs whose program has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from tooldeck.core.messages import Message
from tooldeck.core.model import Model
from tooldeck.core.run import Run
from tooldeck.core.run_result import RunResult
from tooldeck.hosts.blocking import step

if TYPE_CHECKING:
    from tooldeck.loops.limits import RunLimits
    from tooldeck.loops.loop import Doors

__all__ = ["Resuming"]


class _Deck(Protocol):
    """What a deck has besides."""

    def _doors(self, *, blocking: bool) -> Doors: ...


class Resuming:
    """The methods of a deck for runs that are kept in its store."""

    def resume(
        self: _Deck,
        id: str | None = None,
        *,
        prompt: str | Message | None = None,
        model: Model | None = None,
        limits: RunLimits | None = None,
        run: Run | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> RunResult:
        """Go on with a run that the store has, also after its kernel was restarted; by default the newest.

        What it has used counts, and its limits hold, unless others are given. Calls that were under way when
        the program ended are answered as such and not made again. Secrets in the conversation are blacked
        out. A run that has its answer needs a `prompt`. `run` is what others steer and stop.

        Raises `SetupError` on a deck without a store, `DefinitionError` where there is no such run or nothing
        is left to do.
        """
        from tooldeck.loops.starting import restart

        return step(
            restart(
                self._doors(blocking=True),
                id,
                prompt=prompt,
                model=model,
                limits=limits,
                run=run,
                on_text=on_text,
            ).go()
        )

    async def aresume(
        self: _Deck,
        id: str | None = None,
        *,
        prompt: str | Message | None = None,
        model: Model | None = None,
        limits: RunLimits | None = None,
        run: Run | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> RunResult:
        """The same as `resume`, to be awaited."""
        from tooldeck.loops.starting import restart

        return await restart(
            self._doors(blocking=False),
            id,
            prompt=prompt,
            model=model,
            limits=limits,
            run=run,
            on_text=on_text,
        ).go()
