"""How an interrupted cell looks: where the person's own code was, without the inside of the call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

__all__ = ["show_briefly"]

_PACKAGE = __name__.partition(".")[0]


def show_briefly(shell: Any) -> Callable[[], None]:
    """Show interrupts in `shell` without our frames; returns the function that undoes it.

    IPython has room for one handler of this kind: somebody else's stays, and then nothing is shortened.
    """
    if shell.custom_exceptions:
        return lambda: None

    def show(
        shell: Any,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType,
        tb_offset: int | None = None,
    ) -> None:
        brief = _own_frames(trace, shell.user_ns)
        # A copy has no chain of errors that led to it; whoever asks for the cell's error gets the original.
        told = error if brief is trace else kind(*error.args)
        shell.showtraceback((kind, told, brief), tb_offset=tb_offset, running_compiled_code=True)

    shell.set_custom_exc((KeyboardInterrupt,), show)
    ours = shell.CustomTB

    def undo() -> None:
        if shell.CustomTB == ours:
            shell.set_custom_exc((), None)

    return undo


def _own_frames(trace: TracebackType, namespace: Mapping[str, Any]) -> TracebackType:
    """What leads to the call, and what runs inside of it from the notebook; all where no call is ours."""
    entries: list[TracebackType] = []
    entry: TracebackType | None = trace
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    first = next((place for place, one in enumerate(entries) if _package(one) == _PACKAGE), None)
    if first is None:
        return trace
    before, inside = entries[:first], entries[first:]
    while len(before) > 1 and _package(before[-1]) == "IPython":  # a magic is called by way of the shell
        before.pop()
    kept = [*before, *(one for one in inside if one.tb_frame.f_globals is namespace)]
    brief: TracebackType | None = None
    for one in reversed(kept):
        brief = TracebackType(brief, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return brief or trace


def _package(entry: TracebackType) -> str:
    return str(entry.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
