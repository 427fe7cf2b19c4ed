"""HTTP services as tools: what their documents say, what is sent, and what is never sent anywhere else."""

from __future__ import annotations

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from tooldeck import Deck, DefinitionError
from tooldeck.core.vocabulary import Effect, Risk
from tooldeck.guards.urls import UrlGuard
from tooldeck.tools.services import bodies

DOCUMENT = """
openapi: 3.0.3
info: {title: Harbour Board, version: "1"}
servers: [{url: "https://{place}.example/v1", variables: {place: {default: harbour}}}]
security: [{key: []}]
paths:
  /berths/{berth}:
    parameters:
      - {name: berth, in: path, required: true, schema: {type: string}}
    get:
      operationId: berths.get
      summary: One berth.
      parameters:
        - {name: since, in: query, schema: {type: string, format: date, default: 2026-01-01}}
        - {name: tag, in: query, schema: {type: array, items: {type: string}}}
        - {name: short, in: query, explode: false, schema: {type: array, items: {type: integer}}}
        - {name: box, in: query, style: deepObject, schema: {type: object}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: seen, in: cookie, schema: {type: boolean}}
    delete: {operationId: free, security: [{basic: []}]}
  /ships:
    post:
      operationId: enter
      security: [{token: []}, {key: [], basic: []}]
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: "#/components/schemas/Ship"}}}
    get: {security: []}
    put:
      operationId: replace
      security: []
      requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object}}}}
  /photo:
    post: {operationId: photo, requestBody: {content: {application/xml: {schema: {type: string}}}}}
components:
  securitySchemes:
    key: {type: apiKey, in: query, name: key}
    token: {type: http, scheme: bearer}
    basic: {type: http, scheme: basic}
  schemas:
    Ship:
      type: object
      required: [name]
      properties:
        name: {type: string, nullable: true}
        length: {type: number, minimum: 0, exclusiveMinimum: true}
        tow: {$ref: "#/components/schemas/Ship"}
"""
SECRETS = {"HARBOUR_BOARD_KEY": "k&1", "HARBOUR_BOARD_BASIC": "ada:pass", "SHIP_TOKEN": "t0k"}


class Site:
    """What answers in place of the network; keeps the requests."""

    def __init__(self):
        self.requests = []
        self.answer = httpx.Response(200, json={"ok": True})

    def __call__(self, request):
        self.requests.append(request)
        return self.answer


@pytest.fixture
def site(monkeypatch):
    for name, secret in SECRETS.items():
        monkeypatch.setenv(name, secret)
    return Site()


@pytest.fixture
def deck(site):
    made = Deck(policy="auto")
    made.added = made.add_openapi(
        DOCUMENT,
        auth={"token": "SHIP_TOKEN"},
        guard=UrlGuard(resolver=lambda host, port: ["93.184.216.34"]),
        transport=httpx.MockTransport(site),
    )
    return made


def sent(site):
    (request,) = site.requests
    return request


def test_each_operation_is_a_tool_that_declares_what_it_may_do(deck):
    assert list(deck.tools) == ["berths_get", "free", "get_ships", "replace", "enter"]
    assert "application/xml, which is not supported" in deck.added.skipped["photo"]
    assert "photo is no tool: its body is application/xml, which is not supported" in repr(deck.added)
    assert "token: the secret is read from SHIP_TOKEN" in repr(deck.added)
    assert deck.added.secrets["key"] == "HARBOUR_BOARD_KEY"
    get, free, enter = (deck[name] for name in ("berths_get", "free", "enter"))
    assert (get.effects, get.idempotent, get.risk) == ({Effect.NETWORK}, True, Risk.MEDIUM)
    assert (free.effects, free.idempotent, free.risk) == ({Effect.NETWORK, Effect.WRITE}, True, Risk.HIGH)
    assert not enter.idempotent
    assert get.from_outside
    assert get.description == "One berth."
    assert get.parameters["properties"]["since"]["default"] == "2026-01-01"
    for dialect in ("openai", "anthropic", "gemini", "mcp"):
        assert len(deck.export(dialect)) == 5


