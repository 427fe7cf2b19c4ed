"""Prompts of a server: texts with gaps, which a person fills in and hands to a model."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from inspect import Signature
from typing import TYPE_CHECKING, Any, cast

from tooldeck.core.errors import DefinitionError
from tooldeck.guards.text import visible
from tooldeck.mcp.collection import Collection
from tooldeck.mcp.completions import Completions, complete
from tooldeck.mcp.lint import Finding, lint_entry
from tooldeck.mcp.offers import Offer, text_in, words_in
from tooldeck.mcp.prompt_text import PromptText, prompt_text
from tooldeck.registry.json_schema import JsonSchemaParameters, signature_for

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection
    from tooldeck.mcp.session import Session

__all__ = ["PROMPTS", "Prompt", "PromptArgument", "Prompts", "RemotePrompt"]


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """A gap in a prompt; what goes into it is text."""

    name: str
    description: str = ""
    required: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class RemotePrompt:
    """A prompt as its server describes it. All of it is the server's claim."""

    name: str
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()
    title: str = ""
    definition: dict[str, Any] = field(default_factory=dict[str, Any], repr=False)
    """All that the server says of it, unknown members included."""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        listed = {one.name: _string(one) for one in self.arguments}
        needed = [one.name for one in self.arguments if one.required]
        return {"type": "object", "properties": listed, "required": needed, "additionalProperties": False}


def _string(argument: PromptArgument) -> dict[str, Any]:
    more = {"title": argument.title, "description": argument.description}
    return {"type": "string", **{word: told for word, told in more.items() if told}}


def _read(entry: Mapping[str, Any]) -> RemotePrompt:
    given = entry.get("arguments")
    if given is not None and not isinstance(given, list):
        raise ValueError("arguments is no list")
    arguments = tuple(_argument(one) for one in cast("list[Any]", given or []))
    names = [one.name for one in arguments]
    if len(set(names)) < len(names):
        raise ValueError("two of its arguments have the same name")
    return RemotePrompt(
        text_in(entry, "name"),
        words_in(entry, "description"),
        arguments,
        words_in(entry, "title"),
        dict(entry),
    )


def _argument(entry: Any) -> PromptArgument:
    if not isinstance(entry, Mapping):
        raise ValueError("an argument is no object")  # noqa: TRY004 - a fault of the entry, see `Offer`
    told = cast("Mapping[str, Any]", entry)
    return PromptArgument(
        text_in(told, "name"),
        words_in(told, "description"),
        told.get("required") is True,
        words_in(told, "title"),
    )


PROMPTS: Offer[RemotePrompt] = Offer("prompts/list", "prompts", "prompts", _read, lambda one: one.name)


class Prompts(Collection[RemotePrompt, "Prompt"]):
    """The prompts of a server: ``prompts["name"](city="Oslo")`` or ``prompts.get("name", …)``."""

    what = "prompt"

    def __init__(self, made: Connection) -> None:
        super().__init__(made, PROMPTS)

    def _bound(self, entry: RemotePrompt) -> Prompt:
        return Prompt(self, entry)

    def get(self, name: str, arguments: Mapping[str, str] | None = None, /, **more: str) -> PromptText:
        """Fill a prompt in. Raises KeyError for an unknown name, `DefinitionError` for what misfits."""
        return self.block(lambda: self._get(name, {**(arguments or {}), **more}))

    async def aget(self, name: str, arguments: Mapping[str, str] | None = None, /, **more: str) -> PromptText:
        """The same as `get`, to be awaited."""
        return await self.wait(lambda: self._get(name, {**(arguments or {}), **more}))

    async def _get(self, name: str, arguments: Mapping[str, str]) -> PromptText:
        remote = self.found(await self._offered.read(), name)
        return await fill(self._made.session, remote, arguments)


class Prompt:
    """A prompt that knows its server; called with its arguments, it gives the `PromptText`."""

    def __init__(self, owner: Prompts, remote: RemotePrompt) -> None:
        self._owner = owner
        self.remote = remote
        """What the server says of it."""
        self.name = remote.name
        self.__doc__ = remote.description
        self.__signature__: Signature = signature_for(remote.schema)

    @cached_property
    def findings(self) -> list[Finding]:
        """What is suspicious in the words that it is listed with, the gravest first."""
        return lint_entry(self.remote.name, self.remote.definition)

    def __call__(self, **arguments: str) -> PromptText:
        """Fill it in. Raises `DefinitionError` for arguments that misfit."""
        return self._owner.get(self.name, arguments)

    async def acall(self, **arguments: str) -> PromptText:
        """The same as calling it, to be awaited."""
        return await self._owner.aget(self.name, arguments)

    def complete(self, argument: str, text: str = "", **given: str) -> Completions:
        """What the server suggests for an argument that begins with `text`; `given` are the others so far."""
        return self._owner.block(self.completing(argument, text, given))

    async def acomplete(self, argument: str, text: str = "", **given: str) -> Completions:
        """The same as `complete`, to be awaited."""
        return await self._owner.wait(self.completing(argument, text, given))

    def completing(
        self, argument: str, text: str, given: Mapping[str, str]
    ) -> Callable[[], Coroutine[Any, Any, Completions]]:
        """The work of `complete`, for the session's loop."""
        return partial(complete, self._owner.session, ("prompt", self.name), argument, text, given)

    def __repr__(self) -> str:
        return visible(f"<Prompt {self.name!r}{self.__signature__}>")


async def fill(session: Session, remote: RemotePrompt, arguments: Mapping[str, str]) -> PromptText:
    """Have the server fill a prompt in. On the session's own loop."""
    checked = JsonSchemaParameters(remote.schema).check(arguments)
    if checked.problems:
        raise DefinitionError(
            f"The prompt {remote.name!r} of {session.label!r} does not take these arguments: "
            f"{'; '.join(map(str, checked.problems))}"
        )
    given = dict(checked.values)

    async def get(client: Any, _running: Any) -> Any:
        return await client.get_prompt(remote.name, given)

    result = await session.perform(f"the prompt {remote.name!r}", get)
    return prompt_text(session.label, remote.name, result)
