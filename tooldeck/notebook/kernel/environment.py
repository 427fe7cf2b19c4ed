"""Who can answer a question asked from here: found out by what is there, not by the name of the product.

| where                                   | audience |
|-----------------------------------------|----------|
| JupyterLab, Notebook, VS Code, Colab    | WIDGETS  |
| a console on a kernel                   | WIDGETS, which is then proved wrong by a card that never appears |
| a kernel without widgets installed      | STDIN    |
| nbclient, nbconvert, papermill, nbval   | NOBODY   |
| IPython or Python in a terminal         | STDIN    |
| a script in a pipe, a test, a service   | NOBODY   |
"""

from __future__ import annotations

import enum
import importlib.util
import platform
import re
import warnings
from importlib import metadata

from tooldeck.hosts.prompt import on_a_terminal
from tooldeck.notebook.kernel.adapter import allows_stdin, missing_names, running_kernel

__all__ = ["Audience", "audience", "kernel_versions", "warn_if_unsupported", "why_nobody"]

_OLDEST = (6, 29)
"""The oldest ipykernel that is tested."""


class Audience(enum.Enum):
    """By what means a person can be asked."""

    WIDGETS = "widgets"
    """By a card, if it appears: the front end takes input, but only the card can prove that it is shown."""
    STDIN = "stdin"
    """By a prompt (`input`)."""
    NOBODY = "nobody"
    """Not at all; `why_nobody` explains it."""


def audience() -> Audience:
    """Who would see a question asked now. In a kernel this depends on who sent the running cell."""
    kernel = running_kernel()
    if kernel is None:
        return Audience.STDIN if on_a_terminal() else Audience.NOBODY
    if not allows_stdin(kernel):
        return Audience.NOBODY
    return Audience.WIDGETS if importlib.util.find_spec("ipywidgets") is not None else Audience.STDIN


def why_nobody() -> str:
    """Why nobody can be asked here, as a clause without a full stop."""
    if running_kernel() is not None:
        return "this notebook is run by a program that takes no input"
    return "this program has no terminal to ask on"


def kernel_versions() -> str:
    """One line for reports: the versions that decide how waiting works, and what is missing."""
    names = ("ipykernel", "ipython", "jupyter_client", "pyzmq", "tornado", "ipywidgets")
    found = [f"{name} {_version(name) or 'not installed'}" for name in names]
    text = ", ".join([f"Python {platform.python_version()}", *found])
    missing = missing_names()
    return f"{text}; missing: {', '.join(missing)}" if missing else text


def warn_if_unsupported() -> None:
    """Warn once, when the extension is loaded, about a kernel that this package is not made for."""
    version = _version("ipykernel")
    if running_kernel() is None or version is None:
        return
    missing = missing_names()
    if _numbers(version) >= _OLDEST and not missing:
        return
    reason = f"it lacks {', '.join(missing)}" if missing else "it is too old"
    warnings.warn(
        f"ipykernel {version} is not supported ({reason}): a waiting cell cannot hear its widgets. "
        'Install another with `pip install "ipykernel>=6.29,<8"` and restart the kernel.',
        RuntimeWarning,
        stacklevel=2,
    )


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])
