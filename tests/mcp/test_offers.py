"""Prompts, resources and their templates, in both eras of the protocol."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

import pytest

from tests.mcp.conftest import DictShelf
from tooldeck.core.errors import DefinitionError
from tooldeck.core.messages import Message
from tooldeck.core.parts import Image
from tooldeck.mcp.connections import Connections
from tooldeck.mcp.errors import McpAnswerError, McpError, McpRefused
from tooldeck.mcp.prompts import PROMPTS

LIMIT = 40.0
SERVER = [sys.executable, str(Path(__file__).parent / "servers" / "offers.py")]


@pytest.fixture(scope="module", params=["auto", "legacy"])
def made(request):
    servers = Connections(DictShelf())
    yield servers.connect(SERVER, label="offers", mode=request.param)
    servers.close_all()


def called(made, name, **arguments):
    return made.session.call(name, arguments).result(LIMIT)


def test_a_prompt_is_found_by_its_name_and_filled_in(made):
    assert set(made.prompts) >= {"greet", "picture"}
    assert len(made.prompts) == len(made.prompts.values())
    got = made.prompts["greet"](name="Ada", style="cold")
    assert got.messages == (Message("user", "Write a cold greeting for Ada."),)
    assert made.prompts.get("greet", {"name": "Ada"}).text == "Write a warm greeting for Ada."
    assert made.prompts.greet.remote.description == "Greet somebody."


async def test_awaiting_gives_the_same(made):
    got = await made.prompts.aget("greet", name="Ada")
    assert got == made.prompts.get("greet", name="Ada")
    prompt = await made.prompts.aitem("greet")
    assert await prompt.acall(name="Ada") == got
    assert await prompt.acomplete("style", "we") == ["weird"]
    assert (await made.resources.aread("offers://note")).mime == "application/json"
    assert {one.name for one in await made.prompts.afetch()} >= {"greet"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [({}, "name: is required"), ({"name": "a", "tone": "b"}, "tone"), ({"name": 3}, "name: .*string")],
)
def test_arguments_that_misfit_never_reach_the_server(made, arguments, said):
    before = len(made.log.exchanges("prompts/get"))
    with pytest.raises(DefinitionError, match=said):
        made.prompts["greet"](**arguments)
    assert len(made.log.exchanges("prompts/get")) == before


def test_a_name_that_is_not_there_comes_with_the_nearest(made):
    with pytest.raises(KeyError, match="did you mean 'greet'"):
        made.prompts["great"]
    with pytest.raises(AttributeError, match="no prompt 'nothing'"):
        made.prompts.nothing  # noqa: B018 - the look is the test
    with pytest.raises(McpError):
        made.resources.read("offers://nowhere")


def test_the_signature_tells_what_a_prompt_takes(made):
    assert str(made.prompts["greet"].__signature__).startswith("(*, name: str, style: str")
    assert "greet" in dir(made.prompts)
    assert "greet" in made.prompts._ipython_key_completions_()


def test_pictures_and_markup_of_a_prompt_are_shown_as_such(made):
    got = made.prompts["picture"]()
    assert [message.role for message in got] == ["user", "user", "assistant"]
    assert isinstance(got.messages[1].parts[0], Image)
    html = got._repr_html_()
    assert "<img alt" in html
    assert "<script>" not in html
    assert repr(got).startswith("user: Look: <script>")


def test_completions_come_from_the_server_and_know_the_other_arguments(made):
    greet = made.prompts["greet"]
    assert greet.complete("style", "w") == ["warm", "weird"]
    assert greet.complete("style", "w", name="Ada") == ["warm for Ada", "weird for Ada"]
    assert greet.complete("style").total == 3
    assert greet.complete("name") == []
    (template,) = made.resources.templates.values()
    assert template.complete("which", "o") == ["one", "other"]


def test_what_is_read_is_a_python_value(made, tmp_path):
    note = made.resources.read("offers://note")
    assert note.rows == [{"n": json.loads(note.data)[0]["n"]}]
    pixel = made.resources["offers://pixel"].read()
    assert pixel.data.startswith(b"\x89PNG")
    assert "image/png" in pixel._repr_mimebundle_()
    assert [path.name for path in pixel.save(tmp_path)] == ["pixel.png"]


def test_a_template_makes_an_address_and_reads_it(made):
    (template,) = made.resources.templates.values()
    assert template.expand(which="a b/c") == "offers://item/a%20b%2Fc"
    assert template(which="three").data == "item three"
    with pytest.raises(DefinitionError, match="which: is required"):
        template()


def test_a_change_of_a_resource_is_heard_until_the_subscription_is_closed(made):
    told, updates = threading.Event(), []
    made.session.handlers.on_update = updates.append
    with made.resources.subscribe("offers://note", lambda uri: told.set()) as subscription:
        called(made, "change_note")
        assert subscription.wait(LIMIT)
        assert told.wait(LIMIT)
        assert subscription.last == "offers://note"
        assert {one.uri for one in updates} == {"offers://note"}
    heard = subscription.changes
    called(made, "change_note")
    assert subscription.changes == heard
    assert called(made, "watched_now").structured["result"] == []
    subscription.close()  # twice is harmless


def test_two_subscriptions_are_one_for_the_server(made):
    one, other = (made.resources.subscribe("offers://note") for _ in range(2))
    one.close()
    called(made, "change_note")
    assert other.wait(LIMIT)
    assert one.changes == 0
    other.close()


def test_a_changed_list_is_read_again_when_somebody_looks(made):
    assert "late" not in made.prompts
    assert "offers://late" not in made.resources
    both, told = threading.Semaphore(0), []

    def changed(change):
        told.append(change.what)
        both.release()

    made.session.handlers.on_list_changed = changed
    called(made, "grow_lists")
    assert both.acquire(timeout=LIMIT)
    assert both.acquire(timeout=LIMIT)
    assert set(told) == {"prompts", "resources"}
    assert made.prompts["late"]().text == "late"
    assert made.resources["offers://late"].read().data == "late"


def test_a_list_is_asked_for_once(made):
    made.prompts.fetch()
    before = len(made.log.exchanges("prompts/list"))
    assert "greet" in made.prompts
    assert made.prompts["greet"]
    assert len(made.log.exchanges("prompts/list")) == before


def test_a_server_without_prompts_has_none_and_is_not_asked(raw):
    servers = Connections(DictShelf())
    made = servers.connect(raw(), label="raw")
    assert list(made.prompts) == []
    assert list(made.resources.templates) == []
    assert made.log.exchanges("prompts/list") == []
    with pytest.raises((McpRefused, McpAnswerError)):
        made.resources.read("demo://x")
    servers.close_all()


def test_bad_entries_of_a_list_do_not_hide_the_good_ones(raw):
    good: dict = {}
    bad: list = []
    servers = Connections(DictShelf())
    made = servers.connect(raw(), label="raw")
    prompts = made.session.offered(PROMPTS)
    for entry in (
        {"name": "ok", "arguments": [{"name": "a"}]},
        {"name": "ok"},
        "text",
        {"description": "no name"},
        {"name": "x", "arguments": {"a": 1}},
        {"name": "y", "arguments": [{"name": "a"}, {"name": "a"}]},
        {"name": "z", "description": 7},
    ):
        prompts._take(entry, good, bad)
    assert list(good) == ["ok"]
    assert [one.name for one in bad] == ["ok", "entry 3 of the list", "entry 4 of the list", "x", "y", "z"]
    servers.close_all()
