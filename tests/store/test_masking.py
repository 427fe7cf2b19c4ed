"""What counts as a secret, and that none of it is left anywhere."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tooldeck.store.masking import MASK, hints_at_secrets, mask, scrub

PASSWORD = {"type": "string", "format": "password"}


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"x": PASSWORD}},
        {"properties": {"x": {"type": "string", "writeOnly": True}}},
        {"properties": {"x": {"anyOf": [PASSWORD, {"type": "null"}]}}},
        {"properties": {"x": {"$ref": "#/$defs/S"}}, "$defs": {"S": PASSWORD}},
        {"properties": {}, "additionalProperties": PASSWORD},
    ],
)
def test_what_a_schema_declares_secret_is_taken_out(schema):
    masked = mask({"x": "open sesame"}, schema)
    assert masked.arguments == {"x": MASK}
    assert masked.paths == ("x",)
    assert masked.secrets == ("open sesame",)


def test_declared_secrets_are_found_at_any_depth():
    login = {"type": "object", "properties": {"word": PASSWORD, "user": {"type": "string"}}}
    schema = {
        "properties": {
            "logins": {"type": "array", "items": {"$ref": "#/$defs/L"}},
            "pair": {"prefixItems": [{}, PASSWORD]},
        },
        "$defs": {"L": login},
    }
    masked = mask({"logins": [{"word": "w1!!", "user": "ada"}], "pair": ["a", "b!!!"]}, schema)
    assert masked.arguments == {"logins": [{"word": MASK, "user": "ada"}], "pair": ["a", MASK]}
    assert masked.paths == ("logins[0].word", "pair[1]")


def test_a_schema_that_refers_to_itself_ends():
    schema = {"properties": {"x": {"$ref": "#/$defs/S"}}, "$defs": {"S": {"anyOf": [{"$ref": "#/$defs/S"}]}}}
    assert mask({"x": {"x": "v"}}, schema).arguments == {"x": {"x": "v"}}


@pytest.mark.parametrize(
    "key",
    ["password", "api_key", "apiKey", "API_KEY", "X-Api-Key", "token", "accessToken", "client_secret",
     "dbPassword", "Authorization", "private_key"],
)  # fmt: skip
def test_a_key_that_names_a_secret_hides_its_value(key):
    assert mask({key: "abcdef"}).arguments == {key: MASK}
    assert mask({"headers": {key: ["abcdef"]}}).arguments == {"headers": {key: MASK}}


@pytest.mark.parametrize(
    "key",
    ["max_tokens", "tokens", "token_count", "page_token", "nextToken", "key", "secretary", "passwords_file"],
)
def test_a_key_that_only_looks_like_one_does_not(key):
    assert mask({key: "abcdef"}).arguments == {key: "abcdef"}


def test_a_secret_that_is_given_at_a_second_place_is_taken_out_there_too():
    masked = mask({"password": "hunter2", "n": ["it is hunter2"], "same": "x"})
    assert masked.arguments == {"password": MASK, "n": [f"it is {MASK}"], "same": "x"}
    assert masked.paths == ("password", "n[0]")


def test_numbers_and_empty_values_behind_such_a_key_stay():
    assert mask({"token": 5, "password": "", "secret": None}).paths == ()


TOKENS = [
    "sk-abcdefghij0123456789",
    "ghp_0123456789abcdefghij0123",
    "github_pat_0123456789abcdefghij0123",
    "xoxb-1234567890-abcdef",
    "AKIAABCDEFGHIJKLMNOP",
    "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
]


@pytest.mark.parametrize("token", TOKENS)
def test_a_well_known_token_is_taken_out_wherever_it_stands(token):
    masked = mask({"command": f"curl -H {token} now", "deep": [{"x": token}]})
    assert token not in json.dumps(masked.arguments)
    assert masked.arguments["command"] == f"curl -H {MASK} now"
    assert masked.paths == ("command", "deep[0].x")
    assert scrub(f"it said {token}!") == f"it said {MASK}!"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("https://ada:pw@host/x", f"https://{MASK}@host/x"),
        ("Bearer abcdefgh.ijk", f"Bearer {MASK}"),
        ("Authorization: Basic dXNlcjpwYXNz", f"Authorization: Basic {MASK}"),
        ('{"proxy-authorization": "Token abc123"}', f'{{"proxy-authorization": "Token {MASK}"}}'),
        (f'realm="r", response="{"0a" * 16}", opaque="x"', f'realm="r", response="{MASK}", opaque="x"'),
        (f"SignedHeaders=host, Signature={'f3' * 32}", f"SignedHeaders=host, Signature={MASK}"),
        ("response=fine and Signature=none", "response=fine and Signature=none"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- x", f"{MASK} x"),
        ("-----BEGIN PRIVATE KEY-----\nMII and cut off", MASK),
        ("https://host:80/a@b", "https://host:80/a@b"),
        ("task-list and risk-averse-strategy-of-the-year", "task-list and risk-averse-strategy-of-the-year"),
    ],
)
def test_addresses_headers_and_keys_lose_their_secret_part_only(text, clean):
    assert scrub(text) == clean


@pytest.mark.parametrize("secret", ["hunter2", 'quo"te\n2', "back\\slash", "ünïcode-secret", "x" * 200])
def test_a_secret_is_found_in_texts_as_it_is_as_repr_as_json_and_cut_short(secret):
    for text in (secret, repr(secret), json.dumps(secret), f"got {secret[:60]}…"):
        cleaned = scrub(f"<{text}>", [secret])
        assert MASK in cleaned
        assert secret[:9] not in cleaned


@given(st.text(min_size=3, max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_no_text_still_holds_the_secret(secret, before, after):
    cleaned = scrub(before + secret + after, [secret])
    assert secret not in cleaned.split(MASK)
    assert len(cleaned.replace(MASK, "")) <= len(before) + len(after)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=9), JSON, max_size=4))
def test_whatever_holds_no_secret_is_left_as_it_is(arguments):
    masked = mask(arguments)
    if not masked.paths:
        assert masked.arguments == arguments
        assert masked.secrets == ()


def test_unreadable_text_with_a_secret_in_it_is_recognised():
    assert hints_at_secrets('{"password": "hun')
    assert hints_at_secrets("use sk-abcdefghij0123456789 {")
    assert not hints_at_secrets('{"max_tokens": 5, "text": ')


def test_a_token_that_is_a_key_is_taken_out_at_every_level():
    token = "ghp_" + "a" * 30
    masked = mask({token: 1, "deep": [{token: {"inner": token}}]})
    assert token not in json.dumps(masked.arguments)
    assert masked.paths


def test_a_secret_in_a_text_that_is_json_is_taken_out_and_the_rest_stays():
    body = json.dumps({"user": "ann", "password": "open sesame", "list": [{"api_key": "abcdef"}]})
    masked = mask({"body": body, "other": "open sesame"})
    assert json.loads(masked.arguments["body"]) == {
        "user": "ann",
        "password": MASK,
        "list": [{"api_key": MASK}],
    }
    assert masked.arguments["other"] == MASK
    assert mask({"body": '{"user":  "ann"}'}).arguments == {"body": '{"user":  "ann"}'}


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("https://x.org/?api_key=abc123&page=2", f"https://x.org/?api_key={MASK}&page=2"),
        ("https://x.org/#access_token=abc123&page=2", f"https://x.org/#access_token={MASK}&page=2"),
        ("GET /a?q=1&access_token=abc#top", f"GET /a?q=1&access_token={MASK}#top"),
        ("password=open&user=ann", f"password={MASK}&user=ann"),
        ("https://x.org/?page_token=abc&q=token", "https://x.org/?page_token=abc&q=token"),
    ],
)
def test_a_field_of_an_address_or_form_that_names_a_secret_loses_its_value(text, clean):
    assert scrub(text) == clean
    assert scrub(clean) == clean
