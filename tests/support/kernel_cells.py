"""What the tests of the kernel bridge run: which kernels, and a card to wait for.

The installed ipykernel and the last of the 6 line run always; `TOOLDECK_KERNELS=all` adds the oldest
supported one and an early 7.
"""

from __future__ import annotations

import os

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
