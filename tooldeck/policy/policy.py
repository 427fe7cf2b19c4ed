"""The policy of a deck: the user's rules, what was found in the folder, the preset, what people granted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tooldeck.core.approval import GrantStore, Provenance, Scope, Verdict, Word
from tooldeck.core.call import ToolCall
from tooldeck.core.call_log import CallLog
from tooldeck.core.caller import Caller
from tooldeck.core.errors import DefinitionError
from tooldeck.core.parameters import problems_text
from tooldeck.core.strangers import quoted
from tooldeck.core.tool import Tool
from tooldeck.guards.isolation import Isolation
from tooldeck.policy.files import PolicyFile, find_file, read_file
from tooldeck.policy.grants import Grant, Grants
from tooldeck.policy.paths import seen_from
from tooldeck.policy.presets import check_preset
from tooldeck.policy.rulebook import Rulebook, read_all, with_rules
from tooldeck.policy.running import check_command_lines, check_isolation, demanded, shells_allowed
from tooldeck.policy.trusting import provenance
from tooldeck.policy.weighing import Explanation, Ruling, matches_of, stricter, weigh

__all__ = ["Policy"]


class Policy(Rulebook):
    """Decides whether a call is allowed, denied or put before a person.

    `preset` is one of `PRESETS`; `rules` are texts, mappings or `Rule` objects; `store` keeps approvals that
    shall outlive the session; `isolation` and `command_lines` set the properties of these names. Order: a
    deny rule, the last allow or ask rule that fits, a preset that denies, the author's ``ask`` (a remote
    tool's is ignored), the preset.
    """

    def __init__(
        self,
        preset: str = "default",
        rules: Iterable[Any] = (),
        *,
        store: GrantStore | None = None,
        isolation: str | None = None,
        command_lines: bool | None = None,
    ) -> None:
        self._grants = Grants()
        self._grants.store = store
        self._found: PolicyFile | None = None
        self._folders: tuple[str, ...] = ()
        super().__init__(
            Ruling(
                check_preset(preset),
                read_all(rules),
                None if isolation is None else check_isolation(isolation),
                None if command_lines is None else check_command_lines(command_lines),
            )
        )

    @classmethod
    def from_file(cls, path: str | Path) -> Policy:
        """The policy that a TOML file states, all of it in force.

        A ``pyproject.toml`` states it under ``[tool.tooldeck]``, any other file at its top: ``preset``,
        ``rules``, ``isolation`` and ``command_lines``. Raises `DefinitionError` naming the file and what is
        wrong with it.
        """
        return cls._of(read_file(Path(path)))

    @classmethod
    def load(cls, folder: str | Path = ".") -> Policy:
        """The policy of a folder, or of the nearest folder above that has one, all of it in force.

        Looks for ``.tooldeck/policy.toml``, then for ``[tool.tooldeck]`` in ``pyproject.toml``. Raises
        `DefinitionError` where there is none.
        """
        return cls._of(_file_of(folder))

    @classmethod
    def _of(cls, file: PolicyFile) -> Policy:
        stated = file.ruling
        return cls(
            stated.preset or "default",
            stated.rules,
            isolation=stated.isolation,
            command_lines=stated.command_lines,
        )

    # -- programs

    @property
    def isolation(self) -> Isolation:
        """The weakest sandbox in which the tools run code: a level of `Isolation` or its name to set.

        ``bubblewrap`` and ``landlock`` are sandboxes; ``rlimits`` and ``none`` are not, and setting them is
        the choice to run code without one. A file that was found in the folder can only raise it.
        """
        return demanded(self._ruling, None if self._found is None else self._found.ruling)

    @isolation.setter
    def isolation(self, level: str) -> None:
        self._rule(self._ruling._replace(isolation=check_isolation(level)))

    @property
    def command_lines(self) -> bool:
        """Whether tools may give command lines to a shell, with pipes and redirections; False by default."""
        return shells_allowed(self._ruling, None if self._found is None else self._found.ruling)

    @command_lines.setter
    def command_lines(self, allowed: bool) -> None:
        self._rule(self._ruling._replace(command_lines=check_command_lines(allowed)))

    # -- files

    @property
    def found(self) -> PolicyFile | None:
        """The file that was found in the folder and only makes things stricter."""
        return self._found

    def heed(self, folder: str | Path) -> PolicyFile | None:
        """Look for a policy file in a folder and above, and let it make this policy stricter.

        Nobody has said that the file is to be trusted, so whatever it allows waits for `adopt`. Raises
        `DefinitionError` for a file that is no policy.
        """
        path = find_file(Path(folder))
        self._found = None if path is None else read_file(path)
        self._changed()
        return self._found

    def adopt(self, path: str | Path | None = None, *, folder: str | Path = ".") -> PolicyFile:
        """Put a policy file in force, what it allows included: its preset, and its rules after those here.

        Without `path`, the one of the folder or above. Raises `DefinitionError` where there is none, and for
        a file that is no policy; then nothing changes.
        """
        file = read_file(Path(path)) if path is not None else _file_of(folder)
        stated, own = file.ruling, self._ruling
        ruling = Ruling(
            stated.preset or self.preset,
            with_rules(self.rules, stated.rules),
            stated.isolation or own.isolation,
            own.command_lines if stated.command_lines is None else stated.command_lines,
        )
        if self._found is not None and self._found.path == file.path:
            self._found = None
        self._rule(ruling)
        return file

    def work_in(self, folder: str | Path) -> None:
        """Take relative paths, of rules and of calls, for those of this folder as well.

        Each deck that uses the policy tells its workspace. What may lead to a denied place by any reading is
        denied, and only what leads to an allowed place by every reading is allowed.
        """
        self._folders = tuple(dict.fromkeys((*self._folders, str(folder))))

    # -- verdicts

    def static(self, tool: Tool, /) -> Verdict | None:
        """The verdict on every call of `tool`; None where that hangs on the arguments, or on the action."""
        if not tool.actions:
            return self._weigh(tool, None)
        verdicts = [self._weigh(action, None) for action in tool.actions.values()]
        same = all(
            one is not None and verdicts[0] is not None and one.word is verdicts[0].word for one in verdicts
        )
        return verdicts[0] if same else None

    def decide(self, call: ToolCall, /) -> Verdict:
        """The verdict on one call whose arguments were checked."""
        if call.tool is None:
            return Verdict(Word.DENY, "no such tool")
        verdict = self._weigh(call.tool, call)
        if verdict is None:
            raise AssertionError(f"a call with arguments was not decided: {call!r}")
        return verdict

    def _weigh(self, tool: Tool, call: ToolCall | None) -> Verdict | None:
        tool = self._seen(tool)
        with seen_from(self._folders):
            own, found = weigh(self._ruling, tool, call), self._found
            if found is None:
                return own
            return stricter(own, weigh(found.ruling, tool, call, heed_author=False))

    def trust_of(self, tool: Tool, /) -> Provenance:
        """Whether the output of `tool` is trusted, and the rule that says so.

        Where no rule does, what is remote is not, and the rest is as it is declared.
        """
        return provenance(self._ruling, None if self._found is None else self._found.ruling, tool)

    def _seen(self, tool: Tool) -> Tool:
        """The tool with the trust that the policy has in it, for rules to look at."""
        trust = self.trust_of(tool).trust
        return tool if trust is tool.trust else replace(tool, trust=trust)

    def explain(self, tool: Tool, arguments: Mapping[str, Any] | None = None, /) -> Explanation:
        """Which rule decides over a tool, or over its call with these arguments, and what else fits."""
        call: ToolCall | None = None
        problems = ""
        if arguments is not None:
            checked = tool.params.check(arguments)
            problems = problems_text(tool.name, checked.problems) if checked.problems else ""
            if not problems:
                call = _imagined(tool.narrowed(checked.arguments)).checked(checked.arguments, checked.values)
        whole = tool if call is None or call.tool is None else call.tool
        meant = [self._seen(one) for one in (whole, *whole.actions.values())]
        with seen_from(self._folders):
            matched = [match for one in meant for match in matches_of(self._ruling, "yours", one, call)]
            if self._found is not None:
                found = self._found.ruling
                matched += [match for one in meant for match in matches_of(found, "found", one, call)]
        matched = list(dict.fromkeys(matched))
        verdict = self.static(tool) if call is None else self.decide(call)
        asks = verdict is None or verdict.word is Word.ASK
        granted = self.granted(call or _imagined(tool)) if asks else None
        return Explanation(tool.name, verdict, tuple(matched), granted, self.trust_of(whole), problems)

    # -- grants

    @property
    def store(self) -> GrantStore | None:
        """Where approvals are kept that shall outlive the session; None keeps none."""
        return self._grants.store

    @store.setter
    def store(self, store: GrantStore | None) -> None:
        self._grants.store = store

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """How far an approval can reach."""
        return self._grants.scopes

    def granted(self, call: ToolCall, /) -> str | None:
        """The earlier approval that covers the call, in words, or None."""
        grant = self._grants.covering(call)
        return None if grant is None else str(grant)

    def grant(self, call: ToolCall, scope: Scope, /) -> bool:
        """Remember an approval; False when it was to be kept and will be remembered for the session only."""
        return self._grants.add(call, scope)

    @property
    def grants(self) -> tuple[Grant, ...]:
        """What people have granted beyond single calls."""
        return self._grants.all()

    def revoke(self, name: str = "*") -> int:
        """Take grants for tools of this name or pattern back; returns how many there were."""
        return self._grants.revoke(name)

    def __repr__(self) -> str:
        rules = "".join(f", {quoted(str(rule))}" for rule in self.rules)
        return f"<Policy {self.preset}{rules}; {len(self.grants)} grants>"


def _file_of(folder: str | Path) -> PolicyFile:
    path = find_file(Path(folder))
    if path is None:
        raise DefinitionError(
            f"{folder} and the folders above have no policy file; write .tooldeck/policy.toml, or "
            "[tool.tooldeck] in pyproject.toml, with preset=… and rules=[…]."
        )
    return read_file(path)


def _imagined(tool: Tool) -> ToolCall:
    """A call that nobody makes, to ask the rules about."""
    return ToolCall("", tool.name, tool, None, Caller(), CallLog(0.0), None, tool)
