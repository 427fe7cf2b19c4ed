"""Server-sent events: the data of each event in a stream of bytes, after the WHATWG HTML standard, 9.2."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

__all__ = ["event_data"]

# Not `str.splitlines`: JSON may hold U+2028 and the like, which end no line here.
_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")


async def event_data(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The data of each event; one that the end of the stream cuts off is given as well."""
    rest, data, waiting = b"", list[str](), list[bytes]()
    async for chunk in chunks:
        waiting.append(chunk)
        if not rest.endswith(b"\r") and b"\n" not in chunk and b"\r" not in chunk:
            continue  # a line of megabytes is put together once, not anew with each of its pieces
        *lines, rest = _LINE_END.split(b"".join([rest, *waiting]))
        waiting = []
        for line in lines:
            if line:
                _take(line, data)
            elif data:
                yield "\n".join(data)
                data = []
    rest = b"".join([rest, *waiting])
    if rest.strip():
        _take(rest.rstrip(b"\r"), data)
    if data:
        yield "\n".join(data)


def _take(line: bytes, data: list[str]) -> None:
    """One line: only data counts, since each kind of event names itself in it."""
    name, _, value = line.removeprefix(b"\xef\xbb\xbf").partition(b":")
    if name == b"data":
        data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
