"""The filter of system calls: its program run by a small interpreter, and the real calls made under bubblewrap."""

import errno
import json
import os
import platform
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from agentgym.errors import SandboxStartError
from agentgym.sandbox.engines import seccomp
from agentgym.sandbox.engines.bubblewrap_root import programs

ALLOW, FAIL, KILL = 0x7FFF0000, 0x00050000, 0x80000000
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN = {"x86_64": 0, "aarch64": 1}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
MACHINES = sorted(AUDIT)
needs_bwrap = pytest.mark.skipif(
    shutil.which("bwrap") is None or platform.machine() not in AUDIT, reason="needs bubblewrap"
)


def verdict(machine, number, *arguments, audit=None):
    """What the kernel's interpreter would return."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    content = struct.pack("<iIQ6Q", number, audit or AUDIT[machine], 0, *padded)
    program = list(struct.iter_unpack("<HBBI", seccomp.filter_program(machine)))
    at = accumulator = 0
    while True:
        code, if_true, if_false, operand = program[at]
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", content, operand)
        elif code == 0x06:
            return operand
        else:
            holds = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }[code]
            at += if_true if holds else if_false


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_are_those_of_the_kernels_headers(machine):
    header = HEADERS[machine]
    if not header.exists():
        pytest.skip(f"{header} is not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text())
    numbers = {name: int(number) for name, number in found}
    ours = dict(seccomp.REFUSED)
    ours |= {"clone": seccomp.CLONE, "clone3": seccomp.CLONE3, "socket": seccomp.SOCKET}
    ours |= {"personality": seccomp.PERSONALITY, "ioctl": seccomp.IOCTL, **seccomp.OF_OTHERS}
    wrong = {name: pair for name, pair in ours.items() if pair[COLUMN[machine]] != numbers.get(name)}
    assert not wrong


@pytest.mark.parametrize("machine", MACHINES)
def test_refused_calls_fail_and_all_others_pass(machine):
    column = COLUMN[machine]
    refused = {pair[column] for pair in seccomp.REFUSED.values()} - {None}
    looked_into = {pair[column] for pair in (seccomp.CLONE, seccomp.SOCKET, seccomp.PERSONALITY, seccomp.IOCTL)}
    for number in range(seccomp.LAST_KNOWN + 1):
        if number in looked_into:
            continue
        expected = FAIL | errno.EPERM if number in refused else ALLOW
        if number == seccomp.CLONE3[column]:
            expected = FAIL | errno.ENOSYS
        assert verdict(machine, number) == expected, number


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_newer_than_the_list_do_not_exist(machine):
    for number in (seccomp.LAST_KNOWN + 1, 600, 5000):
        assert verdict(machine, number) == FAIL | errno.ENOSYS


def test_other_architectures_are_killed():
    assert verdict("x86_64", 1, audit=0x40000003) == KILL, "i386 through int 0x80 has other numbers"
    assert verdict("aarch64", 1, audit=0x40000028) == KILL, "32-bit ARM"
    assert verdict("x86_64", 1 | 0x40000000) == KILL, "x32 has the same numbers with a bit set"
    assert verdict("x86_64", -1) == KILL


@pytest.mark.parametrize("machine", MACHINES)
def test_clone_makes_processes_and_threads_but_no_namespaces(machine):
    clone = seccomp.CLONE[COLUMN[machine]]
    assert verdict(machine, clone, 17) == ALLOW
    assert verdict(machine, clone, 0x3D0F00) == ALLOW, "a thread as glibc makes it"
    for flag in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        assert verdict(machine, clone, flag | 17) == FAIL | errno.EPERM, hex(flag)
        assert verdict(machine, clone, flag | 17 | 1 << 40) == FAIL | errno.EPERM, "high bits hide nothing"


@pytest.mark.parametrize("machine", MACHINES)
def test_sockets_are_of_ordinary_families(machine):
    number = seccomp.SOCKET[COLUMN[machine]]
    for family in range(64):
        expected = ALLOW if family in (0, 1, 2, 10, 16) else FAIL | errno.EAFNOSUPPORT
        assert verdict(machine, number, family) == expected
        assert verdict(machine, number, family | 1 << 32) == expected, "the kernel reads the low half"


@pytest.mark.parametrize("machine", MACHINES)
def test_terminal_injection_is_refused_whatever_the_high_bits(machine):
    number = seccomp.IOCTL[COLUMN[machine]]
    assert verdict(machine, number, 0, 0x5401) == ALLOW
    for request in (0x5412, 0x541C, 0x5412 | 1 << 32, 0x541C | 0xFF << 40):
        assert verdict(machine, number, 0, request) == FAIL | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("call", seccomp.OF_OTHERS)
def test_limits_and_scheduling_are_changed_for_the_caller_alone(machine, call):
    number, at = seccomp.OF_OTHERS[call][COLUMN[machine]], seccomp.OF_OTHERS[call][2]

    def of(whom, which=0, new=0x7F00_0000_0000):
        return verdict(machine, number, *([whom, 1, new] if at == 0 else [which, whom]))

    assert of(0) == ALLOW
    assert of(1 << 32) == ALLOW, "the kernel reads the low half"
    for whom in (1, 7, 0xFFFFFFFF):
        assert of(whom) == FAIL | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_limits_of_others_may_be_read_and_all_processes_of_a_user_not_named(machine):
    number = seccomp.OF_OTHERS["prlimit64"][COLUMN[machine]]
    assert verdict(machine, number, 7, 1, 0) == ALLOW
    for pointer in (1, 1 << 32, 0x7F00_0000_0000):
        assert verdict(machine, number, 7, 1, pointer) == FAIL | errno.EPERM
    for call, users in (("setpriority", 2), ("ioprio_set", 3)):
        assert verdict(machine, seccomp.OF_OTHERS[call][COLUMN[machine]], users, 0) == FAIL | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_personalities_are_dockers(machine):
    number = seccomp.PERSONALITY[COLUMN[machine]]
    assert verdict(machine, number, 0xFFFFFFFF) == ALLOW
    assert verdict(machine, number, 0x0040000) == FAIL | errno.EPERM, "ADDR_NO_RANDOMIZE"


def test_an_unknown_machine_is_an_error_that_names_the_known_ones():
    with pytest.raises(SandboxStartError, match="aarch64 and x86_64"):
        seccomp.filter_program("riscv64")


# The real calls. A refusal by the filter returns an errno that the kernel never does, so that it is not mistaken for
# a refusal for want of rights.
MARK = errno.ELIBEXEC

PROBE = """
import ctypes, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
found = {}
for name, arguments in json.loads(sys.argv[1]):
    pid = os.fork()
    if pid == 0:
        ctypes.set_errno(0)
        value = libc.syscall(*[ctypes.c_long(argument) for argument in arguments])
        os._exit(min(ctypes.get_errno(), 255) if value == -1 else 0)
    _, status = os.waitpid(pid, 0)
    found[name] = os.waitstatus_to_exitcode(status)
