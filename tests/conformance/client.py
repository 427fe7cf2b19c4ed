"""The deck's own MCP client, as the official conformance suite starts it: the address comes as the last word.

The suite looks at what reaches its server; so every tool that is offered is called once.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import httpx2

from tooldeck import Deck
from tooldeck.mcp import sdk
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.handlers import Answer, Handlers, Question
from tooldeck.mcp.oauth.redirect import SignInRequest
from tooldeck.mcp.oauth.signin import Employee, Program, SignIn
from tooldeck.registry import json_schema as schemas

GIVEN: dict[str, Any] = {"a": 5, "b": 3}
SAMPLES: dict[str, Any] = {
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "string": "text",
    "array": [],
    "object": {},
}


async def accept(question: Question) -> Answer:
    """Take what the server proposes."""
    fields = (question.schema or {}).get("properties", {})
    return Answer("accept", {name: one["default"] for name, one in fields.items() if "default" in one})


async def sign_in(request: SignInRequest) -> str:
    """Visit the page as a browser would; the suite's has no form to fill in."""
    async with httpx2.AsyncClient(trust_env=False, timeout=10) as browser:
        return (await browser.get(request.page)).headers["location"]


def issuer_of(url: str) -> str:
    """The authorization server of the scenario, which a user would have been told by whoever runs it."""
    place = httpx2.URL(url).copy_with(path="/.well-known/oauth-protected-resource/mcp")
    return httpx2.get(place, trust_env=False, timeout=10).json()["authorization_servers"][0]


def identity(url: str, scenario: str, context: dict[str, Any]) -> SignIn:
    """Who the client is: as the suite registered it, or else by the document that describes it."""
    name, secret = context.get("client_id", ""), context.get("client_secret")
    if "idp_id_token" in context:
        return SignIn(
            by=Employee(
                name,
                issuer_of(url),
                context["idp_token_endpoint"],
                context["idp_client_id"],
                secret=secret,
                id_token=lambda: context["idp_id_token"],
            )
        )
    if "private_key_pem" in context:
        os.environ["CONFORMANCE_KEY"] = context["private_key_pem"]
        return SignIn(by=Program(name, issuer_of(url), key_env="CONFORMANCE_KEY"))
    if "client-credentials" in scenario:
        return SignIn(by=Program(name, issuer_of(url), secret=secret))
    if name:
        return SignIn(client_id=name, client_secret=secret)
    return SignIn(client_metadata_url="https://conformance-test.local/client-metadata.json")


def arguments(schema: dict[str, Any]) -> dict[str, Any]:
    """Something for every parameter that has to be there."""
    known = schema.get("properties", {})
    return {
        name: GIVEN.get(name, SAMPLES.get(known.get(name, {}).get("type"), "text"))
        for name in schema.get("required", ())
    }


def wanted(made: Connection, context: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The calls that a scenario wants, each of a tool with arguments."""
    if "toolCalls" in context:
        return [(one["name"], one["arguments"]) for one in context["toolCalls"]]
    if "json_schema_echo" in made:  # gives the schema of its neighbour back
        return [("json_schema_echo", {"schema": made["json_schema_2020_12_tool"].parameters})]
    return [(name, arguments(tool.parameters)) for name, tool in made.tools.items()]


def warm_up() -> None:
    """Import what takes long; starts no thread."""
    sdk.prepare()
    schemas.warm_up()


def main(url: str) -> None:
    deck = Deck(policy="auto")
    dated = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "")
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    deck.mcp.handlers = Handlers(on_elicit=accept, on_sign_in=sign_in)
    mode = "legacy" if dated and dated < "2026" else "auto"
    who = identity(url, os.environ.get("MCP_CONFORMANCE_SCENARIO", ""), context)
    made = deck.mcp.connect(url, label="suite", mode=mode, sign_in=who)
    for name, given in wanted(made, context):
        result = deck.call(made[name], given)
        if result.status == "invalid":  # also a null is wanted where the schema takes none
            result = made.session.call(name, given).result(60)
        print(result)
    deck.close()


if __name__ == "__main__":
    main(sys.argv[-1])
