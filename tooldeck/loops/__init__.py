"""Models that work with a deck's tools by ``deck.run``: the models, and what a run is told and gives."""

from tooldeck.core.exact import exact_tokens
from tooldeck.core.messages import Message, ModelReply, ReplyEnd, ToolAnswer, ToolRequest, Usage
from tooldeck.core.model import Model
from tooldeck.core.run_result import RunResult, RunStatus, Step
from tooldeck.core.stored import from_json, to_json
from tooldeck.loops.asking import Again
from tooldeck.loops.limits import RunLimits
from tooldeck.loops.models import anthropic, gemini, openai_chat, openai_responses
from tooldeck.loops.records import records
from tooldeck.loops.scripted import recorded, scripted
from tooldeck.loops.spans import spans
from tooldeck.loops.text_actions import TextActions
from tooldeck.loops.timeline import Timeline, save_run, timeline

__all__ = [
    "Again",
    "Message",
    "Model",
    "ModelReply",
    "ReplyEnd",
    "RunLimits",
    "RunResult",
    "RunStatus",
    "Step",
    "TextActions",
    "Timeline",
    "ToolAnswer",
    "ToolRequest",
    "Usage",
    "anthropic",
    "exact_tokens",
    "from_json",
    "gemini",
    "openai_chat",
    "openai_responses",
    "recorded",
    "records",
    "save_run",
    "scripted",
    "spans",
    "timeline",
    "to_json",
]
