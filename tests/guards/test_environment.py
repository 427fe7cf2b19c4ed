from __future__ import annotations

import os
import sys
from pathlib import Path

from tooldeck.guards.environment import environment


def test_shell_functions_in_the_environment_stay_here(monkeypatch):
    monkeypatch.setenv("TERM", "() { echo hacked; }")
    assert "TERM" not in environment()
    assert environment()["PATH"].endswith(os.environ["PATH"])


def test_what_is_installed_beside_this_python_is_found_first():
    assert environment()["PATH"].split(os.pathsep)[0] == str(Path(sys.executable).parent)
