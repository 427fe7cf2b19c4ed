"""Build, see, test and guard the tools that language models call, inside a notebook.

``%load_ext tooldeck`` in a notebook; ``Deck`` and ``tool`` in plain Python. Names are loaded when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tooldeck.core.action_tool import ActionTool
    from tooldeck.core.actions import (
        Action,
        ActionCode,
        ActionLimits,
        Refusal,
        Reply,
        format_action,
        parse_action,
        read_reply,
    )
    from tooldeck.core.approval import ApprovalRequest, Decision, Scope
    from tooldeck.core.call import ToolCall
    from tooldeck.core.caller import calling
    from tooldeck.core.cancel import CancelToken
    from tooldeck.core.define import BaseTool, tool
    from tooldeck.core.errors import (
        ActionError,
        CallError,
        Cancelled,
        DefinitionError,
        ExpectedError,
        SetupError,
        TooldeckError,
        TransientError,
    )
    from tooldeck.core.hooks import Ask, Block, Rewrite
    from tooldeck.core.injection import Injected, ToolContext
    from tooldeck.core.messages import Message, ModelReply, ToolRequest
    from tooldeck.core.parts import Answer, Audio, File, Image, Link, Resource, Table, Text
    from tooldeck.core.progress import Progress
    from tooldeck.core.rate import RateSettings
    from tooldeck.core.result import ToolResult
    from tooldeck.core.run import Run
    from tooldeck.core.run_result import RunResult
    from tooldeck.core.settings import BreakerSettings, LoopSettings, RetrySettings
    from tooldeck.core.tool import Origin, Tool
    from tooldeck.core.vocabulary import Effect, Risk, Source, Status, Trust
    from tooldeck.deck import Deck
    from tooldeck.policy import Policy, Rule
    from tooldeck.search.settings import ToolSearch

_HOMES = {
    "core.actions": (
        "Action",
        "ActionCode",
        "ActionLimits",
        "Refusal",
        "Reply",
        "format_action",
        "parse_action",
        "read_reply",
    ),
    "core.action_tool": ("ActionTool",),
    "core.approval": ("ApprovalRequest", "Decision", "Scope"),
    "core.call": ("ToolCall",),
    "core.caller": ("calling",),
    "core.cancel": ("CancelToken",),
    "core.define": ("BaseTool", "tool"),
    "core.errors": (
        "ActionError",
        "CallError",
        "Cancelled",
        "DefinitionError",
        "ExpectedError",
        "SetupError",
        "TooldeckError",
        "TransientError",
    ),
    "core.hooks": ("Ask", "Block", "Rewrite"),
    "core.injection": ("Injected", "ToolContext"),
    "core.messages": ("Message", "ModelReply", "ToolRequest"),
    "core.parts": ("Answer", "Audio", "File", "Image", "Link", "Resource", "Table", "Text"),
    "core.progress": ("Progress",),
    "core.rate": ("RateSettings",),
    "core.result": ("ToolResult",),
    "core.run": ("Run",),
    "core.run_result": ("RunResult",),
    "core.settings": ("BreakerSettings", "LoopSettings", "RetrySettings"),
    "core.tool": ("Origin", "Tool"),
    "core.vocabulary": ("Effect", "Risk", "Source", "Status", "Trust"),
    "deck": ("Deck",),
    "policy": ("Policy", "Rule"),
    "search.settings": ("ToolSearch",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Action",
    "ActionCode",
    "ActionError",
    "ActionLimits",
    "ActionTool",
    "Answer",
    "ApprovalRequest",
    "Ask",
    "Audio",
    "BaseTool",
    "Block",
    "BreakerSettings",
    "CallError",
    "CancelToken",
    "Cancelled",
    "Decision",
    "Deck",
    "DefinitionError",
    "Effect",
    "ExpectedError",
    "File",
    "Image",
    "Injected",
    "Link",
    "LoopSettings",
    "Message",
    "ModelReply",
    "Origin",
    "Policy",
    "Progress",
    "RateSettings",
    "Refusal",
    "Reply",
    "Resource",
    "RetrySettings",
    "Rewrite",
    "Risk",
    "Rule",
    "Run",
    "RunResult",
    "Scope",
    "SetupError",
    "Source",
    "Status",
    "Table",
    "Text",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolRequest",
    "ToolResult",
    "ToolSearch",
    "TooldeckError",
    "TransientError",
    "Trust",
    "calling",
    "format_action",
    "parse_action",
    "read_reply",
    "tool",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext tooldeck``: put a deck and the magics into the notebook."""
    from tooldeck.notebook.extension import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """``%unload_ext tooldeck``: take the magics away and close all sessions; the tools stay as they are."""
    from tooldeck.notebook.extension import unload

    unload(shell)
