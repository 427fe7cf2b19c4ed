"""A real kernel with the extension loaded, and a front end that can do what a card's page does.

Beside cells it keeps the state of every widget, what widgets said to their pages, and prompts for text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import zmq
from live_kernel import MAIN, Cell, LiveKernel

SETUP = """
%load_ext tooldeck
import asyncio, threading, time
ran = []
get_ipython().Completer.use_jedi = False  # seconds, on the first completion
"""

FRESH = """
deck.close()
for name in list(deck.tools): deck.remove(name)
deck.policy = "default"; deck.approval_timeout = None
get_ipython()._tooldeck.desk.render_within = 10.0
ran.clear()

@deck.tool(effects="write")
def note(text: str) -> str:
    "Write a note."
    ran.append(text)
    return f"noted {text}"
"""


class NotebookKernel(LiveKernel):
    """A kernel and the page that belongs to it."""

    def __init__(
        self,
        version: str | None = None,
        setup: str = SETUP,
        *,
        paths: Sequence[Path] = (),
        launcher: list[str] | None = None,
    ) -> None:
        self.models: dict[str, dict[str, Any]] = {}
        self.told: dict[str, list[dict[str, Any]]] = {}
        self.prompts: list[str] = []
        super().__init__(version, setup, *paths, launcher=launcher)

    def fresh(self) -> None:
        """A deck with nothing but `note`, which asks."""
        self.run(FRESH, timeout=30)

    # --- what the kernel says ----------------------------------------------------------------------

    def _on_iopub(self, message: dict[str, Any]) -> None:
        kind, content = message["header"]["msg_type"], message["content"]
        if kind == "comm_open":
            self.models[content["comm_id"]] = dict(content["data"].get("state", {}))
        elif kind == "comm_msg":
            data = content["data"]
            if data.get("method") == "update":
                self.models.setdefault(content["comm_id"], {}).update(data["state"])
            elif data.get("method") == "custom":
                self.told.setdefault(content["comm_id"], []).append(data["content"])
        super()._on_iopub(message)

    def listen(self, timeout: float) -> None:
        """Take in what has arrived, prompts for text included."""
        super().listen(timeout)
        while self.client.stdin_channel.socket.poll(0):
            _, message = self.client.session.recv(self.client.stdin_channel.socket, zmq.NOBLOCK)
            if message is not None:
                self.prompts.append(message["content"]["prompt"])

    def prompt(self, cell: Cell, timeout: float = 15.0) -> str:
        """Wait for the next prompt for text of a cell that runs."""
        self.until(lambda: bool(self.prompts) or cell.done, timeout, lambda: f"no prompt came: {cell}")
        assert self.prompts, f"the cell ended without a prompt: {cell}"
        return self.prompts.pop(0)

    def type(self, text: str) -> None:
        """Answer a prompt."""
        self.client.input(text)

    # --- what a page does --------------------------------------------------------------------------

    def say(self, widget: str, shell: str = MAIN, **content: Any) -> Cell:
        """Send a message of a page to its widget."""
        return self._comm(widget, {"method": "custom", "content": content}, shell)

    def heard(self, message: Cell) -> None:
        """Wait until the kernel has handled a message of a page."""
        self.until(lambda: message.states[-1:] == ["idle"], 10, lambda: f"not heard: {message}")

    def cards(self, cell: Cell, count: int = 1, timeout: float = 20.0) -> list[str]:
        """Wait until a cell shows so many approval cards that wait, and draw them; in order of the cards."""

        def waiting() -> list[str]:
            return [one for one in cell.widgets if self.models.get(one, {}).get("phase") == "waiting"]

        self.until(
            lambda: len(waiting()) >= count or cell.done, timeout, lambda: f"{count} cards expected: {cell}"
        )
        found = waiting()
        assert len(found) >= count, f"the cell ended: {cell}"
        for card in found:
            self.draw(card)
        return found

    def draw(self, card: str, shell: str = MAIN) -> None:
        """Say that a card is on the screen, and wait until it greets back."""
        before = len(self.told.get(card, []))
        self.say(card, shell, type="ready")
        self.until(
            lambda: len(self.told.get(card, [])) > before, 10, lambda: f"{self.models[card]} does not greet"
        )

    def answer(
        self, card: str, shell: str = MAIN, *, approve: bool = True, scope: str = "once", **more: Any
    ) -> Cell:
        """Click Approve or Deny on an approval card."""
        request = self.models[card]["question"]["request"]
        return self.say(card, shell, type="answer", request=request, approve=approve, scope=scope, **more)

    def phase(self, card: str) -> str:
        """How a card stands, after taking in what is on its way."""
        self.listen(0.05)
        return self.models[card]["phase"]

    def becomes(self, card: str, phase: str, timeout: float = 10.0) -> None:
        """Wait until a card shows a phase."""
        self.until(
            lambda: self.models[card]["phase"] == phase, timeout, lambda: f"{self.models[card]}, not {phase}"
        )

    def child(self, cell: Cell, **traits: Any) -> str:
        """The newest widget whose state has these values, shown anywhere; waits for it."""

        def found() -> str | None:
            fitting = [
                one
                for one, state in self.models.items()
                if all(state.get(name) == value for name, value in traits.items())
            ]
            return fitting[-1] if fitting else None

        self.until(lambda: found() is not None or cell.done, 20, lambda: f"no widget with {traits}: {cell}")
        one = found()
        assert one is not None, f"the cell ended without a widget with {traits}: {cell}"
        return one

    def fill(self, cell: Cell, question: str, text: str, shell: str = MAIN) -> None:
        """Answer a server's question that has one field for text, as soon as its card appears."""
        card = self.question(cell, question)
        form, buttons = self.children(card)[1:3]
        (field,) = [one for one in self._below(form) if self.models[one].get("_model_name") == "TextModel"]
        self.heard(self.set(field, shell, value=text))
        self.click(self.children(buttons)[-1], shell)

    def question(self, cell: Cell, question: str) -> str:
        """The box of the newest card that asks this and waits; drawn."""

        def found() -> str | None:
            for box in reversed(cell.widgets):
                head = self.models.get(box, {}).get("children", [""])[0].removeprefix("IPY_MODEL_")
                state = self.models.get(head, {})
                asked = "".join(piece for piece, _ in state.get("question", {}).get("message", []))
                if asked == question and state["phase"] == "waiting":
                    return box
            return None

        self.until(lambda: found() is not None or cell.done, 20, lambda: f"nobody asks {question!r}: {cell}")
        box = found()
        assert box is not None, f"the cell ended: {cell}"
        self.draw(self.children(box)[0])
        return box

    def children(self, box: str) -> list[str]:
        """The models inside a box, in order."""
        return [one.removeprefix("IPY_MODEL_") for one in self.models[box].get("children", [])]

    def _below(self, box: str) -> list[str]:
        found = [box]
        for child in self.children(box):
            found += self._below(child)
        return found
