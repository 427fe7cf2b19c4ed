"""What servers offer beside tools, on the screen: tables of prompts and resources, forms for their gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tooldeck.core.messages import Message
from tooldeck.core.parts import Image
from tooldeck.guards.text import json_text, one_line, visible
from tooldeck.mcp.contents import ResourceValue
from tooldeck.mcp.prompt_text import PromptText
from tooldeck.mcp.results import McpValue
from tooldeck.notebook import facts
from tooldeck.notebook.listing import Table, without_empty
from tooldeck.notebook.pieces import box, shown

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection
    from tooldeck.mcp.prompts import Prompt
    from tooldeck.mcp.resources import Resource, Template
    from tooldeck.notebook.widgets.fill import FillCard

__all__ = ["PromptTable", "ResourceTable", "prompt_card", "template_card"]


class _OfferTable(Table):
    """A table of what servers offer, with what is suspicious in the words of it underneath."""

    servers: Sequence[Connection]

    def entries(self) -> list[Prompt | Resource | Template]:
        """What is listed."""
        raise NotImplementedError

    def _notes(self) -> list[str]:
        return [one_line(f"note: {found}") for entry in self.entries() for found in entry.findings]

    def __repr__(self) -> str:
        return "\n".join([Table.__repr__(self), *self._notes()])

    def _repr_html_(self) -> str:
        return Table._repr_html_(self) + "".join(f"<div>{shown(note)}</div>" for note in self._notes())


@dataclass(frozen=True, slots=True, repr=False)
class PromptTable(_OfferTable):
    """What ``%mcp prompts`` shows."""

    servers: Sequence[Connection]
    empty = "The connected servers have no prompts."

    def entries(self) -> list[Prompt | Resource | Template]:
        """The prompts."""
        return [prompt for made in self.servers for prompt in made.prompts.values()]

    def rows(self) -> list[tuple[str, ...]]:
        """One row a prompt, and one for each that cannot be used."""
        found = [("server", "prompt", "arguments", "lint", "description")]
        for made in self.servers:
            for prompt in made.prompts.values():
                told = prompt.remote
                gaps = ", ".join(f"{one.name}{' *' if one.required else ''}" for one in told.arguments)
                found.append((made.label, told.name, gaps, _marks(prompt), told.description))
            found += [
                (made.label, bad.name, "", "", f"cannot be used: {bad.reason}")
                for bad in made.prompts.malformed
            ]
        return without_empty(found, "lint")


@dataclass(frozen=True, slots=True, repr=False)
class ResourceTable(_OfferTable):
    """What ``%mcp resources`` shows: resources, then templates of addresses."""

    servers: Sequence[Connection]
    empty = "The connected servers have no resources."

    def entries(self) -> list[Prompt | Resource | Template]:
        """The resources and templates."""
        found: list[Prompt | Resource | Template] = []
        for made in self.servers:
            found += [*made.resources.values(), *made.resources.templates.values()]
        return found

    def rows(self) -> list[tuple[str, ...]]:
        """One row a resource or template, and one for each that cannot be used."""
        found = [("server", "address", "name", "type", "size", "lint", "description")]
        for made in self.servers:
            offered = made.resources
            for one in offered.values():
                told = one.remote
                size = "" if told.size is None else str(told.size)
                found.append(
                    (made.label, told.uri, told.name, told.mime, size, _marks(one), told.description)
                )
            for template in offered.templates.values():
                told = template.remote
                found.append(
                    (made.label, told.template, told.name, told.mime, "", _marks(template), told.description)
                )
            found += [
                (made.label, "", bad.name, "", "", "", f"cannot be used: {bad.reason}")
                for bad in (*offered.malformed, *offered.templates.malformed)
            ]
        return without_empty(found, "lint")


def _marks(entry: Prompt | Resource | Template) -> str:
    return ", ".join(facts.marks(entry.findings))


def prompt_card(made: Connection, prompt: Prompt) -> FillCard:
    """A form for the arguments of a prompt."""
    return _card(made, prompt, f"prompts[{prompt.name!r}]", "prompt")


def template_card(made: Connection, template: Template) -> FillCard:
    """A form for the variables of a template."""
    return _card(made, template, f"resources.templates[{template.name!r}]", template.remote.template)


def _card(made: Connection, thing: Prompt | Template, place: str, kind: str) -> FillCard:
    from tooldeck.notebook.widgets.fill import FillCard

    told = thing.remote
    way = f"deck.mcp[{made.label!r}].{place}"

    def get(values: dict[str, Any]) -> Any:
        return thing(**values)

    def write(values: Mapping[str, Any]) -> str:
        return visible(f"{way}({_arguments(values)})")

    def suggest(argument: str, text: str) -> Future[Any]:
        others = {key: value for key, value in card.form.value.items() if isinstance(value, str)}
        return made.session.executor.submit(thing.completing(argument, text, others))

    card: FillCard = FillCard(
        told.title or told.name,
        told.schema,
        get,
        description=told.description,
        badges=[f"MCP server {made.label}", kind, "untrusted"],
        findings=thing.findings,
        suggest=suggest if made.session.completes else None,
        write=write,
        draw=_drawn,
    )
    return card


def _arguments(values: Mapping[str, Any]) -> str:
    if all(key.isidentifier() for key in values):
        return ", ".join(f"{key}={value!r}" for key, value in values.items())
    return f"**{json_text(dict(values), indent=None)}"


def _drawn(value: Any) -> str:
    """What came, as HTML, after what is suspicious in its words."""
    found = value.findings if isinstance(value, PromptText | ResourceValue) else []
    return "".join(f"<div>{shown(visible(f'note: {one}'))}</div>" for one in found) + _content(value)


def _content(value: Any) -> str:
    if isinstance(value, PromptText):
        return "".join(map(_message, value.messages))
    return _parts(value.parts) if isinstance(value, McpValue) else box(str(value))


def _message(message: Message) -> str:
    text = box(message.text) if message.text else ""
    return f"<div><strong>{shown(message.role)}</strong>{text}{_parts(message.parts)}</div>"


def _parts(parts: Sequence[Any]) -> str:
    found: list[str] = []
    for part in parts:
        pictures = part.mimebundle() if isinstance(part, Image) else {}
        found += [
            f'<img alt="{mime}" style="max-width:100%" src="data:{mime};base64,{data}">'
            for mime, data in pictures.items()
        ] or [box(str(part))]
    return "".join(found)
