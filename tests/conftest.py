"""What every area of the tests shares."""

from __future__ import annotations

import os

import pytest
from rig import waiting

os.environ.setdefault("TOOLDECK_STORE", ":memory:")  # the kernels of tests leave no files behind


@pytest.fixture(scope="session")
def eventually():
    """The bounded wait: ``eventually(probe, timeout)`` returns the first true value of the probe."""
    return waiting.eventually
