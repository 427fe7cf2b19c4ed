"""Where the lines of an earlier state of a text are now: only where there is no doubt.

Lines are found again where they stand in an equal stretch between two lines that both texts have once each;
the ends of the files count as such lines. Nothing can have come in between there, so that none of several
equal lines is taken for another.
"""

from __future__ import annotations

import difflib
from collections import Counter

__all__ = ["Drift"]


class Drift:
    """The way from the lines of `base` to those of `now`."""

    def __init__(self, base: list[str], now: list[str]) -> None:
        self.base, self.now = base, now
        compared = difflib.SequenceMatcher(None, base, now, autojunk=False)
        self._codes = compared.get_opcodes()
        self._sure = _once(base) & _once(now)

    def find(self, start: int, stop: int) -> int | None:
        """Where the lines from `start` up to `stop` begin now; None where they changed or in doubt."""
        for kind, i1, i2, j1, j2 in self._codes:
            if kind != "equal" or not i1 <= start < stop <= i2:
                continue
            before = i1 == j1 == 0 or not self._sure.isdisjoint(self.base[i1 : start + 1])
            at_end = i2 == len(self.base) and j2 == len(self.now)
            after = at_end or not self._sure.isdisjoint(self.base[stop - 1 : i2])
            return j1 + start - i1 if before and after else None
        return None

    def around(self, start: int, stop: int) -> tuple[int, int]:
        """Which lines of the text now stand where those from `start` up to `stop` were."""
        touched = [code for code in self._codes if code[1] < max(stop, start + 1) and start <= code[2]]
        if not touched:
            return max(0, len(self.now) - 1), len(self.now)
        first, last = touched[0], touched[-1]
        low = first[3] + max(0, start - first[1]) if first[0] == "equal" else first[3]
        high = last[3] + min(last[2], stop) - last[1] if last[0] == "equal" else last[4]
        return low, max(low, high)


def _once(lines: list[str]) -> set[str]:
    return {line for line, count in Counter(lines).items() if count == 1}
