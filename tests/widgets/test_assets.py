"""The front-end sources as they are served: one self-contained module and one style sheet per widget."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tooldeck.core.errors import SetupError
from tooldeck.notebook.widgets import _assets

SOURCES = Path(__file__).parents[2] / "widgets"
WIDGETS = sorted(
    path.stem for path in SOURCES.glob("*.js") if "export default { render };" in path.read_text("utf-8")
)


def test_there_are_widgets() -> None:
    assert {"approval", "gauge"} <= set(WIDGETS)


@pytest.mark.parametrize("name", WIDGETS)
def test_a_served_module_is_self_contained(name: str) -> None:
    module = _assets.script(name)
    assert not re.search(r"^import ", module, re.MULTILINE)
    assert re.findall(r"^export .*", module, re.MULTILINE)[-1] == "export default { render };"
    names = re.findall(r"^(?:export )?(?:async )?(?:function|const|class|let) (\w+)", module, re.MULTILINE)
    assert len(names) == len(set(names)), "joined modules declare a name twice"


@pytest.mark.parametrize("name", WIDGETS)
@pytest.mark.skipif(shutil.which("node") is None, reason="node checks the syntax")
def test_a_served_module_is_valid_javascript(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.mjs"
    file.write_text(_assets.script(name), encoding="utf-8")
    done = subprocess.run(
        ["node", "--check", str(file)], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", WIDGETS)
def test_a_style_sheet_comes_after_the_shared_one(name: str) -> None:
    sheet = _assets.style(name)
    assert sheet.startswith("/* What all widgets share")
    assert sheet.count("{") == sheet.count("}")


def test_an_installation_without_sources_says_how_to_mend_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(_assets, "__file__", str(tmp_path / "a" / "b" / "c" / "_assets.py"))
    with pytest.raises(SetupError, match="pip install"):
        _assets._folder()
