"""What a model is to a deck: a function of a conversation and tools. How one is asked is the loops' part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from tooldeck.core.errors import DefinitionError
from tooldeck.core.messages import Message
from tooldeck.core.strangers import to_repr
from tooldeck.core.tool import Tool

__all__ = ["Model", "check_model", "name_of"]


class Model(Protocol):
    """A model is a function of the conversation and the tools that it may call.

    It returns a `ModelReply`, or its text; or an awaitable of one; or it is a generator, async or not, that
    gives pieces of the text as they come and the `ModelReply` last (without one, the pieces are the reply). A
    model may have a ``name``, a ``provider`` and a ``base_url``, by which traces know it, and an ``executor``
    that says where its awaitables run.
    """

    def __call__(self, messages: Sequence[Message], tools: Sequence[Tool], /) -> Any:
        """Answer the conversation."""
        ...


def name_of(model: Any) -> str:
    """What a model is called, for approvals and logs."""
    name = getattr(model, "name", None) or getattr(model, "__name__", None)
    return name if isinstance(name, str) else type(model).__name__


def check_model(model: Any) -> Model:
    """`model`, if it can be asked; else `DefinitionError`."""
    if callable(model) and not isinstance(model, type):
        return model
    raise DefinitionError(
        f"model must be a function of messages and tools, or one that tooldeck.loops makes, such as "
        f"openai_chat('gpt-5'), got {to_repr(model)[:100]}."
    )
