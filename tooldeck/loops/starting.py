"""From what a caller gives to a loop that is ready to go; all of it is checked before a model is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tooldeck.core.call import Run
from tooldeck.core.errors import DefinitionError
from tooldeck.core.messages import Message
from tooldeck.core.strangers import to_repr
from tooldeck.loops.asking import check_model
from tooldeck.loops.limits import RunLimits
from tooldeck.loops.loop import Doors, Loop
from tooldeck.loops.manners import Manner, Native
from tooldeck.loops.text_actions import TextActions, TextManner

__all__ = ["start"]


def start(
    doors: Doors,
    *,
    prompt: Any,
    model: Any,
    system: Any,
    messages: Iterable[Any],
    actions: Any,
    limits: Any,
    run: Run | None,
    on_text: Callable[[str], object] | None,
) -> Loop:
    """The run that the arguments describe; raises `DefinitionError` for what cannot be meant."""
    manner = _manner(actions)
    if limits is not None and not isinstance(limits, RunLimits):
        raise DefinitionError(f"limits must be RunLimits, as in RunLimits(rounds=8), got {to_repr(limits)}.")
    if not isinstance(system, str):
        raise DefinitionError(f"system must be text, got {type(system).__name__}.")
    earlier = [_message(one, "messages") for one in messages]
    if system:
        earlier = [Message("system", system), *(one for one in earlier if one.role != "system")]
    current = Run(loop_guard=manner.loop_guard) if run is None else run
    doors.saw(current)
    return Loop(
        doors,
        check_model(model),
        manner,
        run=current,
        limits=limits or manner.limits,
        messages=earlier,
        prompt=_prompt(prompt),
        on_text=on_text,
    )


def _manner(actions: Any) -> Manner:
    if isinstance(actions, TextActions):
        return TextManner(actions)
    if actions == "text":
        return TextManner(TextActions())
    if actions == "native":
        return Native()
    raise DefinitionError(f"actions must be 'native', 'text' or TextActions, got {to_repr(actions)}.")


def _prompt(given: Any) -> Message:
    message = Message("user", given) if isinstance(given, str) else _message(given, "prompt")
    if message.role != "user" or not (message.text.strip() or message.parts):
        raise DefinitionError("A run needs a prompt: words for the model, or a Message of the user.")
    return message


def _message(given: Any, what: str) -> Message:
    if isinstance(given, Message):
        return given
    raise DefinitionError(f"{what} must be of Message, got {to_repr(given)[:100]}.")
