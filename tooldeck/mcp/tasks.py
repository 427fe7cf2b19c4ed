"""Long calls as tasks: the server answers at once with a task, and its result is fetched when it is there.

Two forms of one idea: in the protocol of 2025-11-25 the client asks for a task where a tool requires it, in
that of 2026-07-28 (the extension ``io.modelcontextprotocol/tasks``) the server decides.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tooldeck.mcp import raw
from tooldeck.mcp.calls import CallsInFlight, RunningCall
from tooldeck.mcp.errors import McpAnswerError
from tooldeck.mcp.listing import RemoteTool

if TYPE_CHECKING:
    from tooldeck.mcp.session import Session

__all__ = ["RemoteTask", "Tasks", "needs_task"]

_OVER = ("completed", "failed", "cancelled")
_MOST = 50
# Tasks that are remembered.
_PAUSE = (0.05, 1.0, 10.0)
# Seconds between two looks: at least, where the server does not say, at most.
_KEPT = 3_600_000
# Milliseconds that a server is asked to keep a result.
_GOODBYE = 2.0
# Seconds to tell a server that its task is not wanted any more.


@dataclass(slots=True)
class RemoteTask:
    """A long call at a server."""

    id: str
    """The server's name of it."""
    tool: str
    """The server's name of the tool."""
    status: str = "working"
    """``working``, ``input_required``, ``completed``, ``failed`` or ``cancelled``."""
    message: str = ""
    """What the server says of it."""
    pause: float = _PAUSE[1]
    """Seconds until it is looked at again."""
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return (self.ended or time.monotonic()) - self.began

    @property
    def over(self) -> bool:
        """Whether nothing more will become of it."""
        return self.status in _OVER

    def learn(self, told: Mapping[str, Any]) -> None:
        """Take in what the server says now."""
        self.status, self.message = str(told.get("status", self.status)), str(told.get("statusMessage") or "")
        pause = told.get("pollIntervalMs", told.get("pollInterval"))
        if isinstance(pause, int | float):
            self.pause = min(max(pause / 1000, _PAUSE[0]), _PAUSE[2])
        if self.over and self.ended is None:
            self.ended = time.monotonic()


