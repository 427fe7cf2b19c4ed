"""One action at one place of a text, in whatever form it is written there."""

from __future__ import annotations

from typing import Any

from tooldeck.core.actions.faults import Findings, Refused, short
from tooldeck.core.actions.grammar import Grammar
from tooldeck.core.actions.heads import (
    EXAMPLE,
    HEAD,
    CallHead,
    Finish,
    Options,
    answer_of,
    call_head,
    skip_blanks,
    with_notes,
    written,
)
from tooldeck.core.actions.json_forms import named_object
from tooldeck.core.actions.literals import read_bare
from tooldeck.core.actions.misplaced import check_argument_name
from tooldeck.core.actions.names import FINISH, NOTHING
from tooldeck.core.actions.records import Action, ActionCode, Form
from tooldeck.core.actions.scan import ZERO_WIDTH, scan

__all__ = ["Calls"]

_STATEMENTS = {"await", "import", "from", "return", "yield", "del", "raise", "assert", "lambda", "not"}


class Calls:
    """Reads single actions of one text."""

    def __init__(self, text: str, options: Options) -> None:
        self.text = text
        self.options = options

    def read(self, at: int) -> tuple[Action | Finish, int]:
        """The action at `at`, which is no blank, and the place behind it; raises `Refused`."""
        found = Findings()
        try:
            return self._read(at, found)
        except Refused as refused:
            raise found.cause(refused) from None

    def _read(self, at: int, found: Findings) -> tuple[Action | Finish, int]:
        text = self.text
        if text.startswith("{", at):
            return self._object(at, found)
        if text.startswith("(", at):
            return self._in_brackets(at, found)
        head = call_head(text, at)
        if head is not None and head.name.casefold() in FINISH:
            grammar, end = self._grammar(head.bracket, found, call=True)
            named, unnamed = grammar.arguments()
            return Finish(answer_of(named or dict(enumerate(unnamed)))), end
        if head is not None and head.name.casefold() not in NOTHING:
            name = self.options.names.read(head.name, at, found)
            grammar, end = self._grammar(head.bracket, found, call=True)
            named, unnamed = grammar.arguments()
            if unnamed:
                named = self._unnamed(name, named, unnamed, grammar.unnamed_at, found)
            return self.conclude(name, named, "call", (at, end), found), end
        head = call_head(text, at, "[［")
        if head is not None and head.name.casefold() not in NOTHING:
            return self._brackets(head, at, found)
        raise self._no_call(at)

    def _grammar(self, at: int, found: Findings, *, call: bool = False) -> tuple[Grammar, int]:
        tokens, end = scan(self.text, at, self.options.limits, found, call=call)
        return self._grammar_of(self.text, tokens, found, json=not call), end

    def _grammar_of(self, text: str, tokens: Any, found: Findings, *, json: bool) -> Grammar:
        return Grammar(text, tokens, self.options.limits, found, strict=self.options.strict, json=json)

    def _no_call(self, at: int) -> Refused:
        """The refusal of what is no call at all."""
        match = HEAD.match(self.text, at)
        behind = skip_blanks(self.text, match.end(), line=True) if match else at
        following = self.text[behind : behind + 1]
        if match and following and following in ZERO_WIDTH:
            return Refused(
                ActionCode.NAME, behind, f"The invisible character U+{ord(following):04X}; leave it out."
            )
        if match and (match[0] in _STATEMENTS or following == "="):
            return Refused(ActionCode.SYNTAX, at, f"A statement, not a call; write the call alone: {EXAMPLE}")
        line = self.text[at : at + 60].partition("\n")[0]
        words = f"{short(line)} is no call" if line else "There is no call"
        return Refused(ActionCode.NO_CALL, at, f"{words}; write one: {EXAMPLE}")

    # -- in the form of a Python call

    def _in_brackets(self, at: int, found: Findings) -> tuple[Action | Finish, int]:
        """A call in one more pair of brackets."""
        inner = skip_blanks(self.text, at + 1)
        head = call_head(self.text, inner)
        if head is None:
            only = HEAD.match(self.text, inner)
            behind = skip_blanks(self.text, only.end()) if only else inner
            if only and self.text.startswith(")", behind):
                raise Refused(
                    ActionCode.NAME, at, f"{short(only[0])} is in brackets; write the name without."
                )
            raise self._no_call(at)
        action, end = self._read(inner, found)
        end = skip_blanks(self.text, end)
        if not self.text.startswith(")", end):
            code = ActionCode.MULTI if self.text.startswith(",", end) else ActionCode.SYNTAX
            raise Refused(code, end, "Brackets hold more than one call; write one call without them.")
        if isinstance(action, Action):
            action = with_notes(action, ["left out brackets around the call"])
        return action, end + 1

    def _unnamed(
        self, name: str, named: dict[str, Any], unnamed: list[Any], at: int, found: Findings
    ) -> dict[str, Any]:
        """The arguments with names for those that had none: certain for a lone one, else a fault."""
        if len(unnamed) == 1 and not named and name in self.options.lone:
            found.repairs.append(f"took the value for {self.options.lone[name]!r}")
            return {self.options.lone[name]: unnamed[0]}
        parameters = [one for one in self.options.names.parameters(name) if one not in named]
        if len(unnamed) == 1 and isinstance(unnamed[0], dict) and not named:
            meant: dict[str, Any] = unnamed[0]
        elif len(unnamed) <= len(parameters):
            meant = {**dict(zip(parameters, unnamed, strict=False)), **named}
        else:
            raise Refused(
                ActionCode.POSITIONAL, at, f"{short(name)} has a value without a name; write name=value."
            )
        names = ", ".join(f"{key}=…" for key in meant if key not in named) or "name=…"
        found.fault(
            ActionCode.POSITIONAL,
            at,
            f"{short(name)} has a value without its name; write {names}",
            firm=False,
        )
        return meant

    def conclude(
        self, name: str, arguments: dict[str, Any], source: Form, span: tuple[int, int], found: Findings
    ) -> Action:
        """The action, or the refusal with the call as it should be where something was wrong with it."""
        faults = found.faults
        if faults and not (self.options.repairs(name) and all(fault.repair for fault in faults)):
            first = min(faults, key=lambda fault: fault.at)
            raise Refused(first.code, first.at, first.message, corrected=written(name, arguments))
        repairs = dict.fromkeys([*found.repairs, *(fault.repair for fault in faults)])
        raw = self.text[slice(*span)]
        return Action(name, arguments, source, span, raw, tuple(repairs), tuple(found.notes))

    # -- as a JSON object

    def _object(self, at: int, found: Findings) -> tuple[Action | Finish, int]:
        grammar, end = self._grammar(at, found)
        given: dict[str, Any] = grammar.value()
        named, value = named_object(given, at)
        if named.casefold() in FINISH:
            return Finish(answer_of(value)), end
        if named.casefold() in NOTHING or not named:
            raise Refused(ActionCode.NO_CALL, at, f"{short(named)} is no tool; write a call: {EXAMPLE}")
        name = self.options.names.read(named, at, found, plain=False)
        return self.conclude(name, self.arguments_of(name, value, at, found), "json", (at, end), found), end

    def arguments_of(self, name: str, value: Any, at: int, found: Findings) -> dict[str, Any]:
        """The arguments that an object, JSON in a text, or a lone value stands for; raises `Refused`."""
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = self._in_text(value, at, found)
            found.note("read the arguments out of a text")
        if value is None:
            return {}
        if not isinstance(value, dict):
            return self._unnamed(name, {}, [value], at, found)
        places: dict[str, int] = {}
        for key in value:
            check_argument_name(key, at, places)
        return value

    def _in_text(self, value: str, at: int, found: Findings) -> Any:
        start = skip_blanks(value, 0)
        try:
            tokens, end = scan(value, start, self.options.limits, found)
            made = self._grammar_of(value, tokens, found, json=True).value()
        except Refused as refused:
            raise Refused(refused.code, at, f"In the text of the arguments: {refused.message}") from None
        if skip_blanks(value, end) < len(value):
            raise Refused(
                ActionCode.TRAILING_TEXT, at, "In the text of the arguments: something behind the object."
            )
        return made

    # -- the input of an action, beside its name

    def value(self, at: int, found: Findings) -> tuple[Any, int]:
        """The object, list or text in quotes at `at`, and the place behind it; raises `Refused`."""
        try:
            grammar, end = self._grammar(at, found)
            return grammar.value(), end
        except Refused as refused:
            raise found.cause(refused) from None

    # -- with the value in square brackets

    def _brackets(self, head: CallHead, at: int, found: Findings) -> tuple[Action, int]:
        line_end = self.text.find("\n", head.bracket)
        close = self.text.rfind("]", head.bracket, len(self.text) if line_end < 0 else line_end)
        if close < 0:
            raise Refused(ActionCode.CUT_OFF, head.bracket, "The bracket is not closed.")
        if self.text[close + 1 : close + 2] == "(":
            raise Refused(
                ActionCode.NAME, at, f"{short(self.text[at : close + 1])} is no name; write the name alone."
            )
        name = self.options.names.read(head.name, at, found)
        content = self.text[head.bracket + 1 : close].strip()
        if len(content) > 1 and content[0] == content[-1] and content[0] in "'\"":
            content = content[1:-1]
        if len(content) > self.options.limits.chars:
            raise Refused(ActionCode.TOO_LONG, at, f"More than {self.options.limits.chars} characters.")
        parameter = self.options.lone.get(name)
        if parameter is not None and "\\" not in content:
            found.repairs.append(f"took the value for {parameter!r}")
            content = read_bare(content, 0, found)
            return self.conclude(name, {parameter: content}, "brackets", (at, close + 1), found), close + 1
        first = next(iter(self.options.names.parameters(name)), parameter)
        corrected = written(name, {first: content}) if first is not None else None
        raise Refused(
            ActionCode.SYNTAX,
            head.bracket,
            f'Square brackets; write {name}(name="value").',
            corrected=corrected,
        )
