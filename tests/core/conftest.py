"""Property tests of the core: enough examples to find a hole, few enough to be run all the time."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("core", max_examples=60, deadline=None)
settings.load_profile("core")
