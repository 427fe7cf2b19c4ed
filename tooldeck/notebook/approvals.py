"""Asking the person at the notebook: a card where cards work, a prompt where typing works, else a refusal."""

from __future__ import annotations

import threading
from concurrent.futures import Future, InvalidStateError
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from typing import TYPE_CHECKING, Any

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.run import Run
from tooldeck.hosts.lanes import when_interrupted
from tooldeck.hosts.prompt import ask_by_input, ask_on_terminal, refuse
from tooldeck.notebook.kernel.adapter import running_kernel, shell_port
from tooldeck.notebook.kernel.environment import Audience, audience, why_nobody
from tooldeck.notebook.kernel.jobs import Place, here, is_waiting, post
from tooldeck.notebook.kernel.waiting import attend, wait, wait_async

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tooldeck.hosts.asynchronous import AsyncHost
    from tooldeck.notebook.widgets.approval import ApprovalCard

__all__ = ["RENDER_WITHIN", "ApprovalDesk", "show_in_place", "shown_in"]

RENDER_WITHIN = 10.0
"""Seconds a front end has to draw a card; after that it is taken to have no widgets, and a prompt is used."""

_WAITS_SOON = 1.0
"""Seconds in which the main thread has begun to wait for the batch that it has started."""

_SHOW: ContextVar[Callable[[Any], None] | None] = ContextVar("tooldeck_show", default=None)


@contextmanager
def shown_in(show: Callable[[Any], None]) -> Generator[None]:
    """Within the block cards are shown by `show`, as in a form's tray: a button's callback has no cell."""
    token = _SHOW.set(show)
    try:
        yield
    finally:
        _SHOW.reset(token)


def show_in_place(widget: Any) -> Any:
    """Show a widget where cards of this context go: in a form's tray, else in the running cell.

    Gives the cell's `DisplayHandle`, with which the output can be brought up to date; None in a tray.
    """
    show = _SHOW.get()
    if show is not None:
        return show(widget)
    from IPython.display import display

    return display(widget, display_id=True)


class ApprovalDesk:
    """Puts requests before the person and waits for the answer; every request is answered exactly once."""

    def __init__(self) -> None:
        self.render_within = RENDER_WITHIN
        """Seconds a front end has to draw a card, before typing is tried instead."""
        self._line: list[_Question] = []

    @contextmanager
    def _in_line(self, question: _Question) -> Generator[None]:
        """Number the questions that wait at the same time, in the order in which they came."""
        self._line.append(question)
        self._number()
        try:
            yield
        finally:
            self._line.remove(question)
            self._number()

    def _number(self) -> None:
        line = list(self._line)
        for place, waiting in enumerate(line, 1):
            waiting.card.place = f"{place} of {len(line)}" if len(line) > 1 else ""

    def _stop_run(self, run: Run) -> None:
        """Refuse whatever else a run waits for, now that a person has stopped it."""
        for waiting in list(self._line):
            if waiting.request.call.caller.run is run:
                waiting.end(Decision(approved=False, note="the run was stopped", stop=True))

    def ask(self, request: ApprovalRequest) -> Decision:
        """Block until somebody decided; the widgets of the notebook go on working meanwhile."""
        question = _Question.open(request, self.render_within, self._stop_run)
        if not isinstance(question, _Question):
            return _typed_blocking(question)
        with question.closing(), self._in_line(question):
            try:
                wait(question.appeared, question.patience)
            except TimeoutError:
                return _typed_blocking(question.by_prompt)
            try:
                return wait(question.answer, request.timeout)
            except TimeoutError:
                return question.too_late()

    async def ask_async(self, request: ApprovalRequest) -> Decision:
        """The same, awaited."""
        question = _Question.open(request, self.render_within, self._stop_run)
        if not isinstance(question, _Question):
            return await _typed(question)
        with question.closing(), self._in_line(question):
            # Attended as one: an interrupt between the two waits would go to the kernel's own handler, and
            # end the cell as one that was cancelled.
            return await attend(self._answered(question, request))

    @staticmethod
    async def _answered(question: _Question, request: ApprovalRequest) -> Decision:
        try:
            await wait_async(question.appeared, question.patience)
        except TimeoutError:
            return await _typed(question.by_prompt)
        try:
            return await wait_async(question.answer, request.timeout)
        except TimeoutError:
            return question.too_late()

    async def ask_from_elsewhere(
        self, request: ApprovalRequest, show: Callable[[Any], None] | None, host: AsyncHost
    ) -> Decision:
        """The same for a call that no cell has made; the card goes where `show` puts it, else `shown_in`.

        It is made on the main thread, as soon as no cell computes there. Refused where no page draws it:
        there is no cell to type into.
        """
        if running_kernel() is None:
            return refuse(request, "the prompt of IPython has the terminal")
        reach = audience()
        if reach is not Audience.WIDGETS:
            return refuse(request, _NO_CARDS if reach is Audience.STDIN else why_nobody())
        main = Place(threading.main_thread().ident or 0)
        make = partial(_Question, request, self.render_within, self._stop_run)
        if show is None:
            opened = post(make, place=main)  # in the context of the cell that waits, so that it shows there
        else:
            with shown_in(show):
                opened = post(copy_context().run, make, place=main)
        question = await host.wait(opened)
        with question.closing(), self._in_line(question):
            try:
                await host.wait(question.appeared, question.patience)
            except TimeoutError:
                return question.unseen()
            try:
                return await host.wait(question.answer, request.timeout)
            except TimeoutError:
                return question.too_late()


