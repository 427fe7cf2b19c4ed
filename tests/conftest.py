"""What every area of the tests shares."""

from __future__ import annotations

import pytest
from rig import waiting


@pytest.fixture(scope="session")
def eventually():
    """The bounded wait: ``eventually(probe, timeout)`` returns the first true value of the probe."""
    return waiting.eventually
