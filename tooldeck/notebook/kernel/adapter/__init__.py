"""The one place that touches private names of ipykernel, IPython and pyzmq.

Everything else in this package speaks to a `ShellPort`. `self_test` checks that each private name still
exists; when one is gone, nobody gets a port and waiting degrades to plain waiting (see `waiting`).

Two shapes of kernel are covered. ipykernel 6 reads the shell socket itself, on the main thread. ipykernel 7
reads it on a thread of its own and hands each message to the main shell or to a subshell through a pair of
sockets.
"""

from tooldeck.notebook.kernel.adapter.names import missing_names, self_test
from tooldeck.notebook.kernel.adapter.port import COMM_MESSAGES, SERVED, Message, ShellPort
from tooldeck.notebook.kernel.adapter.running import (
    allows_stdin,
    call_when_idle,
    current_task,
    kernel_loop,
    running_cell,
    running_kernel,
    shell_port,
)

__all__ = [
    "COMM_MESSAGES",
    "SERVED",
    "Message",
    "ShellPort",
    "allows_stdin",
    "call_when_idle",
    "current_task",
    "kernel_loop",
    "missing_names",
    "running_cell",
    "running_kernel",
    "self_test",
    "shell_port",
]
