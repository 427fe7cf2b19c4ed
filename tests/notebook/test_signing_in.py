"""Signing in to a server where there are no cards."""

from __future__ import annotations

import asyncio

import pytest

from tooldeck.mcp.oauth.redirect import SignInFailed, SignInRequest
from tooldeck.mcp.oauth.signin import Program
from tooldeck.notebook import sign_in
from tooldeck.notebook.kernel.environment import Audience
from tooldeck.notebook.lines import Mistake
from tooldeck.notebook.magics import signing
from tooldeck.notebook.widgets.signin import SignInCard

ENDED = "http://127.0.0.1:4711/callback?code=c0de&state=s"


@pytest.fixture
def wanted() -> SignInRequest:
    page = "https://id.example/authorize?state=s&x=\u202e"
    return SignInRequest("guarded", page, "http://127.0.0.1:4711/callback", 300.0, listening=True)


def test_where_nobody_is_it_is_refused_at_once_with_the_way_out(wanted, monkeypatch) -> None:
    monkeypatch.setattr(sign_in, "audience", lambda: Audience.NOBODY)
    with pytest.raises(SignInFailed, match=r"nobody can be asked here .*%mcp login.*headers="):
        asyncio.run(sign_in.ask_to_sign_in(wanted))


@pytest.mark.parametrize(
    ("typed", "given"),
    [([ENDED], ENDED), (["http://evil.example/?code=x", "", ENDED], None), ([""], None), (["x"] * 9, None)],
)
def test_by_typing_the_address_is_shown_whole_and_checked(typed, given, wanted, monkeypatch, capsys) -> None:
    answers = iter(typed)
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    assert sign_in._typed(wanted) == given
    said = capsys.readouterr().out
    assert "https://id.example/authorize?state=s&x=\\u202e" in said
    assert "\u202e" not in said


def test_the_card_takes_the_right_address_once_and_keeps_nothing_of_it(wanted) -> None:
    card = SignInCard(wanted)
    card.heard({"type": "paste", "address": "http://evil.example/callback?code=c0de&state=s"})
    card.heard({"type": "paste", "address": 7})
    assert not card.answer.done()
    assert "not the address" in "".join(text for text, _ in card.trouble)
    card.heard({"type": "paste", "address": ENDED})
    card.heard({"type": "give up"})
    assert (card.answer.result(), card.phase) == (ENDED, "done")
    assert "c0de" not in repr(card.get_state()) + card.text() + card.html()
    assert "id.example/authorize" not in repr(card.get_state())


def test_a_refusal_that_is_pasted_ends_the_wait_and_giving_up_does(wanted) -> None:
    refused, given_up = SignInCard(wanted), SignInCard(wanted)
    refused.heard({"type": "paste", "address": ENDED.replace("code=c0de", "error=access_denied")})
    given_up.heard({"type": "give up"})
    assert refused.answer.done()
    assert (given_up.answer.result(), given_up.phase) == (None, "refused")


def test_a_browser_that_comes_back_ends_the_card(wanted) -> None:
    card = SignInCard(wanted)
    card.over(arrived=True)
    assert card.answer.cancelled()
    assert "the browser came back" in card.text()


GIVEN = {"client_id": "reports", "issuer": "https://id.example"}


def test_the_secret_of_a_program_is_asked_for_where_nothing_has_it_and_shown_nowhere(monkeypatch) -> None:
    assert signing.program_of({"label": "x"}) is None
    named = signing.program_of({**GIVEN, "secret_env": "REPORTS"})
    assert named is not None
    assert named.by == Program("reports", "https://id.example", secret_env="REPORTS")
    monkeypatch.setattr(signing, "audience", lambda: Audience.STDIN)
    monkeypatch.setattr(signing, "getpass", lambda prompt: "hidden-value ")
    asked = signing.program_of(GIVEN)
    assert asked is not None
    assert asked.by is not None
    assert asked.by.read_secret() == "hidden-value"
    assert "hidden" not in repr(asked)


def test_a_program_that_is_named_by_half_or_whose_secret_nobody_gives_is_a_mistake(monkeypatch) -> None:
    with pytest.raises(
        Mistake, match=r"--key-file belongs to a program .* --client-id NAME and --issuer URL"
    ):
        signing.program_of({"key_file": "x.pem"})
    monkeypatch.setattr(signing, "audience", lambda: Audience.NOBODY)
    with pytest.raises(
        Mistake, match=r"Nobody can be asked for the secret of 'reports' here; .*--secret-env"
    ):
        signing.program_of(GIVEN)
    monkeypatch.setattr(signing, "audience", lambda: Audience.STDIN)
    monkeypatch.setattr(signing, "getpass", lambda prompt: "")
    with pytest.raises(Mistake, match="No secret was given"):
        signing.program_of(GIVEN)
