"""Server-sent events: the data of each event in a stream of bytes, after the WHATWG HTML standard, 9.2."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

__all__ = ["event_data"]

# Not `str.splitlines`: JSON may hold U+2028 and the like, which end no line here.
_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")


async def event_data(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The data of each event; one that the end of the stream cuts off is given as well."""
    rest, data = b"", list[str]()
    async for chunk in chunks:
        *lines, rest = _LINE_END.split(rest + chunk)
        for line in lines:
            if line:
                _take(line, data)
            elif data:
                yield "\n".join(data)
                data = []
    if rest.strip():
        _take(rest.rstrip(b"\r"), data)
    if data:
        yield "\n".join(data)


def _take(line: bytes, data: list[str]) -> None:
    """One line: only data counts, since each kind of event names itself in it."""
    name, _, value = line.removeprefix(b"\xef\xbb\xbf").partition(b":")
    if name == b"data":
        data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