def test_arguments_go_where_the_document_says(run, deck, site):
    run(
        deck, "berths_get",
        {"berth": "a/b ü", "tag": ["x", "y&z"], "short": [1, 2], "box": {"min": 1}, "X-Trace": "t",
         "seen": True},
    ).unwrap()  # fmt: skip
    request = sent(site)
    assert request.url.raw_path == (
        b"/v1/berths/a%2Fb%20%C3%BC?tag=x&tag=y%26z&short=1%2C2&box%5Bmin%5D=1&key=k%261"
    )
    assert request.headers["host"] == "harbour.example"
    assert (request.headers["x-trace"], request.headers["cookie"]) == ("t", "seen=true")


def test_bodies_are_json_or_forms_and_checked_by_their_schema(run, deck, site):
    result = run(deck, "enter", body={"name": None, "length": 0, "tow": {"name": 5}})
    assert result.status == "invalid"
    assert {problem.path for problem in result.problems} == {"body.length", "body.tow.name"}
    assert site.requests == []
    assert run(deck, "enter", body={"name": "Åse", "tow": {"name": None}}).value == {"ok": True}
    request = sent(site)
    assert json.loads(request.content) == {"name": "Åse", "tow": {"name": None}}
    assert request.headers["content-type"] == "application/json"
    site.requests.clear()
    run(deck, "replace", body={"a": "b c", "n": 1}).unwrap()
    assert sent(site).content == b"a=b+c&n=1"


def test_the_first_way_of_signing_in_that_is_complete_is_taken(run, deck, site, monkeypatch):
    run(deck, "enter", body={"name": "x"}).unwrap()
    assert sent(site).headers["authorization"] == "Bearer t0k"
    monkeypatch.delenv("SHIP_TOKEN")
    site.requests.clear()
    run(deck, "enter", body={"name": "x"}).unwrap()
    assert sent(site).headers["authorization"] == f"Basic {base64.b64encode(b'ada:pass').decode()}"
    assert sent(site).url.params["key"] == "k&1"
    monkeypatch.delenv("HARBOUR_BOARD_BASIC")
    error = run(deck, "enter", body={"name": "x"}).error
    assert "set the environment variable SHIP_TOKEN or HARBOUR_BOARD_KEY and HARBOUR_BOARD_BASIC" in error
    site.requests.clear()
    run(deck, "get_ships").unwrap()  # needs none, so it is given none
    assert sent(site).url.query == b""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"berth": ".."}, "cannot be '..'"),
        ({"berth": "a", "X-Trace": "a\r\nx-evil: 1"}, "on one line"),
    ],
)
def test_arguments_cannot_change_the_address_or_add_headers(run, deck, site, arguments, words):
    assert words in run(deck, "berths_get", arguments).error
    assert site.requests == []


def test_a_redirect_is_not_followed_with_the_secret(run, deck, site):
    site.answer = httpx.Response(302, headers={"location": "https://evil.example/?q=1"})
    assert "sends to evil.example, where no secret is taken" in run(deck, "berths_get", berth="a").error
    assert len(site.requests) == 1


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (
            httpx.Response(404, text="no such berth"),
            "failed",
            "Harbour Board answered 404 Not Found: no such",
        ),
        (httpx.Response(204), "ok", '{"status":204}'),
        (httpx.Response(200, text="plain"), "ok", "plain"),
        (httpx.Response(200, content=b"\x89PNG", headers={"content-type": "image/png"}), "ok", "4 bytes of"),
        (httpx.Response(200, text="{", headers={"content-type": "application/json"}), "ok", "{"),
    ],
    ids=["refused", "empty", "text", "picture", "broken"],
)
def test_answers_are_read_by_their_kind_and_fenced(run, deck, site, answer, status, words):
    site.answer = answer
    result = run(deck, "get_ships")
    assert result.status == status
    assert words in result.text
    assert result.text.startswith("«outside ")
    assert "k&1" not in result.text


def test_trouble_is_tried_again_for_what_may_be_repeated(site):
    from tooldeck.testing import fake_deck

    deck, _ = fake_deck(policy="auto")
    guard = UrlGuard(resolver=lambda host, port: ["93.184.216.34"])
    answers = httpx.MockTransport(site)
    added = deck.add_openapi(DOCUMENT, guard=guard, transport=answers, only=["get_*", "enter"])
    assert [tool.name for tool in added.tools] == ["get_ships", "enter"]
    site.answer = httpx.Response(503, headers={"retry-after": "7"})
    result = deck.call("get_ships")
    assert "answered 503" in result.error
    assert result.retry_after == 7


