"""A model's whole reply, taken apart: its thought, its actions or its answer, and what it made up."""

from __future__ import annotations

from typing import Any, NamedTuple

from tooldeck.core.actions.blocks import read_block
from tooldeck.core.actions.calls import Calls
from tooldeck.core.actions.faults import Findings, Refused, short
from tooldeck.core.actions.finishing import final_answer, finish_answer
from tooldeck.core.actions.heads import EXAMPLE, Finish, Options, skip_blanks
from tooldeck.core.actions.inputs import read_input
from tooldeck.core.actions.labels import Label, find_label, finish_at, label_at
from tooldeck.core.actions.names import FINISH, NOTHING, is_line_name
from tooldeck.core.actions.records import Action, ActionCode, Reply, Several

__all__ = ["ReplyReader"]


class _Line(NamedTuple):
    """The line behind the label of an action when it is no call: a name, or what stands for one."""

    words: str
    start: int
    end: int


class ReplyReader:
    """Goes through one text from label to label. Every method that reads raises `Refused`."""

    def __init__(
        self, text: str, options: Options, *, several: Several = "refuse", allow_empty_answer: bool = False
    ) -> None:
        self.text = text
        self.options = options
        self.several: Several = several
        self.allow_empty_answer = allow_empty_answer
        self.calls = Calls(text, options)
        self.found: list[Action] = []
        self.ignored: list[str] = []
        self.answer: str | None = None
        self.notes: list[str] = []
        self.end = len(text)
        """Where the text ends or what the model invented starts."""
        self.thought_end: int | None = None

    # -- the whole

    def read(self, action: int | None = None) -> None:
        """Go through the labels; `action` is where the text starts with an action that has no label."""
        if action is None:
            label = find_label(self.text, skip_blanks(self.text, 0, line=True))
        else:
            self.thought_end = action
            label = self.next_label(self.action(action))
        while label is not None and label.kind != "observation":
            at = label.value
            if label.kind != "thought":
                self.thought_end = label.start if self.thought_end is None else self.thought_end
                at = self.labelled(label)
            label = self.next_label(at)
        if label is not None:
            self.end = label.start
            self.notes.append("left out an observation that the model wrote itself")
        if self.answer is not None and self.found:
            raise Refused(
                ActionCode.CONFLICT, self.found[0].span[0],
                "An action together with an answer; write the action and wait, or the answer.",
            )  # fmt: skip

    def next_line(self, at: int) -> int:
        """Where the line behind the one of `at` starts."""
        return self.text.find("\n", at) + 1 or len(self.text)

    def next_label(self, at: int) -> Label | None:
        """The first label at `at`, if a line starts there, or behind it."""
        starts = at == 0 or self.text[at - 1] == "\n"
        return find_label(self.text, at if starts else self.next_line(at))

    def labelled(self, label: Label) -> int:
        """Read what a label is for, and return where the next may start."""
        if label.kind == "action":
            return self.action(skip_blanks(self.text, label.value), label)
        if label.kind == "input":
            raise Refused(
                ActionCode.NO_CALL,
                label.start,
                "An input without its action before it; write the action first.",
            )
        if label.kind == "final":
            answer, end = final_answer(self.text, label.value)
        else:
            answer, end = finish_answer(self.calls, label.value + len("finish"))
        self.finish(answer, label.start)
        return end

    def finish(self, answer: str, at: int) -> None:
        """Keep the answer that was read at `at`."""
        if self.answer is not None and self.answer != answer:
            raise Refused(ActionCode.CONFLICT, at, "Two answers; write one.")
        if not answer and not self.allow_empty_answer:
            raise Refused(
                ActionCode.EMPTY_ANSWER, at, 'The answer is empty; write finish(answer="…") with words.'
            )
        self.answer = answer

    # -- an action

    def action(self, at: int, label: Label | None = None) -> int:
        """Read the action at `at`."""
        bracket = finish_at(self.text, at, blanks=True)
        if bracket is not None:
            answer, end = finish_answer(self.calls, bracket)
            self.finish(answer, at)
            return end
        if label is not None and ((line := self.bare_line(at)) is not None or at >= len(self.text)):
            return self.named(line) if line is not None else self.empty(label)
        if self.found:
            self.check_more(at)
            if self.several == "first":
                return self.skip_action(at)
        block = read_block(self.calls, at, self.several)
        actions = [self.taken(one, at) for one in block.actions]
        self.ignored += block.ignored
        end = block.end
        following = label_at(self.text, end) if end < len(self.text) else None
        if following is not None and following.kind == "input":
            if len(actions) != 1 or actions[0] is None or actions[0].arguments:
                raise Refused(
                    ActionCode.CONFLICT,
                    following.start,
                    "Arguments in the call and in an input; write them once.",
                )
            line = _Line(actions[0].name, actions[0].span[0], actions[0].span[1])
            return self.with_input(line, following)
        self.found += [one for one in actions if one is not None]
        self.check_count(at)
        return end

    def taken(self, one: Action | Finish, at: int) -> Action | None:
        """The action; the end of the work is kept as the answer."""
        if isinstance(one, Action):
            return one
        self.finish(one.answer, at)
        return None

    def check_more(self, at: int) -> None:
        """Refuse a further action where one is wanted."""
        if self.several == "refuse":
            line = self.text[at : at + 200].partition("\n")[0]
            raise Refused(
                ActionCode.MULTI, at,
                f"More than one action: {short(self.found[0].raw, 60)} and {short(line, 60)}; write one.",
            )  # fmt: skip

    def check_count(self, at: int) -> None:
        """Refuse more actions than the limit."""
        most = self.options.limits.actions
        if len(self.found) > most:
            raise Refused(ActionCode.TOO_MANY, at, f"More than {most} actions.")

    def skip_action(self, at: int) -> int:
        """Leave out a further action, with its input."""
        label = find_label(
            self.text, self.next_line(at), ("thought", "action", "observation", "final", "finish")
        )
        end = label.start if label else len(self.text)
        self.ignored.append(self.text[at:end].strip())
        return end

    # -- an action that is only named

    def bare_line(self, at: int) -> _Line | None:
        """The line at `at` when it is a name, or words for no action; None when it may be a call."""
        end = self.text.find("\n", at)
        end = len(self.text) if end < 0 else end
        if at >= end or end - at > self.options.limits.chars or self.text.startswith(("```", "~~~"), at):
            return None
        words = self.text[at:end].strip().strip("`*'\"").strip().removesuffix(".")
        start = at + max(0, self.text[at:end].find(words))
        if words.casefold() in NOTHING | FINISH or is_line_name(words):
            return _Line(words, start, start + len(words))
        return None

    def empty(self, label: Label) -> int:
        """Refuse a label with nothing behind it."""
        raise Refused(ActionCode.NO_CALL, label.start, f"No call behind the label; write one: {EXAMPLE}")

    def named(self, line: _Line) -> int:
        """Read the input of an action that is named alone."""
        start = self.next_line(line.end)
        following = find_label(self.text, start)
        given = following if following is not None and following.kind == "input" else None
        if line.words.casefold() in NOTHING:
            return self.skip_input(given, line)
        if line.words.casefold() in FINISH:
            answer, end = final_answer(self.text, start if given is None else given.value)
            self.finish(answer, line.start)
            return end
        if given is None and not (self.options.names.knows(line.words) or self.same_but_case(line.words)):
            raise Refused(
                ActionCode.NO_CALL, line.start, f"{short(line.words)} is no call; write one: {EXAMPLE}"
            )
        if self.text[start : following.start if following else len(self.text)].strip().strip("`~"):
            raise Refused(
                ActionCode.TRAILING_TEXT, start, "Text behind the action; write only its input or nothing."
            )
        if self.found:
            self.check_more(line.start)
            if self.several == "first":
                return self.skip_action(line.start)
        if given is not None:
            return self.with_input(line, given)
        self.add(line, {}, line.end, Findings())
        return following.start if following is not None else len(self.text)

    def same_but_case(self, words: str) -> bool:
        """Whether a tool has this name in another case."""
        return any(words.casefold() == name.casefold() for name in self.options.names.tools or ())

    def skip_input(self, given: Label | None, line: _Line) -> int:
        """Behind the input of no action."""
        if given is None:
            return self.next_line(line.end)
        label = find_label(self.text, self.next_line(given.value))
        return label.start if label else len(self.text)

    def with_input(self, line: _Line, given: Label) -> int:
        """Read the input of `line` and return where the next label starts."""
        found = Findings()
        name = self.options.names.read_line(line.words, line.start, found)
        read = read_input(self.calls, name, given, found)
        self.add(line, self.calls.arguments_of(name, read.value, read.start, found), read.end, found, name)
        return read.next

    def add(
        self, line: _Line, arguments: dict[str, Any], end: int, found: Findings, name: str | None = None
    ) -> None:
        """Keep an action whose input was read; without `name`, one that has no input."""
        if name is None:
            name = self.options.names.read_line(line.words, line.start, found)
            found.note("an action without arguments")
        self.found.append(self.calls.conclude(name, arguments, "input", (line.start, end), found))
        self.check_count(line.start)

    # -- the result

    def reply(self) -> Reply:
        """What was read, as a record."""
        kept = self.text[: self.end]
        return Reply(
            thought=self.thought(),
            actions=tuple(self.found),
            answer=self.answer,
            text=kept.rstrip() if self.end < len(self.text) else kept,
            invented=self.text[self.end :],
            ignored=tuple(self.ignored),
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def thought(self) -> str:
        """What stands before the action or the answer, without its label."""
        end = min(self.end, len(self.text) if self.thought_end is None else self.thought_end)
        label = label_at(self.text, skip_blanks(self.text, 0))
        start = label.value if label is not None and label.kind == "thought" and label.value <= end else 0
        return self.text[start:end].strip("\ufeff \t\r\n`")
