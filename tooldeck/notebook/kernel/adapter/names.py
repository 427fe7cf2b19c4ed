"""The private names of ipykernel, IPython and pyzmq that are relied on, and their self-test."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

__all__ = ["CELL_COROUTINE", "missing_names", "self_test"]

CELL_COROUTINE: Final = "run_cell_async"
"""The coroutine function of IPython that runs a cell with top-level await."""

_Needed = tuple[str, str, tuple[str, ...]]

_NEEDED: Final[tuple[_Needed, ...]] = (
    (
        "zmq.eventloop.zmqstream",
        "ZMQStream",
        ("_recv_callback", "_recv_copy", "_run_callback", "_handle_recv", "flush", "on_recv"),
    ),
    (
        "ipykernel.kernelbase",
        "Kernel",
        ("_publish_status", "_allow_stdin", "get_parent", "session", "shell_stream", "kernel_info_request"),
    ),
    ("ipykernel.ipkernel", "IPythonKernel", ("comm_info_request", "shell")),
    ("jupyter_client.session", "Session", ("feed_identities", "deserialize", "pid")),
    ("IPython.core.interactiveshell", "InteractiveShell", (CELL_COROUTINE, "exit_now")),
)

_NEEDED_BY_SUBSHELLS: Final[tuple[_Needed, ...]] = (
    (
        "ipykernel.subshell_manager",
        "SubshellManager",
        (
            "subshell_id_from_thread_id",
            "get_shell_channel_to_subshell_pair",
            "get_subshell_to_shell_channel_socket",
        ),
    ),
    ("ipykernel.socket_pair", "SocketPair", ("to_stream", "on_recv")),
    ("ipykernel.shellchannel", "ShellChannelThread", ("manager",)),
)


def self_test() -> list[str]:
    """Name what the installed packages lack of the names used here; an empty list means that all is there."""
    needed: list[_Needed] = [*_NEEDED]
    try:
        kernelbase = import_module("ipykernel.kernelbase")
    except ImportError:
        return ["ipykernel (not installed)"]
    if hasattr(kernelbase.Kernel, "shell_channel_thread"):
        needed += _NEEDED_BY_SUBSHELLS
    missing: list[str] = []
    for module_name, class_name, names in needed:
        try:
            owner = getattr(import_module(module_name), class_name)
        except (ImportError, AttributeError):
            missing.append(f"{module_name}.{class_name}")
            continue
        missing += [f"{module_name}.{class_name}.{name}" for name in names if not _has(owner, name)]
    return missing


def _has(owner: Any, name: str) -> bool:
    """Whether a class has `name`, as an attribute or as one that its `__init__` sets."""
    return hasattr(owner, name) or name in owner.__init__.__code__.co_names


_checked: list[str] | None = None


def missing_names() -> list[str]:
    """The result of `self_test`, taken once."""
    global _checked  # noqa: PLW0603 - the installed packages do not change while the process lives
    if _checked is None:
        _checked = self_test()
    return _checked
