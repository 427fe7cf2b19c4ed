"""Fixtures of the widget tests."""

from __future__ import annotations

from collections.abc import Iterator

import ipywidgets
import pytest
from widget_parts import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def _closed_widgets() -> Iterator[None]:
    """Widgets of one test do not live on into the next."""
    yield
    ipywidgets.Widget.close_all()
