"""Command lines of git as models write them, read as a typed action or refused with what to use instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tooldeck.core.errors import ExpectedError
from tooldeck.core.vocabulary import nearest
from tooldeck.tools.executing.commands import shell_syntax, split_words

__all__ = ["translated"]

_HEAD = re.compile(r"\|\s*head\s+(?:-n\s*)?-?(\d+)\s*$")
_FLAGS: Mapping[str, Mapping[str, tuple[str, Any]]] = MappingProxyType(
    {
        "status": {},
        "log": {},
        "diff": {"--staged": ("staged", True), "--cached": ("staged", True), "--stat": ("stat", True)},
        "show": {},
        "blame": {},
    }
)
"""Options without a value, as a parameter and what it is set to."""
_VALUES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "log": {"-n": "n", "--max-count": "n", "--since": "since", "--after": "since", "--until": "until",
                "--before": "until", "--grep": "grep", "--author": "author"},
        "diff": {"-U": "context", "--unified": "context"},
    }
)  # fmt: skip
"""Options with a value, as a parameter."""
_WITHOUT_MEANING = {
    *(
        "--oneline",
        "--short",
        "-s",
        "--porcelain",
        "-b",
        "--branch",
        "--decorate",
        "--no-color",
        "--no-pager",
    ),
    *("--long", "-p", "--patch", "--graph", "-a", "--all", "--list", "-v", "-vv", "-r"),
}
"""How a person sees it; the answer is a record all the same."""
_CHANGES = {
    "add": "add", "commit": "commit", "push": "push", "pull": "pull", "stash": "stash", "restore": "restore",
    "checkout": "branch", "switch": "branch", "reset": "restore", "rm": "add", "mv": "add",
}  # fmt: skip
_PARAMETERS = {
    "add": "paths=[…]",
    "branch": "do='create', 'switch' or 'delete', and name=…; for files action='restore'",
    "commit": "message=…, paths=[…], amend=…",
    "pull": "remote=…, branch=…, how='ff-only', 'merge' or 'rebase'",
    "push": "remote=…, branch=…, force=…",
    "restore": "paths=[…], staged=…, source=…",
    "stash": "do='push', 'pop', 'apply' or 'drop'",
}


def translated(line: str) -> tuple[str, dict[str, Any]]:
    """The action and its arguments; raises `ExpectedError` with the way to say it."""
    head = _HEAD.search(line)
    plain = line[: head.start()] if head else line
    special = shell_syntax(plain)
    if special:
        raise ExpectedError(
            f"The command has {special}, and no shell reads it. Give one git command; the first lines of a "
            "log are n=…, one file is path=… or paths=[…]."
        )
    words = split_words(plain)
    words = words[1:] if words[0] == "git" else words
    if not words or words[0].startswith("-"):
        raise ExpectedError("Name the command first: status, log, diff, show, blame or branch.")
    name, rest = words[0], words[1:]
    if name == "branch" and all(word in _WITHOUT_MEANING for word in rest):
        return "branches", {}
    if name == "branch":
        raise ExpectedError(f"Use action='branch' with {_PARAMETERS['branch']}.")
    if name in _CHANGES:
        action = _CHANGES[name]
        raise ExpectedError(f"{name!r} changes something: use action={action!r} with {_PARAMETERS[action]}.")
    if name not in _FLAGS:
        close = nearest(name, _FLAGS, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(_FLAGS)}, branches."
        raise ExpectedError(f"There is no action for 'git {name}'; {hint}")
    given = _arguments(name, rest)
    if head:
        if name != "log":
            raise ExpectedError("'| head' is n=… for log; of other answers the whole is given.")
        given["n"] = int(head[1])
    return name, given


def _arguments(name: str, words: list[str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    refs: list[str] = []
    paths: list[str] = []
    flags, values = _FLAGS[name], _VALUES.get(name, {})
    queue = list(words)
    while queue:
        word = queue.pop(0)
        option, equals, value = word.partition("=")
        if word == "--":
            paths, queue = queue, []
        elif word in flags:
            given[flags[word][0]] = flags[word][1]
        elif name == "log" and re.fullmatch(r"-\d+", word):
            given["n"] = int(word[1:])
        elif option in values and (equals or queue):
            text = value if equals else queue.pop(0)
            given[values[option]] = int(text) if text.isdigit() else text
        elif word in _WITHOUT_MEANING:
            continue
        elif word.startswith("-"):
            known = sorted({*flags, *values})
            raise ExpectedError(
                f"The option {option!r} of {name!r} has no parameter; there are {', '.join(known)}."
            )
        else:
            refs.append(word)
    return {**given, **_places(name, refs, paths)}


def _places(name: str, refs: list[str], paths: list[str]) -> dict[str, Any]:
    """Revisions and paths as the parameters of the action."""
    if name == "blame":
        paths, refs = (paths or refs[-1:]), (refs if paths else refs[:-1])
    if name == "status":
        paths, refs = paths + refs, []
    if len(refs) > 1 or (name in {"log", "show", "blame"} and len(paths) > 1):
        raise ExpectedError("Give one revision (a range is main..work) and, after two dashes, one path.")
    found: dict[str, Any] = {"ref": refs[0]} if refs else {}
    if paths:
        found |= {"paths": tuple(paths)} if name in {"status", "diff"} else {"path": paths[0]}
    return found
