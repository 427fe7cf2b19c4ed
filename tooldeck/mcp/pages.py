"""Work that a server does only after the person has visited a page, which it says by an error of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from tooldeck.mcp.errors import McpRefused

if TYPE_CHECKING:
    from tooldeck.mcp.wishes import Wishes

__all__ = ["after_pages"]

T = TypeVar("T")


async def after_pages(wishes: Wishes, work: Callable[[], Awaitable[T]]) -> T:
    """Do `work`; where the server wants pages visited first, ask the person for them and do it again.

    The server has done nothing of it until then: that is what its answer means. When it says so again, it is
    given the time to say that the pages are done.
    """
    done = await _unless_pages(work)
    if not isinstance(done, _Pages):
        return done
    if not await wishes.visited(done):
        raise McpRefused("The person did not agree to visit the page that the server wants.", wishes.server)
    done = await _unless_pages(work)
    if not isinstance(done, _Pages):
        return done
    await wishes.pages_done(done)
    return await work()


class _Pages(list[Any]):
    """Pages that are wanted, in place of a result."""


async def _unless_pages(work: Callable[[], Awaitable[T]]) -> T | _Pages:
    from mcp import MCPError, UrlElicitationRequiredError
    from mcp.types import URL_ELICITATION_REQUIRED

    try:
        return await work()
    except MCPError as error:
        if error.code != URL_ELICITATION_REQUIRED:
            raise
        return _Pages(UrlElicitationRequiredError.from_error(error.error).elicitations)
