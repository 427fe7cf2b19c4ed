"""What is kept of a sign-in: tokens, the registration of this client, and where to renew them."""

from __future__ import annotations

import asyncio
from typing import Any

from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import BaseModel, ValidationError

from tooldeck.core.errors import SetupError

__all__ = ["Kept", "Ring"]

_SERVICE = "tooldeck"


class Kept(BaseModel):
    """What one server's sign-in left. Never shown, never logged."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None
    ends_at: float | None = None
    """When the access token ends, in seconds of the wall clock."""
    metadata: OAuthMetadata | None = None
    resource: ProtectedResourceMetadata | None = None
    port: int = 0
    """The port at which the browser ends, which belongs to the registration."""

    def __repr__(self) -> str:
        return f"<Kept: {'signed in' if self.tokens is not None else 'not signed in'}>"

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must appear nowhere."""
        found = [self.client.client_secret] if self.client is not None else []
        if self.tokens is not None:
            found += [self.tokens.access_token, self.tokens.refresh_token]
        return tuple(one for one in found if one)


class Ring:
    """The keyring of this machine, one entry a server."""

    def __init__(self) -> None:
        try:
            import keyring
        except ImportError:
            raise SetupError(
                "Keeping tokens in the keyring needs a package: pip install 'tooldeck[keyring]'"
            ) from None
        self._keyring: Any = keyring

    async def load(self, key: str) -> Kept | None:
        """What is kept under `key`; None for nothing, and for what cannot be read any more."""
        text = await self._do(self._keyring.get_password, _SERVICE, key)
        try:
            return None if text is None else Kept.model_validate_json(text)
        except ValidationError:
            return None

    async def save(self, key: str, kept: Kept) -> None:
        """Keep it."""
        await self._do(self._keyring.set_password, _SERVICE, key, kept.model_dump_json())

    async def forget(self, key: str) -> None:
        """Keep it no longer."""
        if await self._do(self._keyring.get_password, _SERVICE, key) is not None:
            await self._do(self._keyring.delete_password, _SERVICE, key)

    async def _do(self, function: Any, *args: str) -> Any:
        try:
            return await asyncio.to_thread(function, *args)
        except Exception as error:  # noqa: BLE001 - each system's keyring has errors of its own
            raise SetupError(
                f"The keyring of this machine cannot be used ({type(error).__name__}: {error}); leave out "
                "keep=True, and tokens stay in memory."
            ) from None
