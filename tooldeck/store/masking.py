"""Keeping secrets out of what is stored: declared ones, those whose key says so, and well-known tokens.

Declared is a parameter with ``format: password`` or ``writeOnly`` in its schema, as `SecretStr` gives it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tooldeck.core.credentials import LOGIN

__all__ = ["MASK", "Masked", "hints_at_secrets", "mask", "names_secret", "scrub"]

MASK = "•••"
"""What stands in place of a secret."""
_SHORTEST = 3
"""Characters of a secret below which its occurrences in texts are left alone, since they say nothing."""
_HEAD = 8
"""Characters by which a secret is found in texts, which may show only its beginning."""
_DEEPEST = 20
"""Levels of references and alternatives that are followed in a schema."""

_SECRET_ENDS = frozenset(
    {
        *("apikey", "authorization", "cookie", "credential", "credentials", "passphrase", "passwd"),
        *("password", "pwd", "secret", "secrets", "token"),
    }
)
_SECRET_PAIRS = frozenset({("api", "key"), ("access", "key"), ("private", "key"), ("secret", "key")})
_NO_SECRET_PAIRS = frozenset({("page", "token"), ("next", "token"), ("continuation", "token")})
_KEYS = re.compile(r"[A-Za-z][\w-]*")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def _shape(mark: str, pattern: str, instead: str = MASK) -> tuple[str, re.Pattern[str], str]:
    return mark, re.compile(pattern, re.DOTALL), instead


_HEADER = r"(uthorization[\"']?\s{0,9}[:=]\s{0,9}[\"']?[\w-]{2,20}\s{1,9})(?!•)[^\s\"',;]{4,}"
_PROOF = r"(\b{}=\\?[\"']?)[0-9a-fA-F]{{32,128}}\b"
_KEY_END = r"-----END [A-Z ]*PRIVATE KEY-----"
_SHAPES = (
    *(_shape(f"{kind}-", rf"\b{kind}-[A-Za-z0-9_-]{{16,}}") for kind in ("sk", "pk", "rk")),
    *(_shape(f"{kind}_", rf"\b{kind}_(?:live|test)_[A-Za-z0-9]{{10,}}") for kind in ("sk", "pk", "rk")),
    *(_shape(f"gh{kind}_", rf"\bgh{kind}_[A-Za-z0-9]{{20,}}") for kind in "oprsu"),
    _shape("github_pat_", r"\bgithub_pat_\w{20,}"),
    _shape("glpat-", r"\bglpat-[\w-]{16,}"),
    _shape("xox", r"\bxox[abeoprs]-[\w-]{10,}"),
    _shape("AKIA", r"\bAKIA[A-Z0-9]{16}\b"),
    _shape("ASIA", r"\bASIA[A-Z0-9]{16}\b"),
    _shape("AIza", r"\bAIza[\w-]{30,}"),
    _shape("eyJ", r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    _shape("Bearer ", r"Bearer [\w.~+/=-]{8,}", f"Bearer {MASK}"),
    # The proof in a Digest or a signed request, which stands among parameters that are no secrets.
    _shape("response=", _PROOF.format("response"), rf"\1{MASK}"),
    _shape("Signature=", _PROOF.format("Signature"), rf"\1{MASK}"),
    # Basic, Digest, Token, ApiKey: by the header, since the words are ordinary ones.
    _shape("uthorization", _HEADER, rf"\1{MASK}"),
    _shape("://", LOGIN, f"://{MASK}@"),
    _shape("PRIVATE KEY", rf"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:{_KEY_END}|\Z)"),
)
"""Texts that give themselves away: a mark that is looked for first, which is fast, and the whole shape."""


_FIELDS = re.compile(r"(?:(?<=[?&;#])|\A)([\w.-]{1,100})=([^&;#\s\"'<>]+)")
"""Fields of addresses and forms, as in ``?api_key=…``."""
_MOST_JSON = 100_000
"""Characters of a text that is read as JSON to look into it."""


class Masked(NamedTuple):
    """Arguments without their secrets."""

    arguments: dict[str, Any]
    paths: tuple[str, ...]
    """Where something was taken out, as in ``login.password``."""
    secrets: tuple[str, ...]
    """What was taken out, for `scrub`; never stored."""


def mask(arguments: Mapping[str, Any], schema: Mapping[str, Any] | None = None) -> Masked:
    """`arguments`, which are plain JSON, with `MASK` for every secret in them."""
    work = _Masking(schema or {})
    masked = {
        work.key(key, key): work.member(key, value, list(_inner(work.root, key, _DEEPEST, work.root)), key)
        for key, value in arguments.items()
    }
    secrets = tuple(sorted(work.secrets, key=len, reverse=True))
    if secrets:  # the same may have been given at another place as well
        masked = {key: work.again(value, secrets, key) for key, value in masked.items()}
    return Masked(masked, tuple(work.paths), secrets)


def scrub(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` with `MASK` for every one of `secrets`, or a part it begins with, and for known token shapes."""
    for secret in secrets:
        for form in dict.fromkeys((secret, repr(secret)[1:-1], json.dumps(secret)[1:-1])):
            text = _without(text, form)
    for mark, shape, instead in _SHAPES:
        if mark in text:
            text = shape.sub(instead, text)
    if "=" in text:
        text = _FIELDS.sub(lambda field: f"{field[1]}={MASK}" if _is_secret_field(field) else field[0], text)
    return text


