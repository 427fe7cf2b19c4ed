"""The filter of system calls for programs in a sandbox, as the kernel's classic BPF, built by hand.

A list of what is refused rather than of what is allowed: everyday programs run, and the calls that reach
around the other walls do not. They fail with EPERM, so that a program can go on without them.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["filter_program"]

_X86, _ARM = 0xC000003E, 0xC00000B7
# AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64.
_ARCHES = {"x86_64": _X86, "AMD64": _X86, "aarch64": _ARM, "arm64": _ARM}
_X32 = 0x40000000
# Calls of the x32 interface are other numbers for the same calls.

_ALWAYS: Mapping[str, tuple[int, int | None]] = MappingProxyType(
    {
        "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
        "pidfd_getfd": (438, 438), "kcmp": (312, 272), "keyctl": (250, 219), "add_key": (248, 217),
        "request_key": (249, 218), "bpf": (321, 280), "perf_event_open": (298, 241),
        "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
        "io_uring_register": (427, 427), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
        "chroot": (161, 51), "unshare": (272, 97), "setns": (308, 268), "open_tree": (428, 428),
        "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
        "fspick": (433, 433), "mount_setattr": (442, 442), "init_module": (175, 105),
        "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
        "kexec_file_load": (320, 294), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225),
        "settimeofday": (164, 170), "clock_settime": (227, 112), "sethostname": (170, 161),
        "setdomainname": (171, 162), "syslog": (103, 116), "acct": (163, 89), "quotactl": (179, 60),
        "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "iopl": (172, None),
        "ioperm": (173, None),
    }
)  # fmt: skip
"""Refused in every sandbox: the numbers on x86-64 and on 64-bit ARM."""
_WITHOUT_NAMESPACES: Mapping[str, tuple[int, int | None]] = MappingProxyType(
    {
        "socket": (41, 198), "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53),
        "fchmodat2": (452, 452), "chown": (92, None), "fchown": (93, 55), "lchown": (94, None),
        "fchownat": (260, 54), "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
        "mknod": (133, None), "mknodat": (259, 33), "shmget": (29, 194), "msgget": (68, 186),
        "semget": (64, 190),
    }
)  # fmt: skip
"""Refused where no namespaces keep the program away: Landlock knows TCP only, and says nothing of modes."""
_PRLIMIT, _CLONE, _CLONE3 = (302, 261), (56, 220), (435, 435)
_NEW_NAMESPACES = 0x7E020000
# The flags of clone(2) that make namespaces.

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _EPERM, _ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026


def filter_program(machine: str | None = None, *, namespaces: bool) -> bytes | None:
    """The filter for this machine, or None for one whose system calls are not known here.

    `namespaces` says that the program has namespaces of its own, network included.
    """
    arch = _ARCHES.get(platform.machine() if machine is None else machine)
    if arch is None:
        return None
    column = 0 if arch == _X86 else 1
    tables = [_ALWAYS] if namespaces else [_ALWAYS, _WITHOUT_NAMESPACES]
    numbers = [row[column] for table in tables for row in table.values()]
    code = [_op(_LOAD, 4), _op(_EQUAL, arch, 1, 0), _op(_RETURN, _KILL), _op(_LOAD, 0)]
    if arch == _X86:
        code += [_op(_AT_LEAST, _X32, 0, 1), _op(_RETURN, _EPERM)]
    for number in numbers:
        if number is not None:
            code += [_op(_EQUAL, number, 0, 1), _op(_RETURN, _EPERM)]
    # Without the new form the C library takes the old one, whose flags can be looked at.
    code += [_op(_EQUAL, _CLONE3[column], 0, 1), _op(_RETURN, _ENOSYS)]
    code += _unless_argument(_CLONE[column], _op(_ANY_BIT, _NEW_NAMESPACES, 0, 1))
    # Limits of other processes: with a limit of no time one could end them.
    code += _unless_argument(_PRLIMIT[column], _op(_EQUAL, 0, 1, 0))
    return b"".join([*code, _op(_RETURN, _ALLOW)])


def _unless_argument(number: int, test: bytes) -> list[bytes]:
    """Refuse a call whose first argument (its lower half) fails a test that jumps over the refusal."""
    return [
        _op(_EQUAL, number, 0, 4),
        _op(_LOAD, 16),
        test,
        _op(_RETURN, _EPERM),
        _op(_RETURN, _ALLOW),
    ]


def _op(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)
