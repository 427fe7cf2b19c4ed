"""The wheel works where it is installed alone: in a clean environment, far from the source tree."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from rig.environments import Installed
from rig.kernels import ROOT

HEAVY = ["IPython", "ipywidgets", "anywidget", "mcp", "httpx", "httpx2", "sqlite3", "nest_asyncio2", "zmq"]

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def installed(make_environment: Callable[..., Installed]) -> Installed:
    """Return an environment that has the wheel and what it depends on, and nothing else."""
    return make_environment()


@pytest.fixture(scope="module")
def bare(make_environment: Callable[..., Installed]) -> Installed:
    """Return an environment that has the wheel and pydantic: no notebook, no MCP."""
    return make_environment("pydantic>=2.12,<3", alone=True)


def test_the_wheel_carries_every_front_end_source_and_no_development_file(wheel: Path) -> None:
    sources = {
        path.relative_to(ROOT / "widgets").as_posix()
        for path in (ROOT / "widgets").rglob("*")
        if path.suffix in {".js", ".css"}
        and not {"node_modules", "test", "tests", "types"} & set(path.parts)
        and not path.name.endswith((".config.js", ".test.js", ".spec.js"))
    }
    names = zipfile.ZipFile(wheel).namelist()
    carried = {name.removeprefix("tooldeck/_widgets/") for name in names if "/_widgets/" in name}
    assert sources
    assert carried == sources


def test_the_wheel_carries_the_package_and_nothing_beside_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "tooldeck/py.typed" in names
    assert {name.split("/")[0] for name in names} == {
        "tooldeck",
        next(name.split("/")[0] for name in names if ".dist-info/" in name),
    }


def test_importing_tooldeck_loads_none_of_the_heavy_libraries(installed: Installed) -> None:
    told = installed.run(
        "import json, sys, tooldeck\n"
        f"print(json.dumps([tooldeck.__file__, [m for m in {HEAVY!r} if m in sys.modules]]))"
    )
    place, loaded = json.loads(told)
    assert Path(place).is_relative_to(installed.python.parent.parent)
    assert loaded == []


def test_the_version_of_the_package_is_the_version_of_the_distribution(installed: Installed) -> None:
    told = installed.run(
        "from importlib.metadata import version\n"
        "import tooldeck\n"
        "print(tooldeck.__version__, version('tooldeck'))"
    )
    own, distribution = told.split()
    assert own == distribution


def test_the_installed_packages_agree_with_each_other(installed: Installed) -> None:
    installed.check()


def test_nest_asyncio_in_its_abandoned_form_is_not_installed(installed: Installed) -> None:
    told = installed.run(
        "from importlib.util import find_spec\n"
        "print(find_spec('nest_asyncio'), bool(find_spec('nest_asyncio2')))"
    )
    assert told.split() == ["None", "True"]


def test_the_installed_package_finds_its_front_end_sources(installed: Installed) -> None:
    told = installed.run(
        "from tooldeck.notebook.widgets._assets import script, style\n"
        "print('export default' in script('approval'), len(style('approval')) > 100)"
    )
    assert told.split() == ["True", "True"]


CALLS = """
import asyncio, json, sys
from tooldeck import Deck

deck = Deck()

@deck.tool(effects=[])
def add(a: int, b: int = 2) -> int:
    "Add two numbers."
    return a + b

async def twice():
    return (await deck.acall("add", {"a": 1})).value, (await deck.acall("add", a=40)).value

told = {
    "first": deck.call("add", {"a": "x"}).status,
    "second": deck.call("add", a=1, b=4).unwrap(),
    "third": asyncio.run(twice()),
    "schema": deck.export("openai")[0]["function"]["name"],
    "denied": deck.call(deck.add(lambda: 1, name="silent")).status,
    "loaded": [m for m in HEAVY if m in sys.modules],
}
print(json.dumps(told))
"""


@pytest.mark.parametrize("environment", ["installed", "bare"])
def test_a_deck_works_with_and_without_the_notebook_and_mcp(
    environment: str, request: pytest.FixtureRequest
) -> None:
    place: Installed = request.getfixturevalue(environment)
    told = json.loads(place.run(f"HEAVY = {HEAVY!r}\n{CALLS}"))
    assert told["first"] == "invalid"
    assert told["second"] == 5
    assert told["third"] == [3, 42]
    assert told["schema"] == "add"
    assert told["denied"] == "denied", "nobody can be asked, and nothing was declared"
    assert told["loaded"] == []
