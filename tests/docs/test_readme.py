"""What the README promises is there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.notebook.conftest import Shell, shell

__all__ = ["shell"]

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)


def test_every_make_target_that_is_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"`?make (\w+)", README))
    assert {"demo", "test", "lab"} <= named
    assert [target for target in named if f"\n{target}:" not in makefile] == []


def test_every_path_that_is_named_exists() -> None:
    links = re.findall(r"\]\(([\w./-]+)\)", README)
    paths = re.findall(r"`((?:tooldeck|notebooks|widgets|benchmarks)/[\w./-]*)`", README)
    assert links
    assert [path for path in [*links, *paths] if not (ROOT / path).exists()] == []


def test_every_magic_that_is_named_exists(shell: Shell) -> None:
    magics = shell.ip.magics_manager.magics
    for kind, name in re.findall(r"(?<![\w%])(%%?)([a-z_]+)", README):
        assert name in magics["cell" if kind == "%%" else "line"], f"{kind}{name}"


def test_the_cells_of_the_readme_run(shell: Shell) -> None:
    cells = [part for language, part in BLOCKS if language == "python"]
    assert cells
    for cell in cells:
        for part in re.split(r"\n(?=deck\.call)", cell):
            shell.run(part.replace("    ...\n", "    return [station] * limit\n"))
    assert [result.status for result in shell.deck.history()] == ["ok", "ok"]


def test_the_plain_example_of_the_readme_runs() -> None:
    first, second = (part for language, part in BLOCKS if language == "py")
    namespace: dict[str, object] = {}
    exec(first + second, namespace)
    assert [result.value for result in namespace["deck"].history()] == [3, 3, 3]
    result = namespace["deck"].call("add", '{"a": "1", "b": 2}')
    assert result.value == 3
    assert [str(note) for note in result.notes] == ['a: read "1" as 1']


def test_every_option_and_method_that_is_named_exists() -> None:
    from tooldeck import Deck, Run
    from tooldeck.core.options import OPTION_NAMES

    options = [
        name for given in re.findall(r"@tool\(([^)]*)\)", README) for name in re.findall(r"(\w+)=", given)
    ]
    assert options
    assert [name for name in options if name not in OPTION_NAMES] == []
    for owner, kind in (("deck", Deck), ("Run", Run)):
        named = re.findall(rf"`{owner}\.(\w+)", README)
        assert named
        assert [name for name in named if not hasattr(kind, name)] == []