def test_the_address_is_guarded_unless_a_person_allows_a_neighbour(run):
    class Neighbour(BaseHTTPRequestHandler):
        def do_GET(self):
            body = b'["a"]'
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Neighbour)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    try:
        guarded, allowed = Deck(policy="auto"), Deck(policy="auto")
        guarded.add_openapi(DOCUMENT, only=["get_ships"], base_url=base)
        assert "it has no public address" in run(guarded, "get_ships").error
        guard = UrlGuard(allow=(base.removeprefix("http://"),))
        allowed.add_openapi(DOCUMENT, only=["get_ships"], base_url=base, guard=guard, prefix="here_")
        assert run(allowed, "here_get_ships").value == ["a"]
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("document", "options", "words"),
    [
        ({"swagger": "1.2"}, {}, "takes documents of OpenAPI 3 and Swagger 2, and this one is swagger 1.2"),
        ({"a": 1}, {}, "this one says of itself that it is neither"),
        ({"swagger": "2.0", "info": {"title": "X"}}, {}, "X names no whole address; give base_url"),
        ({"openapi": "3.1.0", "info": {"title": "X"}}, {}, "X names no whole address; give base_url"),
        ("a: [\nb", {}, "neither JSON nor YAML"),
        ("a: &a {b: *a}\n", {}, "neither JSON nor YAML: it contains itself"),
        pytest.param('{"a": ' + "[" * 100_000, {}, "it is nested too deeply", id="brackets"),
        ({"openapi": "3.1.0", "servers": [{"url": "https://[1]/"}]}, {}, "names no whole address"),
        ({"swagger": "2.0"}, {"base_url": "https://[1]/"}, "is no address"),
        ("nowhere.yaml", {}, r"'nowhere.yaml' cannot be read: there is no such file\.$"),
        ("/", {}, "it is a folder"),
        (5, {}, "takes a mapping, text or a path"),
        (DOCUMENT, {"only": ["entre"]}, "no operation 'entre'; did you mean 'enter'"),
        (DOCUMENT, {"auth": {"keys": "X"}}, "no security scheme 'keys'; it has key, token, basic"),
    ],
)
def test_documents_that_cannot_be_used_are_refused(document, options, words):
    deck = Deck()
    with pytest.raises(DefinitionError, match=words):
        deck.add_openapi(document, **options)
    assert not deck.tools


STORED = Path(__file__).parent / "services"


def stored(name, site, tmp_path, monkeypatch):
    """A deck with the operations of a stored document, and two pictures in its workspace."""
    for secret, value in {"PARCELS_API_KEY": "k1", "PARCELS_LOGIN": "ada:pass"}.items():
        monkeypatch.setenv(secret, value)
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n1")
    (tmp_path / "b.txt").write_bytes(b"two")
    deck = Deck(policy="auto", workspace=tmp_path)
    deck.added = deck.add_openapi(
        STORED / name,
        guard=UrlGuard(resolver=lambda host, port: ["93.184.216.34"]),
        transport=httpx.MockTransport(site),
    )
    return deck


def call(run, deck, site, name, **arguments):
    site.requests.clear()
    run(deck, name, arguments).unwrap()
    return sent(site)


def address(request):
    """Where a request is for; the connection goes to the number that was checked."""
    return f"{request.url.scheme}://{request.headers['host']}{request.url.raw_path.decode()}"


def test_a_service_of_swagger_2_works_like_one_of_openapi_3(run, site, tmp_path, monkeypatch):
    deck = stored("parcels-swagger2.json", site, tmp_path, monkeypatch)
    assert list(deck.tools) == ["listParcels", "addParcel", "changeParcel", "dropParcel", "addLabel"]
    assert "application/soap+xml, which is not supported" in deck.added.skipped["soap"]
    listed = call(run, deck, site, "listParcels", state=["new", "sent"], ids=[1, 2])
    assert address(listed) == ("https://api.parcels.example/v2/parcels?state=new&state=sent&ids=1%2C2")
    assert listed.headers["x-key"] == "k1"
    parcel = {"to": {"city": "Ulm", "back": {"city": "Bonn"}}, "note": None}
    assert json.loads(call(run, deck, site, "addParcel", body=parcel).content) == parcel
    assert "to" in run(deck, "addParcel", {"body": {}}).error
    changed = call(run, deck, site, "changeParcel", id=7, body={"note": "a b", "weight": 2.5})
    assert changed.content == b"note=a+b&weight=2.5"
    dropped = call(run, deck, site, "dropParcel", id=7)
    assert dropped.headers["authorization"].startswith("Basic ")


