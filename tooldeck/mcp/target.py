"""What ``%mcp connect`` is given: a command, an http(s) URL, or ``demo`` for the server that comes along."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from tooldeck.core.credentials import LOGIN
from tooldeck.core.errors import DefinitionError
from tooldeck.mcp.errors import McpConnectError

__all__ = [
    "Command",
    "InProcess",
    "Target",
    "Url",
    "check_label",
    "comes_along",
    "default_label",
    "read_target",
]


_HOST = re.compile(r"https?://[^/?#]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Command:
    """A program that speaks MCP on its standard input and output."""

    words: tuple[str, ...]
    """The program and its arguments; no shell looks at them."""
    shown: str = ""
    """What people call it; empty for the words themselves."""

    def __str__(self) -> str:
        return self.shown or shlex.join(self.words)


@dataclass(frozen=True, slots=True)
class Url:
    """A server reached over HTTP."""

    url: str
    shown: str = ""
    """What people see of it; empty for the address itself."""

    def __str__(self) -> str:
        return re.sub(LOGIN, "://…@", self.shown or self.url)  # a password in it is not for showing

    def filled_from(self, form: str) -> Url:
        """The same, shown with the placeholders that `form` has after the host, since they may be secrets."""
        if form == self.url:
            return self
        host, rest = _HOST.match(self.url), _HOST.match(form)
        return Url(self.url, f"{host[0] if host else ''}{form[rest.end() :] if rest else '/…'}")


@dataclass(frozen=True, slots=True)
class InProcess:
    """A server object of this very process, or anything else the MCP client accepts."""

    server: Any = field(repr=False)

    def __str__(self) -> str:
        return f"{type(self.server).__name__} in this process"


Target = Command | Url | InProcess


def comes_along(target: Target) -> bool:
    """Whether it is the server that comes with this package."""
    return isinstance(target, Command) and target.words[-1] == str(_DEMO)


_DEMO = Path(__file__).with_name("demo_server.py")


def read_target(given: object) -> Target:
    """Read a command line, a list of words, a URL or a server object.

    Only what begins with ``http://`` or ``https://``, in any case, is a URL. Raises `DefinitionError` for an
    empty target and for quotes that do not match.
    """
    if isinstance(given, Command | Url | InProcess):
        return given
    if isinstance(given, str):
        text = given.strip()
        if _is_url(text) and not any(c.isspace() for c in text):
            return Url(text)
        if re.match(r"[a-z][a-z0-9+.-]+://\S*$", text, re.IGNORECASE):
            raise DefinitionError(
                f"{text!r} is no address of an MCP server: those begin with http:// or https://."
            )
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise DefinitionError(f"Cannot read the command {given!r}: {str(error).lower()}.") from None
    elif isinstance(given, Sequence):
        words = [os.fspath(word) for word in cast("Sequence[str]", given)]
    elif given is None or isinstance(given, Mapping | int | float | bytes):
        raise DefinitionError(f"An MCP server is a command, a URL or {'demo'!r}, not {given!r}.")
    else:
        return InProcess(given)
    return _of_words(words)


def _of_words(words: list[str]) -> Target:
    if not words or not words[0]:
        raise DefinitionError(
            "No MCP server is named: give a command (python server.py), a URL (http://127.0.0.1:8000/mcp) "
            "or the word demo."
        )
    if len(words) == 1 and _is_url(words[0]):
        return Url(words[0])
    if words == ["demo"]:
        # By path and with -P: neither an installed package nor our own folder on sys.path is needed.
        return Command((sys.executable, "-P", str(_DEMO)), shown="demo")
    return Command(tuple(words))


def _is_url(text: str) -> bool:
    return re.match(r"https?://", text, re.IGNORECASE) is not None


def find_program(command: Command, env: Mapping[str, str], cwd: str | None = None) -> None:
    """Raise `McpConnectError` in one sentence when the program of `command` cannot be started."""
    program = command.words[0]
    path = Path(cwd or ".", program).expanduser() if os.path.dirname(program) else None  # noqa: PTH120
    if shutil.which(str(path or program), path=env.get("PATH")):
        return
    if path is not None:
        what = (
            "is a folder" if path.is_dir() else "may not be executed" if path.exists() else "does not exist"
        )
        raise McpConnectError(f"Cannot start {str(command)!r}: the file {str(path)!r} {what}.")
    hint = ""
    if shutil.which(program):
        hint = " (it is on this process's own PATH, but not on the one given in env)"
    elif Path(cwd or ".", program).is_file():
        hint = f"; there is such a file in the folder, so write {'./' + program!r}"
    raise McpConnectError(
        f"Cannot start {str(command)!r}: there is no program {program!r} on the PATH{hint}."
    )


_RUNNERS = {
    *(
        "python",
        "py",
        "uv",
        "uvx",
        "pipx",
        "npx",
        "npm",
        "pnpm",
        "bunx",
        "node",
        "deno",
        "docker",
        "sh",
        "bash",
        "env",
    ),
    *("run", "tool", "exec", "dlx", "-"),
}


def default_label(target: Target) -> str:
    """A short name for a server, from the telling word of its command or URL."""
    if isinstance(target, Url):
        host = re.sub(r"^https?://", "", target.url, flags=re.IGNORECASE).split("/")[0].rpartition("@")[2]
        return _shortened(host.removeprefix("www.").removeprefix("mcp.").split(":")[0])
    if isinstance(target, InProcess):
        return _shortened(str(getattr(target.server, "name", "") or type(target.server).__name__))
    if comes_along(target):
        return "demo"
    for word in target.words:
        name = os.path.basename(word.rstrip("/"))  # noqa: PTH119 - a word, maybe no path at all
        stem = re.sub(r"(\.(py|js|mjs|cjs|ts|exe|sh))$|@[\w.-]+$", "", name)
        if not word.startswith("-") and re.sub(r"[\d.]+$", "", stem) not in _RUNNERS:
            return _shortened(stem)
    return _shortened(os.path.basename(target.words[0]))  # noqa: PTH119


def _shortened(name: str) -> str:
    """Without the words that every server's name has, in letters a tool's name may have, 1 to 24 of them."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").split("-")
    telling = [word for word in words if word.lower() not in ("mcp", "server")] or words
    return "-".join(telling)[:24].strip("-") or "server"


def check_label(label: str) -> None:
    """Raise `DefinitionError` for what cannot be the label of a server, since it begins names of tools."""
    if not label or not all(c.isascii() and (c.isalnum() or c in "_-") for c in label) or len(label) > 32:
        raise DefinitionError(f"A label has 1 to 32 letters, digits, '_' or '-', this one is {label!r}.")
