"""The card of an elicitation: a server's question as a form, to be answered, declined or cancelled once."""

import threading
from concurrent.futures import Future, InvalidStateError
from typing import Any

import ipywidgets

from tooldeck.core.errors import DefinitionError
from tooldeck.guards.text import escape_html, visible
from tooldeck.mcp.handlers import Answer, Question
from tooldeck.notebook.forms import Form
from tooldeck.notebook.widgets.summary import Summary
from tooldeck.registry.json_schema import JsonSchemaParameters

__all__ = ["QuestionCard"]

_SECRETS = ("password", "passwd", "secret", "token", "api_key", "apikey", "credential")
_STORIES = {"accept": "answered", "decline": "declined", "cancel": "cancelled"}


class QuestionCard(ipywidgets.VBox):
    """A question of a server to the person; the first answer counts and stays readable."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.answer: Future[Answer] = Future()
        """What the person says."""
        self._story = "waiting"
        self._lock = threading.Lock()
        self._form = Form(question.schema) if question.mode == "form" else None
        self._said = Summary()
        self._head = ipywidgets.HTML(self._heading())
        self._buttons = self._controls()
        body = [self._form.widget] if self._form is not None else []
        super().__init__([self._head, *body, self._said, ipywidgets.HBox(self._buttons)])
        self.add_class("td-question")

    @property
    def rendered(self) -> Future[None]:
        """Done as soon as the card is on some screen."""
        return self._said.rendered

    def settle(self, answer: Answer) -> None:
        """Show an answer that was given elsewhere."""
        self._end(_STORIES[answer.action])

    def interrupt(self) -> None:
        """Show that nobody waits for the answer any more."""
        self.answer.cancel()
        self._end("interrupted")

    def _controls(self) -> list[ipywidgets.Button]:
        accept = "Send the answer" if self._form is not None else "Done there"
        buttons = [
            ipywidgets.Button(description="Decline", tooltip="Tell the server no"),
            ipywidgets.Button(description="Cancel", tooltip="Close the question without an answer"),
            ipywidgets.Button(description=accept, button_style="primary"),
        ]
        for button, press in zip(buttons, (self._decline, self._cancel, self._accept), strict=True):
            button.on_click(press)
        return buttons

    def _accept(self, _button: Any) -> None:
        if self._form is None:
            self._give(Answer("accept"))
            return
        content = self._form.value
        problems = [*self._form.faults(), *_misfits(self.question.schema, content)]
        self._form.problems(problems)
        if not problems:
            self._give(Answer("accept", content))

    def _decline(self, _button: Any) -> None:
        self._give(Answer("decline"))

    def _cancel(self, _button: Any) -> None:
        self._give(Answer("cancel"))

    def _give(self, answer: Answer) -> None:
        try:
            self.answer.set_result(answer)
        except InvalidStateError:
            self._said.show(0, [f"too late: already {self._story}"])
            return
        self._end(_STORIES[answer.action])

    def _end(self, story: str) -> None:
        with self._lock:
            if self._story != "waiting":
                return
            self._story = story
        self._head.value = self._heading()
        for button in self._buttons:
            button.disabled = True
        if self._form is not None:
            self._form.widget.layout.display = "none"

    def _heading(self) -> str:
        asked = self.question
        who = f"MCP server {asked.server}" + (f", in {asked.tool}" if asked.tool else "")
        box = "border:1px dashed;padding:4px 6px;margin:4px 0;white-space:pre-wrap"
        parts = [
            f"<b>{escape_html(who)} asks</b> — {self._story}",
            f'<pre style="{box}">{escape_html(asked.message)}</pre>',
        ]
        if asked.mode == "url":
            parts.append(
                f"It wants you to visit <code>{escape_html(asked.url)}</code>. Nothing is opened by itself."
            )
        elif _asks_a_secret(asked.schema):
            parts.append(
                "⚠ It asks for something that looks like a secret. A server should not do that in a form."
            )
        return "".join(f"<div>{part}</div>" for part in parts)

    def __repr__(self) -> str:
        return visible(f"Question of {self.question.server}: {self.question.message} — {self._story}")


def _misfits(schema: dict[str, Any], content: dict[str, Any]) -> list[Any]:
    try:
        return list(JsonSchemaParameters(schema).check(content).problems)
    except DefinitionError:
        return []  # a schema that cannot be checked is the server's own business to check


def _asks_a_secret(schema: dict[str, Any]) -> bool:
    names = [str(name).casefold() for name in schema.get("properties", {})]
    return any(word in name for name in names for word in _SECRETS)
