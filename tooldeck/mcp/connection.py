"""A server that is connected to a deck: its session, and which tools of the deck are its own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from tooldeck.core.errors import DefinitionError
from tooldeck.core.messages import Usage
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import nearest
from tooldeck.mcp.frames import FrameLog
from tooldeck.mcp.lint import Finding
from tooldeck.mcp.past import Past
from tooldeck.mcp.pins import Standing
from tooldeck.mcp.prompts import Prompts
from tooldeck.mcp.resources import Resources
from tooldeck.mcp.session import Session, State
from tooldeck.mcp.tap import Malformed
from tooldeck.mcp.telling import set_level, tell_roots
from tooldeck.mcp.tools import Declarations, Revive
from tooldeck.mcp.trust import identity, launch_of
from tooldeck.mcp.waiting import refuse_to_block
from tooldeck.mcp.ways import Ways

__all__ = ["Connection"]


class Connection:
    """A session with its tools in the deck; maps the server's own tool names to the deck's tools."""

    def __init__(
        self,
        session: Session,
        declared: Declarations,
        again: Callable[[], Session],
        past: Past,
        *,
        given_env: Mapping[str, str] | None = None,
        folder: str | None = None,
        ways: Ways | None = None,
    ) -> None:
        self.session = session
        self.ways = ways or Ways()
        """How its blocking and its awaited methods wait."""
        self.given_env: Mapping[str, str] = dict(given_env or {})
        """What the user added to the environment of its program."""
        self.launch = launch_of(session.target, self.given_env, folder)
        """What is run to start it, as a person is shown it; None where nothing is."""
        self.identity = identity(session.label, session.target)
        """Which server it is, for pins; None where its definitions are not pinned."""
        self.revive: Revive | None = None
        """Gives a session in place of one whose server went; None where nothing revives it."""
        self.findings: list[Finding] = []
        """What is suspicious in the words of its tools, the gravest first."""
        self.held: dict[str, Standing] = {}
        """The tools whose definitions nobody accepted: new ones, and changed ones, which are blocked."""
        self.coming: Future[Connection | None] | None = None
        """What takes its place, while and after the server is started again; None where that failed."""
        self.past = past
        """The messages and the lists of tools so far, those of earlier sessions included."""
        self.declared = declared
        self.again = again
        """Makes a fresh session with the same settings."""
        self.names: dict[str, str] = {}
        """The deck's name of each tool, by the server's own."""
        self.tools: dict[str, Tool] = {}
        """The deck's tools, by the server's own names."""
        self.malformed: tuple[Malformed, ...] = ()
        """Tools of the server that cannot be used, with reasons."""
        self.notes: list[str] = []
        """What the user should be told: renamed tools, unusable ones, declarations that fit nothing."""

    def renewed(self) -> Connection:
        """The same server with a fresh session, for another attempt; it may know of the same folders."""
        made = Connection(
            self.again(),
            self.declared,
            self.again,
            self.past,
            given_env=self.given_env,
            folder=self.launch["folder"] if self.launch else None,
            ways=self.ways,
        )
        made.session.wishes.roots = self.roots
        return made

    @property
    def label(self) -> str:
        """The name of the session."""
        return self.session.label

    @property
    def state(self) -> State:
        """Whether the session can be used, or another one is on its way."""
        return State.RESTARTING if self.restarting else self.session.state

    @property
    def restarting(self) -> bool:
        """Whether the server is being started again."""
        return self.coming is not None and not self.coming.done()

    @property
    def latest(self) -> Connection:
        """The connection that took its place, and the place of that one; itself where none did."""
        made, after = self, self.coming
        while after is not None and after.done() and (successor := after.result()) is not None:
            made, after = successor, successor.coming
        return made

    async def arrival(self) -> Connection | None:
        """Wait for what takes its place; None where nothing does. On the session's own loop."""
        if self.coming is None:
            return None
        return await asyncio.shield(asyncio.wrap_future(self.coming))

    @property
    def reason(self) -> str:
        """Why the session is over; empty while it is not."""
        return "it is being started again" if self.restarting else self.session.reason

    @property
    def prompts(self) -> Prompts:
        """Its prompts, by name; read when they are first looked at."""
        return Prompts(self)

    @property
    def resources(self) -> Resources:
        """Its resources, by address, and their templates; read when they are first looked at."""
        return Resources(self)

    @property
    def roots(self) -> tuple[Path, ...]:
        """The folders that the server may know of; none unless somebody named them."""
        return self.session.wishes.roots

    def tell_roots(self, *roots: str | os.PathLike[str]) -> None:
        """Let the server know of these folders and no others. Raises `DefinitionError` for what is none."""
        refuse_to_block(self)
        self.ways.block(self.session.executor.submit(tell_roots, self.session, roots))

    async def atell_roots(self, *roots: str | os.PathLike[str]) -> None:
        """The same as `tell_roots`, to be awaited."""
        await self.ways.wait(self.session.executor.submit(tell_roots, self.session, roots))

    def set_level(self, level: str) -> None:
        """Have the server say only what is as grave as `level`, or graver; see `telling.LEVELS`."""
        refuse_to_block(self)
        self.ways.block(self.session.executor.submit(set_level, self.session, level))

    async def aset_level(self, level: str) -> None:
        """The same as `set_level`, to be awaited."""
        await self.ways.wait(self.session.executor.submit(set_level, self.session, level))

    @property
    def used(self) -> Usage:
        """The tokens that the deck's model used for the server's own questions to it."""
        return self.session.wishes.used

    @property
    def log(self) -> FrameLog:
        """The messages both ways."""
        return self.past.log

    def findings_of(self, tool: Tool) -> list[Finding]:
        """What is suspicious in the words of one of its tools, the gravest first."""
        return [one for one in self.findings if self.names.get(one.tool) == tool.name]

    def past_call(self, number: int) -> tuple[Tool, dict[str, Any]]:
        """The tool and the arguments of an earlier call, by the number of its message, to be called again.

        Raises KeyError where the message is not kept or the tool is gone, `DefinitionError` where the message
        is no call.
        """
        found = self.log[number]
        if found.method != "tools/call" or not found.request.sent:
            raise DefinitionError(f"Message {number} of {self.label!r} is no call of a tool.")
        return self[found.subject], dict(found.params.get("arguments") or {})

    def __getitem__(self, name: str) -> Tool:
        try:
            return self.tools[name]
        except KeyError:
            close = nearest(name, self.tools)
            hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"it has {len(self.tools)}."
            raise KeyError(f"The MCP server {self.label!r} has no tool {name!r}; {hint}") from None

    def __getattr__(self, name: str) -> Tool:
        # Names with an underscore are Python's and IPython's to ask for: displaying a connection must call
        # no tool that a server named so.
        if name.startswith("_") or name not in self.__dict__["tools"]:
            raise AttributeError(name)
        return self.__dict__["tools"][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)

    def __contains__(self, name: object) -> bool:
        return name in self.tools

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self.tools if name.isidentifier())]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.tools)

    def __repr__(self) -> str:
        many = "1 tool" if len(self) == 1 else f"{len(self)} tools"
        return f"<MCP {self.label!r} {self.state}, {many} from {self.session.target}>"
