"""Takes rights away from itself, then becomes the program: the last step into a sandbox.

Run as ``python -I -S confine.py SPEC COMMAND ARG…``; SPEC is JSON with ``rlimits`` (pairs of a name and a
number), ``processes`` (how many more this user may have, or null), ``landlock`` (``abi`` and the paths to
``read`` and ``write``, or null) and ``seccomp`` (a filter program in base64, or null). Everything that
it cannot do ends it with 126 before the program has begun. Standard library only, few imports.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import resource
import stat
import sys
from typing import Any

_CREATE, _ADD, _RESTRICT = 444, 445, 446
# landlock_create_ruleset, _add_rule, _restrict_self: the same numbers on every architecture.
_FILE_READ = 0b101
# Execute a file, read it.
_READ = _FILE_READ | 1 << 3
# List a folder as well.
_FILE_WRITE = 0b111 | 1 << 14 | 1 << 15
# Also write and truncate it, and talk to a device.
_PATH_BENEATH = 1
_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2

_libc: Any = ctypes.CDLL(None, use_errno=True)


def handled(abi: int) -> int:
    """Every right over files that this version of Landlock knows."""
    rights = (1 << 13) - 1
    for since, right in ((2, 13), (3, 14), (5, 15)):
        if abi >= since:
            rights |= 1 << right
    return rights


def landlock_version() -> int:
    """The version of Landlock here, 0 where there is none."""
    version: int = _libc.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return max(0, version)


def restrict_paths(abi: int, read: list[str], write: list[str]) -> None:
    """Leave only these paths, no TCP, and no signals or abstract sockets to anybody outside."""
    attributes = [handled(abi), 0b11 if abi >= 4 else 0, 0b11 if abi >= 6 else 0]
    count = 1 if abi < 4 else 2 if abi < 6 else 3
    attr = (ctypes.c_uint64 * count)(*attributes[:count])
    rules = _checked(_libc.syscall(_CREATE, attr, ctypes.c_size_t(8 * count), ctypes.c_uint32(0)))
    for paths, folder, file in ((read, _READ, _FILE_READ), (write, handled(abi), _FILE_WRITE)):
        for path in paths:
            _allow(rules, path, handled(abi), folder, file)
    _checked(_libc.syscall(_RESTRICT, rules, ctypes.c_uint32(0)))
    os.close(rules)


def _allow(rules: int, path: str, known: int, folder: int, file: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # what is not there needs no right
    rights = (folder if stat.S_ISDIR(os.fstat(place).st_mode) else file) & known
    rule = rights.to_bytes(8, sys.byteorder) + place.to_bytes(4, sys.byteorder)
    _checked(_libc.syscall(_ADD, rules, _PATH_BENEATH, ctypes.c_char_p(rule), ctypes.c_uint32(0)))
    os.close(place)


class _Program(ctypes.Structure):
    """The kernel's ``struct sock_fprog``."""

    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def filter_calls(program: bytes) -> None:
    """Put a seccomp filter in force."""
    fprog = _Program(len(program) // 8, program)
    _checked(_libc.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(fprog), 0, 0))


def limit(rlimits: list[tuple[str, int]], processes: int | None) -> None:
    """Set the limits that the kernel watches; one that is lower already stays."""
    for name, most in rlimits:
        _limit(getattr(resource, name), most)
    if processes is not None:
        _limit(resource.RLIMIT_NPROC, processes + _threads_of(os.getuid()))


def _limit(number: int, most: int) -> None:
    soft, hard = resource.getrlimit(number)
    for old in (soft, hard):
        if old != resource.RLIM_INFINITY:
            most = min(most, old)
    # Processor time: the signal that says so comes at the soft limit, the kill at the hard one.
    spare = 1 if number == resource.RLIMIT_CPU and hard == resource.RLIM_INFINITY else 0
    resource.setrlimit(number, (most, most + spare))


def _threads_of(user: int) -> int:
    """How many threads this user has already, as far as they can be seen."""
    count = 0
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():  # noqa: PTH112, PTH208
        try:
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == user:  # noqa: PTH116
                count += len(os.listdir(f"/proc/{name}/task"))  # noqa: PTH208
        except OSError:
            continue
    return count


def _checked(answer: int) -> int:
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return answer


def main(words: list[str]) -> None:
    """Confine this process and become the command."""
    spec, command = json.loads(words[0]), words[1:]
    try:
        limit([(name, most) for name, most in spec["rlimits"]], spec["processes"])
        _checked(_libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))
        if spec["landlock"] is not None:
            restrict_paths(**spec["landlock"])
        if spec["seccomp"] is not None:
            filter_calls(base64.b64decode(spec["seccomp"]))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"tooldeck: the sandbox could not be set up: {error}\n")
        os._exit(126)
    try:
        os.execvp(command[0], command)  # noqa: S606 - no shell is wanted
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        os._exit(127)


if __name__ == "__main__":
    main(sys.argv[1:])
