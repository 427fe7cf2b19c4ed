"""What holds for every built-in tool: a tool is included by being registered."""

from __future__ import annotations

import subprocess
import sys

import pytest
from drivers import DRIVERS
from offline_web import offline_web
from sample_skills import make_sample_skills
from sample_workspace import make_sample_workspace

from tooldeck import Deck, DefinitionError
from tooldeck.core.caller import calling
from tooldeck.core.errors import SetupError
from tooldeck.core.messages import Message
from tooldeck.core.run import Run
from tooldeck.store.handoffs import Handoffs, Order
from tooldeck.store.tasks import Tasks
from tooldeck.tools import load, names
from tooldeck.tools.browsing.browsers import Browsers, _of_decks
from tooldeck.tools.browsing.chromium import browser_loop
from tooldeck.tools.handoffs.agents import Agent, Agents
from tooldeck.tools.pages.fetching import Web
from tooldeck.tools.skills.finding import Skills

ACTIONS = [action for tool in load() for action in (tool.actions.values() or [tool])]
EXAMPLES = [
    pytest.param(action, number, id=f"{action.label.replace(' ', '-')}-{number}")
    for action in ACTIONS
    for number in range(len(action.examples))
]


class OneBrowser(Browsers):
    """One Chromium for the examples of all decks, with the form of the offline web in front."""

    web = offline_web()

    def known(self, session):
        return super().known("")

    async def get(self, session, web):
        return await super().get("", self.web)

    async def end(self, session):
        return True

    def close(self):
        """Not with one of the decks."""

    async def prepared(self, tabs):
        """Fresh tabs with the form, whose references are those of the examples."""
        session = await self.get("", self.web)

        async def work():
            before = list(session.tabs)
            for _ in range(tabs):
                tab = await session.new_tab()
                await tab.page.goto("http://example.org/form")
                await tab.show()
            for tab in before:
                await session.drop(tab)

        await session.act(work)


@pytest.fixture(scope="module")
def one_browser():
    """See `OneBrowser`; it is started by the first example that needs it."""
    made = OneBrowser()
    yield made
    browser_loop().submit(super(OneBrowser, made).end, "").result(30)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(("action", "number"), EXAMPLES)
def test_every_example_of_every_action_succeeds(tmp_path, driver, action, number, one_browser):
    deck = Deck(policy="auto", workspace=make_sample_workspace(tmp_path), store=":memory:")
    deck.provide(Web, offline_web())
    _of_decks[deck] = one_browser
    deck.model = lambda messages, tools: "A yellow lamp."
    deck.provide(Skills, Skills({"project": make_sample_skills(tmp_path / ".skills")}))
    deck.add_builtins(action.name)
    example = action.examples[number]
    why_not = deck._gates.why_not(deck[action.name].narrowed(example))
    if why_not is not None:
        pytest.skip(f"{action.label}: {why_not}")
    if action.name == "browser":
        browser_loop().submit(one_browser.prepared, 2 if action.action == "tabs" else 1).result(60)
    if action.name in {"todo", "schedule"}:
        tasks = Tasks(deck.store, action.name)
        tasks.add("sample", due=0.0, tool="schedule", arguments={"action": "list"})
    if action.name == "handoff":
        _with_handoffs(deck)
    with calling(run=_with_a_checkpoint(deck) if action.name == "checkpoint" else None):
        result = DRIVERS[driver](deck, action.name, example)
    assert result.ok, result.error
    assert result.notes == ()
    assert isinstance(result.text, str)
    deck.close()


def _with_handoffs(deck):
    """Another agent, and work between it and whoever calls."""
    deck.provide(Agents, Agents(reviewer=Agent("reads code")))
    table = Handoffs(deck.store)
    for name, sender, receiver in (
        ("sample", "reviewer", "main"), ("taken", "reviewer", "main"), ("mine", "main", "reviewer"),
    ):  # fmt: skip
        made = table.send(Order(sender, receiver, "Look.", {}, 100))
        deck.store.run("UPDATE handoffs SET id = ? WHERE id = ?", (name, made.id))
    table.change("taken", "accept", "main")


def _with_a_checkpoint(deck):
    """A run that has gone on since a checkpoint was made in it."""
    run = Run()
    run.messages = (Message("user", "Repair the lamp."),)
    with calling(run=run):
        deck.call("checkpoint", action="save", label="sample").unwrap()
    run.messages = (*run.messages, Message("assistant", "Which one?"), Message("user", "This one."))
    return run


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.label.replace(" ", "-"))
def test_every_action_declares_itself_and_shows_an_example(action):
    assert action.effects is not None
    assert action.description
    assert action.examples
    assert action.origin.kind == "builtin"
    for name, described in action.parameters["properties"].items():
        assert name == "action" or described.get("description"), name


def test_the_names_are_known_without_importing_the_tools():
    code = (
        "import sys; from tooldeck.tools import names; names(); "
        "print([name for name in sys.modules if name.startswith('tooldeck.tools.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_deck_gets_the_built_ins_that_are_named_or_all():
    deck = Deck()
    assert tuple(tool.name for tool in deck.add_builtins()) == names()
    assert tuple(deck.tools) == names()
    with pytest.raises(DefinitionError, match="There is no built-in tool 'fiel'"):
        deck.add_builtins("fiel")


def test_the_workspace_is_the_current_folder_unless_it_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    deck = Deck()
    monkeypatch.chdir("/")
    assert deck.workspace.root == tmp_path.resolve()
    deck.workspace = tmp_path / "missing"
    with pytest.raises(SetupError, match="is no folder; make it"):
        _ = deck.workspace.root


@pytest.mark.parametrize("name", ["root", "root/", "./root", "root/inner/.."])
def test_a_relative_workspace_stays_where_it_was_when_the_current_folder_changes(tmp_path, monkeypatch, name):
    for folder in ("root/inner", "elsewhere/root"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "root" / "a.txt").write_text("mine\n")
    monkeypatch.chdir(tmp_path)
    deck = Deck(policy="auto", workspace=name)
    deck.add_builtins("file")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert deck.workspace.root == (tmp_path / "root").resolve()
    assert "mine" in deck.call("file", action="read", path="a.txt").text
    assert deck.call("file", action="list", path=str(tmp_path / "root")).ok
