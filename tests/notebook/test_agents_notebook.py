"""Tutorials of models work with a server in place of their script, when their one marked line is changed."""

from __future__ import annotations

import json
from pathlib import Path

from ipython_shell import open_shell
from model_servers import serve, sse

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
USAGE = {"prompt_tokens": 20, "completion_tokens": 5}


def answer(handler):
    """Do what a model would: ask for the calls of the task, then tell how they ended."""
    last = handler.server.requests[-1][2]["messages"][-1]
    message = {"role": "assistant", "content": f"It said: {last['content']}"}
    if last["role"] == "user":
        name = "order" if "order" in last["content"] else "stock"
        function = {"name": name, "arguments": json.dumps({"item": "lamp"})}
        message |= {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    whole = {"id": "r1", "created": 1, "model": "m", "choices": [choice], "usage": USAGE}
    sse(*handler.server.stream(whole))(handler)


def travel(handler):
    """Do what a model without native calls would: find the weather in the text, then what to see."""
    asked = handler.server.requests[-1][2]
    assert "tools" not in asked
    read = [one["content"] for one in asked["messages"] if one["role"] == "user"]
    written = 'Action: get_weather(city="Beijing")'
    if len(read) > 1:
        assert "sunny, 26" in read[1]
        written = f"Final Answer: It said {len(read) - 1} time: sunny."
    choice = {"index": 0, "message": {"role": "assistant", "content": written}, "finish_reason": "stop"}
    whole = {"id": "r1", "created": 1, "model": "m", "choices": [choice], "usage": USAGE}
    sse(*handler.server.stream(whole))(handler)


def run_changed(name, line, reply, capsys):
    """Run a tutorial with a server in place of the script of its marked line; its names, and what ended."""
    stored = json.loads((NOTEBOOKS / name).read_text("utf-8"))["cells"]
    cells = ["".join(one["source"]) for one in stored if one["cell_type"] == "code"]
    assert sum(cell.splitlines().count(line) for cell in cells) == 1
    with serve([reply] * 40, "openai_chat") as server, open_shell(capsys) as shell:
        ends = [
            shell.run(cell.replace(line, f'model = openai_chat("m", base_url="{server.url}/v1")'))
            for cell in cells
            if not cell.startswith("%load_ext")
        ]
        return shell.ip.user_ns.copy(), ends, len(server.requests)


def test_the_tutorial_of_agents_runs_with_a_local_server_when_one_line_is_changed(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    names, ends, requests = run_changed("09_agents.ipynb", "model = scripted(plan)", answer, capsys)
    asked = next(one for one in ends if type(one).__name__ == "RunResult")
    assert (asked.text, asked.usage.total, asked.usage.estimated) == ("It said: 12", 50, False)
    assert names["refused"].calls[0].result.status == "denied"
    assert requests >= 8
    assert names["found"].text == "sunny in Oslo"


def test_the_tutorial_of_text_actions_runs_with_a_local_server_when_one_line_is_changed(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    names, _, requests = run_changed("08_text_actions.ipynb", "model = scripted(travel)", travel, capsys)
    trip = names["trip"]
    assert (trip.text, trip.usage.total, trip.usage.estimated) == ("It said 1 time: sunny.", 50, False)
    assert (requests, [step.result.value for step in trip.calls]) == (2, ["sunny, 26 °C"])
