"""Functions of the user around every call, and what they may answer.

Order: `before_tool`, `on_approval` and `on_retry` hooks run as they were added; `on_error` hooks and then
`after_tool` hooks the other way round, so that what was added first lies outermost. None lets things go on,
the answers named at each kind of hook do what they say, and any other answer or an exception stops the call.
"""

from __future__ import annotations

import fnmatch
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tooldeck.core.errors import DefinitionError
from tooldeck.core.host import Host, Work
from tooldeck.core.strangers import error_words, to_repr, to_text
from tooldeck.core.tool import Tool

if TYPE_CHECKING:
    from tooldeck.core.approval import ApprovalRequest
    from tooldeck.core.call import ToolCall
    from tooldeck.core.events import RetryWaits
    from tooldeck.core.result import ToolResult

__all__ = [
    "AfterTool",
    "Ask",
    "BeforeTool",
    "Block",
    "Hooked",
    "Hooks",
    "OnApproval",
    "OnError",
    "OnRetry",
    "Rewrite",
]


@dataclass(frozen=True, slots=True)
class Block:
    """Answer of a hook: go no further, for this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Answer of a hook: go on with other arguments (checked again), or with another value."""

    to: Any


@dataclass(frozen=True, slots=True)
class Ask:
    """Answer of a `before_tool` hook: somebody has to approve this call, whatever policy says."""

    reason: str = ""


BeforeTool = Callable[["ToolCall"], "Ask | Block | Rewrite | Awaitable[Ask | Block | Rewrite | None] | None"]
"""Sees the call before its arguments are checked."""
AfterTool = Callable[["ToolResult"], "Block | Rewrite | Awaitable[Block | Rewrite | None] | None"]
"""Sees how a call ended. `Rewrite` puts another value in its place; what stops it withholds the value."""
OnError = AfterTool
"""Sees a call whose tool failed or ran out of time. `Rewrite` gives a value instead, as if all was well."""
OnRetry = Callable[["RetryWaits"], "Block | Awaitable[Block | None] | None"]
"""Sees a failed attempt before the wait for the next one. What stops the call lets the failure stand."""
OnApproval = Callable[["ApprovalRequest"], "Block | Awaitable[Block | None] | None"]
"""Sees a question before anybody is asked. What stops the call refuses it."""


class _Added(NamedTuple):
    kind: str
    hook: Callable[[Any], Any]
    pattern: str | None


class Hooks:
    """The hooks of a deck."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._all: tuple[_Added, ...] = ()
        self._changed = changed

    def add(self, kind: str, hook: Any, pattern: str | None) -> Callable[[], None]:
        """Add a hook of this kind for tools whose whole name fits `pattern`; gives the undoing function."""
        if not callable(hook):
            raise DefinitionError(f"{kind} needs a function, got {to_repr(hook)}.")
        if pattern is not None and not (isinstance(pattern, str) and pattern):
            raise DefinitionError(
                f"tools must be a name or a pattern such as 'git__*', got {to_repr(pattern)}; "
                "leave it out for all tools."
            )
        added = _Added(kind, hook, pattern)
        self._all = (*self._all, added)
        self._changed()
        return lambda: self._remove(added)

    def of(self, kind: str, tool: Tool) -> tuple[Callable[[Any], Any], ...]:
        """The hooks of this kind that look at `tool`, in the order in which they were added."""
        return tuple(
            added.hook
            for added in self._all
            if added.kind == kind and (added.pattern is None or fnmatch.fnmatchcase(tool.name, added.pattern))
        )

    def _remove(self, added: _Added) -> None:
        self._all = tuple(known for known in self._all if known is not added)
        self._changed()


class Hooked:
    """What a deck offers for adding hooks.

    `tools` names the tools that a hook looks at: a name, or a pattern with ``*`` and ``?`` that has to fit
    the whole name; None looks at all. Hooks may be async. Each method returns the function that removes the
    hook.
    Raises `DefinitionError` for what is no function or no pattern.
    """

    hooks: Hooks

    def before_tool(self, hook: BeforeTool, *, tools: str | None = None) -> Callable[[], None]:
        """Run `hook` before every call; it may answer `Block`, `Rewrite` or `Ask`."""
        return self.hooks.add("before_tool", hook, tools)

    def after_tool(self, hook: AfterTool, *, tools: str | None = None) -> Callable[[], None]:
        """Run `hook` after every call, however it ended; it may answer `Block` or `Rewrite`."""
        return self.hooks.add("after_tool", hook, tools)

    def on_error(self, hook: OnError, *, tools: str | None = None) -> Callable[[], None]:
        """Run `hook` after a call that failed or ran out of time; it may answer `Block` or `Rewrite`."""
        return self.hooks.add("on_error", hook, tools)

    def on_retry(self, hook: OnRetry, *, tools: str | None = None) -> Callable[[], None]:
        """Run `hook` before a failed call waits for its next attempt; it may answer `Block`."""
        return self.hooks.add("on_retry", hook, tools)

    def on_approval(self, hook: OnApproval, *, tools: str | None = None) -> Callable[[], None]:
        """Run `hook` before somebody is asked about a call; it may answer `Block`."""
        return self.hooks.add("on_approval", hook, tools)


async def answer_of(hook: Callable[[Any], Any], about: Any, host: Host) -> Any:
    """What a hook says; one that raises blocks."""
    try:
        answer = hook(about)
        if inspect.isawaitable(answer):
            return await host.run(Work(lambda: answer, is_async=True, label=hook_name(hook)))
    except Exception as error:  # noqa: BLE001 - functions of the user may raise anything
        return Block(f"it raised {error_words(error)}")
    return answer


async def objection(hooks: tuple[Callable[[Any], Any], ...], about: Any, host: Host) -> str | None:
    """Why one of the hooks stops what it was told `about`, naming it; None when none does."""
    for hook in hooks:
        answer = await answer_of(hook, about, host)
        if answer is not None:
            return f"the hook {hook_name(hook)}: {reason_of(answer, 'Block')}"
    return None


def reason_of(answer: Any, known: str) -> str:
    """The reason of an answer that stops a call; `known` names those that are understood."""
    if isinstance(answer, Block):
        return to_text(answer.reason)
    return f"it answered {to_repr(answer)}, which is neither None nor {known}"


def hook_name(hook: Any) -> str:
    """What a hook is called."""
    return getattr(hook, "__name__", None) or type(hook).__name__
