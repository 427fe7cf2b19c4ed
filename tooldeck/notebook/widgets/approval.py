"""The approval card: asks a person about one call, takes the first answer, keeps the story."""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

import traitlets

from tooldeck.core.approval import ApprovalRequest, Decision, Scope
from tooldeck.guards.text import visible
from tooldeck.notebook import facts
from tooldeck.notebook.diffs import diff_rows
from tooldeck.notebook.pieces import box, code, diff_box, folded, line, shown, table
from tooldeck.notebook.states import coloured
from tooldeck.notebook.widgets._asked import SCOPES, asked, drawn_preview, foreseen, parse_arguments
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._panel import Panel, shown_pieces
from tooldeck.store.masking import mask

__all__ = ["ApprovalCard"]

_PHASES = ("waiting", "approved", "denied", "interrupted", "timed out")
_SIGNS = {"waiting": ("◌", "waiting"), "approved": ("✓", "ok"), "interrupted": ("–", "off")}
_REFUSED = ("⊘", "refused")


class ApprovalCard(Panel):
    """A question to a person, and its answer.

    `resolve` is given the decision of a click and says whether it counted; it must not block, and it may be
    called on another thread than the one that waits. `clock` gives monotonic seconds. Whoever waits tells the
    card what became of the question with `settle` or `interrupt` when it was not a click; the first end is
    final.
    """

    _esm = script("approval")
    _css = style("approval")
    question = traitlets.Dict().tag(sync=True)
    phase = traitlets.Enum(_PHASES, "waiting").tag(sync=True)
    summary = traitlets.List().tag(sync=True)
    place = traitlets.Unicode("").tag(sync=True)
    """Which of several waiting questions this is, e.g. ``2 of 3``."""

    def __init__(
        self,
        request: ApprovalRequest,
        resolve: Callable[[Decision], bool],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.request = request
        self.decision: Decision | None = None
        """How it was decided; None while it waits and when it ended without one."""
        self._resolve = resolve
        self._clock = clock
        self._asked_at = clock()
        self._story = "waiting"
        self._seen: tuple[str, str | None] = ("", None)
        """The edited arguments whose preview the page was told last, and the preview."""
        self._lock = threading.RLock()
        self._display: Any = None
        super().__init__(question=asked(request))

    # --- what became of it ---------------------------------------------------------------------

    def settle(self, decision: Decision) -> bool:
        """Show a decision, made here or elsewhere; False when the question had ended before."""
        if not decision.approved and decision.by == "time-out":
            return self.expire()
        phase = "approved" if decision.approved else "denied"
        return self._end(phase, self._told(decision, phase), decision)

    def expire(self) -> bool:
        """Show that the time was over before anybody answered."""
        story = f"no answer within {self._elapsed()}, not run"
        return self._end("timed out", story, Decision(approved=False, by="time-out"))

    def interrupt(self) -> bool:
        """Show that the wait was interrupted and nothing ran; False when the question had ended before."""
        return self._end("interrupted", f"interrupted after {self._elapsed()}, not run", None)

    def _told(self, decision: Decision, phase: str) -> str:
        words = f"{phase} by {decision.by} after {self._elapsed()}"
        if decision.approved and decision.arguments is not None:
            words += ", with edited arguments"
        if decision.approved and decision.scope is not Scope.ONCE:
            words += f", for {SCOPES[decision.scope]}"
        if decision.stop and self.request.call.caller.run is not None:
            words += ", and the run stopped"
        return f"{words}: {decision.note}" if decision.note else words

    def _end(self, phase: str, story: str, decision: Decision | None) -> bool:
        with self._lock:
            if self.phase != "waiting":
                return False
            self._story = visible(story)
            self.decision = decision
            self.summary = [*shown_pieces(story), [" · ", False], [self._call(), False]]
            self.phase = phase
            return True

    def _elapsed(self) -> str:
        return facts.duration(self._clock() - self._asked_at)

    # --- messages of the page ------------------------------------------------------------------

    def hello(self) -> dict[str, Any]:
        """Seconds left to answer, or None without a limit."""
        if self.request.timeout is None:
            return {"left": None}
        return {"left": max(0.0, self._asked_at + self.request.timeout - self._clock())}

    def heard(self, content: dict[str, Any]) -> None:
        """Check an edit or take an answer; what does not carry this question's id is ignored."""
        if content.get("request") != self.request.id:
            return
        if content.get("type") == "check":
            arguments, problems = self._read(content.get("text"))
            if problems or self.request.foresee is None:
                self._say_checked(content, problems)
            else:
                self._foresee(content, content["text"], arguments)
        elif content.get("type") == "answer":
            self._answer(content)

    def _answer(self, content: dict[str, Any]) -> None:
        if not isinstance(content.get("approve"), bool) or content.get("scope") not in set(
            self.request.scopes
        ):
            return
        with self._lock:
            if self.phase != "waiting":
                self._say_late()
                return
            decision, problems = self._decision(content)
            if decision is None:
                self._say_checked(content, problems)
            elif decision.arguments is not None and not self._was_seen(content["edited"]):
                self._foresee(content, content["edited"], decision.arguments)
            elif not self._resolve(decision):
                self._say_late()
            else:
                self.settle(decision)

    def _decision(self, content: dict[str, Any]) -> tuple[Decision | None, list[str]]:
        """The decision in a message, or the problems of its edited arguments."""
        note = content.get("note")
        note = note.strip() if isinstance(note, str) else ""
        if not content["approve"]:
            stop = content.get("stop") is True and self.request.call.caller.run is not None
            return Decision(approved=False, note=note, stop=stop), []
        arguments: Mapping[str, Any] | None = None
        if content.get("edited") is not None:
            arguments, problems = self._read(content["edited"])
            if problems:
                return None, problems
            if arguments == dict(self.request.call.arguments):
                arguments = None
        scope = Scope(content["scope"])
        return Decision(approved=True, arguments=arguments, scope=scope, note=note), []

    def _was_seen(self, text: str) -> bool:
        """Whether the page shows what a call with this edit would change, as far as that can be shown."""
        return self.request.foresee is None or self._seen[0] == text

    def _foresee(self, content: dict[str, Any], text: str, arguments: Mapping[str, Any]) -> None:
        """Find out what an edited call would change, and tell the page when that is known."""

        def tell(future: Future[str | None]) -> None:
            self._seen = (text, future.result())
            self._say_checked(content, [], preview=drawn_preview(self._seen[1]))

        foreseen(self.request, arguments).add_done_callback(tell)

    def _read(self, text: Any) -> tuple[dict[str, Any], list[str]]:
        """Edited arguments and everything that is wrong with them."""
        try:
            arguments = parse_arguments(text)
        except (TypeError, ValueError, RecursionError) as fault:
            return {}, [str(fault)]
        return arguments, [str(problem) for problem in self.request.check(arguments).problems]

    def _say_checked(self, content: dict[str, Any], problems: list[str], **more: Any) -> None:
        shown_problems = [shown_pieces(problem) for problem in problems]
        said = {"request": self.request.id, "serial": content.get("serial"), "problems": shown_problems}
        self.send({"type": "checked", **said, **more})

    def _say_late(self) -> None:
        story = "this question has ended" if self.phase == "waiting" else f"already {self._story}"
        self.send({"type": "late", "request": self.request.id, "text": f"too late: {story}"})

    # --- saved forms ---------------------------------------------------------------------------

    def show(self) -> None:
        """Display the card in the cell of this thread."""
        from IPython.display import display

        self._display = display(self, display_id=True)

    def keep(self) -> None:
        """Leave how it ended in the output that `show` made, as text and HTML that need no kernel any more.

        Call it on the thread of that cell.
        """
        if self._display is not None:
            with self._lock:  # whoever waited is told of an answer before this card is
                story = {"text/plain": self.text(), "text/html": self.html()}
            self._display.update(story, raw=True)

    def text(self) -> str:
        """One line: the call, and what became of it."""
        return f"Approval: {self._call()} — {self._story}"

    def html(self) -> str:
        """The call with its complete arguments, and what became of it."""
        call = self.request.call
        rows = [
            (code(given.name), shown(given.length), box(given.text) if given.block else code(given.text))
            for given in facts.arguments(self._arguments())
        ]
        asked_for = code(facts.call_line(call.name, call.arguments))
        tool, sign = self.request.tool, coloured(*_SIGNS.get(self.phase, _REFUSED))
        return folded(
            f"{sign} {shown(self._story)} · {line(self._call())}",
            f"{code(facts.asked_by(call))} · {shown(facts.powers(tool))} · risk {shown(tool.risk)} · "
            f"{shown(facts.trust(tool, self.request.provenance))} · rule: {code(self.request.rule)}",
            table(rows) or "no arguments",
            f"asked for: {asked_for}" if self._edited() is not None else "",
            self._preview_html(),
        )

    def _preview_html(self) -> str:
        """What the call would change, in the saved form."""
        edited = self.decision is not None and self.decision.arguments is not None
        preview = self._seen[1] if edited and self._seen[0] else self.request.preview
        if preview is None:
            return ""
        rows = diff_rows(preview)
        return f"it would change: {box(preview) if rows is None else diff_box(rows)}"

    def _call(self) -> str:
        """The call as one line."""
        return facts.call_line(self.request.tool.name, self._arguments())

    def _edited(self) -> Mapping[str, Any] | None:
        """The arguments that a person put in the place of those asked for, and approved."""
        decided = self.decision
        return decided.arguments if decided is not None and decided.approved else None

    def _arguments(self) -> Mapping[str, Any]:
        """What runs: the arguments as edited, else as asked for."""
        edited = self._edited()
        if edited is None:
            return self.request.call.arguments
        return mask(edited, self.request.tool.parameters).arguments  # as typed, so nothing hides secrets yet
