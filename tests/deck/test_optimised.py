"""Python without asserts and docstrings (``-OO``): everything works, and what is missing is said."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import warnings
from tooldeck import Deck
deck = Deck(policy="auto")
def double(x: int) -> int:
    "Doubles a number."
    return 2 * x
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    deck.add(double, description="Twice the number.")
    assert_none = list(told)
    deck.add(double)
print(deck.call("double", x="4").value, len(assert_none), len(told), told[0].message)
"""


def test_a_tool_without_its_docstring_works_and_asks_for_a_description() -> None:
    done = subprocess.run(
        [sys.executable, "-OO", "-c", PROGRAM], timeout=60, check=True, capture_output=True, text=True
    )
    assert done.stdout.startswith("8 0 1 double has no description")
    assert "description=" in done.stdout
