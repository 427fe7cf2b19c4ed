"""What an author may declare about a tool, each option read and checked where it is given."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from tooldeck.core.actions.names import FINISH, NOTHING
from tooldeck.core.checks import read_checks
from tooldeck.core.errors import DefinitionError
from tooldeck.core.rate import RateSettings, read_rate
from tooldeck.core.settings import BreakerSettings, RetrySettings
from tooldeck.core.vocabulary import Effect, Risk, Trust, nearest, read_effects, read_word

__all__ = ["OPTION_NAMES", "Options", "check_name", "check_options"]

MIN_CHARS = 100
"""The least `max_chars`: room for the words that say what was left out."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DUNDER = re.compile(r"__.*__")
_TAKEN = FINISH | NOTHING
"""What models write in a text for the end of their work and for no action, without case."""


@dataclass(frozen=True, slots=True)
class Options:
    """What may be declared about a tool beside its function; None is taken from the function or a default.

    Raises `DefinitionError` naming an option whose value cannot be meant.
    """

    name: str | None = None
    description: str | None = None
    effects: str | Iterable[str] | None = None
    """``"read"``, ``"write,network"``, ``"none"``; None leaves them undeclared, so that every call asks."""
    risk: str | Risk | None = None
    trust: str | Trust | None = None
    """``"untrusted"`` fences the output for models. Default: untrusted for the effects ``network`` and
    ``execute`` and for plug-ins."""
    idempotent: bool = False
    ignore_unknown: bool | None = None
    """True leaves out arguments that no parameter has, and notes it; False refuses them, as any deck does
    that does not say otherwise (None)."""
    ask: bool | None = None
    """True: every call asks. False: the author says that none needs to. None: policy decides by effects."""
    timeout: float | None = None
    """Seconds for one attempt."""
    call_timeout: float | None = None
    """Seconds for the whole call, all attempts and the waits between them; time that a person takes to
    answer does not count."""
    max_chars: int = 20_000
    """Characters of output that a model is given at most; 100 or more."""
    retry: RetrySettings | int | None = None
    """Settings, or the number of attempts."""
    breaker: BreakerSettings | int | None = None
    """Settings, or the failures in a row that open it; 0 is off."""
    rate: RateSettings | str | None = None
    """How often it is called at most, such as ``"10/s"``, ``"100/min"`` or ``"1/5s"``: a call over the limit
    waits for its turn as long as its time limit allows, 30 s at most, or is refused as ``limited``."""
    target: str | Callable[[Mapping[str, Any]], Any] | None = None
    """What a call is aimed at, so that one bad host does not close the tool for the others: the name of a
    parameter (of a URL the host counts), or a function from the arguments by name to a text."""
    preview: Callable[..., Any] | None = None
    """Called before anybody is asked, with the tool's arguments or some of them: says as text or as a unified
    diff what the call would change. Must change nothing itself."""
    preview_within: float | None = None
    """Seconds in which there must be a preview: without one nobody is asked, and the call is refused with the
    reason. After an approval it is made again, and where it says something else by then, the call is refused
    as well. None: what is missing of a preview after 5 seconds is said in the question."""
    resources: str | Iterable[str] | Callable[[Mapping[str, Any]], Any] | None = None
    """What a call uses, so that calls of a batch that share it never run at once: names of parameters, or a
    function from the arguments by name to keys."""
    available: Callable[[], Any] | None = None
    """Whether the tool can be used now: gives True, False or the reason as text; its answer holds for 30 s.
    While it cannot, models do not see it and its calls are answered with the reason."""
    schema_override: Callable[[dict[str, Any]], Any] | None = None
    """From the schema of the parameters to the one that models are shown; calls are checked as before."""
    check_input: Callable[[Any], Any] | Iterable[Callable[[Any], Any]] | None = None
    """Sees the arguments after the check of their types, before anybody is asked. None and True pass; False,
    a text and `Block` refuse; `Rewrite` puts other arguments in their place."""
    check_output: Callable[[Any], Any] | Iterable[Callable[[Any], Any]] | None = None
    """The same for the value that the tool returned."""

    def __post_init__(self) -> None:
        """Refuse what no tool could use."""
        _kind("name", self.name, str, "text")
        _kind("description", self.description, str, "text")
        _kind("idempotent", self.idempotent, bool, "True or False")
        _kind("ignore_unknown", self.ignore_unknown, bool, "True, False or None")
        _kind("ask", self.ask, bool, "True, False or None")
        _seconds("timeout", self.timeout)
        _seconds("call_timeout", self.call_timeout)
        _seconds("preview_within", self.preview_within)
        if self.preview_within is not None and self.preview is None:
            raise _wrong("preview_within", self.preview_within, "needs the option preview as well")
        if not (self.target is None or isinstance(self.target, str) or callable(self.target)):
            raise _wrong("target", self.target, "must be the name of a parameter or a function")
        if not _is_count(self.max_chars) or self.max_chars < MIN_CHARS:
            raise _wrong("max_chars", self.max_chars, f"must be a whole number, {MIN_CHARS} or more")
        if not (self.retry is None or _is_count(self.retry) or isinstance(self.retry, RetrySettings)):
            raise _wrong("retry", self.retry, "must be a number of attempts or RetrySettings")
        if not (self.breaker is None or _is_count(self.breaker) or isinstance(self.breaker, BreakerSettings)):
            raise _wrong("breaker", self.breaker, "must be a number of failures or BreakerSettings")
        read_rate("rate", self.rate)
        _function("preview", self.preview, "a function of the tool's arguments")
        _function("available", self.available, "a function without arguments")
        _function("schema_override", self.schema_override, "a function of the schema")
        for option in ("check_input", "check_output"):  # read once, it may be a generator
            object.__setattr__(self, option, read_checks(option, getattr(self, option)) or None)
        if self.resources is not None and not callable(self.resources):
            object.__setattr__(self, "resources", _names("resources", self.resources))
        object.__setattr__(self, "effects", read_effects(self.effects))  # read once, it may be a generator
        read_word(Risk, self.risk, "risk")
        read_word(Trust, self.trust, "trust")

    @property
    def declared_effects(self) -> frozenset[Effect] | None:
        """The effects as a set, None while they are undeclared."""
        return read_effects(self.effects)

    @property
    def declared_risk(self) -> Risk | None:
        """The risk as a word, None while it follows from the effects."""
        return read_word(Risk, self.risk, "risk")

    @property
    def declared_trust(self) -> Trust | None:
        """The trust as a word, None while it follows from the effects."""
        return read_word(Trust, self.trust, "trust")

    @property
    def retry_settings(self) -> RetrySettings:
        """How often the tool is tried again."""
        if isinstance(self.retry, int):
            return RetrySettings(attempts=self.retry)
        return self.retry or RetrySettings()

    @property
    def breaker_settings(self) -> BreakerSettings:
        """When the tool is left alone."""
        if isinstance(self.breaker, int):
            return BreakerSettings(threshold=self.breaker)
        return self.breaker or BreakerSettings()

    @property
    def rate_settings(self) -> RateSettings | None:
        """How often the tool is called."""
        return read_rate("rate", self.rate)

    def changes(self) -> dict[str, Any]:
        """What differs from the defaults."""
        mine = {name: getattr(self, name) for name in OPTION_NAMES}
        return {name: value for name, value in mine.items() if value != _DEFAULTS[name]}


