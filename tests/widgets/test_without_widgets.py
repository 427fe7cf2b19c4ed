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


@pytest.mark.parametrize("module", ["tooldeck.notebook.widgets", "tooldeck.notebook.forms"])
def test_widgets_and_forms_can_be_loaded_in_either_order(module: str) -> None:
    code = f"from {module} import *; import tooldeck.notebook.forms, tooldeck.notebook.widgets.card"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_widget_that_is_offered_exists() -> None:
    from tooldeck.notebook import widgets

    assert sorted(widgets._HOMES) == widgets.__all__
    assert all(isinstance(getattr(widgets, name), type) for name in widgets.__all__)
    with pytest.raises(AttributeError, match="Gadget"):
        _ = widgets.Gadget
