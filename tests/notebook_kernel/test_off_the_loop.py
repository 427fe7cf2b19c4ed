"""What cannot run on the kernel's own loop: libraries that refuse a running loop, and starting programs."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kernel_cells import ON_UVLOOP, WITHOUT_PROCESSES
from kernel_pool import or_skip
from notebook_kernel import NotebookKernel
from rig import kernels

SERVERS = Path(__file__).resolve().parents[1] / "mcp" / "servers"
RAW = shlex.join([sys.executable, "-S", str(SERVERS / "raw.py")])

BROWSER = """
import dataclasses
from concurrent.futures import ThreadPoolExecutor
from tooldeck import tool

class Browser:
    "Like the blocking interface of a browser library: no running loop, and always the same thread."
    def __init__(self, one_thread=False):
        self.one_thread, self.threads = one_thread, set()
    def title(self, url):
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            raise RuntimeError("this is the blocking interface, and a loop is running")
        self.threads.add(threading.get_ident())
        if self.one_thread and len(self.threads) > 1:
            raise RuntimeError("this belongs to another thread")
        return f"title of {url}"

browser = Browser()
@deck.tool(effects="read", timeout=20)
def title(url: str) -> str:
    "The title of a page."
    return browser.title(url)

own = Browser(one_thread=True)
@tool(effects="read")
def pinned(url: str) -> str:
    "The title of a page, by a browser that belongs to one thread."
    return own.title(url)
deck.add(dataclasses.replace(pinned, executor=ThreadPoolExecutor(1)))

async def inside():
    return deck.call("TOOL", url="x").value
"""
CALLS = {
    "in a cell": "print(deck.call('TOOL', url='x').value)",
    "awaited": "print((await deck.acall('TOOL', url='x')).value)",
    "inside a coroutine": "print(await inside())",
    "several at once": "calls = [deck.acall('TOOL', url='x') for _ in range(3)]\n"
    "print(*{result.value for result in await asyncio.gather(*calls)})",
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("tool", ["title", "pinned"])
def test_a_library_that_refuses_a_running_loop_works_in_a_tool_with_a_limit_or_a_thread_of_its_own(
    notebook: NotebookKernel, tool: str, call: str
) -> None:
    notebook.run(BROWSER.replace("TOOL", tool))
    refused = notebook.finish(notebook.send("browser.title('x')"))
    assert refused.error == "RuntimeError", "the stub must refuse where the cell itself runs"
    assert notebook.run(CALLS[call].replace("TOOL", tool)).text == "title of x\n"


LOOPS = {"no processes": WITHOUT_PROCESSES, "uvloop": ON_UVLOOP}


@pytest.fixture(params=LOOPS)
def notebook_on_another_loop(request: pytest.FixtureRequest) -> Iterator[NotebookKernel]:
    """A notebook whose own loop, or its policy, starts no processes for others."""
    with or_skip():
        paths = [kernels.package("uvloop", "0.22.1")] if request.param == "uvloop" else []
    notebook = NotebookKernel(None, paths=paths, launcher=["-c", LOOPS[request.param]])
    try:
        notebook.fresh()
        if request.param == "no processes":
            started = notebook.finish(notebook.send("await asyncio.create_subprocess_exec('true')"))
            assert started.error == "NotImplementedError", "the loop must refuse what it is said to refuse"
        yield notebook
    finally:
        notebook.close()


def test_a_server_is_started_whatever_loop_the_kernel_runs_on(
    notebook_on_another_loop: NotebookKernel,
) -> None:
    notebook = notebook_on_another_loop
    notebook.run(f"%mcp connect --label raw --reads * {RAW}", timeout=60)
    assert notebook.run("print(deck.call('echo', {'x': 1}).value.text)").text == '{"x": 1}\n'
    assert notebook.run("print((await deck.acall('echo', {'x': 2})).value.text)").text == '{"x": 2}\n'
    assert notebook.run("%mcp close raw", timeout=20).text == "Closed raw.\n"
