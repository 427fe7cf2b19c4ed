"""Build, see, test and guard the tools that language models call, inside a notebook."""

from __future__ import annotations

__version__ = "0.1.0"
