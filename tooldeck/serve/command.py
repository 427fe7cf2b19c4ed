"""``tooldeck serve``: the tools of modules or notebooks for MCP clients, without a notebook that runs."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tooldeck import __version__
from tooldeck.core.errors import DefinitionError, TooldeckError
from tooldeck.mcp import sdk

if TYPE_CHECKING:
    from tooldeck.deck import Deck

__all__ = ["main"]

_EPILOG = """\
Shown are the tools that are declared to read at most; --allow names more. What the deck's policy asks about
is asked on this terminal, or refused where there is none, as with --stdio: say deck.policy.allow(...) in the
target.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and give its exit code."""
    options = _parser().parse_args(arguments)
    try:
        sdk.require()
        return _over_stdio(options) if options.stdio else _over_http(options)
    except TooldeckError as error:
        print(f"tooldeck: {error}", file=sys.stderr)  # noqa: T201 - a command tells its faults there
        return 1
    except KeyboardInterrupt:
        return 130


def _over_stdio(options: argparse.Namespace) -> int:
    from tooldeck.serve.stdio import private_wire, serve_stdio

    with private_wire() as wire:  # before any code of the target runs: it may print
        from tooldeck.serve.loading import load_deck
        from tooldeck.serve.opening import make_server

        deck = load_deck(options.target)
        with _closing(deck):
            asyncio.run(serve_stdio(make_server(deck, **_chosen(options)), wire))
    return 0


def _over_http(options: argparse.Namespace) -> int:
    from tooldeck.serve.loading import load_deck

    token = None if options.token_env is None else _token_in(options.token_env)
    deck = load_deck(options.target)
    with _closing(deck):
        serving = deck.serve(
            port=options.port, host=options.host, force=options.force, token=token, **_chosen(options)
        )
        own = token is None
        for text in (repr(serving), serving.mcp_json(token=own), serving.claude_command(token=own)):
            print(text, flush=True)  # noqa: T201 - what the person needs next
        threading.Event().wait()
    return 0


def _token_in(variable: str) -> str:
    token = os.environ.get(variable)
    if not token:
        raise DefinitionError(
            f"The environment variable {variable!r}, which --token-env names, is not set; put into it what "
            f"clients have to send, as in: export {variable}=$(openssl rand -hex 32). Leave --token-env out, "
            "and a token is made."
        )
    return token


@contextlib.contextmanager
def _closing(deck: Deck) -> Any:
    try:
        yield
    finally:
        deck.close()


def _chosen(options: argparse.Namespace) -> dict[str, Any]:
    found = {"allow": options.allow, "tools": options.tools, "effects": options.effects, "name": options.name}
    return {name: value for name, value in found.items() if value is not None}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("tooldeck", description="Tools for language models.")
    parser.add_argument("--version", action="version", version=f"tooldeck {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser(
        "serve", help="serve tools to MCP clients", description=__doc__, epilog=_EPILOG
    )
    serve.add_argument("target", nargs="+", help="a .py file, a notebook or the name of a module")
    serve.add_argument("--stdio", action="store_true", help="speak over standard input and output")
    serve.add_argument("--allow", type=_listed, help="tools, or tool.action, shown whatever they may do")
    serve.add_argument("--tools", type=_listed, help="names or patterns outside of which nothing is shown")
    serve.add_argument("--effects", type=_listed, help="effects that are shown without being named: read")
    serve.add_argument("--name", help="how the server introduces itself: tooldeck")
    serve.add_argument("--port", type=int, default=0, help="0, a free one, unless told otherwise")
    serve.add_argument("--host", default="127.0.0.1", help="the address to listen on: 127.0.0.1")
    serve.add_argument("--force", action="store_true", help="listen on another address than this machine's")
    serve.add_argument("--token-env", metavar="NAME", help="the environment variable that has the token")
    return parser


def _listed(text: str) -> list[str]:
    return [word for word in text.split(",") if word.strip()]
