"""A server that is connected again knows what its predecessor was told."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.mcp.conftest import SERVERS, DictShelf
from tooldeck.mcp.connections import Connections

LIMIT = 40.0
OFFERS = str(SERVERS / "offers.py")


@pytest.fixture
def servers():
    made = Connections(DictShelf())
    yield made
    made.close_all()


def called(made, name):
    return made.session.call(name).result(LIMIT)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_folders_levels_and_subscriptions_outlive_the_process_of_a_server(servers, mode, tmp_path):
    made = servers.connect([sys.executable, OFFERS], label="offers", mode=mode)
    told = []
    servers.handlers.on_log = lambda line: told.append((line.level, line.wanted))
    made.tell_roots(tmp_path)
    one, other = (made.resources.subscribe("offers://note") for _ in range(2))
    made.resources.subscribe("offers://pixel").close()  # does not come back
    if not made.session.is_legacy:
        made.set_level("error")
    os.kill(made.session.pid, signal.SIGKILL)

    again = servers.reconnect("offers")
    assert again.notes == []
    assert again.roots == (tmp_path,)
    assert called(again, "folders").structured["result"] == [tmp_path.as_uri()]
    called(again, "change_note")
    assert one.wait(LIMIT)
    assert other.wait(LIMIT)
    if not made.session.is_legacy:
        called(again, "chatter")
        assert told == [("error", True)]
    for subscription in (one, other):
        assert subscription.is_open
        subscription.close()
        assert not subscription.is_open
    heard = one.changes
    called(again, "change_note")
    assert one.changes == heard
    assert called(again, "watched_now").structured["result"] == []


def test_a_level_of_the_older_protocol_is_set_again_each_time(servers, raw):
    made = servers.connect(raw(), label="raw")
    made.set_level("error")
    for _ in range(2):
        made = servers.reconnect("raw")
    said = [one.params["level"] for one in made.log.exchanges("logging/setLevel")]
    assert said == ["error"] * 3


def test_what_the_new_server_refuses_is_a_note_and_the_subscription_is_closed(servers, tmp_path):
    script = tmp_path / "server.py"
    script.write_text(f"import runpy\nrunpy.run_path({OFFERS!r}, run_name='__main__')\n")
    made = servers.connect([sys.executable, str(script)], label="changing", mode="legacy")
    subscriptions = [made.resources.subscribe("offers://note") for _ in range(2)]
    raw = Path(OFFERS).with_name("raw.py")
    script.write_text(
        f"import runpy, sys\nsys.path.insert(0, {str(SERVERS)!r})\nrunpy.run_path({str(raw)!r})\n"
    )
    again = servers.reconnect("changing")
    (note,) = [one for one in again.notes if "Not as before" in one]
    assert "no resources/subscribe" in note
    assert not any(one.is_open for one in subscriptions)
    subscriptions[0].close()  # harmless
    assert again.state == "ready"
