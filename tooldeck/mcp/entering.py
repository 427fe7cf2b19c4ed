"""Signing in to a server anew, and signing out."""

from __future__ import annotations

from tooldeck.core.errors import DefinitionError
from tooldeck.hosts.blocking import step
from tooldeck.mcp.connecting import Connecting
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.target import Url
from tooldeck.mcp.waiting import refuse_to_block
from tooldeck.mcp.ways import Way

__all__ = ["Entering"]


class Entering(Connecting):
    """The methods of `Connections` for servers that want to know who asks."""

    def login(self, label: str) -> Connection:
        """Forget who was signed in to a server and connect again, which asks to sign in.

        Raises `DefinitionError` for a server that is not reached by a URL, `McpConnectError` where nobody
        signed in.
        """
        made, _ = self._entered(label)
        refuse_to_block(made)
        return step(self._login(made, self._blocking))

    async def alogin(self, label: str) -> Connection:
        """The same as `login`, to be awaited."""
        made, _ = self._entered(label)
        return await self._login(made, self._awaited)

    def logout(self, label: str) -> bool:
        """Sign out of a server and close its connection; says whether the server took back its tokens.

        Here they are forgotten in any case, in the keyring as well.
        """
        made, url = self._entered(label)
        refuse_to_block(made)
        return step(self._logout(made, url, self._blocking))

    async def alogout(self, label: str) -> bool:
        """The same as `logout`, to be awaited."""
        made, url = self._entered(label)
        return await self._logout(made, url, self._awaited)

    def _entered(self, label: str) -> tuple[Connection, str]:
        made = self[label]
        if not isinstance(made.session.target, Url):
            raise DefinitionError(f"{label!r} is not reached by a URL, so nobody signs in to it.")
        return made, made.session.target.url

    async def _login(self, made: Connection, way: Way) -> Connection:
        _, url = self._entered(made.label)
        await way.wait(made.session.executor.submit(made.session.sign_in.forget, url))
        return await self._reconnect(made, way)

    async def _logout(self, made: Connection, url: str, way: Way) -> bool:
        await way.wait(self._leave(made))

        async def leave() -> bool:
            from tooldeck.mcp.oauth.revoking import revoke

            try:
                return await revoke(url, made.session.sign_in)
            finally:
                await made.session.sign_in.forget(url)

        return await way.wait(made.session.executor.submit(leave))
