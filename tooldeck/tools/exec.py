"""exec: run Python, JavaScript and programs in a sandbox, never in the kernel of the notebook.

Each run is a process of its own with a folder of its own, without a network, within limits. How well it was
shut in is part of every answer; where the machine offers less than the policy demands, nothing runs.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.guards.environment import environment
from tooldeck.guards.isolation import Isolation, View, Walls, at_least
from tooldeck.guards.paths import OWN, Workspace
from tooldeck.guards.programs import find_program, install_command
from tooldeck.guards.running import Limits
from tooldeck.guards.sandbox import best, run_confined
from tooldeck.hosts.background import background
from tooldeck.tools.executing.commands import shell_syntax, split_words
from tooldeck.tools.executing.folders import bring_in, left_files
from tooldeck.tools.executing.records import Ran, ran
from tooldeck.tools.executing.sessions import Session, Sessions
from tooldeck.tools.program_writes import program_writes

__all__ = ["exec_tool"]

MIB = 1024 * 1024
LIMITS = Limits(
    kept=MIB,
    output=32 * MIB,
    disk=256 * MIB,
    memory=2048 * MIB,
    file_size=128 * MIB,
    open_files=512,
    processes=128,
)
_JAVASCRIPT_MIB = 512
# Node reserves address space that it never uses, so that its memory is limited by its own option.

exec_tool = ActionTool(
    "exec",
    "Run code and programs in a sandbox: a folder of their own, no network, limits on time and memory.",
    executor=background(),
    effects="read,write,execute",
    max_chars=40_000,
)

Seconds = Annotated[float, Field(gt=0, le=600, description="Seconds after which it is ended.")]
Files = Annotated[
    tuple[str, ...],
    Field(max_length=50, description="Files of the workspace that are copied into its folder."),
]
Access = Literal["none", "read", "write"]
AccessTo = Annotated[
    Access,
    Field(
        description="What it may do with the workspace. With 'read' and 'write' it is started there, else in "
        "a new folder; files that it leaves in its own folder (HOME) come back."
    ),
]


@dataclass(frozen=True, slots=True)
class _Run:
    """Code to run, and where."""

    code: str
    workspace: Workspace
    walls: Walls
    seconds: float
    files: tuple[str, ...]
    access: Access


@exec_tool.action(examples=[{"code": "print(6 * 7)"}, {"code": "x = 1", "session": "scratch"}])
async def python(
    code: Annotated[str, Field(description="The code; what it prints is the answer.")],
    *,
    context: Injected[ToolContext],
    workspace_root: Injected[Workspace],
    timeout: Seconds = 30.0,
    files: Files = (),
    workspace: AccessTo = "none",
    session: Annotated[
        str,
        Field(
            pattern=r"^[A-Za-z0-9_-]{0,40}$",
            description="A name: calls with the same one share their variables, and the value of an "
            "expression at the end is shown. Empty: a fresh interpreter.",
        ),
    ] = "",
) -> Ran:
    """Run Python code with the packages that are installed here."""
    walls = await best(context.deck.policy.isolation)
    run = _Run(code, workspace_root, walls, timeout, files, workspace)
    if session:
        return await _in_session(session, context, run)
    words = [sys.executable, "-B", "-s", "-u"]
    env = {"PYTHONPATH": str(workspace_root.root)} if workspace != "none" else {}
    return await _code(run, words, "code.py", LIMITS, env)


@exec_tool.action(
    available=lambda: bool(shutil.which("node")) or f"node is not installed; {install_command('node')}",
    examples=[{"code": "console.log(6 * 7)"}],
)
async def javascript(
    code: Annotated[str, Field(description="The code, a CommonJS module; what it prints is the answer.")],
    *,
    context: Injected[ToolContext],
    workspace_root: Injected[Workspace],
    timeout: Seconds = 30.0,
    files: Files = (),
    workspace: AccessTo = "none",
) -> Ran:
    """Run JavaScript code with Node."""
    walls = await best(context.deck.policy.isolation)
    node = find_program("node", environment())
    words = [node, f"--max-old-space-size={_JAVASCRIPT_MIB}"]
    limits = replace(LIMITS, memory=None)
    run = _Run(code, workspace_root, walls, timeout, files, workspace)
    return await _code(run, words, "code.cjs", limits, {})


@exec_tool.action(examples=[{"argv": ["ls", "src"]}, {"command": "wc -l README.md"}])
async def shell(
    argv: Annotated[
        tuple[str, ...],
        Field(description="The program and its arguments, one text each; no shell reads them."),
    ] = (),
    *,
    context: Injected[ToolContext],
    workspace_root: Injected[Workspace],
    command: Annotated[
        str,
        Field(
            description="In place of argv: a line of plain words. Pipes, redirections and the like only "
            "where the policy allows command lines."
        ),
    ] = "",
    timeout: Seconds = 60.0,
    workspace: AccessTo = "read",
) -> Ran:
    """Run a program, started in the workspace."""
    words = _words(argv, command, allowed=context.deck.policy.command_lines)
    walls = await best(context.deck.policy.isolation)
    words = [_program(words[0], workspace_root, workspace), *words[1:]]
    # Programs such as compilers and Node reserve more address space than they use.
    limits = replace(LIMITS, seconds=timeout, memory=None)
    async with _folder(workspace_root, workspace, walls) as view:
        finished, _ = await run_confined(words, view, walls, limits)
        return ran(finished, walls, *left_files(view.folder, {}))


@exec_tool.action(effects="execute", idempotent=True, examples=[{"session": "scratch"}])
async def end_session(
    session: Annotated[str, Field(description="The name of the session.")], *, context: Injected[ToolContext]
) -> str:
    """End a Python session, and forget its variables and files."""
    return await Sessions.of(context.deck).end(session)


@contextlib.asynccontextmanager
async def _folder(workspace: Workspace, access: Access, walls: Walls) -> AsyncGenerator[View]:
    """A folder for one run, and what the run may see beside it."""
    folder = tempfile.mkdtemp(prefix="tooldeck-run-")
    try:
        view = View(Path(folder))
        if access != "none":
            root = workspace.root
            view = replace(view, read=(root,), start=root)
        if access == "write":
            _check_shutting(walls)
            own = tuple(view.read[0] / name for name in sorted(OWN) if (view.read[0] / name).exists())
            view = replace(view, read=(), write=view.read, shut=own)
        async with program_writes(workspace) if access == "write" else contextlib.nullcontext():
            yield view
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check_shutting(walls: Walls) -> None:
    """Refuse to let a program change the workspace where the folders in `OWN` cannot be kept from it."""
    if walls.level is Isolation.LANDLOCK:
        raise ExpectedError(
            "workspace='write' needs bubblewrap, which can keep .git and .tooldeck unchanged meanwhile; "
            f"{install_command('bwrap')}. With 'none', what it writes in its own folder comes back."
        )


async def _code(run: _Run, interpreter: list[str], name: str, limits: Limits, env: dict[str, str]) -> Ran:
    """Run code that lies in a file of its own folder."""
    async with _folder(run.workspace, run.access, run.walls) as view:
        known = bring_in(view.folder, run.workspace, run.files)
        known[name] = run.code.encode(errors="surrogatepass")
        (view.folder / name).write_bytes(known[name])
        words = [*interpreter, str(view.folder / name)]
        limits = replace(limits, seconds=run.seconds)
        finished, _ = await run_confined(words, view, run.walls, limits, env=env)
        return ran(finished, run.walls, *left_files(view.folder, known))


async def _in_session(name: str, context: ToolContext, run: _Run) -> Ran:
    """Run code in the session of this name."""
    if run.access == "write":
        raise ExpectedError("A session cannot change the workspace; write in its own folder instead.")
    read = () if run.access == "none" else (run.workspace.root,)
    session = await Sessions.of(context.deck).get(name, lambda: Session(name, run.walls, LIMITS, read))
    if not at_least(session.walls.level, context.deck.policy.isolation):
        raise ExpectedError(
            f"The session {name!r} was begun in a sandbox of level {session.walls.level.value!r}, weaker "
            "than the policy demands by now; end it first."
        )
    if not {*read} <= {*session.read}:
        raise ExpectedError(f"The session {name!r} was begun without the workspace; end it first.")
    known = {**session.known, **bring_in(session.folder, run.workspace, run.files)}
    finished, alive = await session.run(run.code, replace(LIMITS, seconds=run.seconds))
    if not alive:
        return ran(finished, session.walls, session=f"the session {name!r} has ended, its variables are gone")
    artifacts, left_out = left_files(session.folder, known)
    session.known = {**known, **{file.name: file.data for file in artifacts}}
    return ran(finished, session.walls, artifacts, left_out, f"session {name!r}, call {session.calls}")


def _words(argv: tuple[str, ...], command: str, *, allowed: bool) -> list[str]:
    """The words to start; raises `ExpectedError` for both, neither, or what only a shell understands."""
    if bool(argv) == bool(command):
        raise ExpectedError("Give either argv, the program and its arguments, or command.")
    if not command:
        return list(argv)
    special = shell_syntax(command)
    if not special:
        return split_words(command)
    if allowed:
        return ["sh", "-c", command]
    raise ExpectedError(
        f"The command has {special}, which only a shell understands, and the policy lets no shell read "
        "command lines (deck.policy.command_lines). Give the program and its arguments as argv, one call "
        "for each program; filter or combine outputs with action='python'."
    )


def _program(name: str, workspace: Workspace, access: Access) -> str:
    """Where a program lies: on the PATH, or in the workspace where the run may see it."""
    if "/" not in name and "\\" not in name:
        return find_program(name, environment())
    if Path(name).is_absolute():
        folders = environment()["PATH"].split(os.pathsep)
        if os.path.dirname(name) in folders:  # noqa: PTH120 - as written, with its links
            return find_program(Path(name).name, {"PATH": os.path.dirname(name)})  # noqa: PTH120
    if access == "none":
        raise ExpectedError(f"{name!r} is no program on the PATH, and the run does not see the workspace.")
    return str(workspace.real(name))
