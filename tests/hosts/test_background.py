from __future__ import annotations

import asyncio
import contextvars
import os
import subprocess
import sys
import threading
import time

import anyio
import pytest

from tooldeck.core.errors import TooldeckError
from tooldeck.core.tool import Executor
from tooldeck.hosts.background import BackgroundLoop, Job, background

LIMIT = 20.0


@pytest.fixture
def loop():
    made = BackgroundLoop("test-loop")
    yield made
    assert made.stop(LIMIT)


async def add(a, b=0):
    await asyncio.sleep(0)
    return a + b


def test_work_runs_on_a_thread_of_its_own_that_starts_with_the_first_job(loop):
    assert not loop.running

    async def where():
        return threading.current_thread().name

    assert loop.submit(where).result(LIMIT) == "test-loop"
    assert loop.running
    assert loop.submit(add, 1, b=2).result(LIMIT) == 3


def test_it_serves_as_an_executor(loop):
    executor: Executor = loop
    assert executor.submit(add, 1).result(LIMIT) == 1


def test_a_plain_function_may_be_submitted_too(loop):
    assert loop.submit(lambda: 5).result(LIMIT) == 5


def test_an_exception_reaches_whoever_waits(loop):
    async def broken():
        raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing"):
        loop.submit(broken).result(LIMIT)


def test_a_job_that_wants_to_exit_does_not_take_the_loop_along(loop):
    async def leaves():
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        loop.submit(leaves).result(LIMIT)
    assert loop.submit(add, 1).result(LIMIT) == 1


def test_every_job_sees_the_context_of_its_submitter_and_cannot_change_it(loop):
    who = contextvars.ContextVar("who", default="nobody")

    async def rename():
        before = who.get()
        who.set("somebody else")
        return before

    token = who.set("me")
    assert loop.submit(rename).result(LIMIT) == "me"
    assert who.get() == "me"
    who.reset(token)


def test_a_cancelled_job_is_done_at_once_and_finished_when_the_work_has_ended(loop):
    started, cleaned, gate = threading.Event(), threading.Event(), asyncio.Event()

    async def works():
        started.set()
        try:
            await asyncio.sleep(3600)
        finally:
            await gate.wait()
            cleaned.set()

    job = loop.submit(works)
    assert started.wait(LIMIT)
    assert job.cancel()
    assert job.cancelled()
    assert not job.finished.is_set()
    loop.call_soon(gate.set)
    assert job.finished.wait(LIMIT)
    assert cleaned.is_set()


def test_a_job_cancelled_before_it_starts_never_runs(loop):
    ran = threading.Event()
    hold, held = threading.Event(), threading.Event()

    def block():
        held.set()
        hold.wait(LIMIT)

    loop.submit(block)
    assert held.wait(LIMIT)
    job = loop.submit(ran.set)
    assert job.cancel()
    hold.set()
    assert job.finished.wait(LIMIT)
    assert not ran.is_set()


def test_cancelling_after_the_end_changes_nothing(loop):
    job = loop.submit(add, 2)
    assert job.result(LIMIT) == 2
    assert not job.cancel()
    assert job.result(LIMIT) == 2


def test_work_that_cancels_itself_ends_as_cancelled(loop):
    async def gives_up():
        raise asyncio.CancelledError

    job = loop.submit(gives_up)
    assert job.finished.wait(LIMIT)
    assert job.cancelled()


@pytest.mark.parametrize("method", ["result", "exception"])
def test_waiting_on_the_loop_s_own_thread_is_one_clear_error(loop, method):
    async def waits():
        return getattr(loop.submit(add, 1), method)(LIMIT)

    with pytest.raises(TooldeckError, match="'test-loop' would wait for itself; await it there instead"):
        loop.submit(waits).result(LIMIT)
    assert not loop.owns_current_thread()


def test_asking_a_job_that_is_done_is_fine_anywhere(loop):
    async def asks(done):
        return done.result()

    done = loop.submit(add, 1)
    done.result(LIMIT)
    assert loop.submit(asks, done).result(LIMIT) == 1


async def test_a_job_may_be_awaited_from_another_loop(loop):
    assert await asyncio.wrap_future(loop.submit(add, 1, 2)) == 3


def test_stopping_cancels_what_runs_and_a_later_job_starts_a_new_thread(loop):
    async def forever():
        await asyncio.sleep(3600)

    job = loop.submit(forever)
    assert loop.stop(LIMIT)
    assert job.finished.is_set()
    assert job.cancelled()
    assert not loop.running
    assert loop.submit(add, 4).result(LIMIT) == 4


def test_stopping_gives_up_on_work_that_refuses_to_end(loop):
    release = threading.Event()

    async def refuses():
        while not release.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue

    job = loop.submit(refuses)
    loop.submit(add, 1).result(LIMIT)
    start = time.monotonic()
    assert loop.stop(0.3) is False
    assert time.monotonic() - start < 5
    release.set()
    del job


