"""How to sign in to a server, and who is signed in: what a connection over HTTP is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tooldeck.core.errors import DefinitionError
from tooldeck.mcp.oauth.unattended import Employee, Program

if TYPE_CHECKING:
    from tooldeck.mcp.oauth.keeping import Kept

__all__ = ["Employee", "Program", "SignIn"]


@dataclass(slots=True, kw_only=True)
class SignIn:
    """The user's settings for signing in by OAuth, and the tokens, in memory.

    Nothing needs to be set where the authorization server registers clients by itself. Raises
    `DefinitionError` for settings that cannot be.
    """

    by: Program | Employee | None = None
    """Who signs in without a browser; None for a person with one. What follows but `allow` is for persons."""
    client_id: str | None = None
    """The identity of a client that was registered beforehand."""
    client_secret: str | None = field(default=None, repr=False)
    """Its secret, where it has one."""
    client_metadata_url: str | None = None
    """An https address that describes this client and is its identity, for servers that take those."""
    port: int = 0
    """The port of 127.0.0.1 at which the browser ends; 0 for one that is free."""
    seconds: float = 300.0
    """How long it is waited for the person."""
    keep: bool = False
    """Whether tokens are kept in the keyring of this machine; else they are gone with this process."""
    allow: Sequence[str] = ()
    """Hosts with ports, such as ``sso.example.org:443``, that may be reached although they are not public."""
    _kept: dict[str, Kept] = field(default_factory=dict, repr=False, init=False)

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise DefinitionError(f"seconds must be more than 0, got {self.seconds!r}.")
        if not 0 <= self.port < 65536:
            raise DefinitionError(f"port must be 0 to 65535, got {self.port!r}.")
        if self.client_secret is not None and self.client_id is None:
            raise DefinitionError("client_secret needs the client_id that it belongs to.")
        if self.by is not None and (self.client_id or self.client_metadata_url or self.keep):
            raise DefinitionError(
                "Whom `by` names signs in without a browser: client_id belongs into it, and nothing is kept."
            )
        url = self.client_metadata_url
        if url is not None and (not url.startswith("https://") or url.count("/") < 3 or url.endswith("/")):
            raise DefinitionError(f"client_metadata_url must be an https address with a path, got {url!r}.")

    @property
    def allowed(self) -> tuple[str, ...]:
        """The hosts with ports that the user named."""
        return (*self.allow, *(self.by.hosts if self.by is not None else ()))

    async def kept(self, url: str) -> Kept:
        """What is kept for the server at `url`; made when there is nothing yet."""
        from tooldeck.mcp.oauth.keeping import Kept, Ring

        if url not in self._kept:
            self._kept[url] = (await Ring().load(url) if self.keep else None) or Kept()
        return self._kept[url]

    async def save(self, url: str) -> None:
        """Keep it in the keyring, where the user wants that."""
        if self.keep:
            from tooldeck.mcp.oauth.keeping import Ring

            await Ring().save(url, self._kept[url])

    async def forget(self, url: str) -> None:
        """Keep nothing for the server at `url` any more."""
        self._kept.pop(url, None)
        if self.keep:
            from tooldeck.mcp.oauth.keeping import Ring

            await Ring().forget(url)
