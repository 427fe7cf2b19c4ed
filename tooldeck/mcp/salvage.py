"""Lines of a server that are no proper message: read all the same where that can be done without guessing.

A broken answer would otherwise leave its call waiting for the time limit, without a word about why.
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["salvaged"]

_PARSE_ERROR = -32700
_QUOTED = 80
# Characters of a broken line that the error quotes.
_NUMBER = re.compile(
    r'[\[\s]*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,18})\s*[,}]'
    r'|.*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,18})\s*\}\s*$',
    re.DOTALL,
)
# Where libraries write the number of an answer: at the beginning of the line, or at its end.


def salvaged(line: bytes) -> Any:
    """The message in a line that the client library refuses; None where it is a stray line, and not one.

    Letters that are no Unicode are replaced. What is a broken answer becomes an error, with its number, so
    that its request ends.
    """
    from mcp_types import jsonrpc_message_adapter

    text = line.decode(errors="replace").strip()
    if not text.startswith(("{", "[")) or '"jsonrpc"' not in text:
        return None
    try:
        found = json.loads(text)
        sound = json.dumps(found, ensure_ascii=False).encode(errors="replace")
        return jsonrpc_message_adapter.validate_json(sound, by_name=False)
    except (ValueError, RecursionError):
        number = None if '"method"' in text else _number(text)
    return None if number is None else _refused(number, text)


def _number(text: str) -> int | None:
    """The number of the request that a broken line answers."""
    found = _NUMBER.match(text)
    return None if found is None else int(found[1] or found[2])


def _refused(number: int, text: str) -> Any:
    from mcp_types import ErrorData, JSONRPCError

    quoted = text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"
    told = f"the answer is no message of the protocol; it begins with {quoted!r}"
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=_PARSE_ERROR, message=told))
