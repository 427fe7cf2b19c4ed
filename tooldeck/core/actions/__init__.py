"""Textual actions: calls of tools as models write them into their replies, read safely and only read."""

from tooldeck.core.actions.reading import parse_action, read_reply
from tooldeck.core.actions.records import Action, ActionCode, ActionLimits, Refusal, Reply
from tooldeck.core.actions.writing import format_action

__all__ = [
    "Action",
    "ActionCode",
    "ActionLimits",
    "Refusal",
    "Reply",
    "format_action",
    "parse_action",
    "read_reply",
]
