"""What a server, a model or a cell asks a person: a form to fill, or a page to visit."""

from collections.abc import Mapping
from concurrent.futures import Future, InvalidStateError
from typing import Any

import ipywidgets
import traitlets

from tooldeck.core.errors import DefinitionError
from tooldeck.core.questions import Answer, Question
from tooldeck.core.references import properties, resolve
from tooldeck.guards.links import host_of, safe_link
from tooldeck.guards.questions import question_warnings
from tooldeck.guards.text import visible
from tooldeck.notebook.forms import Form
from tooldeck.notebook.pieces import box, code, panel, shown
from tooldeck.notebook.widgets._assets import script, style
from tooldeck.notebook.widgets._panel import Panel, shown_pieces

__all__ = ["QuestionCard"]

_ENDS: Mapping[str, tuple[str, str]] = {
    "accept": ("answered", "you answered"),
    "decline": ("declined", "you declined"),
    "cancel": ("interrupted", "put away, not answered"),
    "nobody": ("interrupted", "nobody was there to answer"),
    "late": ("interrupted", "not answered in time"),
}
"""How the card looks then, and what it says, by what became of the question."""


class QuestionHead(Panel):
    """Whose question it is, and the question."""

    _esm = script("question")
    _css = style("question")
    question = traitlets.Dict().tag(sync=True)
    phase = traitlets.Unicode("waiting").tag(sync=True)
    summary = traitlets.List().tag(sync=True)

    def text(self) -> str:
        """The question in one line."""
        return "".join(text for text, _ in self.question.get("message", []))


class QuestionCard(ipywidgets.VBox):
    """A question and the way to answer it.

    `answer` is done when the person answered; whoever waits may cancel it, and tells the card with `settle`
    or `interrupt` how it ended elsewhere. A page that is no http(s) address is declined without asking.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.answer: Future[Answer] = Future()
        self._story = "waiting"
        self._head = QuestionHead(question=_facts(question))
        self.rendered: Future[None] = self._head.rendered
        """Done as soon as the card is on some screen."""
        self._form = Form(question.schema, outside=True) if question.mode == "form" else None
        self._yes = ipywidgets.Button(description="Send" if self._form else "I agree", icon="check")
        self._no = ipywidgets.Button(description="Decline")
        self._away = ipywidgets.Button(
            description="Not now", tooltip="Put the question away without an answer"
        )
        self._yes.on_click(lambda _: self.accept())
        self._no.on_click(lambda _: self._answered(Answer("decline")))
        self._away.on_click(lambda _: self._answered(Answer("cancel")))
        buttons = ipywidgets.HBox([self._no, self._away, self._yes])
        form = [self._form.widget] if self._form is not None else []
        super().__init__([self._head, *form, buttons])
        self.add_class("td-questioncard")
        if question.mode == "url" and not safe_link(question.url):
            self._answered(Answer("decline"))

    def accept(self) -> bool:
        """Send what the form holds, as the button does; False when it does not fit or comes too late."""
        content: dict[str, Any] | None = None
        if self._form is not None:
            if self._form.check():
                return False
            content = _completed(self.question, self._form.value)
        return self._answered(Answer("accept", content))

    def _answered(self, answer: Answer) -> bool:
        try:
            self.answer.set_result(answer)
        except InvalidStateError:
            return False
        self.settle(answer)
        return True

    def settle(self, answer: Answer) -> None:
        """Show an answer that was given here or elsewhere."""
        self._end(*_ENDS[answer.action])

    def interrupt(self) -> None:
        """Show that the wait was interrupted."""
        self.answer.cancel()
        self._end("interrupted", "interrupted, not answered")

    def _end(self, phase: str, story: str) -> None:
        if self._head.phase != "waiting":
            return
        self._story = story
        self._head.summary = shown_pieces(f"{self.question.asker}: {self.question.message} — {story}")
        self._head.phase = phase
        self.children = (self._head,)
        self.add_class("td-questioncard-ended")

    def __repr__(self) -> str:
        return visible(f"Question of {self.question.asker}: {self.question.message} — {self._story}")

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(**kwargs) or {})
        return {**bundle, "text/plain": repr(self), "text/html": self.html()}

    def html(self) -> str:
        """The question, and what became of it, as static HTML."""
        return panel(
            f"Question of {code(self.question.asker)} — {shown(self._story)}", box(self.question.message)
        )


def _facts(question: Question) -> dict[str, Any]:
    """What the page is told of a question."""
    return {
        "asker": shown_pieces(question.asker),
        "kind": question.kind,
        "tool": shown_pieces(question.tool),
        "message": shown_pieces(question.message),
        "link": safe_link(question.url) if question.mode == "url" else "",
        "address": shown_pieces(question.url if question.mode == "url" else ""),
        "host": shown_pieces(host_of(question.url)),
        "warnings": [shown_pieces(warning) for warning in question_warnings(question)],
    }


def _completed(question: Question, content: dict[str, Any]) -> dict[str, Any]:
    """The form with the defaults that stand in fields nobody touched, if it fits with them.

    A tool knows its own defaults, but who asks must be told what the person saw and sent.
    """
    fields = (
        (name, resolve(one, question.schema)) for name, one, _ in properties(question.schema, question.schema)
    )
    full = {**{name: schema["default"] for name, schema in fields if "default" in schema}, **content}
    try:
        return content if question.check(full) else full
    except DefinitionError:
        return content
