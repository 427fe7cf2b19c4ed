"""The deck of a module, a file or a notebook that is to be served from the command line."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.base_tool import BaseTool
from tooldeck.core.errors import SetupError
from tooldeck.core.tool import Tool
from tooldeck.deck import Deck

__all__ = ["load_deck"]


def load_deck(targets: Iterable[str]) -> Deck:
    """Run what `targets` name and give their deck.

    Each is a ``.py`` file, a notebook or the name of a module. The deck is the one that they call ``deck``,
    or the only one there is; tools that belong to none are added to it. Raises `SetupError` where nothing is
    found, where there are several decks, and where the code of a target raises.
    """
    spaces = {target: _run(target) for target in targets}
    decks = list(dict.fromkeys(deck for space in spaces.values() for deck in _decks(space)))
    if len(decks) > 1:
        raise SetupError(f"{', '.join(spaces)} have {len(decks)} decks; name the one to be served deck.")
    deck = decks[0] if decks else Deck()
    for space in spaces.values():
        for thing in _loose_tools(space):
            deck.add(thing)
    if not deck.tools:
        raise SetupError(f"There is no tool in {', '.join(spaces)}; write a function with @tool above it.")
    return deck


def _decks(space: Mapping[str, Any]) -> list[Deck]:
    named = space.get("deck")
    return [named] if isinstance(named, Deck) else [one for one in space.values() if isinstance(one, Deck)]


def _loose_tools(space: Mapping[str, Any]) -> list[Any]:
    """Tools that were made in the target and belong to no deck."""
    found: dict[int, Any] = {}
    for name, thing in space.items():
        loose = isinstance(thing, Tool) and thing.binding is None
        if not name.startswith("_") and (loose or isinstance(thing, ActionTool | BaseTool)):
            found[id(thing)] = thing
    return list(found.values())


def _run(target: str) -> Mapping[str, Any]:
    path = Path(target)
    if path.suffix not in {".py", ".ipynb"} and not path.exists():
        return _module(target)
    if not path.is_file():
        raise SetupError(f"There is no file {target!r}.")
    if path.suffix == ".ipynb":
        return _notebook(path)
    sys.path.insert(0, str(path.resolve().parent))
    try:
        return runpy.run_path(str(path), run_name="tooldeck_served")
    except Exception as error:
        raise SetupError(f"{target} raised {type(error).__name__}: {error}") from error


def _module(name: str) -> Mapping[str, Any]:
    sys.path.insert(0, str(Path.cwd()))
    try:
        return vars(import_module(name))
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            raise SetupError(f"There is no module or file {name!r}.") from None
        raise SetupError(f"{name} raised {type(error).__name__}: {error}") from error
    except Exception as error:
        raise SetupError(f"{name} raised {type(error).__name__}: {error}") from error


def _notebook(path: Path) -> Mapping[str, Any]:
    """Run the cells of a notebook in order, as IPython does, where nobody can be asked."""
    try:
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config
    except ImportError:
        raise SetupError("Notebooks need IPython: pip install ipython") from None
    try:
        cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError):
        raise SetupError(f"{path} is no notebook.") from None
    config = Config()
    config.HistoryManager.enabled = False
    shell: Any = InteractiveShell.instance(config=config)
    for number, cell in enumerate(cells, 1):
        source = cell["source"]
        done = shell.run_cell("".join(source) if isinstance(source, list) else source)
        error = done.error_before_exec or done.error_in_exec
        if error is not None:
            raise SetupError(f"{path}: code cell {number} raised {type(error).__name__}: {error}") from error
    return shell.user_ns
