"""Command lines as models write them: plain words are split, whatever needs a shell is named."""

from __future__ import annotations

import re
import shlex

from tooldeck.core.errors import ExpectedError

__all__ = ["shell_syntax", "split_words"]

_SPECIAL = frozenset("|&;<>()$`*?[]{}\n\r!")
_WORD_START = frozenset("~#")
# Special at the beginning of a word only.
_ASSIGNMENT = re.compile(r"\s*[A-Za-z_]\w*=")
_MEANING = {
    "|": "a pipe",
    "&": "a command in the background or a second one",
    ";": "a second command",
    "<": "a redirection",
    ">": "a redirection",
    "$": "a substitution",
    "`": "a substitution",
    "\n": "a second line",
    "\r": "a second line",
    "*": "a pattern of file names",
    "?": "a pattern of file names",
    "[": "a pattern of file names",
    "~": "the name of a home",
    "#": "a comment",
    "=": "a variable that is set",
}


def shell_syntax(line: str) -> str:
    """What only a shell would understand in a command line, in words; empty for plain words."""
    if _ASSIGNMENT.match(line):
        return f"{_MEANING['=']} before the command"
    quote, before = "", " "
    escaped = False
    for char in line:
        if escaped:
            escaped = False
        elif char == "\\" and quote != "'":
            escaped = True
        elif char in "'\"" and quote in {"", char}:
            quote = "" if quote else char
        elif _is_special(char, quote, before):
            return f"{_MEANING.get(char, 'a character of shells')} ({char!r})"
        before = char
    return ""


def _is_special(char: str, quote: str, before: str) -> bool:
    if quote == "'":
        return False
    if quote:
        return char in "$`"
    return char in _SPECIAL or (char in _WORD_START and before.isspace())


def split_words(line: str) -> list[str]:
    """The words of a plain command line; raises `ExpectedError` for a quote that is never closed."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise ExpectedError(f"The command line {line!r} cannot be read: {str(error).lower()}.") from None
    if not words:
        raise ExpectedError("The command line is empty.")
    return words