def hints_at_secrets(text: str) -> bool:
    """Whether a text that cannot be read as JSON has a key in it that names a secret, or a token."""
    return scrub(text) != text or any(names_secret(word) for word in _KEYS.findall(text))


class _Masking:
    """One walk through the arguments, side by side with their schema."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.paths: list[str] = []
        self.secrets: set[str] = set()

    def member(self, key: str, value: Any, schemas: list[Any], path: str) -> Any:
        secret = any(_declared(schema) for schema in schemas)
        if value not in (None, "") and (
            secret or (names_secret(key) and isinstance(value, str | list | dict))
        ):
            self.paths.append(path)
            self.secrets.update(text for text in _texts(value) if len(text) >= _SHORTEST)
            return MASK
        return self.value(value, schemas, path)

    def value(self, value: Any, schemas: list[Any], path: str) -> Any:
        if isinstance(value, dict):
            return {
                self.key(key, path): self.member(key, inner, self.below(schemas, key), f"{path}.{key}")
                for key, inner in value.items()
            }
        if isinstance(value, list):
            return [
                self.member("", inner, self.below(schemas, index), f"{path}[{index}]")
                for index, inner in enumerate(value)
            ]
        return self.text(value, path) if isinstance(value, str) else value

    def text(self, text: str, path: str) -> str:
        """A text without what gives itself away in it, also where it is JSON."""
        before = len(self.paths)
        inside = _json_in(text)
        if inside is not None:
            clean = json.dumps(self.value(inside, [], path), ensure_ascii=False)
            if len(self.paths) > before:
                return clean
        clean = scrub(text)
        if clean != text:
            self.paths.append(path)
            self.secrets.update(found[0] for _, shape, _ in _SHAPES for found in shape.finditer(text))
            self.secrets.update(found[2] for found in _FIELDS.finditer(text) if _is_secret_field(found))
        return clean

    def key(self, key: str, path: str) -> str:
        """A key, which may be a token itself."""
        clean = scrub(key)
        if clean != key:
            self.paths.append(path if path != key else clean)
        return clean

    def again(self, value: Any, secrets: tuple[str, ...], path: str) -> Any:
        """`value` without the secrets that were found elsewhere."""
        if isinstance(value, dict):
            return {key: self.again(inner, secrets, f"{path}.{key}") for key, inner in value.items()}
        if isinstance(value, list):
            return [self.again(inner, secrets, f"{path}[{index}]") for index, inner in enumerate(value)]
        clean = scrub(value, secrets) if isinstance(value, str) else value
        if clean != value:
            self.paths.append(path)
        return clean

    def below(self, schemas: list[Any], key: str | int) -> list[Any]:
        return [child for schema in schemas for child in _inner(schema, key, _DEEPEST, self.root)]


def _inner(schema: Any, key: str | int, depth: int, root: Mapping[str, Any]) -> Iterator[Any]:
    """The schemas of a member, references and alternatives followed."""
    for one in _meant(schema, depth, root):
        if isinstance(key, int):
            prefix = one.get("prefixItems", [])
            child = prefix[key] if key < len(prefix) else one.get("items")
        else:
            child = one.get("properties", {}).get(key, one.get("additionalProperties"))
        yield from _meant(child, depth, root)


def _meant(schema: Any, depth: int, root: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A schema, what it refers to and its alternatives."""
    if not isinstance(schema, Mapping) or depth == 0:
        return
    yield schema
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        found: Any = root
        for part in reference[2:].split("/"):
            found = found.get(part) if isinstance(found, Mapping) else None
        yield from _meant(found, depth - 1, root)
    for word in ("anyOf", "oneOf", "allOf"):
        for one in schema.get(word, ()):
            yield from _meant(one, depth - 1, root)


def _declared(schema: Any) -> bool:
    return isinstance(schema, Mapping) and (
        schema.get("format") == "password" or schema.get("writeOnly") is True
    )


def names_secret(key: str) -> bool:
    """Whether a key says that its value is a secret: ``apiKey``, ``db_password``; not ``max_tokens``."""
    words = [word.lower() for word in _WORDS.findall(key)]
    last = tuple(words[-2:])
    return (
        bool(words) and last not in _NO_SECRET_PAIRS and (words[-1] in _SECRET_ENDS or last in _SECRET_PAIRS)
    )


def _is_secret_field(field: re.Match[str]) -> bool:
    return field[2] != MASK and names_secret(field[1])


def _json_in(text: str) -> Any:
    """The object or list that a text is, or None."""
    if not text.lstrip().startswith(("{", "[")) or len(text) > _MOST_JSON:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _without(text: str, secret: str) -> str:
    """`text` with each occurrence of `secret`, or of at least its head, replaced."""
    head = secret[:_HEAD]
    pieces: list[str] = []
    start = 0
    while (found := text.find(head, start)) >= 0:
        end = found + len(head)
        while end - found < len(secret) and end < len(text) and text[end] == secret[end - found]:
            end += 1
        pieces += [text[start:found], MASK]
        start = end
    return "".join([*pieces, text[start:]])
