"""Small local servers that speak as the providers' published schemas say, and can go wrong in many ways.

A test gives a list of replies, one per request: each is what a provider would answer without a stream, and is
sent as its stream where the request asks for one; or a function of the handler, which writes what it likes.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["STREAMS", "serve", "sse", "status"]

Reply = dict[str, Any] | Callable[[Any], None]


class Server(ThreadingHTTPServer):
    """Keeps the requests that came: path, headers, body."""

    daemon_threads = True

    def __init__(self, replies: list[Reply], stream: Callable[[dict[str, Any]], Iterator[Any]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies = list(replies)
        self.stream = stream
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.send_error(405)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            reply = (
                self.server.replies.pop(0) if self.server.replies else status(500, {"error": "no reply left"})
            )
        if callable(reply):
            reply(self)
        elif body.get("stream") or "alt=sse" in self.path:
            sse(*self.server.stream(reply))(self)
        else:
            status(200, reply)(self)


def status(code: int, body: Any, **headers: str) -> Callable[[Any], None]:
    """An answer that is no stream."""

    def write(handler: Any) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(code)
        kind = headers.pop("content_type", "application/json")
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return write


def sse(*events: Any, broken: bool = False) -> Callable[[Any], None]:
    """A stream of events; `broken` breaks the connection off behind them."""

    def write(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
        if broken:
            handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        for event in events:
            if callable(event):
                event(handler)
                continue
            kind = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
            data = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
            handler.wfile.write(f"{kind}data: {data}\n\n".encode("utf-8", "surrogatepass"))
        handler.wfile.flush()

    return write


@contextlib.contextmanager
def serve(replies: list[Reply], provider: str) -> Iterator[Server]:
    """A server for so many requests of one provider's clients."""
    server = Server(replies, STREAMS[provider])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


# -- replies as streams


def _chunks(text: str, size: int = 7) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def chat_stream(reply: dict[str, Any]) -> Iterator[Any]:
    """Chunks of a chat completion."""
    choice = reply["choices"][0]
    base = {"id": reply["id"], "object": "chat.completion.chunk", "created": 1, "model": reply["model"]}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    message = choice["message"]
    yield chunk({"role": "assistant", "content": ""})
    for piece in _chunks(message.get("content") or ""):
        yield chunk({"content": piece})
    for index, call in enumerate(message.get("tool_calls") or []):
        function = call["function"]
        head = {**call, "index": index, "function": {"name": function["name"], "arguments": ""}}
        yield chunk({"tool_calls": [head]})
        for piece in _chunks(function["arguments"]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, choice["finish_reason"])
    yield {**base, "choices": [], "usage": reply["usage"]}
    yield "[DONE]"


def responses_stream(reply: dict[str, Any]) -> Iterator[Any]:
    """Events of a response."""
    number = iter(range(10_000))
    begun = {**reply, "status": "in_progress", "output": []}
    yield {"type": "response.created", "sequence_number": next(number), "response": begun}
    for index, item in enumerate(reply["output"]):
        at = {"output_index": index}
        yield {"type": "response.output_item.added", "sequence_number": next(number), **at, "item": item}
        if item["type"] == "message":
            for piece in _chunks(item["content"][0]["text"]):
                yield {
                    "type": "response.output_text.delta", "sequence_number": next(number), **at,
                    "item_id": item["id"], "content_index": 0, "delta": piece, "logprobs": [],
                }  # fmt: skip
        yield {"type": "response.output_item.done", "sequence_number": next(number), **at, "item": item}
    end = "response.incomplete" if reply["status"] == "incomplete" else "response.completed"
    yield {"type": end, "sequence_number": next(number), "response": reply}


def anthropic_stream(reply: dict[str, Any]) -> Iterator[Any]:
    """Events of a message."""
    usage = {**reply["usage"], "output_tokens": 1}
    begun = {**reply, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield {"type": "message_start", "message": begun}
    yield {"type": "ping"}
    for index, block in enumerate(reply["content"]):
        deltas: list[dict[str, Any]] = []
        empty = dict(block)
        if block["type"] == "text":
            empty["text"] = ""
            deltas = [{"type": "text_delta", "text": piece} for piece in _chunks(block["text"])]
        elif block["type"] == "tool_use":
            empty["input"] = {}
            text = block["input"] if isinstance(block["input"], str) else json.dumps(block["input"])
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *_chunks(text)]]
        elif block["type"] == "thinking":
            empty |= {"thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in _chunks(block["thinking"])]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
    yield {
        "type": "message_delta",
        "delta": delta,
        "usage": {"output_tokens": reply["usage"]["output_tokens"]},
    }
    yield {"type": "message_stop"}


def gemini_stream(reply: dict[str, Any]) -> Iterator[Any]:
    """Responses with a part each."""
    candidate = reply["candidates"][0]
    rest = {name: value for name, value in reply.items() if name != "candidates"}
    for part in candidate["content"]["parts"]:
        pieces = _chunks(part["text"]) if "text" in part else [None]
        for place, piece in enumerate(pieces):
            now = dict(part) if piece is None else {**part, "text": piece}
            if piece is not None and place < len(pieces) - 1:
                now.pop("thoughtSignature", None)
            yield {"candidates": [{"index": 0, "content": {"role": "model", "parts": [now]}}], **rest}
    last = {"index": 0, "content": {"role": "model", "parts": [{"text": ""}]}}
    yield {"candidates": [{**last, "finishReason": candidate["finishReason"]}], **rest}


STREAMS = {
    "openai_chat": chat_stream,
    "openai_responses": responses_stream,
    "anthropic": anthropic_stream,
    "gemini": gemini_stream,
}
