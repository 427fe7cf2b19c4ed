"""What may be asked of an answer, and what is said where it falls short."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from tooldeck.guards.patterns import UnsafePattern, matches_whole
from tooldeck.registry.json_schema import JsonSchemaParameters

__all__ = ["AnswerSpec", "Issue", "checker", "quoted"]

Count = Annotated[int, Field(ge=0)]
Language = Literal[
    "ar", "de", "el", "en", "es", "fr", "he", "hi", "it", "ja", "ko", "nl", "pt", "ru", "th", "zh"
]  # fmt: skip
_QUOTED = 60


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that is wrong with an answer."""

    path: str
    """Where: ``items[2].name``, ``line 3``; empty for the whole answer."""
    rule: str
    """What was asked for, by the name of its field in the spec."""
    got: str
    expected: str
    hint: str = ""
    """The smallest change that would do, where one is known."""

    def told(self) -> dict[str, str]:
        """The same for JSON, without what is empty."""
        return {name: text for name, text in asdict(self).items() if text}


class AnswerSpec(BaseModel):
    """What an answer has to be like."""

    model_config = ConfigDict(extra="forbid")

    format: Annotated[
        Literal[
            "text", "number", "integer", "boolean", "date", "time", "datetime", "url", "email", "file_path",
            "code", "json", "list",
        ],
        Field(description="What kind of answer it is; each is really parsed."),
    ] = "text"  # fmt: skip
    json_schema: Annotated[
        dict[str, Any] | None, Field(description="A JSON Schema that the answer, read as JSON, must fit.")
    ] = None
    pattern: Annotated[
        str | None, Field(description="A regular expression that the whole answer must match.")
    ] = None
    minimum: Annotated[float | None, Field(description="The least number.")] = None
    maximum: Annotated[float | None, Field(description="The greatest number.")] = None
    decimals: Annotated[
        int | None, Field(ge=0, le=30, description="Exactly so many digits after the point.")
    ] = None
    unit: Annotated[str | None, Field(description="The unit that must follow the number.")] = None
    code_language: Annotated[
        Literal["python", "json", "toml"], Field(description="The language of code.")
    ] = "python"
    min_items: Annotated[Count | None, Field(description="The least number of items of a list.")] = None
    max_items: Annotated[Count | None, Field(description="The greatest number of items of a list.")] = None
    unique: Annotated[bool, Field(description="Whether no item of a list may come twice.")] = False
    min_chars: Annotated[Count | None, Field(description="The least number of characters.")] = None
    max_chars: Annotated[Count | None, Field(description="The greatest number of characters.")] = None
    min_words: Annotated[Count | None, Field(description="The least number of words.")] = None
    max_words: Annotated[Count | None, Field(description="The greatest number of words.")] = None
    max_lines: Annotated[Count | None, Field(description="The greatest number of lines.")] = None
    required: Annotated[list[str], Field(description="Phrases that must occur, in any letter case.")] = []
    forbidden: Annotated[
        list[str], Field(description="Phrases that must not occur, in any letter case.")
    ] = []
    language: Annotated[Language | None, Field(description="The language it must be written in.")] = None
    sources: Annotated[
        dict[str, str] | None,
        Field(
            description="The texts that may be cited as [name], by name. At least one must be, and what "
            "stands in quotation marks before [name] must occur in that text."
        ),
    ] = None

    @field_validator("pattern")
    @classmethod
    def _can_be_matched(cls, pattern: str | None) -> str | None:
        if pattern is not None:
            try:
                matches_whole(pattern, "")
            except UnsafePattern:
                raise ValueError(
                    f"{quoted(pattern)} is no regular expression that can be matched in bounded time; leave "
                    "out look-around and repeated groups in it"
                ) from None
        return pattern

    @field_validator("json_schema")
    @classmethod
    def _is_a_schema(cls, schema: dict[str, Any] | None) -> dict[str, Any] | None:
        if schema is not None:
            checker(schema)  # raises DefinitionError, which is a ValueError
        return schema


def checker(schema: dict[str, Any]) -> JsonSchemaParameters:
    """Checks objects whose ``answer`` has to fit `schema`; raises `DefinitionError` where it is none."""
    dialect = {"$schema": schema["$schema"]} if isinstance(schema.get("$schema"), str) else {}
    # With an address of its own, references within the schema still begin at its root.
    inner = {"$id": "urn:tooldeck:answer", **{name: own for name, own in schema.items() if name != "$schema"}}
    return JsonSchemaParameters({**dialect, "type": "object", "properties": {"answer": inner}})


def quoted(value: object) -> str:
    """A value for a message: quoted, on one line, cut."""
    text = value if isinstance(value, str) else repr(value)
    return repr(text if len(text) <= _QUOTED else f"{text[: _QUOTED - 1]}…")
