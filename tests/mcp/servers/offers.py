"""A server made with the official library that has prompts, resources and wishes, in either protocol."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Annotated

from mcp import UrlElicitationRequiredError
from mcp.server.mcpserver import Context, ListRoots, MCPServer, Resolve, Sample
from mcp.server.mcpserver.prompts.base import AssistantMessage, Prompt, UserMessage
from mcp.server.mcpserver.resources import TextResource
from mcp_types import (
    Completion,
    CreateMessageResult,
    ElicitRequestURLParams,
    EmptyResult,
    ImageContent,
    ListRootsResult,
    SamplingMessage,
    SubscribeRequestParams,
    TextContent,
    UnsubscribeRequestParams,
)

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
server = MCPServer("offers")
notes: list[str] = []
watched: list[str] = []
waiting: list[asyncio.Future] = []


@server.prompt()
def greet(name: str, style: str = "warm") -> str:
    """Greet somebody."""
    return f"Write a {style} greeting for {name}."


@server.prompt(title="With a <b>picture</b>")
def picture() -> list:
    return [
        UserMessage("Look: <script>"),
        UserMessage(ImageContent(data=PIXEL, mime_type="image/png")),
        AssistantMessage("A dot."),
    ]


@server.completion()
async def complete(ref, argument, context) -> Completion | None:
    words = {"style": ["warm", "weird", "cold"], "which": ["one", "other"]}.get(argument.name, [])
    if context is not None and context.arguments:
        words = [f"{word} for {context.arguments['name']}" for word in words]
    return Completion(values=[word for word in words if word.startswith(argument.value)], total=len(words))


@server.resource("offers://note", mime_type="application/json")
def note() -> str:
    return json.dumps([{"n": len(notes)}])


@server.resource("offers://pixel", mime_type="image/png")
def pixel() -> bytes:
    return base64.b64decode(PIXEL)


@server.resource("offers://item/{which}")
def item(which: str) -> str:
    return f"item {which}"


@server.tool()
async def change_note(context: Context) -> str:
    notes.append("x")
    await context.session.send_resource_updated("offers://note")  # heard in the older protocol
    await context.notify_resource_updated("offers://note")  # and in the newer one
    return "changed"


@server.tool()
async def grow_lists(context: Context) -> str:
    server.add_prompt(Prompt.from_function(lambda: "late", name="late"))
    server.add_resource(TextResource(uri="offers://late", name="late", text="late"))
    await context.session.send_prompt_list_changed()
    await context.session.send_resource_list_changed()
    await context.notify_prompts_changed()
    await context.notify_resources_changed()
    return "grown"


@server.tool()
def watched_now() -> list[str]:
    return watched


def _poem(topic: str) -> Sample:
    said = [SamplingMessage(role="user", content=TextContent(text=f"A poem about {topic}."))]
    return Sample(said, max_tokens=50, system_prompt="Be brief.")


@server.tool()
def poem(topic: str, written: Annotated[CreateMessageResult, Resolve(_poem)]) -> str:
    """Have the client's model write a poem."""
    return f"{written.model}: {written.content.text} ({written.stop_reason})"


def _roots() -> ListRoots:
    return ListRoots()


@server.tool()
def folders(found: Annotated[ListRootsResult, Resolve(_roots)]) -> list[str]:
    """Which folders the client lets servers know of."""
    return [str(root.uri) for root in found.roots]


@server.tool()
async def chatter(context: Context) -> str:
    """Say something of each kind."""
    for level in ("debug", "info", "warning", "error"):
        await context.session.send_log_message(level=level, data=f"a line of {level}")
    return "said"


@server.tool()
async def behind_a_page(context: Context) -> str:
    """Works once the page was visited; says so when asked about it the second time."""
    if "page" not in notes:
        notes.append("page")
        page = ElicitRequestURLParams(
            message="Sign in first", url="https://example.com/sign?in=1", elicitation_id="page-1"
        )
        raise UrlElicitationRequiredError([page])
    if "again" not in notes:
        notes.append("again")
        asyncio.get_running_loop().call_later(0.2, later, context.session)
        raise UrlElicitationRequiredError(
            [
                ElicitRequestURLParams(
                    message="Sign in first", url="https://example.com/sign?in=1", elicitation_id="page-1"
                )
            ]
        )
    return "let in"


def later(session) -> None:
    waiting.append(asyncio.ensure_future(session.send_elicit_complete("page-1")))


async def _subscribe(context, params) -> EmptyResult:
    watched.append(str(params.uri))
    return EmptyResult()


async def _unsubscribe(context, params) -> EmptyResult:
    watched.remove(str(params.uri))
    return EmptyResult()


# The library offers these for the older protocol only below its own servers.
inner = server._lowlevel_server
inner.add_request_handler("resources/subscribe", SubscribeRequestParams, _subscribe)
inner.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, _unsubscribe)

if __name__ == "__main__":
    server.run("stdio")
