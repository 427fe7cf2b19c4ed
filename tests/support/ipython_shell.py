"""A fresh IPython shell with the extension loaded, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from tooldeck import Deck

__all__ = ["Shell", "open_shell"]


@dataclass
class Shell:
    """Runs cells and keeps what they printed and displayed."""

    ip: InteractiveShell
    capture: pytest.CaptureFixture[str]

    @property
    def deck(self) -> Deck:
        return self.ip.user_ns["deck"]

    def run(self, cell: str) -> Any:
        """Run a cell that must end well; gives the value of its last expression."""
        done = self.ip.run_cell(cell)
        done.raise_error()
        return done.result

    def fails(self, cell: str) -> str:
        """Run a cell that must end with one sentence; gives the sentence."""
        self.capture.readouterr()
        done = self.ip.run_cell(cell)
        assert not done.success, "the cell was expected to fail"
        said = self.capture.readouterr()
        text = (said.out + said.err).strip()
        assert "Traceback" not in text, text
        assert text.startswith("UsageError: "), text
        assert len(text.splitlines()) == 1, text
        return text.removeprefix("UsageError: ")

    def shown(self, cell: str) -> str:
        """Run a cell; gives everything it showed as text."""
        self.capture.readouterr()
        self.run(cell)
        return self.capture.readouterr().out


@contextmanager
def open_shell(capture: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    """A shell for as long as the block lasts."""
    config = Config()
    config.HistoryManager.enabled = False
    ip = InteractiveShell(config=config)
    ip.run_line_magic("load_ext", "tooldeck")
    yield Shell(ip, capture)
    ip.run_line_magic("unload_ext", "tooldeck")
    ip.history_manager.end_session() if ip.history_manager is not None else None
