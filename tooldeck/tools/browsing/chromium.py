"""One Chromium with an empty profile, started by Playwright, whose every connection goes through the guard.

It lives on a thread of its own, since Playwright needs a loop that goes on running between calls, and a page
that keeps it busy must not hold up anything else. It goes with this process, however that ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import shutil
import sys
from typing import Any

from tooldeck.core.errors import SetupError, TransientError
from tooldeck.guards.environment import environment
from tooldeck.guards.programs import install_command
from tooldeck.guards.proxy import GuardedProxy
from tooldeck.guards.text import one_line
from tooldeck.guards.urls import UrlGuard
from tooldeck.hosts.background import BackgroundLoop

__all__ = ["SIZE", "Chromium", "browser_loop", "why_no_browser"]

SIZE = {"width": 1280, "height": 800}
"""Of the page, in CSS pixels."""
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
_PROXY_NAME = "guard.invalid"
_FLAGS = (
    # No name and no address but the proxy's can be reached, whatever feature of the browser asks.
    f"--host-resolver-rules=MAP {_PROXY_NAME} 127.0.0.1,MAP * ~NOTFOUND",
    # WebRTC sends UDP past every proxy unless it is told not to; the switch was called otherwise once.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-domain-reliability",
    "--deny-permission-prompts",
    "--disable-gpu",
    "--js-flags=--max-old-space-size=512",
)
_MOST_BYTES = 200_000_000
"""That pages may load between two actions."""
_START_SECONDS = 40.0
_END_SECONDS = 6.0
_ANSWERS = 5.0

_loop = BackgroundLoop("tooldeck-browser")


def browser_loop() -> BackgroundLoop:
    """The loop that all browsers of this process live on."""
    return _loop


def why_no_browser() -> str:
    """Why there can be no browser here, with the command that helps; empty where there can."""
    if importlib.util.find_spec("playwright") is None:
        return "the package playwright is not installed; install it with: pip install 'tooldeck[browser]'"
    if not _program():
        return f"Chromium is not installed; {install_command('chromium')}, or name it in TOOLDECK_CHROMIUM"
    return ""


def _program() -> str:
    """The browser to start; empty where there is none."""
    named = os.environ.get("TOOLDECK_CHROMIUM")
    if named:
        return named
    found = next(filter(None, map(shutil.which, _PROGRAMS)), "")
    return found or (_MAC if sys.platform == "darwin" and os.path.exists(_MAC) else "")  # noqa: PTH110


class Chromium:
    """One browser. Everything here runs on the loop of browsers."""

    def __init__(self, guard: UrlGuard, inner: Any = None) -> None:
        self.proxy = GuardedProxy(guard, _MOST_BYTES, inner)
        self.context: Any = None
        """Playwright's context, once it is started."""
        self.sandboxed = True
        """Whether the browser's own sandbox is in use."""
        self._ready: asyncio.Future[None] | None = None
        self._over = asyncio.Event()
        self._life: asyncio.Task[None] | None = None

    @property
    def over(self) -> bool:
        """Whether it has gone, or is going."""
        return self._over.is_set() or (self._life is not None and self._life.done())

    async def start(self) -> None:
        """Start it; raises `SetupError` where it cannot be."""
        why_not = why_no_browser()
        if why_not:
            raise SetupError(f"There is no browser here: {why_not}.")
        self._ready = asyncio.get_running_loop().create_future()
        # Playwright's own tasks are made by this one, so that they live until it has said goodbye.
        self._life = asyncio.create_task(self._live(self._ready), name="tooldeck-chromium")
        try:
            async with asyncio.timeout(_START_SECONDS):
                await asyncio.shield(self._ready)
        except TimeoutError:
            raise TransientError(f"Chromium was not ready within {_START_SECONDS:g} s.") from None
        finally:
            if not self._ready.done() or self._ready.cancelled():
                self._life.cancel()

    async def lives(self) -> bool:
        """Whether it still answers; where it does not, it is over."""
        try:
            async with asyncio.timeout(_ANSWERS):
                await (await self.context.browser.new_browser_cdp_session()).detach()
        except Exception:  # noqa: BLE001 - its end has many names
            self._over.set()
        return not self.over

    async def end(self) -> None:
        """End it and take its profile away."""
        self._over.set()
        if self._life is not None:
            await asyncio.wait({self._life}, timeout=_END_SECONDS)
            self._life.cancel()

    async def _live(self, ready: asyncio.Future[None]) -> None:
        from playwright.async_api import async_playwright

        await self.proxy.start()
        try:
            async with async_playwright() as playwright:
                browser = await self._launched(playwright)
                try:
                    browser.on("disconnected", lambda _: self._over.set())
                    self.context = await browser.new_context(
                        accept_downloads=False, viewport=SIZE, locale="en-US"
                    )  # fmt: skip
                    ready.set_result(None)
                    await self._over.wait()
                finally:
                    with contextlib.suppress(Exception):  # where its driver has gone, there is nobody to ask
                        async with asyncio.timeout(_END_SECONDS):
                            await browser.close()
        except Exception as error:  # noqa: BLE001 - Playwright raises its own, and plain ones
            if not ready.done():
                ready.set_exception(SetupError(f"Chromium cannot be started: {_reason(error)}"))
        finally:
            self._over.set()
            await self.proxy.close()

    async def _launched(self, playwright: Any) -> Any:
        """The browser with its own sandbox; without it where it cannot have one."""
        from playwright.async_api import Error

        options: dict[str, Any] = {
            "executable_path": _program(),
            "args": list(_FLAGS),
            "env": environment(),
            "proxy": {"server": f"http://{_PROXY_NAME}:{self.proxy.port}"},
            # An interrupt of the cell reaches the whole process group, and the browser is to stay.
            "handle_sigint": False,
        }
        if not (hasattr(os, "geteuid") and os.geteuid() == 0):  # its sandbox refuses to work for root
            try:
                return await playwright.chromium.launch(**options, chromium_sandbox=True)
            except Error as error:
                if "sandbox" not in str(error).lower():
                    raise
        self.sandboxed = False
        return await playwright.chromium.launch(**options, chromium_sandbox=False)


def _reason(error: Exception) -> str:
    """The first line of what Playwright says, which is followed by pages of log."""
    return one_line(str(error).partition("\n")[0])[:300]
