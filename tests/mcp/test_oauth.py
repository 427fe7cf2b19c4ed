"""Signing in to servers, at a real authorization server that can be told to cheat."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
import threading
import time
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.mcp.signing import LIMIT, Person, called, refused
from tooldeck.core.errors import DefinitionError, SetupError
from tooldeck.mcp.errors import McpConnectError, McpNotSignedIn
from tooldeck.mcp.export import write_log
from tooldeck.mcp.oauth.redirect import SignInFailed, SignInRequest, WrongAddress, check_page
from tooldeck.mcp.oauth.signin import SignIn


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_person_signs_in_and_the_browser_comes_back_by_itself(mode, signing):
    connection = signing.connect(signing.url, label="guarded", mode=mode)
    assert called(connection, "whisper") == "hush"
    (asked,) = signing.person.asked
    assert (asked.server, asked.host, asked.listening) == ("guarded", "127.0.0.1", True)
    assert signing.person.arrived == [True]
    sent = parse_qs(urlsplit(asked.page).query)
    assert sent["code_challenge_method"] == ["S256"]
    assert sent["resource"] == [signing.url]
    assert signing.seen()["authorized"] == [{"scopes": ["use"], "resource": signing.url}]


def test_a_browser_elsewhere_ends_at_an_address_that_is_pasted(signing, web):
    signing.person = Person(web, elsewhere=True)
    connection = signing.connect(signing.url, label="guarded", connect_timeout=5)
    assert called(connection, "whisper") == "hush"
    assert signing.person.ended_at[0].startswith(signing.person.asked[0].ends_at)


def test_who_signed_in_is_known_when_the_server_is_connected_again_and_forgotten_at_logout(signing):
    signing.connect(signing.url, label="guarded")
    assert called(signing.reconnect("guarded"), "whisper") == "hush"
    assert len(signing.person.asked) == 1
    assert called(signing.login("guarded"), "whisper") == "hush"
    assert (len(signing.person.asked), signing.seen()["registered"]) == (2, 2)
    assert signing.logout("guarded") is True
    assert "guarded" not in signing
    assert signing.seen()["revoked"] == 1
    signing.connect(signing.url, label="guarded")
    assert len(signing.person.asked) == 3


def test_a_call_that_wants_more_asks_for_more_and_a_refusal_leaves_the_session_alone(signing, web):
    connection = signing.connect(signing.url, label="guarded")
    signing.person = lambda request: None
    with pytest.raises(McpNotSignedIn, match=r"admin of the MCP server 'guarded' was not called.*given up"):
        called(connection, "admin")
    assert called(connection, "whisper") == "hush"
    signing.person = Person(web)
    assert called(connection, "admin") == "done"
    assert set(signing.seen()["authorized"][-1]["scopes"]) == {"use", "admin"}


def test_the_time_a_person_takes_counts_against_no_limit(signing, web):
    slow = Person(web, elsewhere=True)

    async def slowly(request):
        await asyncio.sleep(1.2)
        return await slow(request)

    signing.person = slowly
    connection = signing.connect(signing.url, label="guarded", connect_timeout=5, timeout=1.0)
    assert called(connection, "admin") == "done"


def test_a_token_that_ends_is_renewed_without_a_question(signing):
    signing.set(lasts="0")
    connection = signing.connect(signing.url, label="guarded")
    assert called(connection, "whisper") == "hush"
    assert len(signing.person.asked) == 1
    assert signing.seen()["refreshed"] == 1


def test_no_secret_is_in_the_log_the_exports_or_what_the_objects_show(signing, tmp_path, caplog):
    with caplog.at_level(logging.DEBUG):
        settings = SignIn()
        connection = signing.connect(signing.url, label="guarded", sign_in=settings)
        called(connection, "whisper")
    found = [(connection, one) for one in connection.log.exchanges()]
    for name in ("log.jsonl", "log.har"):
        write_log(found, str(tmp_path / name))
    texts = [(tmp_path / name).read_text() for name in ("log.jsonl", "log.har")]
    browser = re.compile(r"(httpx|httpcore)(\.|$)")  # the person's, which is no part of us
    logged = [one.getMessage() for one in caplog.records if not browser.match(one.name)]
    texts += [repr(connection), repr(settings), *logged]
    texts.append(repr(signing.person.asked[0]))
    secrets = [*signing.seen()["tokens"], *parse_qs(urlsplit(signing.person.ended_at[0]).query)["code"]]
    assert len(secrets) == 3
    assert not [secret for secret in secrets for text in texts if secret in text]


# -- refusals ---


def test_where_nobody_can_be_asked_there_is_one_refusal_and_no_wait(signing):
    signing.handlers.on_sign_in = None
    start = time.monotonic()
    message = refused(signing)
    assert "nobody can be asked here; sign in where a person is (%mcp login in a notebook)" in message
    assert "\n" not in message
    assert time.monotonic() - start < 10


def test_a_person_who_gives_up_or_does_not_come_is_asked_once(signing):
    asked: list[SignInRequest] = []
    signing.person = asked.append
    assert "it was given up" in refused(signing)
    assert len(asked) == 1

    async def never(request):
        await asyncio.Event().wait()

    signing.person = never
    assert "nobody came back within 0.3 s" in refused(signing, sign_in=SignIn(seconds=0.3))


def test_a_refusal_of_the_authorization_server_is_told(signing):
    signing.set(error="access_denied")
    assert "the authorization server refused: access_denied" in refused(signing)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_another_issuer_than_the_one_asked_is_refused(elsewhere, signing, web):
    signing.person = Person(web, elsewhere=elsewhere)
    signing.set(iss="https://mix-up.example")
    assert "iss mismatch" in refused(signing)


def test_an_address_of_another_sign_in_ends_none_and_a_code_is_used_once(signing, web):
    signing.person = Person(web, elsewhere=True)
    signing.connect(signing.url, label="guarded")
    old = signing.person.ended_at[0]
    signing.close("guarded")

    async def replays(request):
        answer = await asyncio.to_thread(web.get, request.ends_at + "?" + urlsplit(old).query)
        assert (answer.status_code, "another sign-in" in answer.text) == (400, True)
        return old

    signing.person = replays
    # Another port, another state: at each of them it would end.
    assert "what was pasted is wrong: That is not the address" in refused(signing)
    signing.set(state="forged")
    signing.person = Person(web, elsewhere=True)
    assert "belongs to another sign-in" in refused(signing)


@pytest.mark.parametrize(
    ("about", "why"),
    [
        ("https://169.254.169.254/latest", "no public address"),
        ("http://169.254.169.254/latest", "is not encrypted"),
        ("https://10.0.0.1/.well-known/oauth-protected-resource", "no public address"),
        ("https://user:word@example.org/about", "carries credentials"),
        ("file:///etc/passwd", "is not encrypted"),
    ],
)
def test_what_a_server_names_never_leads_to_a_neighbour(about, why, signing):
    signing.set(about=about)
    assert why in refused(signing)
    assert signing.person.asked == []


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"issuer": "https://mix-up.example"}, "issuer mismatch"),
        ({"code_challenge_methods_supported": None}, "does not say that it protects codes"),
        ({"code_challenge_methods_supported": ["plain"]}, "does not say that it protects codes"),
        ({"authorization_endpoint": "http://phish.example/authorize"}, "is not encrypted"),
        ({"authorization_endpoint": "https://bank.example@phish.example/"}, "must not be visited"),
        ({"token_endpoint": "https://192.168.0.1/token"}, "no public address"),
        ({"registration_endpoint": None}, "was not registered|registers no clients"),
    ],
)
def test_what_an_authorization_server_says_of_itself_is_checked(claims, why, signing):
    signing.set(claims=json.dumps(claims))
    with pytest.raises(McpConnectError, match=why):
        signing.connect(signing.url, label="guarded")


def test_an_endless_answer_is_not_read_to_its_end(signing):
    signing.set(big="1")
    assert "/register was longer than 1,000,000 bytes" in refused(signing)


def test_a_wrong_token_answer_is_refused_and_quoted_nowhere(signing, caplog):
    signing.set(token='{"access_token": {"really": "hidden-value"}}')
    message = refused(signing)
    assert "gave a wrong answer: access_token" in message
    assert "hidden-value" not in message + caplog.text


def test_a_server_that_only_takes_keys_says_so(http_url, signing):
    # This one wants nobody to sign in.
    connection = signing.connect(http_url, label="open", headers={"authorization": "Bearer mine"})
    assert connection.session.state == "ready"
    with pytest.raises(McpConnectError, match=r"wants to know who asks; give headers=\{'Authorization'"):
        signing.connect(signing.url, label="guarded", headers={"authorization": "Bearer wrong"})
    assert signing.person.asked == []


def test_only_servers_over_http_are_signed_in_to(raw, signing):
    signing.connect(raw(), label="local")
    with pytest.raises(DefinitionError, match="'local' is not reached by a URL"):
        signing.login("local")


# -- addresses ---

PAGE = "https://id.example/authorize?state=s3cret&client_id=c"
WANTED = SignInRequest("guarded", PAGE, "http://127.0.0.1:4711/callback", 300.0)


def test_the_end_of_a_sign_in_is_read():
    found = WANTED.read(
        " http://localhost:4711/callback?code=c0de&state=s3cret&iss=https%3A%2F%2Fid.example "
    )
    assert (found.code, found.state, found.iss) == ("c0de", "s3cret", "https://id.example")
    assert "c0de" not in repr(found)
    assert "s3cret" not in repr(WANTED)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "http://127.0.0.1:4711/callback",
        "http://127.0.0.1:4711/callback?code=c&state=other",
        "http://127.0.0.1:4711/callback?code=c",
        "http://127.0.0.1:4711/callback?code=&state=s3cret",
        "http://127.0.0.1:4711/callback?code=c&state=s3cret&state=other",
        "http://127.0.0.1:4711/callback/more?code=c&state=s3cret",
        "http://127.0.0.1:4712/callback?code=c&state=s3cret",
        "http://evil@127.0.0.1:4711/callback?code=c&state=s3cret",
        "http://evil.example:4711/callback?code=c&state=s3cret",
        "https://127.0.0.1:4711/callback?code=c&state=s3cret",
        "http://127.0.0.1:99999/callback?code=c&state=s3cret",
        "http://127.0.0.1:4711/callback#code=c&state=s3cret",
        "code=c&state=s3cret",
        "http://[::1/callback",
    ],
)
def test_no_other_address_ends_it(address):
    with pytest.raises(WrongAddress):
        WANTED.read(address)


@pytest.mark.parametrize(
    "page",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "http://id.example/authorize",
        "https://id.example@phish.example/",
        "https://id.example/\u202eauthorize",
        "https://",
        "http://127.0.0.1.phish.example/authorize",
    ],
)
def test_no_other_page_is_shown(page):
    with pytest.raises(SignInFailed):
        check_page(page)


def test_pages_of_this_machine_need_no_encryption():
    check_page("http://127.0.0.1:9000/authorize?a=b")
    check_page("https://id.example/authorize?a=b")


@pytest.mark.parametrize(
    "settings",
    [{"seconds": 0}, {"port": 70000}, {"client_secret": "x"}, {"client_metadata_url": "https://a.b"}],
)
def test_settings_that_cannot_be_are_refused(settings):
    with pytest.raises(DefinitionError):
        SignIn(**settings)


def test_tokens_outlive_the_process_in_a_keyring_only_and_only_when_asked(signing, monkeypatch):
    keyring = pytest.importorskip("keyring")
    from keyring.backend import KeyringBackend

    class Memory(KeyringBackend):
        priority = 1
        kept: ClassVar[dict[tuple[str, str], str]] = {}

        def get_password(self, service, username):
            return self.kept.get((service, username))

        def set_password(self, service, username, password):
            self.kept[service, username] = password

        def delete_password(self, service, username):
            del self.kept[service, username]

    before = keyring.get_keyring()
    keyring.set_keyring(Memory())
    try:
        signing.connect(signing.url, label="forgetful")
        assert Memory.kept == {}
        signing.set(lasts="0")
        signing.connect(signing.url, label="guarded", sign_in=SignIn(keep=True))
        assert list(Memory.kept) == [("tooldeck", signing.url)]
        asked = len(signing.person.asked)
        # As in another process: nothing is known but what the keyring has.
        connection = signing.connect(signing.url, label="again", sign_in=SignIn(keep=True))
        assert called(connection, "whisper") == "hush"
        assert len(signing.person.asked) == asked
        signing.logout("again")
        assert Memory.kept == {}
    finally:
        keyring.set_keyring(before)


def test_a_missing_keyring_is_one_sentence_with_the_command(signing, monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises((SetupError, McpConnectError), match=r"pip install 'tooldeck\[keyring\]'"):
        signing.connect(signing.url, label="guarded", sign_in=SignIn(keep=True))


def test_two_threads_that_sign_in_at_the_same_time_are_kept_apart(signing):
    done: dict[str, str] = {}

    def connect(label):
        done[label] = called(signing.connect(signing.url, label=label), "whisper")

    threads = [threading.Thread(target=connect, args=(label,)) for label in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    assert done == {"a": "hush", "b": "hush"}
    states = {request.state for request in signing.person.asked}
    assert len(states) == len(signing.person.asked) == 2
