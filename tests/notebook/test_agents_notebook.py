"""The tutorial for agents works with a server in place of its script, when its one marked line is changed."""

from __future__ import annotations

import json
from pathlib import Path

from ipython_shell import open_shell
from model_servers import serve, sse

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "09_agents.ipynb"
LINE = "model = scripted(plan)"


def answer(handler):
    """Do what a model would: ask for the calls of the task, then tell how they ended."""
    last = handler.server.requests[-1][2]["messages"][-1]
    message = {"role": "assistant", "content": f"It said: {last['content']}"}
    if last["role"] == "user":
        name = "order" if "order" in last["content"] else "stock"
        function = {"name": name, "arguments": json.dumps({"item": "lamp"})}
        message |= {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    usage = {"prompt_tokens": 20, "completion_tokens": 5}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    whole = {"id": "r1", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    sse(*handler.server.stream(whole))(handler)


def test_the_tutorial_runs_with_a_local_server_when_one_line_is_changed(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stored = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    cells = ["".join(one["source"]) for one in stored if one["cell_type"] == "code"]
    assert sum(cell.count(LINE) for cell in cells) == 1
    with serve([answer] * 40, "openai_chat") as server, open_shell(capsys) as shell:
        ends = []
        for cell in cells:
            changed = cell.replace(LINE, f'model = openai_chat("m", base_url="{server.url}/v1")')
            if not changed.startswith("%load_ext"):
                ends.append(shell.run(changed))
        asked = next(one for one in ends if type(one).__name__ == "RunResult")
        assert (asked.text, asked.usage.total, asked.usage.estimated) == ("It said: 12", 50, False)
        refused = shell.ip.user_ns["refused"]
        assert refused.calls[0].result.status == "denied"
        assert len(server.requests) >= 8
        assert shell.ip.user_ns["found"].text == "sunny in Oslo"
