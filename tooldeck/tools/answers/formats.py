"""One parser for each format of an answer: gives the value in its usual notation, or says what is wrong."""

from __future__ import annotations

import ast
import json
import re
import tomllib
import unicodedata
import warnings
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from email.errors import MessageError
from email.headerregistry import Address
from pathlib import PurePosixPath, PureWindowsPath
from types import MappingProxyType
from typing import Any

from tooldeck.guards.urls import UrlGuard, UrlRefused
from tooldeck.tools.answers.spec import AnswerSpec, Issue, quoted

__all__ = ["FORMATS", "Misread", "only_one"]

LONGEST_CODE = 200_000
"""Characters of code that are parsed."""
_LONGEST_NAME = 255
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:[,_ \u00a0\u202f]\d{3})+|\d+)(?:\.\d+)?", re.ASCII)
_IN_TEXT: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "number": re.compile(r"(?<![\w.,-])[+-]?\d[\d,_]*(?:\.\d+)?(?!\w|[.,]\d)", re.ASCII),
        "integer": re.compile(r"(?<![\w.,-])[+-]?\d[\d,_]*(?!\w|[.,]\d)", re.ASCII),
        "date": re.compile(r"\b\d{4}-\d{2}-\d{2}\b", re.ASCII),
        "url": re.compile(r"https?://[^\s<>\"')\]]+[^\s<>\"')\].,;:!?]"),
        "email": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    }
)
_DAY_FIRST = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})", re.ASCII)
_WORDS = {"true": True, "yes": True, "false": False, "no": False}
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,4}[.)])\s+(.*)")
_FENCED = re.compile(r"\s*```[\w+-]*[ \t]*\n(.*?)\n?```\s*", re.DOTALL)
_LOCAL = re.compile(r"[^\s@<>()\[\],;:\\\"\x00-\x1f\x7f]+")
_LABEL = re.compile(r"(?!-)[\w-]{1,63}(?<!-)")


class Misread(ValueError):
    """The answer is not of its format: what was expected, and the smallest change that would do."""

    def __init__(self, expected: str, hint: str = "", *, path: str = "", got: str | None = None) -> None:
        super().__init__(expected)
        self.expected, self.hint, self.path, self.got = expected, hint, path, got


def only_one(form: str, text: str, spec: AnswerSpec) -> str | None:
    """The one part of a longer answer that is of the format, so that it alone would do."""
    pattern = _IN_TEXT.get(form)
    found = set() if pattern is None else set(pattern.findall(text))
    if len(found) != 1:
        return None
    one = found.pop()
    try:
        FORMATS[form](one, spec)
    except Misread:
        return None
    return one


def _text(text: str, _spec: AnswerSpec) -> str:
    return unicodedata.normalize("NFC", text.strip())


def _number(text: str, spec: AnswerSpec) -> str:
    bare = text.replace("\u2212", "-").strip()
    if spec.unit is not None:
        unit = spec.unit.strip()
        if not bare.endswith(unit):
            raise Misread(f"a number with the unit {unit}", f"write {unit} after the number")
        bare = bare[: len(bare) - len(unit)].rstrip()
    if not _NUMBER.fullmatch(bare):
        raise Misread("a number in decimal digits, such as -1234.5", _number_hint(bare))
    number = Decimal(re.sub(r"[,_ \u00a0\u202f]", "", bare))
    places = len(bare.partition(".")[2])
    if spec.decimals is not None and places != spec.decimals:
        rounded = format(round(number, spec.decimals), "f")
        whole = rounded if spec.unit is None else f"{rounded} {spec.unit.strip()}"
        raise Misread(f"exactly {spec.decimals} digits after the point", f"write {whole}")
    if spec.minimum is not None and number < Decimal(repr(spec.minimum)):
        raise Misread(f"{spec.minimum:g} or more")
    if spec.maximum is not None and number > Decimal(repr(spec.maximum)):
        raise Misread(f"{spec.maximum:g} or less")
    return format(number, "f")


def _number_hint(bare: str) -> str:
    swapped = bare.replace(".", "").replace(",", ".")
    if re.fullmatch(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+", bare, re.ASCII):
        return f"write {swapped}, with a point"
    try:
        number = Decimal(bare)
    except ArithmeticError:
        return ""
    return f"write {number:f}" if number.is_finite() and abs(number.adjusted()) < 30 else ""


def _integer(text: str, spec: AnswerSpec) -> str:
    number = Decimal(_number(text, spec))
    if number != number.to_integral_value():
        raise Misread("a whole number")
    return format(number.to_integral_value(), "f")


def _boolean(text: str, _spec: AnswerSpec) -> bool:
    found = _WORDS.get(text.strip().casefold())
    if found is None:
        raise Misread("true or false", "answer with true or false only")
    return found


def _date(text: str, _spec: AnswerSpec) -> str:
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError as error:
        raise Misread("a date as YYYY-MM-DD", _date_hint(text.strip(), error)) from None


def _date_hint(text: str, error: ValueError) -> str:
    found = _DAY_FIRST.fullmatch(text)
    if found is None:
        return str(error) if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) else ""
    first, second, year = (int(part) for part in found.groups())
    meant: list[str] = []
    for month, day in ((second, first), (first, second)):
        try:
            meant.append(date(year, month, day).isoformat())
        except ValueError:
            continue
    return f"write {' or '.join(dict.fromkeys(meant))}" if meant else ""


