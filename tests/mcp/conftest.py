"""Real servers for the MCP tests, and sessions with them that are closed whatever happens."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tooldeck.core.tool import Tool
from tooldeck.mcp import sdk
from tooldeck.mcp.connections import Connections
from tooldeck.mcp.handlers import Handlers
from tooldeck.mcp.session import Session, State
from tooldeck.registry.json_schema import warm_up

SERVERS = Path(__file__).parent / "servers"
INSTALLED = Path(__file__).parents[2] / ".cache" / "servers"
"""What ``scripts/install_servers.sh`` installs before the tests."""
LIMIT = 40.0


@pytest.fixture(scope="session", autouse=True)
def _mcp_is_imported():
    # Takes seconds on a busy machine; what a test measures should be something else.
    sdk.prepare()
    warm_up()


@pytest.fixture
def raw() -> Callable[..., list[str]]:
    """The command of the hand-written server with these options."""
    return lambda *options: [sys.executable, "-S", str(SERVERS / "raw.py"), *options]


@pytest.fixture(scope="session")
def library() -> list[str]:
    """The command of the server made with the official library."""
    return [sys.executable, str(SERVERS / "sdk.py")]


ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


@pytest.fixture(scope="session", params=ERAS)
def either_era(request, library) -> Iterator[Session]:
    """One session with the library's server for all tests, once in each era of the protocol."""
    session = Session("library", library, mode=request.param)
    session.open().result(LIMIT)
    assert session.protocol == ERAS[request.param]
    yield session
    session.close().result(LIMIT)


@pytest.fixture
def in_either_era(either_era) -> Iterator[Session]:
    """The same, with fresh handlers."""
    either_era.handlers = Handlers()
    yield either_era
    assert either_era.state is State.READY


@pytest.fixture
def connected() -> Iterator[Callable[..., Session]]:
    """Opens sessions; closes them at the end."""
    opened: list[Session] = []

    def connect(target: object, label: str = "server", **settings: Any) -> Session:
        session = Session(label, target, **settings)
        opened.append(session)
        session.open().result(LIMIT)
        return session

    yield connect
    for future in [session.close() for session in opened]:
        future.result(LIMIT)


class DictShelf:
    """The simplest shelf."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}

    def add(self, thing: Tool) -> Tool:
        self.tools[thing.name] = thing
        return thing

    def remove(self, name: str) -> None:
        del self.tools[name]


@pytest.fixture
def shelf() -> DictShelf:
    return DictShelf()


@contextmanager
def served(library: list[str], kind: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The library's server on the loopback interface, ``http`` or ``sse``: its port and its process."""
    with subprocess.Popen([*library, kind], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline()), process
        process.kill()


@pytest.fixture
def serving(library) -> Iterator[Callable[[str], tuple[int, subprocess.Popen[str]]]]:
    """Starts a server of the test's own; see `served`."""
    with ExitStack() as started:
        yield lambda kind: started.enter_context(served(library, kind))


@pytest.fixture(scope="session")
def http_url(library) -> Iterator[str]:
    """The address of one server that all tests share: none of them may end it."""
    with served(library, "http") as (port, _):
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.fixture(scope="session")
def is_alive() -> Callable[[int], bool]:
    """Whether a process is there and no zombie."""

    def probe(pid: int) -> bool:
        try:
            return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    return probe


@pytest.fixture(scope="session")
def npm_server() -> Callable[..., list[str]]:
    """The command of a server from npm, by the last word of its package's name."""

    def command(name: str, *arguments: str) -> list[str]:
        package = INSTALLED / "npm/node_modules/@modelcontextprotocol" / f"server-{name}"
        if not (package / "dist/index.js").exists():
            pytest.skip("make test installs the servers from npm")
        return ["node", str(package / "dist/index.js"), *arguments]

    return command


@pytest.fixture(scope="session")
def everything_wrong() -> list[str]:
    """The command of a server that somebody wrote to show attacks on clients."""
    python = INSTALLED / "python/bin/python"
    if not python.exists():
        pytest.skip("make test installs the hostile server")
    return [str(python), "-m", "mcp_server_everything_wrong"]


@pytest.fixture(scope="session")
def sites():
    """The addresses of the server and of its authorization server."""
    process = subprocess.Popen(
        [sys.executable, str(SERVERS / "oauth.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    server, issuer = process.stdout.readline().split()
    yield f"{server}/mcp", issuer
    process.kill()
    process.wait(10)
    process.stdout.close()


@pytest.fixture(scope="session")
def web():
    with httpx.Client(trust_env=False, timeout=10) as client:
        yield client


@pytest.fixture
def signing(sites, web, shelf):
    """Connections to the server whose person is `signing.person`; `signing.set` makes faults."""
    from tests.mcp.signing import Person

    server, issuer = sites
    made = Connections(shelf)
    made.person = Person(web)
    made.handlers.on_sign_in = lambda request: made.person(request)
    made.url = server
    made.set = lambda **faults: web.get(f"{issuer}/set", params=faults)
    made.seen = lambda: web.get(f"{issuer}/seen").json()
    made.set()
    yield made
    made.close_all()
