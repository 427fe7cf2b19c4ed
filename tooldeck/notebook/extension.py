"""Loading into IPython: the deck in the namespace, the magics, and what keeps cards and deck in step."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tooldeck.core.caller import Caller, calling
from tooldeck.core.cells import Cell
from tooldeck.core.errors import TooldeckError
from tooldeck.core.events import Event, RunEnded
from tooldeck.core.vocabulary import Source
from tooldeck.deck import Deck
from tooldeck.notebook.approvals import ApprovalDesk
from tooldeck.notebook.apps import AppDesk, can_be_shown
from tooldeck.notebook.completion import install
from tooldeck.notebook.hosts import NotebookServedHost, notebook_hosts
from tooldeck.notebook.interrupted import show_briefly
from tooldeck.notebook.kernel.environment import warn_if_unsupported
from tooldeck.notebook.kernel.jobs import post
from tooldeck.notebook.live import Live
from tooldeck.notebook.magics import MAGICS
from tooldeck.notebook.places import current_place, store_here
from tooldeck.notebook.policies import found_words
from tooldeck.notebook.previews import PreviewLines
from tooldeck.notebook.progress import ProgressBars
from tooldeck.notebook.questions import answer
from tooldeck.notebook.say import say
from tooldeck.notebook.transform import lift_cell_magic

if TYPE_CHECKING:
    from tooldeck.core.run_result import RunResult
    from tooldeck.mcp.connections import Connections

__all__ = ["Notebook", "load", "unload"]


class Notebook:
    """One loaded extension: the shell, its deck, and the cards on screen."""

    def __init__(self, shell: Any, deck: Deck) -> None:
        self.shell = shell
        self.deck = deck
        self.desk = ApprovalDesk()
        self.served_host = NotebookServedHost(self.desk)
        self.live = Live(deck)
        self.apps = AppDesk(deck, self.desk)
        self.bars = ProgressBars()
        self.previews = PreviewLines(self.bars)
        self.last_run: RunResult | None = None
        """How the run of a model that ended last went."""
        self._undo: list[Any] = []

    def start(self) -> None:
        """Connect everything."""
        self.deck.trace = True
        self.deck.use_hosts(
            *notebook_hosts(self.desk),
            served_host=self.served_host,
            ask_person=lambda question: answer(question, self.desk.render_within),
            caller=Caller(Source.CELL),
            prepare_mcp=self._prepare_mcp,
        )
        observers = (self.live.observe, self.bars.observe, self.previews.observe, self._remember_run)
        self._undo = [self.deck.subscribe(observer) for observer in observers]
        self._undo.append(show_briefly(self.shell))
        self._undo.append(self.deck.provide(Cell, lambda: Cell(self.shell.execution_count)))
        self.shell.input_transformers_cleanup.append(lift_cell_magic)
        for flush in (self.live.flush, self.apps.flush):
            self.shell.events.register("post_run_cell", flush)
        for make in MAGICS:
            self.shell.register_magics(make(self))
        self._undo.append(_register_reprs(self.shell, self.deck, self.apps))
        self._undo.append(install(self.shell, self.deck))
        atexit.register(self.deck.close)

    def stop(self) -> None:
        """Disconnect everything and close the sessions."""
        for undo in self._undo:
            undo()
        if lift_cell_magic in self.shell.input_transformers_cleanup:
            self.shell.input_transformers_cleanup.remove(lift_cell_magic)
        for flush in (self.live.flush, self.apps.flush):
            self.shell.events.unregister("post_run_cell", flush)
        for make in MAGICS:
            for kind, names in make.magics.items():
                for name in names:
                    self.shell.magics_manager.magics[kind].pop(name, None)
        self.deck.close()
        atexit.unregister(self.deck.close)

    def _remember_run(self, event: Event) -> None:
        if isinstance(event, RunEnded):
            self.last_run = event.result

    def calling(self) -> Any:
        """The context of calls that a cell starts."""
        return calling(Source.CELL)

    @property
    def mcp(self) -> Connections:
        """The deck's servers, with this notebook listening. Raises `SetupError` without the mcp package."""
        return self.deck.mcp

    def _prepare_mcp(self, connections: Connections) -> None:
        """Let this notebook listen to the servers, and run those that are its own objects where it runs."""
        from tooldeck.notebook.kernel.executor import kernel_executor
        from tooldeck.notebook.servers import listen

        listen(connections.handlers, self.bars)
        connections.handlers.shows_apps = can_be_shown()
        connections.on_end = self.live.session_ended
        connections.on_revived = self.live.session_revived
        connections.on_notice = lambda told: post(say, told, place=current_place())
        connections.in_process = kernel_executor()


def load(shell: Any) -> None:
    """See `tooldeck.load_ipython_extension`. Loading twice keeps the deck."""
    if _loaded(shell) is not None:
        return
    warn_if_unsupported()
    known = shell.user_ns.get("deck")
    notebook = Notebook(shell, known if isinstance(known, Deck) else Deck(store=store_here()))
    if known is not None and not isinstance(known, Deck):
        say(f"The name deck held {type(known).__name__}; it is now the tooldeck deck.")
    notebook.start()
    _heed_policy_file(notebook.deck)
    shell.push({"deck": notebook.deck})
    shell._tooldeck = notebook  # noqa: SLF001 - one extension per shell, found again by unload


def _heed_policy_file(deck: Deck) -> None:
    """Let a policy file of this folder make things stricter; nobody has said yet that it is to be trusted."""
    try:
        found = deck.policy.heed(".")
    except TooldeckError as error:
        say(f"A policy file was found, and nothing of it is in force: {error}")
        return
    if found is not None:
        say(found_words(found))


def unload(shell: Any) -> None:
    """See `tooldeck.unload_ipython_extension`."""
    notebook = _loaded(shell)
    if notebook is not None:
        notebook.stop()
        del shell._tooldeck  # noqa: SLF001 - as in load


def _loaded(shell: Any) -> Notebook | None:
    return getattr(shell, "_tooldeck", None)


def _register_reprs(shell: Any, deck: Deck, apps: AppDesk) -> Callable[[], None]:
    """Rich forms for what the core cannot know how to draw."""
    from tooldeck.notebook.reprs import register

    return register(shell.display_formatter, deck, apps.displayed)
