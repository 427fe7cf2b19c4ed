"""Models of providers, and of all servers that speak their forms; keys come from the environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tooldeck.core.errors import DefinitionError
from tooldeck.core.settings import RetrySettings
from tooldeck.loops.wire.anthropic import AnthropicForm
from tooldeck.loops.wire.form import Form
from tooldeck.loops.wire.gemini import GeminiForm
from tooldeck.loops.wire.http import HttpModel, Prices
from tooldeck.loops.wire.keys import find_key
from tooldeck.loops.wire.openai_chat import ChatForm
from tooldeck.loops.wire.openai_responses import ResponsesForm

__all__ = ["anthropic", "gemini", "openai_chat", "openai_responses"]

_SILENCE = 120.0
_MOST_BYTES = 8_000_000
_RETRY = RetrySettings()


def openai_chat(
    name: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    stream: bool = True,
    timeout: float = _SILENCE,
    retry: RetrySettings = _RETRY,
    prices: Prices | None = None,
    max_bytes: int = _MOST_BYTES,
    headers: Mapping[str, str] | None = None,
    **options: Any,
) -> HttpModel:
    """A model by OpenAI's chat completions, which vLLM, llama.cpp, Ollama and most gateways speak as well.

    `base_url` is the address before ``/chat/completions``, such as ``http://localhost:11434/v1``; None is
    OpenAI's. The key is `api_key` or that of the environment (``OPENAI_API_KEY``); with a `base_url`, only a
    key that is given is sent, and none is needed. `timeout` is the longest silence in seconds; a failure of
    the line or the server is tried again as `retry` says. `prices` are those of a million tokens in and out,
    for the cost of a run. A reply beyond `max_bytes` is broken off. `options` go into the request as they
    are: ``temperature=0``, ``max_completion_tokens=4000``.

    Raises `SetupError` where there is no key, `DefinitionError` for arguments that cannot be meant.
    """
    return _made(
        ChatForm(), name, base_url=base_url, api_key=api_key, stream=stream, timeout=timeout,
        retry=retry, prices=prices, max_bytes=max_bytes, headers=headers, options=options,
    )  # fmt: skip


def openai_responses(
    name: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    stream: bool = True,
    timeout: float = _SILENCE,
    retry: RetrySettings = _RETRY,
    prices: Prices | None = None,
    max_bytes: int = _MOST_BYTES,
    headers: Mapping[str, str] | None = None,
    **options: Any,
) -> HttpModel:
    """A model by OpenAI's responses; nothing is stored there. Arguments as for `openai_chat`."""
    return _made(
        ResponsesForm(), name, base_url=base_url, api_key=api_key, stream=stream, timeout=timeout,
        retry=retry, prices=prices, max_bytes=max_bytes, headers=headers, options=options,
    )  # fmt: skip


def anthropic(
    name: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    stream: bool = True,
    timeout: float = _SILENCE,
    retry: RetrySettings = _RETRY,
    prices: Prices | None = None,
    max_bytes: int = _MOST_BYTES,
    headers: Mapping[str, str] | None = None,
    **options: Any,
) -> HttpModel:
    """A model by Anthropic's messages. Arguments as for `openai_chat`; the key is in ``ANTHROPIC_API_KEY``.

    A reply has 8,192 tokens at most unless ``max_tokens=…`` says otherwise.
    """
    return _made(
        AnthropicForm(), name, base_url=base_url, api_key=api_key, stream=stream, timeout=timeout,
        retry=retry, prices=prices, max_bytes=max_bytes, headers=headers, options=options,
    )  # fmt: skip


def gemini(
    name: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    stream: bool = True,
    timeout: float = _SILENCE,
    retry: RetrySettings = _RETRY,
    prices: Prices | None = None,
    max_bytes: int = _MOST_BYTES,
    headers: Mapping[str, str] | None = None,
    **options: Any,
) -> HttpModel:
    """A model by the Gemini API. Arguments as for `openai_chat`; the key is in ``GEMINI_API_KEY``.

    ``GOOGLE_API_KEY`` is looked at next. Options as in ``generationConfig={"temperature": 0}``.
    """
    return _made(
        GeminiForm(), name, base_url=base_url, api_key=api_key, stream=stream, timeout=timeout,
        retry=retry, prices=prices, max_bytes=max_bytes, headers=headers, options=options,
    )  # fmt: skip


def _made(
    form: Form,
    name: str,
    *,
    base_url: str | None,
    api_key: str | None,
    stream: bool,
    timeout: float,
    retry: RetrySettings,
    prices: Prices | None,
    max_bytes: int,
    headers: Mapping[str, str] | None,
    options: Mapping[str, Any],
) -> HttpModel:
    _check(name, base_url, timeout, retry, prices)
    # A key of the environment is its provider's alone: no other server is sent it.
    names = form.keys if base_url is None else ()
    return HttpModel(
        form,
        name,
        base_url=(base_url or form.base_url).rstrip("/"),
        key=find_key(api_key, names, needed=base_url is None),
        headers=headers or {},
        options=options,
        stream=stream,
        timeout=timeout,
        retry=retry,
        prices=prices,
        most_bytes=max_bytes,
    )


def _check(name: object, base_url: object, timeout: object, retry: object, prices: object) -> None:
    if not isinstance(name, str) or not name.strip():
        raise DefinitionError(f"A model needs the name that its server knows, got {name!r}.")
    web = isinstance(base_url, str) and base_url.startswith(("http://", "https://"))
    if base_url is not None and not web:
        raise DefinitionError(f"base_url must begin with http:// or https://, got {base_url!r}.")
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise DefinitionError(f"timeout must be seconds above 0, got {timeout!r}.")
    if not isinstance(retry, RetrySettings):
        raise DefinitionError(f"retry must be RetrySettings, as in RetrySettings(attempts=1), got {retry!r}.")
    figures = prices if isinstance(prices, tuple) and len(prices) == 2 else ()
    fit = [one for one in figures if isinstance(one, int | float) and one >= 0]
    if prices is not None and len(fit) != 2:
        raise DefinitionError(f"prices must be those of a million tokens in and out, got {prices!r}.")
