"""A model behind HTTP: one request per reply, streamed, and tried again where that may help."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import re
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from tooldeck.core.errors import ModelError, TransientError
from tooldeck.core.messages import Message, ModelReply
from tooldeck.core.settings import RetrySettings
from tooldeck.core.strangers import error_words
from tooldeck.core.tool import Executor, Tool
from tooldeck.core.transient import is_transient, retry_after
from tooldeck.hosts.background import background
from tooldeck.loops.asking import Again
from tooldeck.loops.wire.form import Assembly, Form, Sent
from tooldeck.loops.wire.keys import Key
from tooldeck.loops.wire.sse import event_data
from tooldeck.store.masking import scrub

if TYPE_CHECKING:
    import httpx

__all__ = ["HttpModel", "Prices"]

Prices = tuple[float, float]
"""What a million tokens in and a million tokens out cost."""
_CONNECT = 15.0
"""Seconds in which a connection must be there."""
_SAID = 500
"""Characters of a server's error that are told."""
_BROKEN = "try again, or ask for whole replies: stream=False"
_UNREADABLE = (TypeError, ValueError, AttributeError, LookupError)
"""What reading something of another form than was agreed on raises."""
_FINAL = {"insufficient_quota"}
"""Refusals under a status that passes, which do not."""


class HttpModel:
    """A model that a server speaks for. Made by `openai_chat` and its like."""

    def __init__(
        self,
        form: Form,
        name: str,
        *,
        base_url: str,
        key: Key | None,
        headers: Mapping[str, str],
        options: Mapping[str, Any],
        stream: bool,
        timeout: float,
        retry: RetrySettings,
        prices: Prices | None,
        context: int | None,
        most_bytes: int,
    ) -> None:
        self.name = name
        self.base_url = base_url
        self.provider = form.provider
        """Whose form it speaks; a gateway may have the model from another one."""
        self.context = context
        """Tokens that it reads at once, where somebody said how many."""
        self._form = form
        self._key = key
        self._headers = dict(headers)
        self._options = dict(options)
        self._stream = stream
        self._timeout = timeout
        self._retry = retry
        self._prices = prices
        self._most_bytes = most_bytes

    @property
    def executor(self) -> Executor:
        """Requests run on the background loop, so that a blocked cell can still stop them."""
        return background()

    def __repr__(self) -> str:
        return f"<{self._form.name} model {self.name!r} at {self.base_url}>"

    async def __call__(self, messages: Sequence[Message], tools: Sequence[Tool]) -> AsyncIterator[Any]:
        """Ask for a reply, and give its text as it comes."""
        sent = self._form.sent(self.name, messages, tools, self._options, stream=self._stream)
        left = self._retry.budget
        for attempt in range(1, self._retry.attempts + 1):
            told = False
            try:
                async for item in self._once(sent):
                    told = told or isinstance(item, str)
                    yield item
            except Exception as error:  # noqa: BLE001 - told in words of ours, or tried again
                pause = self._pause(error, attempt, left)
                if pause is None:
                    self._give_up(error)
            else:
                return
            left -= pause
            if told:
                yield Again()
            await asyncio.sleep(pause)

    def _pause(self, error: Exception, attempt: int, left: float) -> float | None:
        """Seconds until another attempt; None where none makes sense."""
        passes = is_transient(error, self._retry.types) and not getattr(error, "final", False)
        if not passes or attempt >= self._retry.attempts:
            return None
        pause = self._retry.pause(attempt, retry_after(error))
        return pause if pause <= min(left, self._retry.cap) else None

    async def _once(self, sent: Sent) -> AsyncIterator[Any]:
        import httpx

        timeout = httpx.Timeout(self._timeout, connect=min(_CONNECT, self._timeout))
        headers = {
            **sent.headers,
            **(self._form.signed(self._key.value) if self._key else {}),
            **self._headers,
        }
        headers["Content-Type"] = "application/json"
        body = json.dumps(sent.body, ensure_ascii=False, default=str).encode("utf-8", "replace")
        async with (
            httpx.AsyncClient(timeout=timeout, verify=_trusted()) as client,
            client.stream("POST", self.base_url + sent.path, content=body, headers=headers) as response,
        ):
            if response.status_code != 200:
                self._refuse(response, await _start(response))
            chunks = self._bounded(response.aiter_bytes())
            if "text/event-stream" in response.headers.get("content-type", ""):
                async for item in self._streamed(chunks):
                    yield item
            else:
                whole = _object(b"".join([chunk async for chunk in chunks]), response, self._hint())
                yield self._read(whole)

    async def _streamed(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[Any]:
        assembly = self._form.assembly()
        async for text in event_data(chunks):
            if text.strip() == "[DONE]":
                break
            try:
                data = json.loads(text)
            except ValueError:
                raise TransientError(f"the stream has an event that is no JSON: {text[:80]!r}") from None
            told = self._taken(assembly, data) if isinstance(data, dict) else ""
            if told:
                yield told
        if assembly.whole is None:
            raise TransientError(f"the stream ended before the reply did; {_BROKEN}")
        yield self._read(assembly.whole)

    def _taken(self, assembly: Assembly, data: dict[str, Any]) -> str:
        try:
            return assembly.take(data)
        except _UNREADABLE as error:
            raise ModelError(f"the stream cannot be read ({error_words(error)}). {self._hint()}") from error

    def _read(self, whole: dict[str, Any]) -> ModelReply:
        try:
            reply = self._form.read(whole)
        except _UNREADABLE as error:
            raise ModelError(f"the reply cannot be read ({error_words(error)}). {self._hint()}") from error
        usage = reply.usage
        if usage is None or self._prices is None or usage.cost is not None:
            return reply
        cost = (usage.input * self._prices[0] + usage.output * self._prices[1]) / 1_000_000
        return replace(reply, usage=replace(usage, cost=cost))

    async def _bounded(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in chunks:
            size += len(chunk)
            if size > self._most_bytes:
                raise ModelError(f"the reply is longer than {self._most_bytes} bytes (max_bytes)")
            yield chunk

    # -- what went wrong

    def _refuse(self, response: httpx.Response, start: bytes) -> NoReturn:
        status = response.status_code
        told = _told(start)
        hint = ""
        if status in (401, 403):
            hint = f" {self._key.hint}" if self._key is not None else " No key was sent; give api_key=…."
        elif status in (301, 302, 307, 308, 404, 405):
            hint = f" {self._hint()}"
        elif status == 429:
            hint = " Try again later; how much a key may ask is set at its provider."
        elif status >= 500:
            hint = " The fault is on its side: try again later, or read its log."
        raise _Refused(f"it answered {status}: {told[0]}.{hint}", response, final=told[1] in _FINAL)

    def _hint(self) -> str:
        like = self._form.base_url
        return f"Is base_url right, and is there a model {self.name!r}? A base_url is like {like!r}."

    def _words(self, error: Exception) -> str:
        """What went wrong, and what to do."""
        if isinstance(error, ModelError | TransientError):
            return str(error)
        import httpx

        said = error_words(error)
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            return f"it cannot be reached ({said}); is the server running, and base_url right?"
        if isinstance(error, httpx.TimeoutException):
            return f"it said nothing for {self._timeout:g} s ({said}); give it longer: timeout=…"
        if isinstance(error, httpx.TransportError):
            return f"the connection broke off ({said}); {_BROKEN}"
        return said

    def _give_up(self, error: Exception) -> NoReturn:
        said = self._words(error)
        said = scrub(said, [self._key.value] if self._key is not None else [])
        raise ModelError(
            f"{self.name} at {self.base_url}: {said}", status=getattr(error, "status", None)
        ) from None


class _Refused(ModelError):
    """An answer with another status than 200."""

    def __init__(self, message: str, response: httpx.Response, *, final: bool) -> None:
        super().__init__(message, status=response.status_code)
        self.response = response
        self.final = final


_TAG = re.compile(r"<(style|script)\b.*?</\1\s*>|<[^<>]{0,500}>", re.DOTALL | re.IGNORECASE)
"""Marks of HTML, which proxies answer with, and what is not for people."""


@functools.cache
def _trusted() -> ssl.SSLContext:
    """The certificates that are trusted, read once: that takes longer than a request."""
    import httpx

    return httpx.create_ssl_context()


async def _start(response: httpx.Response) -> bytes:
    """The beginning of an answer that is an error."""
    got = b""
    async for chunk in response.aiter_bytes():
        got += chunk
        if len(got) > 64 * _SAID:
            break
    return got


def _told(start: bytes) -> tuple[str, str]:
    """What an error says, and its code."""
    text = start.decode("utf-8", "replace")
    said, code = None, None
    with contextlib.suppress(ValueError):
        error: Any = json.loads(text)
        if isinstance(error, list) and error:
            error = error[0]
        if isinstance(error, dict):
            error = error.get("error") or error
        if isinstance(error, dict):
            said, code = error.get("message") or error.get("detail"), error.get("code")
        elif isinstance(error, str):
            said = error
    words = " ".join(str(said or _TAG.sub(" ", text)).split())[:_SAID]
    return words.rstrip(".") or "nothing more", str(code)


def _object(data: bytes, response: httpx.Response, hint: str) -> dict[str, Any]:
    try:
        whole = json.loads(data)
    except ValueError:
        whole = None
    if isinstance(whole, dict):
        return whole
    kind = response.headers.get("content-type", "no content type")
    raise ModelError(f"it answered with {kind}, which is no reply. {hint}")
