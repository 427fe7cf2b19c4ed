"""Real kernels for the tests of the bridge, one per version of ipykernel and worker.

The installed ipykernel and the last of the 6 line run always; `TOOLDECK_KERNELS=all` adds the oldest supported
one and an early 7.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_kernel import MAIN, SUBSHELL, LiveKernel
from rig import kernels

ALL = os.environ.get("TOOLDECK_KERNELS") == "all"
VERSIONS = [None, "6.30.1", *(["7.1.0", kernels.OLD] if ALL else [])]

SETUP = """
get_ipython().Completer.use_jedi = False  # seconds, on the first completion
import asyncio, threading, time
import ipywidgets
from concurrent.futures import Future
from IPython.display import display
from tooldeck.notebook.kernel import here, pause, post, run_here, wait, wait_async
from tooldeck.notebook.kernel.waiting import attend, pause_async

class Card:
    '''Two buttons and the answer that they give.'''
    def __init__(self, clicked=None, note="waiting"):
        self.answer = Future()
        self.note = note
        self.yes = ipywidgets.Button(description="Approve")
        self.no = ipywidgets.Button(description="Deny")
        self.yes.on_click(clicked or (lambda button: self.give("approved")))
        self.no.on_click(lambda button: self.give("denied"))
        self.state = "open"
    def give(self, answer):
        if not self.answer.done():
            self.answer.set_result(answer)
    def show(self):
        display(self.yes); display(self.no)
        # Printed by the wait itself, so that a test knows that the cell really waits.
        post(print, self.note, place=here())
        return self
    def ask(self, timeout=None):
        self.show()
        try:
            answer = self.state = wait(self.answer, timeout)
        except BaseException:
            self.state = "interrupted"
            raise
        return answer
    async def ask_async(self):
        self.show()
        return await wait_async(self.answer)
    async def on_loop(self):
        '''Waits for a future of the kernel's own loop, so it can run nowhere else.'''
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        self.answer.add_done_callback(lambda f: loop.call_soon_threadsafe(done.set_result, f.result()))
        self.show()
        return await done
"""


def package_overlay(name: str, version: str) -> Path:
    """A folder with nothing but one package, installed when it is not there."""
    target = kernels.OVERLAYS / f"{name}-{version}"
    if not target.is_dir():
        kernels.OVERLAYS.mkdir(parents=True, exist_ok=True)
        uv = [
            sys.executable,
            "-m",
            "uv",
            "pip",
            "install",
            "--quiet",
            "--python",
            sys.executable,
            "--no-deps",
        ]
        subprocess.run([*uv, "--target", str(target), f"{name}=={version}"], check=True, timeout=120)
    return target


class Pool:
    """The kernels of this worker, each started when first asked for."""

    def __init__(self) -> None:
        self._kernels: dict[str | None, LiveKernel] = {}

    def get(self, version: str | None) -> LiveKernel:
        if version not in self._kernels:
            try:
                kernel = self._kernels[version] = LiveKernel(version, SETUP)
            except subprocess.CalledProcessError as error:
                pytest.skip(f"ipykernel {version} could not be installed into .cache/kernels: {error}")
            # The first traceback of a kernel takes IPython up to a second, which is not what is measured.
            kernel.finish(kernel.send("1 / 0"), 30)
        return self._kernels[version]

    def close(self) -> None:
        for kernel in self._kernels.values():
            kernel.close()


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    pool = Pool()
    yield pool
    pool.close()


@pytest.fixture(params=VERSIONS, ids=lambda version: version or "installed")
def kernel(request: pytest.FixtureRequest, pool: Pool) -> Iterator[LiveKernel]:
    """An idle kernel with `Card` defined."""
    kernel = pool.get(request.param)
    yield kernel
    kernel.settle()


@pytest.fixture(params=VERSIONS if ALL else [None], ids=lambda version: version or "installed")
def kernel_with_nest_asyncio_1(request: pytest.FixtureRequest) -> Iterator[LiveKernel]:
    """A kernel of its own that can import nest_asyncio 1.6.0, as many users' can."""
    try:
        folder = package_overlay("nest-asyncio", "1.6.0")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"nest-asyncio 1.6.0 could not be installed into .cache/kernels: {error}")
    kernel = LiveKernel(request.param, SETUP, folder)
    yield kernel
    kernel.close()


@pytest.fixture(params=[MAIN, SUBSHELL])
def route(request: pytest.FixtureRequest, kernel: LiveKernel) -> str:
    """Where the front end sends widget messages: to the main shell, or to a subshell as JupyterLab does."""
    if request.param == SUBSHELL and not kernel.has_subshells:
        pytest.skip("ipykernel 6 has no subshells")
    return request.param
