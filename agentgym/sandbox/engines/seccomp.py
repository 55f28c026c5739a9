"""A filter of system calls for sandboxes that no engine filters: what agents need stays, doors into the kernel shut.

It refuses what Docker's default profile refuses, and every call newer than this list. Loading it is bubblewrap's work.

The program is classic BPF over `struct seccomp_data` (Linux, include/uapi/linux/seccomp.h): number at offset 0,
architecture at 4, arguments from 16, eight bytes each, the low half first on the two architectures known here.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from agentgym.errors import SandboxStartError

# Call: its number on x86_64 and on aarch64, None where it does not exist.
REFUSED: dict[str, tuple[int | None, int | None]] = {
    # Mounts and namespaces.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "setns": (308, 268),
    "unshare": (272, 97),
    # Keys belong to users, not to namespaces.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Large doors into the kernel, and ways around ordinary permission checks.
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "lookup_dcookie": (212, 18),
    "fanotify_init": (300, 262),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "modify_ldt": (154, None),
    # The machine itself.
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "create_module": (174, None),
    "query_module": (178, None),
    "get_kernel_syms": (177, None),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "iopl": (172, None),
    "ioperm": (173, None),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "clock_settime": (227, 112),
    "settimeofday": (164, 170),
    "clock_adjtime": (305, 266),
    "nfsservctl": (180, 42),
    "uselib": (134, None),
    "ustat": (136, None),
    "sysfs": (139, None),
    "_sysctl": (156, None),
    "vserver": (236, None),
    # Memory of other nodes and processes.
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
}
# Calls that change limits, priority, scheduler or processors of any process of the same user: the runner is one, and
# what it was given from inside it could not take back. Numbers, and the argument that says whom: 0 is the caller.
OF_OTHERS: dict[str, tuple[int, int, int]] = {
    "prlimit64": (302, 261, 0),
    "setpriority": (141, 140, 1),
    "sched_setparam": (142, 118, 0),
    "sched_setscheduler": (144, 119, 0),
    "sched_setaffinity": (203, 122, 0),
    "sched_setattr": (314, 274, 0),
    "ioprio_set": (251, 30, 1),
}
# PRIO_USER and IOPRIO_WHO_USER, as first argument, name all processes of a user.
_OF_A_USER = {"setpriority": 2, "ioprio_set": 3}
_NEW_LIMIT = 2
CLONE, CLONE3, SOCKET, PERSONALITY, IOCTL = (56, 220), (435, 435), (41, 198), (135, 92), (16, 29)
# removexattrat of Linux 6.13; statmount and listmount below it show mounts of the own namespace alone.
LAST_KNOWN = 466
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET (include/uapi/linux/sched.h)
NAMESPACE_FLAGS = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
# AF_UNSPEC, UNIX, INET, INET6, NETLINK: the others are rare, or, as AF_VSOCK and AF_ALG, in no network namespace.
SOCKET_FAMILIES = (0, 1, 2, 10, 16)
# As Docker: the default, a query, UNAME26, PER_LINUX32 and both.
PERSONALITIES = (0x0, 0xFFFFFFFF, 0x0020000, 0x0008, 0x0020008)
# TIOCSTI types into the terminal, TIOCLINUX pastes into it.
TERMINAL_IOCTLS = (0x5412, 0x541C)

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32_BIT = 0x40000000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _FAIL, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_MAX_JUMP = 255


@dataclass(frozen=True)
class _Instruction:
    code: int
    operand: int
    if_true: str = ""  # a label; "" goes on
    if_false: str = ""


class _Program:
    """Instructions with named places; jumps only go forward, as the kernel demands."""

    def __init__(self) -> None:
        self._instructions: list[_Instruction] = []
        self._labels: dict[str, int] = {}

    def add(self, code: int, operand: int, if_true: str = "", if_false: str = "") -> None:
        self._instructions.append(_Instruction(code, operand, if_true, if_false))

    def label(self, name: str) -> None:
        self._labels[name] = len(self._instructions)

    def jump_if_any(self, values: Iterable[int], label: str) -> None:
        for value in values:
            self.add(_EQUAL, value, label)

    def load_argument(self, number: int, *, is_high: bool = False) -> None:
        """The low half: the kernel reads no more of the arguments that are looked at here, but for pointers."""
        self.add(_LOAD, _ARGUMENTS + 8 * number + 4 * is_high)

    def refuse_others(self, call: str) -> None:
        """Allow a call of `OF_OTHERS` for the caller alone; limits of others may be read."""
        self.label(call)
        if call in _OF_A_USER:
            self.load_argument(0)
            self.add(_EQUAL, _OF_A_USER[call], "refuse")
        self.load_argument(OF_OTHERS[call][2])
        self.add(_EQUAL, 0, "allow", "" if call == "prlimit64" else "refuse")
        if call == "prlimit64":
            self.load_argument(_NEW_LIMIT)
            self.add(_EQUAL, 0, "", "refuse")
            self.load_argument(_NEW_LIMIT, is_high=True)
            self.add(_EQUAL, 0, "allow", "refuse")

    def assemble(self) -> bytes:
        """`struct sock_filter` for each instruction."""
        return b"".join(
            struct.pack("<HBBI", step.code, self._jump(at, step.if_true), self._jump(at, step.if_false), step.operand)
            for at, step in enumerate(self._instructions)
        )

    def _jump(self, at: int, label: str) -> int:
        distance = self._labels[label] - at - 1 if label else 0
        assert 0 <= distance <= _MAX_JUMP, f"{label} is out of reach"
        return distance


@cache
def filter_program(machine: str | None = None, *, refusal: int = errno.EPERM) -> bytes:
    """The filter's program.

    Args:
        machine: As `platform.machine()` names it; None for this one.
        refusal: What a refused call returns as errno. clone3 and unknown calls return ENOSYS, so that libraries fall
            back to what can be checked; sockets of other families EAFNOSUPPORT. A foreign architecture kills.

    Raises:
        SandboxStartError: No numbers are known for the machine.
    """
    name = machine or platform.machine()
    if name not in _ARCHITECTURES:
        known = " and ".join(sorted(_ARCHITECTURES))
        raise SandboxStartError(f"the filter of system calls knows {known}: got {name!r}; use the docker provider")
    column, architecture = _ARCHITECTURES[name]
    program = _Program()
    program.add(_LOAD, _ARCHITECTURE)
    program.add(_EQUAL, architecture, "", "kill")
    program.add(_LOAD, _NUMBER)
    if name == "x86_64":
        program.add(_AT_LEAST, _X32_BIT, "kill")
    program.add(_AT_LEAST, LAST_KNOWN + 1, "unknown")
    program.add(_EQUAL, CLONE3[column], "unknown")
    for call, label in ((IOCTL, "ioctl"), (CLONE, "clone"), (SOCKET, "socket"), (PERSONALITY, "personality")):
        program.add(_EQUAL, call[column], label)
    for label, found in OF_OTHERS.items():
        program.add(_EQUAL, found[column], label)
    numbers = (pair[column] for pair in REFUSED.values())
    program.jump_if_any((number for number in numbers if number is not None), "refuse")
    program.add(_RETURN, _ALLOW)
    program.label("ioctl")
    program.load_argument(1)
    program.jump_if_any(TERMINAL_IOCTLS, "refuse")
    program.add(_RETURN, _ALLOW)
    program.label("clone")
    program.load_argument(0)
    program.add(_ANY_BIT, NAMESPACE_FLAGS, "refuse", "allow")
    program.label("socket")
    program.load_argument(0)
    program.jump_if_any(SOCKET_FAMILIES, "allow")
    program.add(_RETURN, _FAIL | errno.EAFNOSUPPORT)
    program.label("personality")
    program.load_argument(0)
    program.jump_if_any(PERSONALITIES, "allow")
    program.add(_RETURN, _FAIL | refusal)
    for label in OF_OTHERS:
        program.refuse_others(label)
    for label, action in (
        ("refuse", _FAIL | refusal),
        ("allow", _ALLOW),
        ("unknown", _FAIL | errno.ENOSYS),
        ("kill", _KILL),
    ):
        program.label(label)
        program.add(_RETURN, action)
    return program.assemble()
