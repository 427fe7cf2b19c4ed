"""Tools of other packages, by entry points."""

from __future__ import annotations

import sys

import pytest

from tooldeck import Deck, DefinitionError
from tooldeck.plugins import plugins

MODULE = """
import tooldeck
from tooldeck import BaseTool, tool

def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b

@tool(effects="none")
def twice(x: int) -> int:
    "Twice."
    return 2 * x

class Shout(BaseTool):
    "Shout."
    effects = "none"
    def run(self, text: str) -> str:
        return text.upper()

def many() -> list[object]:
    return [twice, Shout()]

several = (add, twice)
nonsense = 5
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a package with entry points on the path."""
    monkeypatch.syspath_prepend(tmp_path)

    def installed(points, module="plugged_in", source=MODULE, package="Plugged"):
        (tmp_path / f"{module}.py").write_text(source)
        info = tmp_path / f"{package}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
        lines = "\n".join(f"{name} = {target}" for name, target in points.items())
        (info / "entry_points.txt").write_text(f"[tooldeck.tools]\n{lines}\n")
        return module

    yield installed
    for name in [name for name in sys.modules if name.startswith("plugged_")]:
        del sys.modules[name]


def test_names_are_known_without_importing_anything(install):
    install({"add": "plugged_in:add"})
    (plugin,) = plugins()
    assert (plugin.name, plugin.package, plugin.version, plugin.target) == (
        "add",
        "Plugged",
        "1.2",
        "plugged_in:add",
    )
    assert "plugged_in" not in sys.modules
    assert "add" not in Deck()


@pytest.mark.parametrize(
    ("target", "names"),
    [
        ("add", ["add"]),
        ("twice", ["twice"]),
        ("Shout", ["shout"]),
        ("many", ["twice", "shout"]),
        ("several", ["add", "twice"]),
    ],
)
def test_an_entry_point_may_lead_to_whatever_is_a_tool_or_several(install, target, names):
    install({"it": f"plugged_in:{target}"})
    deck = Deck(policy="auto")
    loaded = deck.load_plugins()
    assert [tool.name for tool in loaded.tools] == names == list(deck.tools)
    assert loaded.problems == {}
    assert {str(tool.origin) for tool in loaded.tools} == {"plugin Plugged"}


def test_only_the_named_ones_are_loaded_and_their_tools_run_under_the_rules(install):
    install({"add": "plugged_in:add", "shout": "plugged_in:Shout"})
    deck = Deck()
    deck.load_plugins("shout")
    assert list(deck.tools) == ["shout"]
    assert deck.call("shout", text="hey").value == "HEY"
    deck.load_plugins("add")
    assert deck.call("add", a=1, b=2).status == "denied"  # it declares no effects, and nobody can be asked


def test_a_name_that_is_not_installed_is_refused(install):
    install({"add": "plugged_in:add"})
    with pytest.raises(DefinitionError, match="no plug-in 'adds'; did you mean 'add'"):
        Deck().load_plugins("adds")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import no_such_module_at_all", "ModuleNotFoundError"),
        ("raise SystemExit('bye')", "SystemExit"),
        ("x = 1", "AttributeError"),
        ("add = 5", "cannot be a tool"),
        ("def add(*, x: 'Nope'): ...", "Nope"),
    ],
)
def test_a_broken_one_is_reported_and_stops_no_other(install, source, said):
    install({"broken": "plugged_broken:add"}, module="plugged_broken", source=source, package="Broken")
    install({"ok": "plugged_in:twice"})
    deck = Deck(policy="auto")
    loaded = deck.load_plugins()
    assert [tool.name for tool in loaded.tools] == ["twice"]
    assert said in loaded.problems["broken"]
    assert "broken:" in repr(loaded)


def test_a_tool_of_yours_is_not_replaced_by_a_plug_in_of_the_same_name(install):
    install({"add": "plugged_in:add"})
    deck = Deck(policy="auto")

    @deck.tool(effects="none")
    def add() -> str:
        return "mine"

    loaded = deck.load_plugins()
    assert "There is a tool 'add'" in loaded.problems["add"]
    assert deck.call("add").value == "mine"


def test_loading_twice_replaces_the_tools_by_themselves(install):
    install({"twice": "plugged_in:twice"})
    deck = Deck(policy="auto")
    deck.load_plugins()
    assert deck.load_plugins().problems == {}
    assert deck.call("twice", x=2).value == 4
