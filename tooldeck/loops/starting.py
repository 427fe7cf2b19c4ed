"""From what a caller gives to a loop that is ready to go; all of it is checked before a model is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tooldeck.core.call import current_call
from tooldeck.core.caller import current_caller
from tooldeck.core.cancel import CancelToken, token_of
from tooldeck.core.errors import DefinitionError, ModelError, SetupError
from tooldeck.core.messages import Message, ModelReply
from tooldeck.core.model import Model, check_model
from tooldeck.core.run import Run
from tooldeck.core.strangers import to_repr
from tooldeck.core.tool import Tool
from tooldeck.loops.asking import ask
from tooldeck.loops.limits import RunLimits
from tooldeck.loops.loop import Doors, Loop, estimated
from tooldeck.loops.manners import Manner, Native
from tooldeck.loops.observations import observed
from tooldeck.loops.resuming import resumed
from tooldeck.loops.text_actions import TextActions, TextManner

__all__ = ["complete", "restart", "start"]


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
    _check_limits(limits)
    if not isinstance(system, str):
        raise DefinitionError(f"system must be text, got {type(system).__name__}.")
    earlier = [_message(one, "messages") for one in messages]
    manner = _manner(actions, earlier)
    if system:
        earlier = [Message("system", system), *(one for one in earlier if one.role != "system")]
    current = Run(loop_guard=manner.loop_guard) if run is None else run
    doors.saw(current)
    return Loop(
        doors,
        _model(doors, model),
        manner,
        run=current,
        limits=limits or manner.limits,
        messages=earlier,
        prompt=_prompt(prompt),
        on_text=on_text,
    )


def restart(
    doors: Doors,
    id: str | None,
    *,
    prompt: Any,
    model: Any,
    limits: Any,
    run: Run | None,
    on_text: Callable[[str], object] | None,
) -> Loop:
    """A run that was kept, going on; raises as `deck.resume` says."""
    kept = resumed(doors.store, id)
    _check_limits(limits)
    last = kept.messages[-1] if kept.messages else None
    if prompt is None and (last is None or last.role == "assistant"):
        raise DefinitionError("That run has its answer; say what comes next with prompt=….")
    manner = _manner(kept.actions, kept.messages)
    current = Run(kept.name, loop_guard=manner.loop_guard) if run is None else run
    current.session_id = kept.id
    current.take(kept.standing)
    doors.saw(current)
    return Loop(
        doors,
        _model(doors, model),
        manner,
        run=current,
        limits=limits or kept.limits,
        messages=kept.messages,
        prompt=None if prompt is None else _prompt(prompt),
        spend=kept.spend,
        on_text=on_text,
    )


async def complete(
    doors: Doors,
    messages: Sequence[Any],
    tools: Sequence[Tool],
    model: Any,
    seconds: float | None,
) -> ModelReply:
    """One reply; given up when the call or the run is that asks for it, whose budget it counts against.

    Raises `ModelError` where that budget is used up.
    """
    asked = _model(doors, model)
    conversation = [_message(one, "messages") for one in messages]
    token, outer, run = CancelToken(), current_call(), current_caller().run
    account = None if run is None else run.account
    over = None if account is None else account.overdrawn()
    if over is not None:
        raise ModelError(f"No model was asked, since {over} that asks.")
    if outer is not None:
        token.follow(token_of(outer))
    if run is not None:
        token.follow(run.token)
    reply = await ask(
        asked, conversation, tools, host=doors.host, token=token, tell=_nobody_listens,
        most_chars=RunLimits().reply_chars, seconds=seconds,
    )  # fmt: skip
    if account is not None:
        account.charge_aside(reply.usage or estimated(conversation, tools, reply))
    return reply


def _nobody_listens(_text: str, _afresh: bool, /) -> None:  # noqa: FBT001 - its kind is given them so
    """For replies that are only wanted whole."""


def _model(doors: Doors, given: Any) -> Model:
    if given is not None:
        return check_model(given)
    if doors.model is None:
        raise SetupError(
            "There is no model: give model=…, or set deck.model, to what tooldeck.loops makes, such as "
            "openai_chat('gpt-5')."
        )
    return doors.model


def _check_limits(limits: Any) -> None:
    if limits is not None and not isinstance(limits, RunLimits):
        raise DefinitionError(f"limits must be RunLimits, as in RunLimits(rounds=8), got {to_repr(limits)}.")


def _manner(actions: Any, earlier: Sequence[Message]) -> Manner:
    if isinstance(actions, TextActions):
        return TextManner(actions, observed(earlier))
    if actions == "text":
        return TextManner(TextActions(), observed(earlier))
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
