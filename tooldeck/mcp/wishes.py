"""What a server wants in the middle of a call: an answer of the person, words of a model, folders."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tooldeck.core.current import CURRENT
from tooldeck.core.messages import ModelReply, Usage
from tooldeck.core.questions import Answer, Question
from tooldeck.mcp.handlers import PageDone, SampleRefused
from tooldeck.mcp.sampling import read_wish, said_by
from tooldeck.registry.questions import check_of

if TYPE_CHECKING:
    from tooldeck.mcp.calls import CallsInFlight, RunningCall
    from tooldeck.mcp.session import Session

__all__ = ["Wishes"]

_MOST_QUESTIONS = 8
# Questions of one server that may be open at the same time; further ones are declined.
_MOST_ASKED = 50
# Questions that a server may put to the person within one call; further ones are declined.
_MOST_SAMPLES = 20
# Replies of a model that a server may have within one call.
_MOST_PAGES = 100
# Pages that the person was shown and that may still be told to be done.
_REFUSED = -1
# The protocol's code for what the person does not want.


@dataclass(slots=True)
class _Page:
    """A page that the person was asked to visit."""

    question: Question
    done: asyncio.Event


class Wishes:
    """Answers the wishes of the server of one session; what it calls is what the client library wants."""

    def __init__(self, session: Session, calls: CallsInFlight, roots: tuple[Path, ...] = ()) -> None:
        self._session = session
        self._calls = calls
        self.roots = roots
        """The folders that the server may know of."""
        self.samples = 0
        """How often a model answered for the server."""
        self.used = Usage()
        """The tokens of those answers."""
        self._asked = 0
        self._pages: OrderedDict[str, _Page] = OrderedDict()

    @property
    def server(self) -> str:
        """The label of the session."""
        return self._session.label

    # -- the person ---

    async def elicited(self, _context: Any, params: Any) -> Any:
        """A question."""
        from mcp import types

        action, content = await self._answered(params)
        return types.ElicitResult(action=action, content=content)

    async def _answered(self, params: Any) -> tuple[Any, dict[str, Any] | None]:
        if self._asked >= _MOST_QUESTIONS:
            return "decline", None
        self._asked += 1
        try:
            call = self._calls.current()
            if call is not None:
                call.asked += 1
                if call.asked > _MOST_ASKED:
                    return "decline", None
            question = self._question(params, call)
            answer = await self._asking(self._session.handlers.on_elicit, question, call)
        finally:
            self._asked -= 1
        if not isinstance(answer, Answer):
            return "decline", None
        # The protocol's word for every end without an explicit choice of the person is "cancel".
        action = answer.action if answer.action in ("accept", "decline") else "cancel"
        return action, answer.content if action == "accept" and question.mode == "form" else None

    def _question(self, params: Any, call: RunningCall | None) -> Question:
        schema = dict(getattr(params, "requested_schema", None) or {})
        question = Question(
            asker=self._session.label,
            tool=call.tool if call is not None else "",
            message=params.message,
            mode=params.mode,
            schema=schema,
            url=getattr(params, "url", ""),
            check=check_of(schema),
        )
        known = getattr(params, "elicitation_id", None)
        if question.mode == "url" and known:
            self._pages[known] = _Page(question, asyncio.Event())
            while len(self._pages) > _MOST_PAGES:
                self._pages.popitem(last=False)
        return question

    async def _asking(
        self, handler: Callable[[Any], Any] | None, about: Any, call: RunningCall | None
    ) -> Any:
        """Let a handler answer; meanwhile the clocks of the calls that may wait for it stand still."""
        with contextlib.ExitStack() as stopped:
            for waiting in self._calls.candidates():
                stopped.enter_context(waiting.clock_stopped())
            among = call.questions if call is not None else set[asyncio.Task[Any]]()
            return await self._calls.run(handler, about, call, among)

    async def page_done(self, known: str) -> None:
        """The server says that what was to be done on a page is done."""
        page = self._pages.get(known)
        if page is None or page.done.is_set():
            return  # one that nobody was shown
        page.done.set()
        news = PageDone(self._session.label, page.question.message, page.question.url)
        await self._calls.tell(self._session.handlers.on_page_done, news)

    async def visited(self, wanted: list[Any]) -> bool:
        """Ask the person for the pages without which a server does nothing; whether they agreed to all."""
        for params in wanted:
            if (await self._answered(params))[0] != "accept":
                return False
        return True

    async def pages_done(self, wanted: list[Any]) -> None:
        """Wait until the server says that these pages are done."""
        for params in wanted:
            page = self._pages.get(params.elicitation_id or "")
            if page is not None:
                await page.done.wait()

    # -- a model ---

    async def sampled(self, _context: Any, params: Any) -> Any:
        """Words of a model are wanted."""
        from mcp import types

        call = self._calls.current()
        reply = await self._reply(params, call)
        if isinstance(reply, SampleRefused):
            if call is not None:
                call.refused = reply.reason
            return types.ErrorData(code=_REFUSED, message=reply.reason)
        self.samples += 1
        self.used += reply.usage or Usage()
        _note(call, reply)
        return said_by(reply)

    async def _reply(self, params: Any, call: RunningCall | None) -> Any:
        handler = self._session.handlers.on_sample
        if call is None:
            return SampleRefused("a model is asked in the middle of a call only")
        if handler is None:
            return SampleRefused("this client has no model")
        call.samples += 1
        if call.samples > _MOST_SAMPLES:
            return SampleRefused(f"one call has {_MOST_SAMPLES} replies of a model at most")
        wish = read_wish(self._session.label, call.tool, params)
        reply = wish if isinstance(wish, SampleRefused) else await self._asking(handler, wish, call)
        return SampleRefused("asking the model failed") if reply is None else reply

    # -- folders ---

    async def roots_listed(self, _context: Any) -> Any:
        """The folders that the person lets the server know of."""
        from mcp import types

        listed = [{"uri": folder.as_uri(), "name": folder.name} for folder in self.roots]
        return types.ListRootsResult.model_validate({"roots": listed})


def _note(call: RunningCall | None, reply: ModelReply) -> None:
    """Tell in the result of the deck's call what its server had the model do."""
    outer = None if call is None else call.context.get(CURRENT)
    usage = reply.usage
    if outer is not None:
        tokens = f", {usage.input} tokens in and {usage.output} out" if usage is not None else ""
        outer.log.note("mcp", f"The server had the model answer{tokens}.")