def test_files_are_sent_from_the_workspace_and_from_nowhere_else(run, site, tmp_path, monkeypatch):
    deck = stored("parcels-swagger2.json", site, tmp_path, monkeypatch)
    assert deck["addLabel"].effects == {Effect.NETWORK, Effect.WRITE, Effect.READ}
    label = call(run, deck, site, "addLabel", id=7, body={"picture": "a.png", "copies": 2})
    assert label.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert b'name="picture"; filename="a.png"\r\nContent-Type: image/png' in label.content
    assert b'name="copies"\r\n\r\n2\r\n' in label.content
    for outside in ("../secret", "/etc/passwd", "nothing.png"):
        site.requests.clear()
        assert not run(deck, "addLabel", {"id": 7, "body": {"picture": outside}}).ok
        assert site.requests == []


def test_a_form_sends_no_more_than_its_limit_however_many_files_it_names(run, site, tmp_path, monkeypatch):
    deck = stored("library-openapi30.yaml", site, tmp_path, monkeypatch)
    monkeypatch.setattr(bodies, "MOST_BYTES", 1000)
    for pages, words in ((["a.png"] * 900, "more than 1000 bytes"), (["a.png"] * 1001, "1001 parts")):
        site.requests.clear()
        result = run(deck, "add-scans", {"isbn": "1234567890", "body": {"pages": pages}})
        assert words in result.error
        assert site.requests == []


def test_forms_with_several_files_and_single_files_are_sent(run, site, tmp_path, monkeypatch):
    deck = stored("library-openapi30.yaml", site, tmp_path, monkeypatch)
    assert "set-marc is no tool: its body is application/xml" in repr(deck.added)
    body = {"pages": ["a.png", "b.txt"], "about": {"dpi": 300}, "title": "On Tides"}
    scans = call(run, deck, site, "add-scans", isbn="1234567890", body=body).content
    assert scans.count(b'name="pages"; filename=') == 2
    assert b'{"dpi": 300}' in scans
    cover = call(run, deck, site, "set-cover", isbn="1234567890", body="a.png")
    assert (cover.headers["content-type"], cover.content[1:4]) == ("image/png", b"PNG")
    found = call(
        run, deck, site, "find-books", q="tides", filter={"year": None, "lent": True}, sort=["a", "b"]
    )
    assert address(found).startswith("https://main.library.example:8443/api/books?q=tides")
    assert dict(found.url.params) == {
        "q": "tides",
        "filter[year]": "null",
        "filter[lent]": "true",
        "sort": "a|b",
    }
    assert not run(deck, "add-scans", {"isbn": "x", "body": body}).ok


def test_a_service_of_openapi_31_works_by_its_own_schemas(run, site, tmp_path, monkeypatch):
    deck = stored("weather-openapi31.yaml", site, tmp_path, monkeypatch)
    assert list(deck.tools) == ["get_now_lat_lon", "report"]
    now = call(run, deck, site, "get_now_lat_lon", lat=48.4, lon=9.99, units="metric")
    assert address(now) == "https://weather.example/now/48.4,9.99?units=metric"
    assert not run(deck, "get_now_lat_lon", {"lat": 91, "lon": 1}).ok
    rain = call(run, deck, site, "report", body={"kind": "rain", "mm": 3})
    assert rain.headers["content-type"] == "application/vnd.weather+json"
    assert not run(deck, "report", {"body": {"kind": "rain", "speed": 3}}).ok


def test_hostile_documents_cost_single_operations_at_most():
    circle = {"$ref": "#/components/parameters/a"}
    document = {
        "openapi": "3.1.0",
        "servers": [{"url": "https://x.example"}],
        "paths": {
            "/a": {"get": {"parameters": [circle]}},
            "/b": {
                "post": {
                    "requestBody": {
                        "content": {"application/json": {"schema": {"$ref": "file:///etc/passwd"}}}
                    }
                }
            },
            "/c": {"get": {"operationId": "__import__('os')"}, "put": {"operationId": "__import__('os')"}},
            "/d": None,
            "/e": {"get": 5},
        },
        "components": {"parameters": {"a": circle}},
    }
    added = Deck().add_openapi(document)
    assert [tool.name for tool in added.tools] == ["import___os", "import___os_2"]
    assert "has no name, or no place that is known" in added.skipped["get_a"]
    assert "which is not among the schemas" in added.skipped["post_b"]
