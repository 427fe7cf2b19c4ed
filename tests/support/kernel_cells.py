"""What the tests of the kernel bridge run: which kernels, and a card to wait for.

The installed ipykernel and the last of the 6 line run always; `TOOLDECK_KERNELS=all` adds the oldest
supported one, an early 7 and other Pythons. Tests marked `pythons` run with those Pythons that this machine
has in any case.
"""

from __future__ import annotations

from rig import kernels

ALL = kernels.ALL
VERSIONS = [None, "6.30.1", *(["7.1.0", kernels.OLD, *kernels.PYTHONS] if ALL else [])]

ON_UVLOOP = (
    "import asyncio, uvloop; asyncio.set_event_loop_policy(uvloop.EventLoopPolicy()); "
    "from ipykernel.kernelapp import launch_new_instance; launch_new_instance()"
)
"""A program that is a kernel whose loop cannot be patched or entered again."""

WITHOUT_PROCESSES = """
import asyncio

class Loop(asyncio.SelectorEventLoop):
    async def subprocess_exec(self, *args, **kwargs): raise NotImplementedError
    async def subprocess_shell(self, *args, **kwargs): raise NotImplementedError

class Policy(asyncio.DefaultEventLoopPolicy):
    _loop_factory = Loop
    def get_child_watcher(self): raise NotImplementedError

asyncio.set_event_loop_policy(Policy())
from ipykernel.kernelapp import launch_new_instance; launch_new_instance()
"""
"""A program that is a kernel whose loop cannot start processes, as the one that kernels use on Windows."""

ONE, TWO = "nest_asyncio", "nest_asyncio2"
"""The two lines of the package by which users make their loop reentrant."""


def patched(setup: str, package: str, when: str) -> list[str]:
    """The cells that apply one of them "before" or "after" the cell that loads tooldeck."""
    cells = [f"import {package}; {package}.apply()", setup]
    return cells if when == "before" else cells[::-1]


SETUP = """
get_ipython().Completer.use_jedi = False  # seconds, on the first completion
import asyncio, threading, time
import ipywidgets
from concurrent.futures import Future
from IPython.display import display
from tooldeck.notebook.kernel import here, post, run_here, wait, wait_async
from tooldeck.notebook.kernel.waiting import attend

def pause(seconds):
    try: wait(Future(), seconds)
    except TimeoutError: pass

async def pause_async(seconds):
    try: await wait_async(Future(), seconds)
    except TimeoutError: pass

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
