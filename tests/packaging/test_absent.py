"""What is missing costs what needs it, says so in one sentence, and costs nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rig.environments import Installed

SCRIPT = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "tooldeck")
shell.run_cell('''%%tool --effects read
def double(n: int) -> int:
    "Twice the number."
    return 2 * n
''')
print("value:", shell.user_ns["deck"].call("double", n=4).value)
shell.run_cell("%call double n=5")
shell.run_cell("%mcp connect demo")
"""

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def told(make_environment: Callable[..., Installed]) -> str:
    """Return all that a session prints where IPython is installed, but no widgets and no MCP."""
    place = make_environment("pydantic>=2.12,<3", "ipython>=8.31,<10", alone=True)
    return place.run_with_errors(SCRIPT)


def test_tools_of_cells_work_without_widgets_and_without_mcp(told: str) -> None:
    assert "value: 8" in told
    assert "10" in told
    assert "Traceback" not in told


def test_what_widgets_would_show_is_named_once_with_the_command_that_installs_them(told: str) -> None:
    (line,) = [line for line in told.splitlines() if "pip install" in line and "ipywidgets" in line]
    assert "anywidget" in line


def test_a_server_is_refused_with_the_command_that_installs_mcp(told: str) -> None:
    (line,) = [line for line in told.splitlines() if "pip install" in line and "mcp" in line]
    assert "MCP" in line
