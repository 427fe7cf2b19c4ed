"""Models of providers, and of all servers that speak their forms; keys come from the environment."""

from __future__ import annotations

import inspect
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

__all__ = ["Provider", "anthropic", "gemini", "openai_chat", "openai_responses"]

_SILENCE = 120.0
_MOST_BYTES = 8_000_000
_RETRY = RetrySettings()


class Provider:
    """Makes models of one provider, and of all servers that speak its form: ``openai_chat("gpt-5")``.

    `form` is how its requests and replies are written; `about` is what ``help`` says of it.
    """

    def __init__(self, name: str, form: Form, about: str) -> None:
        self.__name__ = name
        self.__doc__ = f"{about}\n\n{inspect.getdoc(Provider.__call__)}"
        self._form = form

    def __call__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        stream: bool = True,
        timeout: float = _SILENCE,
        retry: RetrySettings = _RETRY,
        prices: Prices | None = None,
        context: int | None = None,
        max_bytes: int = _MOST_BYTES,
        headers: Mapping[str, str] | None = None,
        **options: Any,
    ) -> HttpModel:
        """Make the model that its server knows as `name`.

        `base_url` is the address before the provider's paths, such as ``http://localhost:11434/v1``; None is
        the provider's own. The key is `api_key` or that of the environment; with a `base_url`, only a key
        that is given is sent, and none is needed. ``api_key="ask"`` asks for it at a prompt that shows
        nothing. No key is ever shown, stored or written into a notebook.

        `timeout` is the longest silence in seconds; a failure of the line or the server is tried again as
        `retry` says. `prices` are those of a million tokens in and out, for the cost of a run; `context` is
        how many tokens the model reads at once, by which it is decided whether it is shown all tools. A reply
        beyond `max_bytes` is broken off. `options` go into the request as they are: ``temperature=0``.

        Raises `SetupError` where there is no key, `DefinitionError` for arguments that cannot be meant.
        """
        _check(name, base_url, timeout, retry, prices)
        if context is not None and (type(context) is not int or context < 1):
            raise DefinitionError(f"context must be a number of tokens or None, got {context!r}.")
        form = self._form
        # A key of the environment is its provider's alone: no other server is sent it.
        names = form.keys if base_url is None else ()
        return HttpModel(
            form,
            name,
            base_url=(base_url or form.base_url).rstrip("/"),
            key=find_key(api_key, names, needed=base_url is None, whose=name),
            headers=headers or {},
            options=options,
            stream=stream,
            timeout=timeout,
            retry=retry,
            prices=prices,
            context=context,
            most_bytes=max_bytes,
        )

    def __repr__(self) -> str:
        return f"<{self.__name__}: makes models by {self._form.base_url}>"


openai_chat = Provider(
    "openai_chat",
    ChatForm(),
    "A model by OpenAI's chat completions, which vLLM, llama.cpp, Ollama and most gateways speak as well.",
)
openai_responses = Provider(
    "openai_responses", ResponsesForm(), "A model by OpenAI's responses; nothing is stored there."
)
anthropic = Provider(
    "anthropic",
    AnthropicForm(),
    "A model by Anthropic's messages. A reply has 8,192 tokens at most, or as ``max_tokens=…`` says.",
)
gemini = Provider(
    "gemini",
    GeminiForm(),
    'A model by the Gemini API. Options as in ``generationConfig={"temperature": 0}``.',
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
