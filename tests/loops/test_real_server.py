"""A real OpenAI-compatible server, llama.cpp's own: skipped where its packages are not installed.

``pip install xllamacpp gguf`` brings it, 100 MB; it needs no network and starts in a second.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tooldeck import Deck, Message, RetrySettings, ToolRequest
from tooldeck.core.messages import ToolAnswer
from tooldeck.loops import RunLimits, openai_chat

if any(importlib.util.find_spec(name) is None for name in ("xllamacpp", "gguf")):
    pytest.skip("needs xllamacpp and gguf, which the checks do not install", allow_module_level=True)

PROGRAM = Path(__file__).parents[1] / "support" / "tiny_llama.py"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Where the server is."""
    model = tmp_path_factory.mktemp("model") / "tiny.gguf"
    program = subprocess.Popen(
        [sys.executable, str(PROGRAM), str(model)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert program.stdin is not None
    assert program.stdout is not None
    try:
        yield next(line.split()[1] for line in program.stdout if line.startswith("address "))
    finally:
        program.stdin.close()
        program.wait(20)
        program.stdout.close()


@pytest.fixture
def deck():
    deck = Deck(policy="auto")

    @deck.tool(effects="read")
    def pick(colour: str) -> str:
        """Pick a colour."""
        return colour

    return deck


def model_at(address, **options):
    return openai_chat("tiny", base_url=f"{address}/v1", temperature=0, max_tokens=24, **options)


def test_a_stream_says_what_a_whole_reply_says_and_tells_its_usage(deck, address):
    streamed, whole = (deck.run("hello", model=model_at(address, stream=on)) for on in (True, False))
    assert (streamed.status, streamed.reason) == ("limit", "the reply reached the model's output limit")
    assert streamed.text == whole.text != ""
    assert streamed.usage.output == whole.usage.output == 24
    assert streamed.usage.input == whole.usage.input > 100
    assert not streamed.usage.estimated


def test_a_conversation_with_calls_is_taken(deck, address):
    calls = (ToolRequest("a", "pick", {"colour": "red"}), ToolRequest("b", "pick", "{"))
    earlier = [
        Message("system", "Be brief."),
        Message("user", "Pick two."),
        Message("assistant", "", requests=calls),
        Message("tool", answers=(ToolAnswer("a", "pick", "red"), ToolAnswer("b", "pick", "no", ok=False))),
        Message("assistant", "Red."),
    ]
    result = deck.run("And now?", model=model_at(address), messages=earlier, limits=RunLimits(rounds=1))
    assert result.status == "limit"
    assert result.text


def test_an_action_that_the_model_writes_is_run_and_observed(deck, address):
    grammar = 'root ::= "Action: pick(colour=" [\'] ("red" | "blue") [\'] ")"'
    # Without a grammar, random weights write noise.
    model = openai_chat("tiny", base_url=f"{address}/v1", temperature=0, max_tokens=60, grammar=grammar)
    result = deck.run("Pick a colour.", model=model, actions="text", limits=RunLimits(rounds=2))
    assert (result.status, len(result.calls)) == ("limit", 2)
    made = result.calls[0]
    assert (made.request.name, str(made.result.status)) == ("pick", "ok")
    assert made.result.value in ("red", "blue")
    observed = result.messages[2].text
    assert observed.startswith("Observation[1] tool=pick status=ok")
    assert made.result.value in observed
    assert not result.usage.estimated


def test_a_wrong_address_is_told_with_the_remedy(deck, address):
    model = openai_chat("tiny", base_url=f"{address}/v2", retry=RetrySettings(attempts=1))
    assert "Is base_url right" in deck.run("hello", model=model).reason
