"""What follows the label of an action: one call or several, in a code fence or not, and what is behind them.

After a call only blanks, a comment, a full stop, the end of its fence or a line with a label may follow;
anything else may hide a second intent, and is refused.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tooldeck.core.actions.calls import Calls
from tooldeck.core.actions.faults import Refused, short
from tooldeck.core.actions.heads import Finish, call_head, skip_blanks, with_notes
from tooldeck.core.actions.labels import find_label, label_at
from tooldeck.core.actions.records import Action, ActionCode, Several

__all__ = ["Block", "open_fence", "read_block"]

_FENCE = re.compile(r"(`{3,8}|~{3,8})[ \t]*[\w+.-]{0,32}[ \t]*\r?\n")
_TICKS = re.compile(r"`{1,8}")
_STOPS = "。．.;；!！"


class Block(NamedTuple):
    """What was read at one place."""

    actions: list[Action | Finish]
    ignored: list[str]
    """Further calls as written, where only the first is wanted."""
    end: int
    """The start of the line of the next label, or the end of the text."""


def open_fence(text: str, at: int) -> tuple[str, int]:
    """The marks that close the fence or back-ticks at `at` (empty: there are none), and what is inside."""
    fence = _FENCE.match(text, at)
    if fence is not None:
        return fence[1], skip_blanks(text, fence.end())
    ticks = _TICKS.match(text, at)
    return (ticks[0], skip_blanks(text, ticks.end())) if ticks is not None else ("", at)


def read_block(calls: Calls, at: int, several: Several) -> Block:
    """The calls at `at`; raises `Refused`, also for several where one is wanted."""
    return _Blocks(calls, several).run(at)


class _Blocks:
    def __init__(self, calls: Calls, several: Several) -> None:
        self.calls = calls
        self.text = calls.text
        self.several: Several = several
        self.closer = ""
        self.notes: list[str] = []
        self.actions: list[Action | Finish] = []

    def run(self, at: int) -> Block:
        self.closer, at = open_fence(self.text, self.behind_comments(at))
        if self.closer:
            self.notes.append(
                "took the call out of a code fence" if len(self.closer) > 2 else "took it out of back-ticks"
            )
        at = self.behind_comments(at)
        if self.text.startswith("[", at):
            at, more = self.list(at)
            if more is not None:
                return self.first_only(more)
        else:
            at = self.one(at)
        while True:
            follows, at = self.tail(at)
            self.settle()
            if not follows:
                return Block(self.actions, [], at)
            self.check_more(at)
            if self.several == "first":
                return self.first_only(at)
            at = self.one(at)

    def behind_comments(self, at: int) -> int:
        """The first line at `at` or behind it that is no comment."""
        while self.text.startswith("#", at):
            at = skip_blanks(self.text, self.behind_comment(at))
        return at

    def behind_comment(self, at: int) -> int:
        """The end of the line of the comment at `at`."""
        self.notes.append("left out a comment")
        line_end = self.text.find("\n", at)
        return len(self.text) if line_end < 0 else line_end

    def one(self, at: int) -> int:
        most = self.calls.options.limits.actions
        if len(self.actions) >= most:
            raise Refused(ActionCode.TOO_MANY, at, f"More than {most} actions.")
        action, end = self.calls.read(at)
        self.actions.append(action)
        return end

    def list(self, at: int) -> tuple[int, int | None]:
        """The calls of a list, and the place behind it; with where the second is, if only one is wanted."""
        self.notes.append("took the call out of a list")
        at = self.one(skip_blanks(self.text, at + 1))
        while True:
            at = skip_blanks(self.text, at)
            if self.text.startswith(",", at):
                at = skip_blanks(self.text, at + 1)
                if not self.text.startswith("]", at):
                    self.check_more(at)
                    if self.several == "first":
                        return at, at
                    at = self.one(at)
            elif self.text.startswith("]", at):
                return at + 1, None
            else:
                raise Refused(ActionCode.SYNTAX, at, "A list of calls wants ',' or ']' here.")

    def settle(self) -> None:
        """Give what was noted around the last action to it."""
        last = self.actions[-1]
        if isinstance(last, Action) and self.notes:
            self.actions[-1] = with_notes(last, self.notes)
        self.notes = []

    def check_more(self, at: int) -> None:
        """Refuse a second call where one is wanted."""
        if self.several == "refuse":
            raise self.multi(at)

    def multi(self, at: int) -> Refused:
        first = self.actions[0]
        shown = short(first.raw, 60) if isinstance(first, Action) else "the end of the work"
        second = self.text[at : at + 200].partition("\n")[0]
        return Refused(
            ActionCode.MULTI,
            at,
            f"More than one action: {shown} and {short(second, 60)}; write one at a time.",
        )

    def first_only(self, at: int) -> Block:
        """Stop before the call at `at`."""
        self.settle()
        label = find_label(self.text, self.text.find("\n", at) + 1 or len(self.text))
        end = label.start if label else len(self.text)
        return Block(self.actions, [self.text[at:end].strip()], end)

    # -- behind a call

    def tail(self, at: int) -> tuple[bool, int]:
        """Whether another call follows what ends at `at`, and where it or the next label starts."""
        text, end, new_line = self.text, at, False
        while True:
            at = skip_blanks(text, at, line=True)
            char = text[at : at + 1]
            if not char:
                self.notes += ["the code fence is not closed"] if self.closer else []
                return False, at
            if char == "\n":
                at, new_line = at + 1, True
                if label_at(text, at) is not None:
                    return False, at
            elif text.startswith(self.closer or "```", at):
                at += len(self.closer or "```")
                self.closer = ""
            elif char == "#":
                at = self.behind_comment(at)
            elif new_line:
                if call_head(text, at) is None and not text.startswith('{"', at):
                    raise self.trailing(at)
                return True, at
            elif char in _STOPS and at + 1 - end <= 3:
                at = self.stop(at)
            else:
                return True, self.beside(at, end)

    def stop(self, at: int) -> int:
        """Behind a full stop after a call."""
        char, behind = self.text[at], self.text[at + 1 : at + 2]
        if char == "." and (behind.isalpha() or behind == "_"):
            raise Refused(ActionCode.CHAINED, at, "Something is done with the result; write the call alone.")
        if char in ";；" and call_head(self.text, skip_blanks(self.text, at + 1, line=True)) is not None:
            raise self.multi(skip_blanks(self.text, at + 1, line=True))
        self.notes.append(f"left out {char!r} behind the call")
        return at + 1

    def beside(self, at: int, end: int) -> int:
        """Where another call of the same line starts; raises `Refused` for anything else."""
        text = self.text
        if at == end and text[at] in "([":
            raise Refused(ActionCode.CHAINED, at, "Something is done with the result; write the call alone.")
        if text[at] in ",，":
            following = skip_blanks(text, at + 1)
            if call_head(text, following) is not None or text.startswith('{"', following):
                return following
        for word in ("or ", "and "):
            if text.startswith(word, at) and call_head(text, skip_blanks(text, at + len(word))) is not None:
                raise self.multi(skip_blanks(text, at + len(word)))
        raise self.trailing(at)

    def trailing(self, at: int) -> Refused:
        rest = self.text[at : at + 200].partition("\n")[0]
        return Refused(
            ActionCode.TRAILING_TEXT,
            at,
            f"{short(rest)} behind the call; write the action alone, as the last line.",
        )
