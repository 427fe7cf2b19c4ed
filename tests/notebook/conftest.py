"""A fresh IPython shell with the extension loaded, for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ipython_shell import Shell, open_shell


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    with open_shell(capsys) as shell:
        yield shell
