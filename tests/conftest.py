"""What every area of the tests shares."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from rig import waiting

os.environ.setdefault("TOOLDECK_STORE", ":memory:")  # the kernels of tests leave no files behind

if threading.current_thread() is threading.main_thread():
    # A shell that runs the tests in the background ignores it, and all that they start would too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def eventually():
    """The bounded wait: ``eventually(probe, timeout)`` returns the first true value of the probe."""
    return waiting.eventually
