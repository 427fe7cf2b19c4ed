"""The phrases that words from outside are looked through for: a table, gravest first.

Drawn from published attacks on tool descriptions (poisoning, shadowing, exfiltration); the limits between
words keep the expressions linear.
"""

from __future__ import annotations

import re

__all__ = ["ORDER", "PHRASES", "SENSITIVE_PARAMETERS"]


def _phrase(severity: str, what: str, *patterns: str) -> tuple[str, str, re.Pattern[str]]:
    return severity, what, re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)


PHRASES: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    _phrase(
        "danger",
        "an order to set other instructions aside",
        r"\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|other|all|any|your)\b"
        r".{0,20}\b(?:instructions?|rules?|prompts?|guidelines?|directives?)\b",
    ),
    _phrase(
        "danger",
        "an order to hide something from the person",
        r"\b(?:do not|don'?t|never|must not|should not|avoid)\b.{0,25}"
        r"\b(?:tell|inform|mention|reveal|disclos|notify|alert|show|telling|mentioning)\w*\b"
        r".{0,40}\b(?:user|human|person|anyone|them)\b",
        r"\bwithout\b.{0,15}\b(?:telling|informing|asking|notifying|alerting)\b.{0,15}\b(?:user|human|person)\b",
        r"\bkeep\b.{0,20}\b(?:secret|hidden)\b.{0,20}\b(?:user|human|person)\b",
    ),
    _phrase(
        "danger",
        "a mark that passes for an instruction of the system",
        r"<\s*/?\s*(?:important|system|instructions?|secret|admin|critical|assistant)\s*>",
        r"\[/?(?:INST|SYSTEM)\]",
        r"<\|(?:im_start|im_end|system|endoftext)\|>",
    ),
    _phrase(
        "danger",
        "a file that holds secrets",
        r"~/\.ssh\b|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws/credentials|/etc/(?:passwd|shadow)\b",
        r"\.(?:cursor|claude|codeium)/mcp\.json|claude_desktop_config|\.netrc\b|\.pgpass\b",
    ),
    _phrase(
        "danger",
        "an order to send data elsewhere",
        r"\b(?:send|forward|upload|post|transmit|exfiltrat\w+|bcc|copy(?! of\b)|leak)\b.{0,60}\b(?:to|at)\b"
        r"\s*(?:https?://|[\w.+-]+@[\w-]+\.\w)",
        r"\b(?:pass|include|put|insert|provide|add)\b.{0,40}"
        r"\b(?:contents?|conversation|chat history|system prompt|credentials|api keys?|environment variables)"
        r"\b.{0,60}\b(?:param\w*|argument|field|sidenote|side note)\b",
    ),
    _phrase(
        "warning",
        "an order about the use of other tools",
        r"\b(?:before|after|when(?:ever)?|instead of)\b.{0,20}\b(?:us\w+|call\w*|invok\w+)\b.{0,15}"
        r"\b(?:any|every|all|other)\b.{0,15}\btools?\b",
        r"\balways\b.{0,20}\b(?:call|use|run|invoke)\b.{0,15}\bthis tool\b.{0,20}"
        r"\b(?:first|before|instead)\b",
    ),
    _phrase(
        "warning",
        "it speaks of the conversation or of the system prompt",
        r"\bsystem prompt\b|\b(?:full|entire|whole|previous) (?:conversation|chat)\b"
        r"|\bconversation history\b",
    ),
    _phrase("warning", "a comment that pages do not show", r"<!--"),
    _phrase(
        "warning",
        "a long run of letters that may be encoded text",
        r"(?=[A-Za-z0-9+/]{0,99}[a-z])(?=[A-Za-z0-9+/]{0,99}[A-Z])(?=[A-Za-z0-9+/]{0,99}[0-9])"
        r"[A-Za-z0-9+/]{120,}={0,2}",
    ),
)
"""Severity, what it is, and the expression that finds it."""

_NAMED = r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+"
_THEN = r"(?=\s*(?:tool|first|before|,|\.|$))"
ORDER = re.compile(
    r"\b(?:must|should|always|need to|have to|required to)\b[^.\n]{0,20}?"
    r"\b(?:call|use|run|invoke|execute)\s+(?:the\s+)?(?:tool\s+)?"
    rf"(?:[`'\"](?P<quoted>[A-Za-z][\w.-]{{2,60}})[`'\"]{_THEN}"
    rf"|(?<!use )(?<!use the )(?P<name>{_NAMED})\b(?![\w=:/])"
    rf"|(?P<used>{_NAMED})\s+(?:tool|first|before)\b)",
    re.IGNORECASE,
)
"""An order to use a tool that is named."""

SENSITIVE_PARAMETERS = frozenset(
    {
        *(
            "annotation",
            "chathistory",
            "context",
            "conversation",
            "conversationhistory",
            "debug",
            "debuginfo",
            "feedback",
        ),
        *(
            "notes",
            "reasoning",
            "scratchpad",
            "sidenote",
            "sidenotes",
            "systemprompt",
            "thoughts",
            "usercontext",
        ),
    }
)
"""Names of parameters, case and dashes left out, by which a model can be made to hand out what it knows."""
