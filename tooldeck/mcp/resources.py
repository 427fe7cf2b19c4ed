"""Resources of a server: what can be read under an address, and templates of addresses."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from inspect import Signature
from typing import TYPE_CHECKING, Any

from tooldeck.guards.text import visible
from tooldeck.mcp.addresses import expand, schema_of
from tooldeck.mcp.collection import Collection
from tooldeck.mcp.completions import Completions, complete
from tooldeck.mcp.contents import ResourceValue, contents_of
from tooldeck.mcp.lint import Finding, lint_entry
from tooldeck.mcp.offers import Offer, text_in, words_in
from tooldeck.mcp.subscriptions import Subscription, subscribe
from tooldeck.registry.json_schema import signature_for

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection
    from tooldeck.mcp.session import Session

__all__ = [
    "RESOURCES",
    "TEMPLATES",
    "RemoteResource",
    "RemoteTemplate",
    "Resource",
    "Resources",
    "Template",
    "Templates",
]


@dataclass(frozen=True, slots=True)
class RemoteResource:
    """A resource as its server describes it. All of it is the server's claim."""

    uri: str
    name: str
    description: str = ""
    mime: str = ""
    size: int | None = None
    """Its bytes; None where the server does not say."""
    title: str = ""
    definition: dict[str, Any] = field(default_factory=dict[str, Any], repr=False)
    """All that the server says of it, unknown members included."""


@dataclass(frozen=True, slots=True)
class RemoteTemplate:
    """A template of addresses (RFC 6570) as its server describes it."""

    template: str
    name: str
    variables: tuple[str, ...] = ()
    description: str = ""
    mime: str = ""
    title: str = ""
    definition: dict[str, Any] = field(default_factory=dict[str, Any], repr=False)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its variables."""
        return schema_of(self.template, self.variables)


def _resource(entry: Mapping[str, Any]) -> RemoteResource:
    size = entry.get("size")
    return RemoteResource(
        text_in(entry, "uri"),
        text_in(entry, "name"),
        words_in(entry, "description"),
        words_in(entry, "mimeType"),
        size if isinstance(size, int) and not isinstance(size, bool) else None,
        words_in(entry, "title"),
        dict(entry),
    )


def _template(entry: Mapping[str, Any]) -> RemoteTemplate:
    from mcp import UriTemplate

    written = text_in(entry, "uriTemplate")
    return RemoteTemplate(
        written,
        text_in(entry, "name"),
        tuple(UriTemplate.parse(written).variable_names),
        words_in(entry, "description"),
        words_in(entry, "mimeType"),
        words_in(entry, "title"),
        dict(entry),
    )


RESOURCES: Offer[RemoteResource] = Offer(
    "resources/list", "resources", "resources", _resource, lambda one: one.uri
)
TEMPLATES: Offer[RemoteTemplate] = Offer(
    "resources/templates/list", "resourceTemplates", "resources", _template, lambda one: one.name
)


class Resources(Collection[RemoteResource, "Resource"]):
    """The resources of a server by their addresses: ``resources.read("demo://notes")``."""

    what = "resource"

    def __init__(self, made: Connection) -> None:
        super().__init__(made, RESOURCES)
        self.templates = Templates(made)
        """Its templates of addresses, by name."""

    def _bound(self, entry: RemoteResource) -> Resource:
        return Resource(self, entry)

    def read(self, uri: str) -> ResourceValue:
        """What is under an address, listed or not."""
        return self.block(partial(read, self.session, uri))

    async def aread(self, uri: str) -> ResourceValue:
        """The same as `read`, to be awaited."""
        return await self.wait(partial(read, self.session, uri))

    def subscribe(self, uri: str, told: Callable[[str], object] | None = None) -> Subscription:
        """Hear of every change of what is under an address, until the subscription is closed.

        `told` is called with the address that changed, on the session's thread; a notebook says it in the
        cell besides.
        """
        return self.block(partial(subscribe, self._made, uri, told))

    async def asubscribe(self, uri: str, told: Callable[[str], object] | None = None) -> Subscription:
        """The same as `subscribe`, to be awaited."""
        return await self.wait(partial(subscribe, self._made, uri, told))


class Resource:
    """A resource that knows its server."""

    def __init__(self, owner: Resources, remote: RemoteResource) -> None:
        self._owner = owner
        self.remote = remote
        """What the server says of it."""
        self.uri, self.name = remote.uri, remote.name

    @cached_property
    def findings(self) -> list[Finding]:
        """What is suspicious in the words that it is listed with, the gravest first."""
        return lint_entry(self.remote.uri, self.remote.definition)

    def read(self) -> ResourceValue:
        """What is in it now."""
        return self._owner.read(self.uri)

    async def aread(self) -> ResourceValue:
        """The same as `read`, to be awaited."""
        return await self._owner.aread(self.uri)

    def subscribe(self, told: Callable[[str], object] | None = None) -> Subscription:
        """Hear of its changes; see `Resources.subscribe`."""
        return self._owner.subscribe(self.uri, told)

    def __repr__(self) -> str:
        return visible(f"<Resource {self.name!r}: {self.uri}>")


class Templates(Collection[RemoteTemplate, "Template"]):
    """The templates of addresses of a server, by name."""

    what = "template"

    def __init__(self, made: Connection) -> None:
        super().__init__(made, TEMPLATES)

    def _bound(self, entry: RemoteTemplate) -> Template:
        return Template(self, entry)


class Template:
    """A template that knows its server; called with its variables, it gives what is under the address."""

    def __init__(self, owner: Templates, remote: RemoteTemplate) -> None:
        self._owner = owner
        self.remote = remote
        """What the server says of it."""
        self.name = remote.name
        self.__doc__ = remote.description
        self.__signature__: Signature = signature_for(remote.schema)

    @cached_property
    def findings(self) -> list[Finding]:
        """What is suspicious in the words that it is listed with, the gravest first."""
        return lint_entry(self.remote.template, self.remote.definition)

    def expand(self, **variables: str) -> str:
        """The address with these variables. Raises `DefinitionError` for others than it has."""
        return expand(self.remote.template, self.remote.schema, variables)

    def __call__(self, **variables: str) -> ResourceValue:
        """What is under that address."""
        return self._owner.block(partial(read, self._owner.session, self.expand(**variables)))

    async def acall(self, **variables: str) -> ResourceValue:
        """The same as calling it, to be awaited."""
        return await self._owner.wait(partial(read, self._owner.session, self.expand(**variables)))

    def complete(self, variable: str, text: str = "", **given: str) -> Completions:
        """What the server suggests for a variable that begins with `text`; `given` are the others so far."""
        return self._owner.block(self.completing(variable, text, given))

    async def acomplete(self, variable: str, text: str = "", **given: str) -> Completions:
        """The same as `complete`, to be awaited."""
        return await self._owner.wait(self.completing(variable, text, given))

    def completing(
        self, variable: str, text: str, given: Mapping[str, str]
    ) -> Callable[[], Coroutine[Any, Any, Completions]]:
        """The work of `complete`, for the session's loop."""
        of = ("template", self.remote.template)
        return partial(complete, self._owner.session, of, variable, text, given)

    def __repr__(self) -> str:
        return visible(f"<Template {self.name!r}: {self.remote.template}>")


async def read(session: Session, uri: str) -> ResourceValue:
    """Read what is under an address. On the session's own loop."""

    async def get(client: Any, _running: Any) -> Any:
        return await client.read_resource(uri)

    return contents_of(uri, (await session.perform(f"the resource {uri!r}", get)).contents)
