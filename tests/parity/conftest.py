"""A notebook's deck in this process, to be reached by every path that starts a call."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ipython_shell import Shell, open_shell


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    with open_shell(capsys) as shell:
        shell.deck.policy = "auto"
        yield shell
