"""Who signs in without a browser: a program as itself, or an employee for whom their company vouches.

Secrets are named rather than written: a variable or a file has them, and they are read when they are needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tooldeck.core.errors import DefinitionError
from tooldeck.mcp.oauth.redirect import SignInFailed, is_here

__all__ = ["Employee", "Program"]

_PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class Program:
    """A program that signs in as itself (the grant `client_credentials`), with a secret or with a key.

    Exactly one of `secret`, `secret_env`, `key_env` and `key_file` is to be given. Raises `DefinitionError`
    for what cannot be.
    """

    client_id: str
    """The name under which the authorization server knows it."""
    issuer: str
    """The address of that authorization server, exactly as it gives it; no other is shown a credential."""
    secret: str | None = field(default=None, repr=False, kw_only=True)
    """The secret itself, for example as `getpass` asked for it."""
    secret_env: str | None = field(default=None, kw_only=True)
    """The environment variable that has the secret."""
    key_env: str | None = field(default=None, kw_only=True)
    """The environment variable that has a private key (PEM), with which the program proves who it is."""
    key_file: str | os.PathLike[str] | None = field(default=None, kw_only=True)
    """The file that has the private key."""

    def __post_init__(self) -> None:
        _check_address("issuer", self.issuer)
        ways = {name: getattr(self, name) for name in ("secret", "secret_env", "key_env", "key_file")}
        _check_one(f"The program {self.client_id!r}", ways)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts with ports that the user named, which need not be public."""
        return (_site(self.issuer),)

    def read_secret(self) -> str | None:
        """Its secret; None where it has a key. Raises `SignInFailed` where that is not to be had."""
        if self.key_env is not None or self.key_file is not None:
            return None
        return self.secret if self.secret is not None else _variable(self.secret_env or "")

    def read_key(self) -> str:
        """Its private key. Raises `SignInFailed` where that is not to be had."""
        if self.key_env is not None:
            return _variable(self.key_env)
        path = Path(self.key_file or "").expanduser()
        try:
            return path.read_text("ascii")
        except (OSError, UnicodeError) as error:
            raise SignInFailed(f"the private key {str(path)!r} cannot be read ({_why(error)})") from None


@dataclass(frozen=True, slots=True)
class Employee:
    """Somebody who signed in to their company: its identity provider vouches for them (RFC 8693, ID-JAG).

    The provider exchanges their ID token for a grant of this one server, and the authorization server of the
    MCP server takes the grant. Exactly one of `secret` and `secret_env` is to be given, and one of `id_token`
    and `id_token_env`. Raises `DefinitionError` for what cannot be.
    """

    client_id: str
    """The name under which the server's authorization server knows this client."""
    issuer: str
    """The address of that authorization server, exactly as it gives it; no other is shown a credential."""
    provider: str
    """The token endpoint of the company's identity provider."""
    provider_client_id: str
    """The name under which that one knows this client."""
    secret: str | None = field(default=None, repr=False, kw_only=True)
    """The client's secret at the authorization server."""
    secret_env: str | None = field(default=None, kw_only=True)
    """The environment variable that has it."""
    provider_secret_env: str | None = field(default=None, kw_only=True)
    """The environment variable with the client's secret at the provider, where that one wants one."""
    id_token: Callable[[], str] | None = field(default=None, repr=False, kw_only=True)
    """Gives the ID token of the person; called for every grant, since ID tokens end soon."""
    id_token_env: str | None = field(default=None, kw_only=True)
    """The environment variable that has it."""
    scope: str | None = field(default=None, kw_only=True)
    """What is asked for, in words with blanks between; None for what the server gives by itself."""

    def __post_init__(self) -> None:
        _check_address("issuer", self.issuer)
        _check_address("provider", self.provider)
        _check_one(f"The client {self.client_id!r}", {"secret": self.secret, "secret_env": self.secret_env})
        tokens = {"id_token": self.id_token, "id_token_env": self.id_token_env}
        _check_one(f"The employee of {self.provider!r}", tokens)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts with ports that the user named, which need not be public."""
        return _site(self.issuer), _site(self.provider)

    def read_secret(self) -> str:
        """The client's secret. Raises `SignInFailed` where that is not to be had."""
        return self.secret if self.secret is not None else _variable(self.secret_env or "")

    def read_provider_secret(self) -> str | None:
        """Its secret at the provider, if that one wants any. Raises `SignInFailed` as above."""
        return None if self.provider_secret_env is None else _variable(self.provider_secret_env)

    def read_id_token(self) -> str:
        """The ID token as it is now. Raises `SignInFailed` where there is none."""
        if self.id_token is None:
            return _variable(self.id_token_env or "")
        try:
            return self.id_token()
        except Exception as error:  # noqa: BLE001 - the user's function; its words may hold the token
            raise SignInFailed(f"id_token() of the sign-in raised {type(error).__name__}") from None


def _variable(name: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise SignInFailed(f"the environment variable {name!r}, which the sign-in names, is not set")
    return value


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__


def _check_one(whose: str, ways: Mapping[str, object]) -> None:
    given = [name for name, value in ways.items() if value is not None and value != ""]
    if len(given) != 1:
        raise DefinitionError(
            f"{whose} needs exactly one of {', '.join(ways)}; got {' and '.join(given) or 'none'}."
        )


def _check_address(name: str, address: str) -> None:
    """Raise `DefinitionError` unless credentials may be sent there: encrypted, or to this machine."""
    try:
        read = urlsplit(address)
        _ = read.port
    except ValueError:
        raise DefinitionError(f"The {name} must be an https address, got {address!r}.") from None
    here = read.scheme == "http" and is_here(read.hostname or "")
    if not read.hostname or read.username is not None or not (read.scheme == "https" or here):
        raise DefinitionError(
            f"The {name} must be an https address without a login, got {_host_of(address)!r}."
        )


def _host_of(address: str) -> str:
    return address.rpartition("@")[2]


def _site(address: str) -> str:
    read = urlsplit(address)
    return f"{read.hostname}:{read.port or _PORTS[read.scheme]}"
