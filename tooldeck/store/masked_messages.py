"""Messages of conversations as they may be written down: with the secrets in them blacked out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tooldeck.core.messages import Message
from tooldeck.store.masking import scrub

__all__ = ["without_secrets"]


def without_secrets(message: Message) -> Message:
    """The message as it may be written down; its provider's own form goes where it has secrets."""
    native = message.native
    if native is not None and _scrubbed(native.content) != native.content:
        native = None
    return replace(
        message,
        text=scrub(message.text),
        requests=tuple(replace(one, arguments=_scrubbed(one.arguments)) for one in message.requests),
        answers=tuple(replace(one, text=scrub(one.text)) for one in message.answers),
        native=native,
    )


def _scrubbed(value: Any) -> Any:
    """The value with the secrets in its texts blacked out."""
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, dict):
        return {key: _scrubbed(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_scrubbed(item) for item in value]
    return value
