"""Signing in without a browser, at a real authorization server: programs and employees."""

from __future__ import annotations

import logging
import re

import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from tests.mcp.servers.grants import ID_TOKEN, SECRET
from tests.mcp.signing import called, refused
from tooldeck.core.errors import DefinitionError
from tooldeck.mcp.errors import McpNotSignedIn
from tooldeck.mcp.export import write_log
from tooldeck.mcp.oauth.signin import Employee, Program, SignIn

KEYS = {
    "RSA": lambda: rsa.generate_private_key(65537, 2048),
    "P-256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "Ed25519": ed25519.Ed25519PrivateKey.generate,
}


def pem(key, encryption=None) -> str:
    encryption = encryption or NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption).decode()


@pytest.fixture
def issuer(sites):
    return f"{sites[1]}/"


@pytest.fixture
def program(issuer, monkeypatch):
    monkeypatch.setenv("REPORTS_SECRET", SECRET)
    return SignIn(by=Program("reports", issuer, secret_env="REPORTS_SECRET"))


@pytest.fixture
def employee(issuer):
    def made(**given):
        given = {"id_token": lambda: ID_TOKEN, "secret": SECRET, "scope": "use", **given}
        return SignIn(by=Employee("reports", issuer, f"{issuer}company", "ours", **given))

    return made


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_program_signs_in_with_its_secret_and_nobody_is_asked(mode, signing, program):
    connection = signing.connect(signing.url, label="guarded", mode=mode, sign_in=program)
    assert called(connection, "whisper") == "hush"
    (request,) = signing.seen()["granted"]
    assert (request["grant_type"], request["resource"]) == ("client_credentials", signing.url)
    assert (signing.person.asked, signing.seen()["registered"]) == ([], 0)


@pytest.mark.parametrize("kind", KEYS)
def test_a_program_proves_who_it_is_with_a_key_of_any_kind(kind, signing, issuer, tmp_path):
    key = KEYS[kind]()
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    signing.set(public=public)
    file = tmp_path / "reports.pem"
    file.write_text(pem(key))
    who = SignIn(by=Program("reports", issuer, key_file=file))
    assert called(signing.connect(signing.url, label="guarded", sign_in=who), "whisper") == "hush"


def test_a_token_of_a_program_that_ends_is_followed_by_another(signing, program):
    signing.set(lasts="0")
    connection = signing.connect(signing.url, label="guarded", sign_in=program)
    assert called(connection, "whisper") == "hush"
    assert len(signing.seen()["granted"]) > 1
    signing.set(refuse="invalid_client")
    with pytest.raises(McpNotSignedIn, match="the authorization server refused: invalid_client"):
        called(connection, "whisper")


def test_the_company_vouches_for_an_employee(signing, employee):
    connection = signing.connect(signing.url, label="guarded", sign_in=employee())
    assert called(connection, "whisper") == "hush"
    exchange, grant = signing.seen()["granted"]
    assert (exchange["at"], exchange["resource"], exchange["scope"]) == ("/company", signing.url, "use")
    assert grant["grant_type"].endswith(":jwt-bearer")
    assert called(signing.login("guarded"), "whisper") == "hush"
    assert signing.logout("guarded") is False


def test_no_credential_is_in_the_log_the_exports_or_what_the_objects_show(
    signing, program, employee, tmp_path, caplog
):
    with caplog.at_level(logging.DEBUG):
        made = [signing.connect(signing.url, label="a", sign_in=program)]
        made.append(signing.connect(signing.url, label="b", sign_in=employee()))
        texts = [repr((one, one.session.sign_in)) + called(one, "whisper") for one in made]
        signing.set(refuse="invalid_client")
        texts += [refused(signing, sign_in=who) for who in (SignIn(by=program.by), employee())]
    for name in ("log.jsonl", "log.har"):
        write_log([(one, frame) for one in made for frame in one.log.exchanges()], str(tmp_path / name))
        texts.append((tmp_path / name).read_text())
    texts += [
        one.getMessage() for one in caplog.records if one.name.split(".")[0] not in {"httpx", "httpcore"}
    ]
    secrets = [SECRET, ID_TOKEN, *signing.seen()["tokens"]]
    assert not [secret for secret in secrets for text in texts if secret in text]


def test_credentials_go_to_the_named_server_only(signing, program, issuer):
    signing.set(claims='{"issuer": "https://mix-up.example"}')
    assert "issuer mismatch" in refused(signing, sign_in=program)
    signing.set()
    other = SignIn(by=Program("reports", "https://id.example", secret=SECRET))
    assert "https://id.example" in refused(signing, sign_in=other)
    assert signing.seen()["granted"] == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, r"the private key '.*reports.pem' cannot be read \(No such file or directory\)"),
        (
            lambda: "-----BEGIN PRIVATE KEY-----\nhidden\n-----END PRIVATE KEY-----",
            "is no private key in PEM",
        ),
        (lambda: pem(KEYS["P-256"](), BestAvailableEncryption(b"x")), "has a passphrase; give one without"),
        (lambda: pem(dsa.generate_private_key(1024)), "is of no kind that signs"),
    ],
    ids=["missing", "garbage", "locked", "old"],
)
def test_a_key_that_cannot_be_used_is_told(text, why, signing, issuer, tmp_path):
    file = tmp_path / "reports.pem"
    if text is not None:
        file.write_text(text())
    message = refused(signing, sign_in=SignIn(by=Program("reports", issuer, key_file=file)))
    assert re.search(why, message)
    assert "hidden" not in message


def test_a_variable_that_is_not_set_is_named(signing, program, monkeypatch):
    monkeypatch.delenv("REPORTS_SECRET")
    message = refused(signing, sign_in=program)
    assert "the environment variable 'REPORTS_SECRET', which the sign-in names, is not set" in message


def test_what_the_provider_of_the_company_says_is_told_and_checked(signing, employee):
    message = refused(signing, sign_in=employee(id_token=lambda: "stale-token"))
    assert "the company's provider did not vouch for the employee: invalid_grant" in message
    assert "stale-token" not in message
    signing.set(kind="urn:ietf:params:oauth:token-type:access_token")
    assert "another kind of token than a grant" in refused(signing, sign_in=employee())

    def broken():
        raise ValueError(ID_TOKEN)

    message = refused(signing, sign_in=employee(id_token=broken))
    assert "id_token() of the sign-in raised ValueError" in message
    assert ID_TOKEN not in message


def test_only_servers_over_http_are_signed_in_to(raw, signing, program):
    with pytest.raises(DefinitionError, match="'local' is not reached by a URL"):
        signing.connect(raw(), label="local", sign_in=program)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Program("a", "https://id.example"), "exactly one of .*; got none"),
        (lambda: Program("a", "https://id.example", secret="x", key_env="y"), "got secret and key_env"),
        (lambda: Program("a", "http://id.example", secret="x"), "issuer must be an https address"),
        (lambda: Program("a", "https://me:pass@id.example", secret="x"), r"got 'id\.example'"),
        (lambda: Program("a", "http://[::1", secret="x"), r"got 'http://\[::1'"),
        (lambda: Employee("a", "https://b", "c", "d", secret="x", id_token_env="y"), "provider must be"),
        (lambda: Employee("a", "https://b", "https://c", "d", secret="x"), "exactly one of id_token"),
        (lambda: SignIn(by=Program("a", "https://b", secret="x"), keep=True), "nothing is kept"),
        (lambda: SignIn(by=Program("a", "https://b", secret="x"), client_id="a"), "belongs into it"),
    ],
)
def test_settings_that_cannot_be_are_refused(make, why):
    with pytest.raises(DefinitionError, match=why):
        make()
