"""What the process that answers a query is kept from: the network, and more memory, output and time than it may have.

Oxigraph carries out ``SERVICE`` in machine code, so that nothing in Python can stop it; the kernel can. Two ways are
taken side by side, each of which is enough: a seccomp filter without the system calls that make connections, and a
network namespace of the process's own, which has no interfaces. Both are Linux; elsewhere neither holds.
"""

from __future__ import annotations

import ctypes
import errno
import math
import os
import platform
import resource
import signal
import struct
import sys
from pathlib import Path
from typing import Final

_CLONE_NEWUSER: Final = 0x10000000
_CLONE_NEWNET: Final = 0x40000000
_PR_SET_NO_NEW_PRIVS: Final = 38
_SECCOMP_SET_MODE_FILTER: Final = 1
_ALL_THREADS: Final = 1

_SYSTEM_CALLS: Final = {
    "seccomp": (317, 277),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "sendto": (44, 206),
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    # A ring of requests makes connections without these calls, and another process's sockets need none.
    "io_uring_setup": (425, 425),
    "pidfd_getfd": (438, 438),
    "ptrace": (101, 117),
}
"""The numbers of system calls on x86_64 and on aarch64; all but the first are refused."""

_MACHINES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Which of the numbers counts on a machine, and by which value the kernel names the machine."""

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER_AT, _MACHINE_AT = 0, 4
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000
_OTHER_NUMBERS: Final = 0x40000000
"""From here on, x86_64 counts the same calls once more, for programs with short pointers."""


class _Program(ctypes.Structure):
    """``struct sock_fprog``."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def forbid_network() -> None:
    """Let this process, and all that it starts, make no connections, in every way that the system offers."""
    # The namespace first: the filter may not get in its way, and it needs no rights that the filter takes.
    enter_empty_network()
    refuse_connections()


def refuse_connections() -> bool:
    """Have the kernel refuse the system calls that make connections; returns whether it does."""
    if sys.platform != "linux" or platform.machine() not in _MACHINES:
        return False
    column, machine = _MACHINES[platform.machine()]
    refused = [numbers[column] for name, numbers in _SYSTEM_CALLS.items() if name != "seccomp"]
    code = ctypes.create_string_buffer(_filter(machine, refused))
    program = _Program(len(code) // 8, ctypes.addressof(code))
    system = ctypes.CDLL(None, use_errno=True)
    if system.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    seccomp = ctypes.c_long(_SYSTEM_CALLS["seccomp"][column])
    return bool(system.syscall(seccomp, _SECCOMP_SET_MODE_FILTER, _ALL_THREADS, ctypes.byref(program)) == 0)


def enter_empty_network() -> bool:
    """Move this process into a network namespace without interfaces; returns whether the system let it."""
    if sys.platform != "linux":
        return False
    # Who is not root becomes so in a namespace of users; root would lose its rights over the files of others by that.
    kinds = _CLONE_NEWNET if os.geteuid() == 0 else _CLONE_NEWUSER | _CLONE_NEWNET
    return bool(ctypes.CDLL(None).unshare(kinds) == 0)


def limit_resources(
    memory: int | None, output: int | None, seconds: float | None, processor: float | None = None
) -> None:
    """Bound the memory from now on, the size of every file that is written, and the time of the processor.

    That is ``processor`` seconds from now on, or else somewhat more than ``seconds``.
    """
    _limit(resource.RLIMIT_CORE, 0)
    if memory is not None and (mapped := _mapped()) is not None:
        _limit(resource.RLIMIT_AS, mapped + memory)
    if output is not None:
        _limit(resource.RLIMIT_FSIZE, output)
    if processor is not None:
        # Limits of the kernel count whole seconds. The timer counts all threads, and its signal ends the process.
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, processor)
    elif seconds is not None:
        # Whoever asked ends this process earlier, unless it was ended itself; several threads may be at work.
        _limit(resource.RLIMIT_CPU, math.ceil(seconds) * 2 + 1)


def _filter(machine: int, refused: list[int]) -> bytes:
    """A program for the kernel: which system calls are refused, on that machine."""
    checks = [(_IF_AT_LEAST, _OTHER_NUMBERS), *((_IF_EQUAL, number) for number in refused)]
    code = [
        struct.pack("=HBBI", _LOAD, 0, 0, _MACHINE_AT),
        struct.pack("=HBBI", _IF_EQUAL, 1, 0, machine),
        struct.pack("=HBBI", _RETURN, 0, 0, _KILL),
        struct.pack("=HBBI", _LOAD, 0, 0, _NUMBER_AT),
    ]
    for place, (check, number) in enumerate(checks):
        # A call that is found jumps over the remaining checks and over the permission.
        code.append(struct.pack("=HBBI", check, len(checks) - place, 0, number))
    code.append(struct.pack("=HBBI", _RETURN, 0, 0, _ALLOW))
    code.append(struct.pack("=HBBI", _RETURN, 0, 0, _REFUSE))
    return b"".join(code)


def _mapped() -> int | None:
    """How much memory this process maps; only what comes on top of it is the query's."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return 0 if sys.platform == "linux" else None
    return pages * resource.getpagesize()


def _limit(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    bounded = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (bounded, bounded))
