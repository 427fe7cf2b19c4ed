"""Tries in earnest to get out of a sandbox, and prints as JSON what it managed to do.

Run with a folder outside, the process id of a process outside, and the port of a server on this machine.
"""

# Raw calls are what an attacker makes:
# ruff: noqa: PTH101, PTH104, PTH108, PTH112, PTH118, PTH120, PTH123, PTH208, PTH211, SIM115

import ctypes
import json
import os
import socket
import sys

outside, pid, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
libc = ctypes.CDLL(None, use_errno=True)


def connect_tcp():
    socket.create_connection(("127.0.0.1", port), 2).close()


def send_udp():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 9))


def packet_socket():
    # In a network of its own, as root of it, a program may have one; it reaches nobody.
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    sock.bind(("eth0", 0))


def unix_socket():
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(f"{outside}/socket")


def abstract_socket():
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(f"\0tooldeck-test-{port}")


def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")


def write(path):
    with open(path, "w") as file:
        file.write("changed")


def through_a_link():
    os.symlink(f"{outside}/secret", "link")
    open("link").read()


def through_a_rename():
    write("mine")
    os.rename("mine", f"{outside}/moved")


def hard_link():
    os.link(f"{outside}/secret", "hard")
    open("hard").read()


def gain_rights():
    if os.getuid():
        os.setuid(0)
    header, wanted = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
    call(126, ctypes.byref(header), ctypes.byref(wanted))
    os.listdir(f"/proc/{pid}/fd")


def kill():
    os.kill(pid, 0)


attempts = {
    "read a file": lambda: open(f"{outside}/secret").read(),
    "read the users": lambda: open("/etc/passwd").read(),
    "read the passwords": lambda: open("/etc/shadow").read(),
    "list homes": lambda: os.listdir("/root/.ssh") if os.path.isdir("/root/.ssh") else open("/root/x").read(),
    "change a file": lambda: write(f"{outside}/secret"),
    "empty a file": lambda: os.truncate(f"{outside}/secret", 0),
    "make a file": lambda: write(f"{outside}/new"),
    "remove a file": lambda: os.unlink(f"{outside}/secret"),
    "change a mode": lambda: os.chmod(f"{outside}/secret", 0o777),
    "follow a link": through_a_link,
    "move a file out": through_a_rename,
    "link a file in": hard_link,
    "change the system": lambda: write("/usr/bin/tooldeck-was-here"),
    "change the interpreter": lambda: open(sys.executable, "ab").close(),
    "change a library": lambda: write(os.path.join(os.path.dirname(os.__file__), "tooldeck_was_here.py")),
    "open the disk": lambda: open("/dev/vda", "rb").read(1),
    "make a device": lambda: os.mknod("disk", 0o60600, os.makedev(254, 0)),
    "connect to a server here": connect_tcp,
    "send a datagram": send_udp,
    "listen to the wire": packet_socket,
    "connect by a socket file": unix_socket,
    "connect by an abstract name": abstract_socket,
    "read another's environment": lambda: open(f"/proc/{pid}/environ").read(1),
    "read another's memory": lambda: open(f"/proc/{pid}/mem", "rb"),
    "look through another's root": lambda: os.listdir(f"/proc/{pid}/root/etc"),
    "signal another": kill,
    "trace another": lambda: call(101, 16, pid, 0, 0),
    "change another's limits": lambda: call(302, pid, 7, ctypes.byref((ctypes.c_uint64 * 2)(1, 1)), None),
    "make a user namespace": lambda: call(272, 0x10000000),
    "make one with clone": lambda: call(56, 0x10000000 | 17, 0, 0, 0, 0) or os._exit(0),
    "mount": lambda: call(165, b"none", b"/tmp", b"tmpfs", 0, None),
    "remount writable": lambda: call(165, b"none", b"/", None, 0x1020, None),
    "change the root": lambda: os.chroot("."),
    "use io_uring": lambda: call(425, 1, ctypes.create_string_buffer(120)),
    "load a module": lambda: call(313, 0, b"", 0),
    "load a BPF program": lambda: call(321, 0, ctypes.create_string_buffer(128), 128),
    "set the clock": lambda: call(227, 0, ctypes.byref((ctypes.c_long * 2)(0, 0))),
    "gain rights": gain_rights,
    "write in the control groups": lambda: write("/sys/fs/cgroup/pids/cgroup.procs"),
    "change the kernel": lambda: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY),
    "press a key of the kernel": lambda: os.open("/proc/sysrq-trigger", os.O_WRONLY),
}
managed = []
for name, attempt in attempts.items():
    try:
        attempt()
    except (OSError, ValueError):
        continue
    managed.append(name)
print(json.dumps({"tried": len(attempts), "managed": managed}))
