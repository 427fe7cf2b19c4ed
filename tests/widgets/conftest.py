"""Fixtures of the widget tests."""

from __future__ import annotations

from collections.abc import Iterator

import comm
import ipywidgets
import pytest
from widget_parts import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Comms(comm.CommManager):
    """Knows the comms of one test, and minds no other."""

    def unregister_comm(self, comm: comm.base_comm.BaseComm) -> None:
        self.comms.pop(comm.comm_id, None)


@pytest.fixture(autouse=True)
def _closed_widgets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Widgets of one test do not live on into the next; no kernel that was loaded before has a hand in it."""
    manager = Comms()
    monkeypatch.setattr(comm, "create_comm", comm.DummyComm)
    monkeypatch.setattr(comm, "get_comm_manager", lambda: manager)
    yield
    ipywidgets.Widget.close_all()
