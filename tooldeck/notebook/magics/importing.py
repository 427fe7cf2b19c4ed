"""``%mcp import`` and ``%mcp export``: servers in files of other programs; nothing of them starts unasked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING

from tooldeck.core.errors import SetupError, TooldeckError
from tooldeck.core.strangers import file_fault
from tooldeck.guards.text import one_line
from tooldeck.notebook import facts
from tooldeck.notebook.kernel.environment import Audience, audience
from tooldeck.notebook.lines import Mistake, read_line, unknown
from tooldeck.notebook.listing import Table
from tooldeck.notebook.magics.base import DeckMagicsBase, found_in
from tooldeck.notebook.places import working_here
from tooldeck.notebook.say import say
from tooldeck.notebook.show import show_session

if TYPE_CHECKING:
    from tooldeck.mcp.configs import ServerConfig
    from tooldeck.mcp.places import Wanted

__all__ = ["ConfigTable", "FileTable", "ImportLines"]


@dataclass(frozen=True, slots=True, repr=False)
class FileTable(Table):
    """What ``%mcp import`` shows: the files of other programs that are here."""

    files: Sequence[tuple[str, str, str]]
    empty = "No program with a list of MCP servers was found; name a file: %mcp import mcp.json."

    def rows(self) -> list[tuple[str, ...]]:
        """One row a file."""
        return [("program", "file", "servers"), *self.files]


@dataclass(frozen=True, slots=True, repr=False)
class ConfigTable(Table):
    """What ``%mcp import FILE`` shows: the servers in it, and what they will want."""

    configs: Sequence[ServerConfig]
    empty = "No servers."

    def rows(self) -> list[tuple[str, ...]]:
        """One row a server."""
        return [
            ("server", "reached by", "wants", "notes"),
            *(
                (
                    one.name,
                    one.shown,
                    ", ".join(want.name for want in one.wants),
                    "; ".join([*(["switched off there"] if one.disabled else []), *one.notes]),
                )
                for one in self.configs
            ),
        ]


class ImportLines(DeckMagicsBase):
    """Reads the line."""

    def _import(self, rest: str) -> Table | None:
        from tooldeck.mcp.configs import read_config

        read = read_line("%mcp import", rest, ("all",))
        if not read.words:
            return FileTable([_counted(client, file) for client, file in _files(None)])
        path, *names = read.words
        configs = {one.name: one for file in _named(path) for one in read_config(file)}
        for name in names:
            if name not in configs:
                raise Mistake(unknown(f"{path} has no server", name, configs))
        if "all" in read.options:
            names = [one.name for one in configs.values() if not one.disabled]
        if not names:
            return ConfigTable(list(configs.values()))
        self._connect_all([configs[name] for name in names])
        return None

    def _export(self, rest: str) -> None:
        from tooldeck.mcp.writing import config_text

        read = read_line("%mcp export", rest, (), ("for", "to"))
        made = [found_in(self.notebook.mcp, label) for label in read.words] or list(self.deck.servers())
        if not made:
            raise Mistake("No server is connected; try %mcp connect demo.")
        text = config_text(made, str(read.options.get("for", "claude")))
        if "to" not in read.options:
            say(text.rstrip("\n"))
            return
        file = str(read.options["to"])
        try:
            with Path(file).expanduser().open("x", encoding="utf-8") as new:
                new.write(text)
        except OSError as error:
            raise Mistake(f"%mcp export cannot write {file!r}: {file_fault(error)}.") from None
        say(f"Wrote {file}. Values of variables and headers are placeholders in it.")

    def _connect_all(self, configs: list[ServerConfig]) -> None:
        """Connect one after the other; one that fails does not keep the others away."""
        failed: list[str] = []
        for one in configs:
            try:
                options = one.ready(ask_person)
                with working_here(), self.notebook.calling():
                    made = self.notebook.mcp.connect(**options)
            except TooldeckError as error:
                failed.append(str(error))
                continue
            show_session(self.notebook, made)
            for note in one.notes:
                say(f"{one.name}: {note}.")
        if failed:
            raise Mistake(" ".join(failed))


def ask_person(want: Wanted) -> str:
    """What a person types for a placeholder; secrets are not shown."""
    if audience() is Audience.NOBODY:
        if want.default:
            return want.default
        hint = f"set the environment variable {want.name}" if want.variable else "run the cell by hand"
        raise SetupError(f"{want.name} is needed, and nobody can be asked for it here; {hint}.")
    about = one_line(want.about or want.name)
    choices = f" ({', '.join(map(one_line, want.options))})" if want.options else ""
    prompt = f"{about}{choices}{f' [{one_line(want.default)}]' if want.default else ''}: "
    return getpass(prompt) if want.secret else input(prompt)


def _files(client: str | None) -> list[tuple[str, Path]]:
    from tooldeck.mcp.clients import found_files

    return list(found_files(client))


def _named(path: str) -> list[Path]:
    """The files that a word means: those of a program, or the one of that name."""
    from tooldeck.mcp.clients import CLIENTS

    if path not in CLIENTS or Path(path).exists():
        return [Path(path)]
    found = [file for _, file in _files(path)]
    if not found:
        raise Mistake(f"{path} has no list of servers here; it would be in {' or '.join(CLIENTS[path])}.")
    return found


def _counted(client: str, file: Path) -> tuple[str, str, str]:
    from tooldeck.mcp.configs import read_config

    try:
        return client, str(file), facts.count(len(read_config(file)))
    except TooldeckError:
        return client, str(file), "none"