_NO_CARDS = "cards need ipywidgets, which are not installed"


def _typed_blocking(prompt: Callable[[], Decision]) -> Decision:
    """Ask by text: on the main thread where it waits, since only there an interrupt ends `input`."""
    main = Place(threading.main_thread().ident or 0)
    if threading.current_thread() is threading.main_thread() or not is_waiting(main, _WAITS_SOON):
        return prompt()
    answer = post(prompt, place=main)
    when_interrupted(answer.cancel)  # at once, or the main thread might begin it while it ends the batch
    try:
        return wait(answer)
    finally:
        answer.cancel()


async def _typed(prompt: Callable[[], Decision]) -> Decision:
    """Ask by text, as work of the awaiting cell's wait: anywhere else no interrupt would end `input`."""
    answer = post(prompt, place=here())
    try:
        return await wait_async(answer)
    finally:
        answer.cancel()


class _Question:
    """One request on its card."""

    def __init__(
        self, request: ApprovalRequest, render_within: float, stop_run: Callable[[Run], None]
    ) -> None:
        from tooldeck.notebook.widgets.approval import ApprovalCard

        self.request = request
        self._stop_run = stop_run
        self.answer: Future[Decision] = Future()
        self.patience = min(render_within, request.timeout or render_within)
        self.card: ApprovalCard = ApprovalCard(request, self._resolve)
        self.appeared: Future[None] = self.card.rendered
        """Done when the card is drawn on some screen."""
        show = _SHOW.get()
        if show is None:
            self.card.show()
        else:
            show(self.card)

    @classmethod
    def open(
        cls, request: ApprovalRequest, render_within: float, stop_run: Callable[[Run], None]
    ) -> _Question | Callable[[], Decision]:
        """Show a card; or give what decides where no card can be shown."""
        reach = audience()
        if reach is Audience.NOBODY:
            return partial(refuse, request, why_nobody())
        if reach is Audience.STDIN:
            return partial(ask_by_input if running_kernel() is not None else ask_on_terminal, request)
        if threading.current_thread() is threading.main_thread() or shell_port() is not None:
            return cls(request, render_within, stop_run)
        try:  # a worker thread has no cell of its own: the card belongs to the cell that waits for the work
            return post(cls, request, render_within, stop_run).result(render_within)
        except TimeoutError:
            return partial(refuse, request, "it was called from a thread that no cell waits for")

    def _resolve(self, decision: Decision) -> bool:
        """Take the first answer; says whether it was in time."""
        try:
            self.answer.set_result(decision)
        except InvalidStateError:
            return False
        run = self.request.call.caller.run
        if decision.stop and run is not None:
            self._stop_run(run)
        return True

    def end(self, decision: Decision) -> None:
        """Decide a question that nobody needs to answer any more."""
        if not self.answer.done() and self._resolve(decision):
            self.card.settle(decision)

    def by_prompt(self) -> Decision:
        """No card appeared within the time a front end needs: ask by text."""
        if not self.answer.cancel():
            return self.answer.result()
        decision = ask_by_input(self.request)
        self.card.settle(decision)
        return decision

    def unseen(self) -> Decision:
        """No page shows the card, and there is no other way to ask."""
        if not self.answer.cancel():
            return self.answer.result()
        decision = refuse(self.request, "no page of this notebook shows the card that it would be asked in")
        self.card.settle(decision)
        return decision

    def too_late(self) -> Decision:
        """The time is over; later clicks do nothing."""
        if not self.answer.cancel():
            return self.answer.result()
        decision = Decision(approved=False, by="time-out")
        self.card.settle(decision)
        return decision

    @contextmanager
    def closing(self) -> Generator[None]:
        """However the wait ends, the card never looks open afterwards, and the output tells the end."""
        try:
            yield
        except BaseException:
            self.answer.cancel()
            self.card.interrupt()
            raise
        finally:
            self.card.keep()