@pytest.mark.parametrize("maker_cleans_up", [True, False], ids=["with its maker", "left by its maker"])
def test_stopping_leaves_a_task_to_its_maker_as_long_as_that_one_lives(loop, maker_cleans_up):
    ends = []

    async def helper(asked):
        try:
            await asyncio.wait_for(asked.wait(), LIMIT)
            ends.append("helped")
        except asyncio.CancelledError:
            ends.append("cancelled")

    async def work(begun):
        asked = asyncio.Event()
        helping = asyncio.create_task(helper(asked))
        try:
            begun.set()
            await asyncio.sleep(3600)
        finally:
            if maker_cleans_up:
                asked.set()
                await helping

    begun = threading.Event()
    loop.submit(work, begun)
    assert begun.wait(LIMIT)
    assert loop.stop(LIMIT)
    assert ends == ["helped" if maker_cleans_up else "cancelled"]


def test_stopping_waits_for_tasks_that_clean_up_after_others(loop):
    cleaned = []

    async def clean_up():
        await asyncio.sleep(0.05)
        cleaned.append(True)

    async def work(begun):
        try:
            begun.set()
            await asyncio.sleep(3600)
        finally:
            await asyncio.shield(asyncio.create_task(clean_up()))

    begun = threading.Event()
    loop.submit(work, begun)
    assert begun.wait(LIMIT)
    assert loop.stop(LIMIT)
    assert cleaned == [True]


NO_PROCESSES = """
import asyncio, sys

class Loop(asyncio.SelectorEventLoop):
    "As on Windows."
    async def subprocess_exec(self, *args, **kwargs): raise NotImplementedError

class Policy(asyncio.DefaultEventLoopPolicy):
    "As that of uvloop."
    _loop_factory = Loop
    def get_child_watcher(self): raise NotImplementedError

asyncio.set_event_loop_policy(Policy())
from tooldeck.hosts.background import background

async def main():
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(40 + 2)", stdout=-1)
    text, _ = await process.communicate()
    return text, process.returncode

try: asyncio.run(main())
except NotImplementedError: print("not here")
print(background().submit(main).result(20))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="child watchers belong to Unix")
def test_it_starts_processes_where_the_program_s_own_loop_and_policy_cannot():
    quiet = ["-W", "ignore::DeprecationWarning"]  # about policies, since Python 3.14
    done = subprocess.run(
        [sys.executable, *quiet, "-c", NO_PROCESSES], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "not here\n(b'42\\n', 0)\n", done.stderr
    assert done.stderr == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_has_a_loop_of_its_own_and_the_parent_keeps_its_own(loop):
    assert loop.submit(add, 1).result(LIMIT) == 1
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if not loop.running and loop.submit(add, 20, 3).result(5) == 23 else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert loop.submit(add, 2).result(LIMIT) == 2


def test_there_is_one_loop_for_everybody():
    assert background() is background()
    assert isinstance(background().submit(add, 1), Job)


def in_a_new_python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_running_work_is_cancelled_when_the_interpreter_exits():
    printed = in_a_new_python(
        "import asyncio, threading\n"
        "from tooldeck.hosts.background import background\n"
        "started = threading.Event()\n"
        "async def work():\n"
        "    try:\n        started.set(); await asyncio.sleep(3600)\n"
        "    finally:\n        print('cleaned up', flush=True)\n"
        "background().submit(work); started.wait(10)\n"
    )
    assert printed == "cleaned up\n"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_patch_of_asyncio_for_the_whole_process_does_no_harm(when):
    pytest.importorskip("nest_asyncio2")
    printed = in_a_new_python(
        "import asyncio, sys, threading, anyio, nest_asyncio2\n"
        "from tooldeck.hosts.background import background\n"
        "async def work():\n"
        "    task = type(asyncio.current_task())\n"
        "    with anyio.move_on_after(0.05): await asyncio.sleep(30)\n"
        "    async with anyio.create_task_group() as group: group.start_soon(asyncio.sleep, 0)\n"
        "    try:\n        async with asyncio.timeout(0.05): await asyncio.sleep(30)\n"
        "    except TimeoutError: return task.__module__\n"
        f"if {when == 'after'}: background().submit(work).result(10)\n"
        "async def main():\n"
        "    nest_asyncio2.apply()\n"
        "    return background().submit(work).result(10)\n"
        "print(asyncio.run(main()))\n"
    )
    assert printed == "_asyncio\n"


def test_scopes_of_anyio_work_there(loop):
    async def late():
        with anyio.fail_after(0.05):
            await anyio.sleep(30)

    with pytest.raises(TimeoutError):
        loop.submit(late).result(LIMIT)
