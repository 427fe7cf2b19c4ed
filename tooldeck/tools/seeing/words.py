"""Words in pictures: by the program tesseract, or by the package rapidocr."""

from __future__ import annotations

import importlib.util
import re
import shutil
import tempfile
from pathlib import Path
from typing import Literal

from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.guards.environment import environment
from tooldeck.guards.isolation import Isolation, View
from tooldeck.guards.programs import find_program, install_command
from tooldeck.guards.running import Limits, summed_up
from tooldeck.guards.sandbox import best, run_confined
from tooldeck.tools.seeing.decoding import read_words

__all__ = ["LANGUAGES", "Engine", "engine_for", "why_no_words", "words_in"]

Engine = Literal["auto", "tesseract", "rapidocr"]
LANGUAGES = r"^[A-Za-z]{3}[A-Za-z_]{0,20}(\+[A-Za-z]{3}[A-Za-z_]{0,20}){0,5}$"
_LIMITS = Limits(seconds=90, kept=2_000_000)


def engine_for(asked: Engine) -> str:
    """The engine to use; raises `SetupError` where there is none."""
    if asked != "auto":
        return asked
    if shutil.which("tesseract", path=environment()["PATH"]):
        return "tesseract"
    if importlib.util.find_spec("rapidocr") is not None:
        return "rapidocr"
    raise SetupError(f"Nothing here reads words in pictures: {why_no_words()}.")


def why_no_words() -> str:
    """What is missing for reading words, with the commands that help; empty where nothing is."""
    program = shutil.which("tesseract", path=environment()["PATH"])
    if program or importlib.util.find_spec("rapidocr") is not None:
        return ""
    return (
        f"for the program tesseract, {install_command('tesseract')}; or take the package rapidocr: pip "
        "install 'tooldeck[ocr]'"
    )


async def words_in(png: bytes, what: str, engine: str, language: str) -> str:
    """The words in a picture, line by line."""
    if engine == "rapidocr":
        lines, _ = await read_words(png, what)
        return "\n".join(lines)
    program = find_program("tesseract", environment())
    walls = await best(Isolation.RLIMITS)
    with tempfile.TemporaryDirectory(prefix="tooldeck-media-") as folder:
        # With more threads than one it takes several times as long.
        finished, _ = await run_confined(
            [program, "stdin", "stdout", "-l", language], View(Path(folder)), walls, _LIMITS,
            data=png, env={"OMP_THREAD_LIMIT": "1"},
        )  # fmt: skip
    missing = re.findall(r"Failed loading language '([^']{1,30})'", finished.stderr.text)
    if missing:
        package = f"tesseract-ocr-{missing[0].replace('_', '-')}"
        raise SetupError(
            f"tesseract has no data for the language {missing[0]!r}; install it with: "
            f"apt-get install {package}."
        )
    if finished.ok:
        return finished.stdout.text.replace("\f", "").strip()
    last = finished.stderr.text.strip().splitlines()[-1:] or [""]
    raise ExpectedError(f"tesseract {summed_up(finished)}: {last[0][:200]}")