def _moment(kind: type[time | datetime], example: str) -> Callable[[str, AnswerSpec], str]:
    def read(text: str, _spec: AnswerSpec) -> str:
        bare = text.strip()
        if kind is datetime and len(bare) <= len("2026-01-31"):
            raise Misread(f"a {kind.__name__} such as {example}", "the time is missing")
        try:
            return kind.fromisoformat(bare).isoformat()
        except ValueError as error:
            raise Misread(f"a {kind.__name__} such as {example}", str(error)) from None

    return read


def _url(text: str, _spec: AnswerSpec) -> str:
    try:
        return UrlGuard().read(text.strip()).url
    except UrlRefused as refused:
        bare = text.strip()
        missing = "://" not in bare and re.match(r"[\w-]+(\.[\w-]+)+", bare)
        hint = f"write https://{bare}" if missing else refused.why
        raise Misread("an address such as https://example.org/page", hint) from None


def _email(text: str, _spec: AnswerSpec) -> str:
    bare = text.strip()
    expected = "an address such as name@example.org"
    try:
        Address(addr_spec="".join("x" if char.isalnum() else char for char in bare))
    except (MessageError, ValueError, IndexError):
        raise Misread(expected) from None
    local, _, domain = bare.rpartition("@")
    labels = domain.split(".")
    if len(labels) < 2 or not all(map(_LABEL.fullmatch, labels)):
        raise Misread(expected, "the part after the @ must be the name of a site")
    dotted = local.startswith(".") or local.endswith(".") or ".." in local
    if dotted or not _LOCAL.fullmatch(local) or len(local.encode()) > 64 or len(bare) > 254:
        raise Misread(expected, "the part before the @ is not as it may be")
    return f"{local}@{domain.lower()}"


def _file_path(text: str, _spec: AnswerSpec) -> str:
    bare = text.strip()
    if not bare or "\n" in bare or any(not char.isprintable() for char in bare):
        raise Misread("the path of one file", "write one path on one line")
    windows = "\\" in bare or re.match(r"[A-Za-z]:", bare)
    path = PureWindowsPath(bare) if windows else PurePosixPath(bare)
    parts = [part for part in path.parts if part != path.anchor]
    if not parts:
        raise Misread("the path of a file", "add the name of the file")
    if any(len(part.encode()) > _LONGEST_NAME for part in parts):
        raise Misread(f"names of at most {_LONGEST_NAME} bytes")
    if windows and any(set(part) & set('<>:"|?*') for part in parts):
        raise Misread('a Windows path, without any of < > : " | ? *')
    return str(path)


def _code(text: str, spec: AnswerSpec) -> str:
    code = unfenced(text)
    if not code.strip():
        raise Misread(f"code in {spec.code_language}")
    if len(code) > LONGEST_CODE:
        raise Misread(f"at most {LONGEST_CODE} characters of code")
    try:
        _PARSERS[spec.code_language](code)
    except SyntaxError as error:
        raise Misread(
            "code that compiles", str(error.msg), path=f"line {error.lineno}", got=(error.text or "").strip()
        ) from None
    except json.JSONDecodeError as error:
        raise Misread("JSON", error.msg, path=f"line {error.lineno}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise Misread(f"code in {spec.code_language}", str(error)) from None
    return code


def _parse_python(code: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ast.parse(code)


def _parse_json(code: str) -> Any:
    return json.loads(code, parse_constant=_no_constant)


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON number")


_PARSERS: Mapping[str, Callable[[str], Any]] = MappingProxyType(
    {"python": _parse_python, "json": _parse_json, "toml": tomllib.loads}
)


def unfenced(text: str) -> str:
    """`text` without one pair of Markdown fences around all of it."""
    found = _FENCED.fullmatch(text)
    return text if found is None else found[1]


def _json(text: str, _spec: AnswerSpec) -> Any:
    try:
        return _parse_json(unfenced(text))
    except json.JSONDecodeError as error:
        raise Misread("JSON", f"{error.msg} in column {error.colno}", path=f"line {error.lineno}") from None
    except (ValueError, RecursionError) as error:
        raise Misread("JSON", str(error)) from None


def _list(text: str, _spec: AnswerSpec) -> list[Any]:
    bare = text.strip()
    if bare.startswith("["):
        value = _json(bare, _spec)
        if isinstance(value, list):
            return value
    lines = [line for line in bare.splitlines() if line.strip()]
    bullets = [_BULLET.fullmatch(line) for line in lines]
    if lines and all(bullets):
        return [found[1].strip() for found in bullets if found is not None]
    items = lines if len(lines) > 1 else re.split(r"[,;、]", bare)
    return [item.strip() for item in items if item.strip()]


FORMATS: Mapping[str, Callable[[str, AnswerSpec], Any]] = MappingProxyType(
    {
        "text": _text,
        "number": _number,
        "integer": _integer,
        "boolean": _boolean,
        "date": _date,
        "time": _moment(time, "14:30"),
        "datetime": _moment(datetime, "2026-01-31T14:30:00+01:00"),
        "url": _url,
        "email": _email,
        "file_path": _file_path,
        "code": _code,
        "json": _json,
        "list": _list,
    }
)
"""From the name of a format to what reads it; each raises `Misread`."""


def misread(form: str, text: str, spec: AnswerSpec, fault: Misread) -> Issue:
    """The issue that a parser's refusal makes."""
    one = None if form == "text" else only_one(form, text, spec)
    hint = f"give only {one}" if one is not None and one != text.strip() else fault.hint
    return Issue(fault.path, "format", quoted(text if fault.got is None else fault.got), fault.expected, hint)
