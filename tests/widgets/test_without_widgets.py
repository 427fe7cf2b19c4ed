"""A machine without ipywidgets: one sentence says what is missing, and how to get it."""

from __future__ import annotations

import subprocess
import sys

import pytest

BLOCKED = """
import sys
sys.modules[{package!r}] = None
from tooldeck.core.errors import SetupError
try:
    import {module}
except SetupError as fault:
    print(fault)
"""


@pytest.mark.parametrize("module", ["tooldeck.notebook.widgets", "tooldeck.notebook.forms"])
@pytest.mark.parametrize("package", ["ipywidgets", "anywidget"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(module: str, package: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED.format(package=package, module=module)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert package in done.stdout
    assert done.stdout.strip().endswith("pip install ipywidgets anywidget")
    assert len(done.stdout.splitlines()) == 1


def test_static_forms_load_no_widgets() -> None:
    code = (
        "import sys, tooldeck.notebook.render; print('ipywidgets' in sys.modules, 'IPython' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.split() == ["False", "False"], done.stderr