print(json.dumps(found))
"""


def call_under_bwrap(calls):
    """Exit status by name of calls made in bubblewrap: an errno, 0 for success, or the negative number of a signal."""
    reader, writer = os.pipe()
    os.write(writer, seccomp.filter_program(refusal=MARK))
    os.close(writer)
    # Not all of /: what other tests mount and unmount meanwhile below it makes bubblewrap fail.
    wrapped = ["bwrap", "--unshare-all", "--die-with-parent", *programs(Path("/")), "--dev", "/dev", "--proc", "/proc"]
    try:
        ran = subprocess.run(
            [*wrapped, "--seccomp", str(reader), "--", "/usr/bin/python3", "-I", "-c", PROBE, json.dumps(calls)],
            pass_fds=[reader],
            capture_output=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(reader)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def number_of(pair):
    return pair[COLUMN[platform.machine()]]


@needs_bwrap
def test_the_kernel_refuses_every_call_of_the_list():
    calls = [(name, [number_of(pair)]) for name, pair in seccomp.REFUSED.items() if number_of(pair) is not None]
    found = call_under_bwrap(calls)
    assert {name for name, code in found.items() if code != MARK} == set()
    assert len(found) >= 50


@needs_bwrap
def test_the_kernel_looks_into_arguments():
    clone, socket, ioctl = number_of(seccomp.CLONE), number_of(seccomp.SOCKET), number_of(seccomp.IOCTL)
    personality = number_of(seccomp.PERSONALITY)
    calls = [
        ("user namespace", [clone, 0x10000000 | 17]),
        ("clone3", [number_of(seccomp.CLONE3), 0, 88]),
        ("unknown", [seccomp.LAST_KNOWN + 1]),
        ("vsock", [socket, 40, 1, 0]),
        ("alg", [socket, 38, 5, 0]),
        ("packet", [socket, 17, 3, 0]),
        ("tcp", [socket, 2, 1, 0]),
        ("unix", [socket, 1, 1, 0]),
        ("TIOCSTI", [ioctl, 0, 0x5412, 0]),
        ("TIOCSTI, high bits set", [ioctl, 0, 0x5412 | 1 << 32, 0]),
        ("no randomisation", [personality, 0x0040000]),
        ("query", [personality, 0xFFFFFFFF]),
    ]
    assert call_under_bwrap(calls) == {
        "user namespace": MARK,
        "clone3": errno.ENOSYS,
        "unknown": errno.ENOSYS,
        "vsock": errno.EAFNOSUPPORT,
        "alg": errno.EAFNOSUPPORT,
        "packet": errno.EAFNOSUPPORT,
        "tcp": 0,
        "unix": 0,
        "TIOCSTI": MARK,
        "TIOCSTI, high bits set": MARK,
        "no randomisation": MARK,
        "query": 0,
    }


@needs_bwrap
@pytest.mark.skipif(platform.machine() != "x86_64", reason="x32 is of x86_64 alone")
def test_the_kernel_kills_calls_by_another_numbering():
    assert call_under_bwrap([("x32 getpid", [39 | 0x40000000])]) == {"x32 getpid": -31}
