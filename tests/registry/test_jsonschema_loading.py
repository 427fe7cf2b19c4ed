"""Importing jsonschema must not cost what one of its rarest checks needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("rfc3987_syntax", reason="the slow package comes with JupyterLab")

PROGRAM = """
import sys
from tooldeck.registry.json_schema import JsonSchemaParameters
JsonSchemaParameters({"type": "object"})
assert "jsonschema" in sys.modules
assert "rfc3987_syntax" not in sys.modules and "lark" not in sys.modules

from jsonschema import FormatChecker
from jsonschema.exceptions import FormatError
FormatChecker(["iri"]).check("https://example.org/é", "iri")
assert "lark" in sys.modules
try:
    FormatChecker(["iri"]).check("no iri", "iri")
except FormatError:
    print("refused")
import rfc3987_syntax
print(rfc3987_syntax.is_valid_syntax("iri", "https://example.org/"), rfc3987_syntax.__file__ is not None)
"""


def test_the_grammars_of_iris_are_built_when_an_iri_is_checked_and_not_before() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "refused\nTrue True\n"
