"""Tab completion in a shell, and the words of the magics: tools, parameters, servers, words and options."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tooldeck.core.vocabulary import Effect
from tooldeck.deck import Deck
from tooldeck.mcp.clients import CLIENTS
from tooldeck.mcp.telling import LEVELS
from tooldeck.mcp.writing import PROGRAMS
from tooldeck.notebook.code_completion import Offer, complete_code
from tooldeck.notebook.lines import as_typed
from tooldeck.notebook.magics import decks, inspecting, policies, servers, serving, tools
from tooldeck.notebook.magics.offers import OFFER_WORDS
from tooldeck.notebook.offered import offered
from tooldeck.plugins import plugins
from tooldeck.policy import PRESETS
from tooldeck.policy.rules import CONDITIONS

__all__ = ["COMPLETERS", "complete", "install"]

Words = Callable[[Deck, list[str], str], Iterable[str]]
"""What may come next, from the deck, the words that stand already, and the beginning of the next one."""

_CONDITIONS = tuple(f"{name}=" for name in CONDITIONS)
_EFFECTS = tuple(f"effects={effect}" for effect in Effect)
_CONNECT = ("demo", *map(as_typed, (*servers.OPTIONS, *servers.FLAGS)))
_SERVE = ("stop", *map(as_typed, (*serving.SERVE_OPTIONS, *serving.SERVE_FLAGS)))
_TOOL = tuple(map(as_typed, tools.OPTIONS))
_WIRE_LOG = tuple(map(as_typed, (*inspecting.LOG_FLAGS, *inspecting.LOG_OPTIONS)))
_LOG = tuple(map(as_typed, decks.LOG_OPTIONS))


def _one_tool(deck: Deck, words: list[str], _start: str = "") -> Iterable[str]:
    return () if words else deck.tools


def _call(deck: Deck, words: list[str], _start: str = "") -> Iterable[str]:
    if not words:
        return deck.tools
    tool = deck.tools.get(words[0])
    given = {word.partition("=")[0] for word in words[1:]}
    names = tool.parameters.get("properties", {}) if tool is not None else ()
    return (f"{name}=" for name in names if name not in given)


def _policy(deck: Deck, words: list[str], _start: str = "") -> Iterable[str]:
    if not words:
        return policies.WORDS
    verb, *given = words
    if verb == "preset":
        return PRESETS
    if verb == "explain" and given:
        return _call(deck, given)
    if verb in {"allow", "ask", "deny"} and given:
        parameters = (name for word in given if word in deck for name in _call(deck, [word]))
        return (*deck.tools, *parameters, *_CONDITIONS)
    return deck.tools if verb not in {"grants", "load"} else ()


def _mcp(deck: Deck, words: list[str], start: str = "") -> Iterable[str]:
    if not words:
        return servers.WORDS
    if words[0] == "connect":
        return _CONNECT
    if words[0] == "serve":
        return deck.tools if words[-1] in {"--allow", "--tools"} else _SERVE
    if words[0] == "import":
        return (*CLIENTS, "--all")
    labels = [made.label for made in deck.servers()]
    first = labels if len(words) == 1 else ()
    known: dict[str, Callable[[], Iterable[str]]] = {
        "list": lambda: (),
        "level": lambda: (*first, *LEVELS),
        "log": lambda: (*labels, *_WIRE_LOG),
        "export": lambda: PROGRAMS if words[-1] == "--for" else (*labels, "--for", "--to"),
        **dict.fromkeys(OFFER_WORDS, lambda: (*first, *offered(deck, words, start))),
    }
    return known.get(words[0], lambda: labels)()


def _tool_cell(_deck: Deck, words: list[str], _start: str = "") -> Iterable[str]:
    return (*Effect, "none") if words and words[-1] == "--effects" else _TOOL


def _deck(deck: Deck, words: list[str], _start: str = "") -> Iterable[str]:
    if not words:
        return decks.WORDS
    if words[-1] == "--tool":
        return deck.tools
    if words[0] == "plugins":
        return decks.PLUGIN_WORDS if len(words) == 1 else (plugin.name for plugin in plugins())
    return _LOG if words[0] == "log" else ("off",)


def _tools(deck: Deck, words: list[str], _start: str = "") -> Iterable[str]:
    if not words:
        return (*tools.SWITCHES, *deck.tools)
    return (*deck.tools, *_EFFECTS) if words[0] in tools.SWITCHES else ()


COMPLETERS: dict[str, Words] = {
    "%call": _call,
    "%tool": _one_tool,
    "%tools": _tools,
    "%trace": _one_tool,
    "%policy": _policy,
    "%mcp": _mcp,
    "%deck": _deck,
    "%%tool": _tool_cell,
}
"""By magic: what may come next on its line."""


def complete(deck: Deck, line: str) -> Offer | None:
    """What may stand at the end of a magic's line; None for any other line."""
    magic, *words = line.split() or [""]
    found = COMPLETERS.get(magic)
    if found is None or line == magic:
        return None
    last = words.pop() if words and not line[-1:].isspace() else ""
    return Offer(last, [word for word in map(str, found(deck, words, last)) if word.startswith(last)])


def install(shell: Any, deck: Deck) -> Callable[[], None]:
    """Teach a shell's completer about the magics of a deck and about code that speaks to decks.

    Returns the function that undoes it.
    """
    from IPython.core.completer import SimpleCompletion, context_matcher

    # Before the slow readers of code, which are not even asked where only a word of ours can stand.
    @context_matcher(identifier="tooldeck", priority=1000)
    def matcher(context: Any) -> Any:
        line = context.text_until_cursor
        offer = complete(deck, line.lstrip()) or complete_code(shell.user_ns, line) or Offer("", [])
        return {
            "completions": [SimpleCompletion(text=word) for word in offer.words],
            "matched_fragment": offer.fragment,
            "suppress": offer.alone,
        }

    matchers = shell.Completer.custom_matchers
    matchers.append(matcher)
    return lambda: matchers.remove(matcher) if matcher in matchers else None
