"""What an MCP server tells the notebook in the middle of a call: progress, log lines, a sign-in.

Handlers run on the session's thread; whatever touches the screen is posted to the thread of the cell that
waits, so that it lands in that cell.
"""

from __future__ import annotations

import asyncio
from functools import partial

from tooldeck.core.call import current_call
from tooldeck.core.cancel import token_of
from tooldeck.mcp.handlers import Handlers, LogLine, PageDone, Progress, ResourceUpdate
from tooldeck.notebook.progress import ProgressBars
from tooldeck.notebook.questions import in_cell
from tooldeck.notebook.say import say
from tooldeck.notebook.sign_in import ask_to_sign_in

__all__ = ["listen"]

_QUIET = {"debug"}
"""Log levels that are not shown in the cell, unless somebody wanted them."""


def listen(handlers: Handlers, bars: ProgressBars) -> None:
    """Let what nobody else listens to go into the waiting cell: progress, logs, the wish for a sign-in."""

    async def moved(report: Progress) -> None:
        call = current_call()
        key = call.id if call is not None else f"{report.server}/{report.tool}"
        title = f"{report.server}: {report.tool}"
        cancel = None if call is None else partial(token_of(call).cancel, "a person cancelled it")
        shown = bars.move(key, title, report.progress, report.total, report.message, cancel=cancel)
        if shown is not None and not shown.done():
            await asyncio.shield(asyncio.wrap_future(shown))

    handlers.on_progress = handlers.on_progress or moved
    handlers.on_log = handlers.on_log or _log
    handlers.on_sign_in = handlers.on_sign_in or ask_to_sign_in
    handlers.on_update = handlers.on_update or _updated
    handlers.on_page_done = handlers.on_page_done or _page_done


async def _page_done(news: PageDone) -> None:
    await in_cell(say, f"[{news.server}] says that the page is done: {news.url}")


async def _updated(update: ResourceUpdate) -> None:
    await in_cell(say, f"[{update.server}] {update.uri} has changed.")


async def _log(line: LogLine) -> None:
    if line.level in _QUIET and not line.wanted:
        return
    name = f" {line.logger}" if line.logger else ""
    text = line.data if isinstance(line.data, str) else repr(line.data)
    await in_cell(say, f"[{line.server}{name} {line.level}] {text}")
