"""The breaker gauge: failures against the limit, seconds to the probe, last outcomes, troubled targets."""

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import traitlets

from tooldeck.core.breaker import BreakerState, Phase
from tooldeck.core.settings import BreakerSettings
from tooldeck.guards.text import visible
from tooldeck.notebook.pieces import panel, shown
from tooldeck.notebook.states import coloured
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._pace import Pace
from tooldeck.notebook.widgets._panel import Panel, shown_pieces

__all__ = ["Gauge"]

_KEPT = 30
"""Outcomes shown."""
_MOST_TARGETS = 5
"""Targets shown."""
_MARKS = {"ok": "●", "failed": "✕", "refused": "⊘"}


class _Now(NamedTuple):
    """One reading, replaced as a whole so that no thread sees half of it."""

    state: BreakerState
    recent: tuple[str, ...] = ()
    until: float = 0.0
    """Monotonic seconds at which the probe is due."""
    targets: tuple[tuple[str, BreakerState], ...] = ()
    """The targets with failures, each with a breaker of its own."""


class Gauge(Panel):
    """The breaker of one tool at a glance; `update` may be called from any thread, at any pace."""

    _esm = script("gauge")
    _css = style("gauge")
    reading = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        name: str,
        settings: BreakerSettings | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        pace: Pace | None = None,
    ) -> None:
        self.name = name
        self.settings = settings or BreakerSettings()
        self._clock = clock
        self._pace = pace or Pace()
        self._drawing = threading.Lock()
        self._now = _Now(BreakerState())
        super().__init__()
        self._show()

    def update(
        self,
        state: BreakerState,
        recent: Sequence[str] = (),
        seconds_left: float = 0.0,
        targets: Mapping[str, BreakerState] | None = None,
    ) -> None:
        """Show a state, outcomes (``ok``, ``failed``, ``refused``, ``ignored``), seconds to the probe.

        `targets` has the states of those targets of the tool that have failed.
        """
        phases = {name: known.phase for name, known in self._now.targets}
        urgent = state.phase is not self._now.state.phase or any(
            known.phase is not phases.get(name, Phase.CLOSED) for name, known in (targets or {}).items()
        )
        self._now = _Now(
            state, tuple(recent)[-_KEPT:], self._clock() + seconds_left, tuple((targets or {}).items())
        )
        self._pace.run(self._show, urgent=urgent)

    def use(self, settings: BreakerSettings) -> None:
        """Start over with the settings of a new breaker."""
        self.settings = settings
        self.update(BreakerState())

    def hello(self) -> dict[str, Any]:
        """Seconds to the probe as of now, for a view that opens later than the state was set."""
        return {"left": self._left()}

    def text(self) -> str:
        """One line, e.g. ``fetch_page: open, probe in 23 s, 5 of 5 failures, last: timeout``."""
        return visible("; ".join([f"{self.name}: {self._words()}", *self._troubles()]))

    def html(self) -> str:
        """The line, and a mark for each of the last outcomes."""
        recent = [(_MARKS.get(outcome, "·"), outcome) for outcome in self._now.recent]
        marks = "".join(coloured(mark, outcome) for mark, outcome in recent)
        return panel(shown(self.text()), f"{marks} {self._counted()}" if marks else "")

    def _show(self) -> None:
        with self._drawing:  # or a slower thread would put an older reading over a newer one
            self.reading = self._reading()

    def _reading(self) -> dict[str, Any]:
        state, recent, _, _ = self._now
        failures, most = self._measured(state)
        return {
            "name": shown_pieces(self.name),
            "phase": "off" if self.settings.off else str(state.phase),
            "failures": failures,
            "threshold": most,
            "left": self._left(),
            "recent": list(recent),
            "counted": self._counted(),
            "last": shown_pieces(state.last_error),
            "text": [[self.text(), False]],
            "targets": [shown_pieces(trouble) for trouble in self._troubles()],
        }

    def _left(self) -> float:
        return max(0.0, self._now.until - self._clock()) if self._now.state.phase is Phase.OPEN else 0.0

    def _words(self) -> str:
        state = self._now.state
        if self.settings.off:
            return "breaker off"
        failures, most = self._measured(state)
        words = [str(state.phase)]
        if state.phase is Phase.OPEN:
            left = self._left()
            words.append(f"probe in {left:.0f} s" if left > 0 else "next call is the probe")
        elif state.phase is Phase.HALF_OPEN:
            words.append("one probe is running")
        words.append(f"{failures} of {most} failure{'' if most == 1 else 's'}")
        if state.last_error:
            words.append(f"last: {state.last_error}")
        return ", ".join(words)

    def _measured(self, state: BreakerState) -> tuple[int, int]:
        """Failures, and how many of them open it, by the rule that is nearer to that."""
        settings = self.settings
        rules = [(state.failures, settings.threshold)] if settings.threshold else []
        if settings.rate is not None:
            counted = max(settings.minimum, len(state.window))
            rules.append((sum(state.window), math.ceil(settings.rate * counted)))
        return max(rules, key=lambda rule: rule[0] / rule[1], default=(state.failures, 0))

    def _troubles(self) -> list[str]:
        """The targets that have failed, the worst first, each in a few words."""
        order = [Phase.OPEN, Phase.HALF_OPEN, Phase.CLOSED]
        ranked = sorted(self._now.targets, key=lambda target: order.index(target[1].phase))
        lines: list[str] = []
        for name, state in ranked[:_MOST_TARGETS]:
            failures, most = self._measured(state)
            lines.append(f"{name}: {state.phase}, {failures} of {most}")
        more = len(ranked) - _MOST_TARGETS
        return lines + ([f"and {more} more target{'s' if more > 1 else ''}"] if more > 0 else [])

    def _counted(self) -> str:
        """The last outcomes as counts in words."""
        kinds = ("ok", "failed", "refused", "ignored")
        recent = self._now.recent
        counts = [f"{recent.count(kind)} {kind}" for kind in kinds if kind in recent]
        return f"last {len(recent)}: {', '.join(counts)}" if counts else "no calls yet"
