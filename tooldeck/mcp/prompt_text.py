"""A prompt with its gaps filled: messages for a model, shown to the person first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tooldeck.core.messages import Message
from tooldeck.core.parts import Text
from tooldeck.guards.text import escape_html, visible
from tooldeck.mcp.lint import Finding, lint_words
from tooldeck.mcp.results import part_html, part_of

__all__ = ["PromptText", "prompt_text"]


@dataclass(frozen=True, slots=True, repr=False)
class PromptText:
    """Messages for a model, as in ``deck.run("…", messages=got.messages)``.

    They are the server's words, and nothing of them is fenced: look at them before a model reads them.
    """

    server: str
    name: str
    messages: tuple[Message, ...]
    description: str = ""

    @property
    def text(self) -> str:
        """The texts of all messages, one after the other."""
        return "\n".join(message.text for message in self.messages if message.text)

    @property
    def findings(self) -> list[Finding]:
        """What is suspicious in these words, the gravest first; needs no network, and proves nothing."""
        told = [(f"message {number}", one.text) for number, one in enumerate(self.messages, 1)]
        return lint_words(self.name, [("description", self.description), *told])

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)

    def __len__(self) -> int:
        return len(self.messages)

    def __repr__(self) -> str:
        told = [f"{message.role}: {_said(message)}" for message in self.messages]
        notes = [f"note: {one}" for one in self.findings]
        return visible("\n".join([*notes, *told]) or "(no messages)")

    def _repr_html_(self) -> str:
        notes = "".join(f"<div>{escape_html(f'note: {one}')}</div>" for one in self.findings)
        return notes + "".join(
            f"<div><strong>{escape_html(message.role)}</strong>"
            f"{''.join(map(part_html, _parts(message)))}</div>"
            for message in self.messages
        )


def _parts(message: Message) -> list[Any]:
    return [*([Text(message.text)] if message.text else []), *message.parts]


def _said(message: Message) -> str:
    return "\n".join(map(str, _parts(message)))


def prompt_text(server: str, name: str, result: Any) -> PromptText:
    """Translate a ``GetPromptResult``."""
    messages = tuple(_message(one) for one in result.messages)
    return PromptText(server, name, messages, result.description or "")


def _message(told: Any) -> Message:
    part = part_of(told.content)
    return Message(told.role, part.text) if isinstance(part, Text) else Message(told.role, parts=(part,))