_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Options)}
OPTION_NAMES = tuple(_DEFAULTS)


def check_options(given: Mapping[str, Any]) -> Options:
    """The options of a decorator or magic; an unknown one is refused with the nearest known one."""
    for name in given:
        if name not in _DEFAULTS:
            close = nearest(name, OPTION_NAMES, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(OPTION_NAMES)}."
            raise DefinitionError(f"Unknown option {name!r} of a tool; {hint}")
    return Options(**given)


def check_name(name: str) -> str:
    """`name`, if models and providers accept it; else `DefinitionError` with a name that would do."""
    if name.casefold() in _TAKEN or keyword.iskeyword(name) or _DUNDER.fullmatch(name):
        raise DefinitionError(
            f"{name!r} cannot be a tool's name, since a call of it in the text of a model means something "
            f"else; give another, for example name={'run_' + name.strip('_').lower()!r}."
        )
    if _NAME.fullmatch(name):
        return name
    tidy = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:64]
    hint = f"for example name={tidy!r}" if tidy else 'give one with name="…"'
    raise DefinitionError(
        f"{name!r} cannot be a tool's name: models accept 1 to 64 of the letters A-Z and a-z, digits, _ "
        f"and -; {hint}."
    )


def _kind(option: str, given: Any, wanted: type, words: str) -> None:
    if given is not None and not isinstance(given, wanted):
        raise _wrong(option, given, f"must be {words}")


def _seconds(option: str, given: Any) -> None:
    if given is None:
        return
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < math.inf:
        raise _wrong(option, given, "must be a number of seconds above 0; leave it out for no limit")


def _function(option: str, given: Any, words: str) -> None:
    if given is not None and not callable(given):
        raise _wrong(option, given, f"must be {words}")


def _names(option: str, given: Any) -> tuple[str, ...]:
    """Names given as a list or as one text."""
    names = tuple(given.replace(",", " ").split() if isinstance(given, str) else _items(given))
    if not names or not all(isinstance(name, str) for name in names):
        raise _wrong(option, given, "must be names of parameters or a function of the arguments")
    return names


def _items(given: Any) -> Iterable[Any]:
    return given if isinstance(given, Iterable) else ()


def _is_count(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)


def _wrong(option: str, given: Any, rule: str) -> DefinitionError:
    return DefinitionError(f"The option {option} {rule}, got {given!r}.")