class Tasks:
    """The tasks of one session: those that run, and the last that ran. Works on the session's loop."""

    def __init__(self, session: Session, calls: CallsInFlight) -> None:
        self._session = session
        self._calls = calls
        self._known: deque[RemoteTask] = deque(maxlen=_MOST)

    def all(self) -> list[RemoteTask]:
        """The tasks, oldest first; read from any thread."""
        return list(self._known)

    async def create(self, client: Any, running: RunningCall, name: str, arguments: Mapping[str, Any]) -> Any:
        """Call a tool as a task of the older form; gives the result when it is there."""
        params = {"name": name, "arguments": dict(arguments), "task": {"ttl": _KEPT}}
        made = await raw.request(client, "tools/call", params, self._session.timeout)
        told = made.get("task") if isinstance(made, dict) else None
        if not isinstance(told, dict):
            return _result_of(made)
        return await self._followed(client, running, self._new(name, told), inline=False)

    def extension(self) -> Any:
        """The newer form, for the client library."""
        return _extension(self)

    async def claimed(self, told: Mapping[str, Any], tool: str) -> Any:
        """A server made a task of a call; gives the result when it is there."""
        running = self._calls.current()
        client = self._session.client
        if running is None or client is None:
            raise McpAnswerError(f"{tool} became a task, and nobody waits for it", self._session.label)
        return await self._followed(client, running, self._new(tool, told), inline=True)

    def _new(self, tool: str, told: Mapping[str, Any]) -> RemoteTask:
        if not isinstance(told.get("taskId"), str):
            raise McpAnswerError(f"{tool} became a task without a name", self._session.label)
        task = RemoteTask(told["taskId"], tool)
        task.learn(told)
        self._known.append(task)
        return task

    async def _followed(self, client: Any, running: RunningCall, task: RemoteTask, *, inline: bool) -> Any:
        """Look at a task until it is over. It has no time limit: each look has that of a call."""
        try:
            with running.clock.stopped():
                told: Mapping[str, Any] = {}
                looks = 0
                while not task.over and (inline or task.status != "input_required"):
                    await running.progress(looks, None, task.message or task.status)
                    looks += 1
                    await asyncio.sleep(task.pause)
                    told = await self._ask(client, "tasks/get", task)
                    task.learn(told)
                    if task.status == "input_required" and inline:
                        await self._answer(client, task, told)
                if not inline:  # here also its questions come, while it is waited for
                    done = await self._ask(client, "tasks/result", task, seconds=_KEPT / 1000)
                    task.learn({"status": "completed"} if not task.over else {"status": task.status})
                    return _result_of(done)
                return self._inlined(task, told)
        except asyncio.CancelledError:
            await self._cancelled(client, task)
            raise

    def _inlined(self, task: RemoteTask, told: Mapping[str, Any]) -> Any:
        if task.status == "completed":
            return _result_of(told.get("result"))
        error = told.get("error")
        why = error.get("message") if isinstance(error, dict) else task.message
        where = f"The task of {task.tool} of the MCP server {self._session.label!r}"
        raise McpAnswerError(f"{where} {task.status}: {why or 'no reason given'}", self._session.label)

    async def _answer(self, client: Any, task: RemoteTask, told: Mapping[str, Any]) -> None:
        """Put what a task asks before the person; only questions can be answered."""
        from mcp import types
        from pydantic import TypeAdapter

        wanted = told.get("inputRequests")
        answers: dict[str, Any] = {}
        for key, one in (wanted if isinstance(wanted, dict) else {}).items():
            if not isinstance(one, dict) or one.get("method") != "elicitation/create":
                raise McpAnswerError(f"The task of {task.tool} asks for what no task is given here")
            params: Any = TypeAdapter(types.ElicitRequestParams).validate_python(one.get("params"))
            answer = await self._session.wishes.elicited(None, params)
            answers[key] = answer.model_dump(by_alias=True, exclude_none=True, mode="json")
        await self._ask(client, "tasks/update", task, inputResponses=answers)

    async def cancel(self, id: str) -> None:
        """Tell the server that a task is not wanted any more."""
        task = next((one for one in self._known if one.id == id), None)
        if task is None:
            raise KeyError(f"There is no task {id!r}.")
        task.learn(await self._ask(self._session.client, "tasks/cancel", task))

    async def _cancelled(self, client: Any, task: RemoteTask) -> None:
        with contextlib.suppress(Exception):
            async with asyncio.timeout(_GOODBYE):
                await asyncio.shield(self._ask(client, "tasks/cancel", task))
        task.learn({"status": "cancelled", "statusMessage": task.message})

    async def _ask(
        self, client: Any, method: str, task: RemoteTask, *, seconds: float | None = None, **more: Any
    ) -> Any:
        limit = self._session.timeout if seconds is None else seconds
        told = await raw.request(client, method, {"taskId": task.id, **more}, limit, name=task.id)
        if not isinstance(told, dict):
            raise McpAnswerError(f"{method} of {self._session.label!r} gave no object", self._session.label)
        return told


def needs_task(client: Any, remote: RemoteTool | None) -> bool:
    """Whether a tool can be called as a task of the older form only."""
    execution = remote.definition.get("execution") if remote is not None else None
    required = isinstance(execution, dict) and execution.get("taskSupport") == "required"
    return required and client.protocol_version < "2026"


def _result_of(told: Any) -> Any:
    from mcp import types

    return types.CallToolResult.model_validate(told, by_name=False)


def _extension(tasks: Tasks) -> Any:
    """Made here, since its classes are the library's, which is loaded late."""
    from typing import Literal

    from mcp.client import ClientExtension, ResultClaim
    from mcp_types import Result
    from pydantic import ConfigDict

    class Created(Result):
        result_type: Literal["task"] = "task"
        model_config = ConfigDict(extra="allow")

    class TasksExtension(ClientExtension):
        identifier = "io.modelcontextprotocol/tasks"

        def claims(self) -> Any:
            async def resolve(created: Any, context: Any) -> Any:
                told = created.model_dump(by_alias=True, mode="json")
                return await tasks.claimed(told, context.tool_name)

            return (ResultClaim(result_type="task", model=Created, resolve=resolve),)

    return TasksExtension()
