"""The screen of this machine, as a picture."""

from __future__ import annotations

import os
import sys

from tooldeck.core.errors import SetupError

__all__ = ["screen_picture", "why_no_screen"]


def why_no_screen() -> str:
    """Why the screen cannot be seen; empty where it can, as far as is known before trying."""
    if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
        return "there is no display here (DISPLAY is not set)"
    return ""


def screen_picture() -> tuple[bytes, int, int]:
    """All screens as one PNG, with width and height; raises `SetupError` where there is none."""
    why_not = why_no_screen()
    if why_not:
        raise SetupError(f"The screen cannot be seen: {why_not}. A page can, with action='screenshot'.")
    try:
        import mss
        import mss.tools
    except ImportError:
        raise SetupError(
            "Pictures of the screen need the package mss: pip install 'tooldeck[media]'."
        ) from None
    try:
        with mss.MSS() as screens:
            shot = screens.grab(screens.monitors[0])
            png = mss.tools.to_png(shot.rgb, shot.size)
    except Exception as error:  # noqa: BLE001 - each system has its own
        raise SetupError(f"The screen cannot be seen: {type(error).__name__}: {str(error)[:200]}") from None
    if png is None:
        raise SetupError("The screen cannot be seen: it gave no picture.")
    return png, shot.width, shot.height
