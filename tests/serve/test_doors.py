"""Who gets in: no page of a browser, nobody without the token, no other machine unless that was said."""

from __future__ import annotations

import httpx
import pytest

from tooldeck import Deck
from tooldeck.core.errors import DefinitionError, SetupError

CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "squares", "arguments": {"n": 1}},
}
OPENING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"},
    },
}  # fmt: skip


def post(served, body=OPENING, token=None, **headers):
    given = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    if token is not None:
        given["Authorization"] = token
    with httpx.Client(trust_env=False, timeout=20) as http:
        return http.post(served.serving.url, json=body, headers=given | headers)


def good(served):
    return f"Bearer {served.serving.token}"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example:1234"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_a_web_page_gets_in_neither_with_nor_without_the_token(served, headers, status):
    before = len(served.deck.history())
    assert post(served, CALL, good(served), **headers).status_code == status
    assert post(served, CALL, None, **headers).status_code == status
    assert len(served.deck.history()) == before


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_programs_of_this_machine_get_in_with_the_token(served, host):
    assert post(served, token=good(served), Host=f"{host}:{served.serving.port}").status_code == 200


def test_the_socket_is_bound_to_this_machine_only(served):
    assert served.serving._carrier._socket.getsockname()[0] == "127.0.0.1"


def test_only_the_exact_token_opens(served):
    token = served.serving.token
    wrong = [None, "", "Bearer", f"Bearer {token.upper()}", f"Bearer  {token}", f"Bearer {token}x",
             f"Bearer {token[:-1]}", f"Basic {token}", token, "Bearer tökén"]  # fmt: skip
    before = len(served.deck.history())
    for given in wrong:
        answer = post(served, CALL, given if given is None else given.encode())
        assert (given, answer.status_code) == (given, 401)
        assert answer.headers["www-authenticate"] == "Bearer"
        assert token not in answer.text
    assert len(served.deck.history()) == before


def test_two_tokens_at_once_open_nothing(served):
    headers = [("Authorization", good(served)), ("Authorization", good(served)), ("Accept", "*/*")]
    with httpx.Client(trust_env=False, timeout=20) as http:
        assert http.post(served.serving.url, json=CALL, headers=headers).status_code == 401


def test_where_a_client_looks_for_a_sign_in_is_nothing(served):
    with httpx.Client(trust_env=False, timeout=20) as http:
        base = served.serving.url.removesuffix("/mcp")
        assert http.get(f"{base}/.well-known/oauth-protected-resource/mcp").status_code == 404
        assert http.get(f"{base}/").status_code == 401


@pytest.mark.parametrize(
    "token", ["", " ", "short", "with a space", "tökén-tökén", "line\nbreak-line", 7, True]
)
def test_a_token_that_is_none_opens_no_server(token):
    deck = Deck()
    with pytest.raises(DefinitionError, match="token="):
        deck.serve(token=token)
    assert deck.servings == []


def test_tokens_are_random_and_shown_only_when_asked_for():
    with Deck().serve() as one, Deck().serve() as other:
        assert one.token != other.token
        assert len(one.token) >= 32
        for text in (repr(one), one.mcp_json(), one.claude_command()):
            assert one.token not in text
        assert one.token in one.mcp_json(token=True)
        assert one.token in one.claude_command(token=True)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", ""])
def test_other_machines_are_let_in_by_no_accident(host):
    with pytest.raises(DefinitionError, match="host="):
        Deck().serve(host=host)


def test_other_machines_need_a_token_even_when_forced():
    with pytest.raises(DefinitionError, match="needs a token"):
        Deck().serve(host="0.0.0.0", force=True, token=False)


def test_a_forced_server_listens_on_all_addresses_and_still_checks_the_host():
    with Deck().serve(host="0.0.0.0", force=True) as serving:
        assert serving._carrier._socket.getsockname()[0] == "0.0.0.0"
        with httpx.Client(trust_env=False, timeout=20) as http:
            answer = http.post(serving.url, json=OPENING, headers={"Host": "evil.example"})
        assert answer.status_code == 421


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"port": -1}, "port="),
        ({"port": 70_000}, "port="),
        ({"port": True}, "port="),
        ({"allow": "*"}, "names"),
        ({"allow": [""]}, "allow="),
        ({"tools": [3]}, "tools="),
        ({"effects": "raed"}, "read"),
        ({"name": "no good"}, "no good"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, words):
    with pytest.raises(DefinitionError, match=words):
        Deck().serve(**settings)


def test_a_taken_port_is_named():
    with Deck().serve() as one, pytest.raises(SetupError, match=str(one.port)):
        Deck().serve(port=one.port)


def test_it_ends_with_the_deck_and_can_be_started_again():
    deck = Deck()
    one = deck.serve()
    url = one.url
    assert deck.servings == [one]
    deck.close()
    assert (one.running, deck.servings) == (False, [])
    one.stop()
    with pytest.raises(httpx.ConnectError), httpx.Client(trust_env=False) as http:
        http.get(url)
    with deck.serve() as other:
        assert other.running
