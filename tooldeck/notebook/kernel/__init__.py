"""The bridge to the running kernel: waiting with live widgets, and finding out who can answer a question."""

from __future__ import annotations

from tooldeck.notebook.kernel.jobs import Place, here, post
from tooldeck.notebook.kernel.reentry import LoopNotReentrantError, run_here
from tooldeck.notebook.kernel.waiting import wait, wait_async

__all__ = ["LoopNotReentrantError", "Place", "here", "post", "run_here", "wait", "wait_async"]
