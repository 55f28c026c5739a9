from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from agentgym.errors import SandboxError, SandboxFileError, SandboxLostError
from agentgym.sandbox.base import ExecResult, Sandbox
from agentgym.sandbox.engines.process import ProcessProvider, ProcessSandbox
from agentgym.sandbox.spec import SandboxSpec
from tests.sandbox.holdings import Holdings

SPEC = SandboxSpec().relaxed("cpus", "memory_mib", "pids", "work_mib", "tmp_mib")
SERVER = """
import socket
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(5)
print(listener.getsockname()[1], flush=True)
while True:
    connection, _ = listener.accept()
    connection.sendall(b"banner")
    size = 0
    while piece := connection.recv(65536):
        size += len(piece)
    connection.sendall(str(size).encode())
    connection.close()
"""


@pytest.fixture
def sandbox() -> Iterator[ProcessSandbox]:
    with ProcessProvider().start(SPEC) as started:
        yield started


def is_running(pid: int) -> bool:
    """Whether any thread of a process goes on."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        return any((each / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z" for each in threads)
    except (FileNotFoundError, ProcessLookupError):
        return False


def free_keeper(sandbox: Sandbox) -> int:
    """The keeper of a command that has come to its end, which serves the next one."""
    return int(sandbox.exec(["sh", "-c", "echo $PPID"]).stdout)


def timed_out(sandbox: Sandbox, script: str) -> ExecResult:
    """Run an endless bash script, with the shortest of some time limits in which it comes to say something."""
    for timeout_s in (0.3, 1.0, 4.0, 16.0):
        result = sandbox.exec(["bash", "-c", script], timeout_s=timeout_s)
        if result.stdout:
            break
    return result


def interrupt_under_way(sandbox: Sandbox) -> threading.Thread:
    """Interrupt from another thread what runs, once it has made a file "under_way"."""

    def interrupt() -> None:
        while True:
            with suppress(SandboxFileError):
                sandbox.read_file("under_way")
                break
            time.sleep(0.01)
        sandbox.interrupt()

    thread = threading.Thread(target=interrupt)
    thread.start()
    return thread


# Commands.


def test_exec_reports_streams_and_exit_code(sandbox: Sandbox) -> None:
    result = sandbox.exec(["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (result.exit_code, result.stdout, result.stderr, result.is_ok) == (3, b"out\n", b"err\n", False)


def test_exec_signals_become_128_and_more(sandbox: Sandbox) -> None:
    assert sandbox.exec(["sh", "-c", "kill -SEGV $$"]).exit_code == 128 + 11


def test_exec_programs_that_cannot_run(sandbox: Sandbox) -> None:
    missing = sandbox.exec(["no-such-program"])
    assert missing.exit_code == 127
    assert b"no-such-program" in missing.stderr
    assert sandbox.exec(["/etc/passwd"]).exit_code == 126
    assert sandbox.exec(["true"], cwd="no-such-folder").exit_code == 126
    assert sandbox.exec(["echo", "null\0byte"]).exit_code == 126
    assert sandbox.exec([""]).exit_code == 127


def test_exec_searches_the_folders_of_the_path_in_their_order(sandbox: Sandbox) -> None:
    for folder, said in (("first", "1"), ("second", "2")):
        sandbox.write_file(f"{folder}/tool", f"#!/bin/sh\necho {said}\n".encode())
        sandbox.write_file(f"{folder}/bare", b"echo no format\n")
    sandbox.exec(["sh", "-c", "chmod +x */bare second/tool; cp second/tool own"])
    work = sandbox.exec(["pwd"]).stdout.decode().strip()
    path = {"PATH": f"{work}/missing:{work}/first:{work}/second/tool:{work}/second:/usr/bin:/bin"}
    assert sandbox.exec(["tool"], env=path).stdout == b"2\n"  # the first may not be run
    assert sandbox.exec(["tool"], env={"PATH": f"{work}/first"}).exit_code == 126
    assert sandbox.exec(["own"], env={"PATH": "/usr/bin::/bin"}).stdout == b"2\n"  # an empty entry: here
    assert sandbox.exec(["./own"], env={"PATH": ""}).stdout == b"2\n"
    bare = sandbox.exec(["bare"], env=path)
    assert (bare.exit_code, b"Exec format error" in bare.stderr) == (126, True)
    assert sandbox.exec(["x" * 5000], env=path).exit_code in (126, 127)


def test_exec_env_and_cwd(sandbox: Sandbox) -> None:
    sandbox.write_file("sub/x", b"")
    result = sandbox.exec(["sh", "-c", 'echo "$A|${PWD##*/}"'], env={"A": "ü b\n"}, cwd="sub")
    assert result.stdout.decode() == "ü b\n|sub\n"
    assert sandbox.exec(["pwd"], cwd="/usr").stdout == b"/usr\n"


def test_exec_arguments_hold_every_byte_but_null(sandbox: Sandbox) -> None:
    every = bytes(range(1, 256)).decode("utf-8", "surrogateescape")
    assert sandbox.exec(["printf", "%s", every]).stdout == bytes(range(1, 256))
    assert sandbox.exec(["printf", "%s", "half a pair \ud800"]).stdout == b"half a pair ?"


def test_exec_large_argument(sandbox: Sandbox) -> None:
    lengths = sandbox.exec(["sh", "-c", "echo ${#1} ${#2}", "sh", "x" * 100_000, "y" * 120_000])
    assert lengths.stdout == b"100000 120000\n"
    assert sandbox.exec(["echo", *["x" * 100_000] * 60]).exit_code == 126


@pytest.mark.parametrize("size", [1, 65536, 65537, 20_000_000])
def test_exec_input_of_any_size(sandbox: Sandbox, size: int) -> None:
    content = os.urandom(1 << 16) * (size // (1 << 16)) + b"x" * (size % (1 << 16))
    result = sandbox.exec(["cat"], stdin=content, max_output_bytes=1 << 30)
    assert result.stdout == content


def test_exec_input_that_nobody_reads(sandbox: Sandbox) -> None:
    assert sandbox.exec(["true"], stdin=b"x" * 5_000_000).exit_code == 0
    assert sandbox.exec(["head", "-c", "3"], stdin=b"x" * 5_000_000).stdout == b"xxx"


def test_exec_one_gigabyte_of_output_is_dropped_and_counted(sandbox: Sandbox) -> None:
    result = sandbox.exec(["head", "-c", str(1 << 30), "/dev/zero"], timeout_s=60)
    assert (len(result.stdout), result.dropped_bytes) == (1 << 20, (1 << 30) - (1 << 20))


def test_exec_limits_each_stream_by_itself(sandbox: Sandbox) -> None:
    result = sandbox.exec(["sh", "-c", "head -c 100 /dev/zero; head -c 30 /dev/zero >&2"], max_output_bytes=40)
    assert (len(result.stdout), len(result.stderr), result.dropped_bytes) == (40, 30, 60)


def test_exec_output_of_any_bytes(sandbox: Sandbox) -> None:
    result = sandbox.exec(["printf", r"\377\0\376"])
    assert result.stdout == b"\xff\0\xfe"
    assert "\ufffd" in result.text()


def test_exec_time_out(sandbox: Sandbox) -> None:
    result = timed_out(sandbox, "echo before; sleep 60")
    assert (result.exit_code, result.timed_out, result.stdout) == (137, True, b"before\n")
    assert 0.3 <= result.duration_s < 50


@pytest.mark.parametrize(
    "script",
    [
        "trap '' TERM INT HUP; echo $$; while :; do sleep 1; done",
        "sh -c 'setsid sh -c \"echo \\$\\$; sleep 600\" & sleep 600'",
        "(setsid sleep 600 & echo $! ) & sleep 600",
        "sleep 600 & echo $!; kill -STOP $!; sleep 600",
        # The first thread of it ends, so that it looks like a zombie, and another goes on.
        'setsid python3 -c "import ctypes, os, threading, time; print(os.getpid(), flush=True); '
        'threading.Thread(target=time.sleep, args=[600]).start(); ctypes.CDLL(None).syscall(60, 0)" & sleep 600',
    ],
)
def test_exec_time_out_leaves_nothing(sandbox: Sandbox, script: str) -> None:
    result = timed_out(sandbox, script)
    assert result.timed_out
    assert not is_running(int(result.stdout))


def test_exec_time_out_ends_processes_that_keep_renewing_themselves(sandbox: Sandbox) -> None:
    # Eight lines of descent, each in a session of its own, whose processes live for a moment and leave a successor.
    script = """
import os, time
for _ in range(3): os.fork()
while True:
    os.setsid() if os.getpid() != os.getsid(0) else None
    time.sleep(0.002)
    if os.fork(): os._exit(0)
"""
    marker = os.urandom(6).hex()
    result = sandbox.exec(["python3", "-c", script + f"# {marker}"], timeout_s=0.5)
    assert sandbox.exec(["pgrep", "-fc", marker[:6] + "[" + marker[6] + "]" + marker[7:]]).stdout == b"0\n"
    assert result.exit_code in (0, 137)


def test_exec_kills_what_it_leaves_running(sandbox: Sandbox) -> None:
    for script in ("sleep 600 & echo $!", "setsid sleep 600 >/dev/null 2>&1 & echo $!"):
        started = time.monotonic()
        pid = int(sandbox.exec(["sh", "-c", script]).stdout)
        assert time.monotonic() - started < 300
        assert not is_running(pid)


def test_exec_waits_a_little_for_output_of_what_it_leaves(sandbox: Sandbox) -> None:
    for _ in range(20):  # on a busy machine it may come too late
        said = sandbox.exec(["sh", "-c", "(sleep 0.02; echo late) & echo early"]).stdout
        if said == b"early\nlate\n":
            break
    assert said == b"early\nlate\n"


def test_exec_keeps_background_work_where_asked(sandbox: Sandbox) -> None:
    pid = int(sandbox.exec(["sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"], keep_background=True).stdout)
    assert is_running(pid)
    sandbox.exec(["true"])
    assert is_running(pid)
    sandbox.reset()
    assert not is_running(pid)


def test_exec_64_at_once(sandbox: Sandbox) -> None:
    def run(number: int) -> bytes:
        return sandbox.exec(["sh", "-c", f"sleep 0.2; echo {number}"]).stdout

    with ThreadPoolExecutor(64) as pool:
        assert list(pool.map(run, range(64))) == [f"{number}\n".encode() for number in range(64)]


def test_exec_whose_keeper_is_killed_from_inside_is_its_own_failure(sandbox: Sandbox) -> None:
    other = sandbox.spawn(["cat"])
    script = "setsid sleep 600 & echo $! $$; sleep 0.1; kill -9 $PPID; sleep 60"
    result = sandbox.exec(["sh", "-c", script], timeout_s=20)
    assert result.exit_code == 137
    assert sandbox.exec(["echo", "on"]).stdout == b"on\n"
    deadline = time.monotonic() + 60
    while any(map(is_running, map(int, result.stdout.split()))) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(is_running, map(int, result.stdout.split())))
    other.send(b"undisturbed")
    assert other.receive(timeout_s=60) == b"undisturbed"
    other.close()


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGSTOP])
def test_exec_needs_no_free_keeper_that_was_killed_from_inside(sandbox: ProcessSandbox, signal_number: int) -> None:
    other = sandbox.spawn(["sh"])
    for number in range(10):
        other.send(f"kill -{signal_number:d} {free_keeper(sandbox)}; echo sent\n".encode())
        assert other.receive(timeout_s=60) == b"sent\n"
        assert sandbox.exec(["echo", str(number)]).stdout == f"{number}\n".encode()
    other.close()


def test_exec_of_one_keeper_leaves_the_next_nothing(sandbox: Sandbox) -> None:
    keeper = free_keeper(sandbox)
    look = ["sh", "-c", "echo $PPID; env; pwd; ulimit -a; umask; ls /proc/self/fd; grep 'Sig[^Q]' /proc/self/status"]
    before = sandbox.exec(look).stdout
    assert before.splitlines()[0] == str(keeper).encode()
    sandbox.exec(["sh", "-c", "cd /; umask 0; ulimit -n 50; true"], env={"LEFT": "x", "PATH": "/bin"}, cwd="/tmp")
    sandbox.exec(["sh", "-c", "head -c 3000000 /dev/zero; exit 3"], max_output_bytes=10)
    sandbox.exec(["sh", "-c", "kill -9 $$"])
    sandbox.write_file("a", b"x" * 10_000)
    assert sandbox.read_file("a") == b"x" * 10_000
    assert sandbox.exec(look).stdout == before


def test_exec_after_one_that_left_work_running_is_another_keepers(sandbox: Sandbox) -> None:
    keeper = free_keeper(sandbox)
    left = sandbox.exec(["sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"], keep_background=True)
    assert free_keeper(sandbox) != keeper
    assert is_running(int(left.stdout))
    sandbox.reset()


def test_exec_again_on_another_keeper_happens_once(sandbox: ProcessSandbox) -> None:
    """A keeper that dies with its command under way is the command's end, though it was a free one before."""
    sandbox.exec(["true"])
    result = sandbox.exec(["sh", "-c", "echo ran >> runs; kill -9 $PPID; sleep 60"], timeout_s=20)
    assert result.exit_code == 137
    assert sandbox.read_file("runs") == b"ran\n"


def test_exec_on_a_keeper_that_dies_unseen_starts_again(sandbox: ProcessSandbox) -> None:
    os.kill(free_keeper(sandbox), signal.SIGSTOP)  # it is killed for it, at a moment that may lie after the request
    assert sandbox.exec(["echo", "on"]).stdout == b"on\n"


def test_interrupt_ends_commands_of_other_threads(sandbox: Sandbox) -> None:
    thread = interrupt_under_way(sandbox)
    started = time.monotonic()
    result = sandbox.exec(["sh", "-c", "echo $$; touch under_way; sleep 60"], timeout_s=60)
    thread.join()
    assert time.monotonic() - started < 50
    assert result.exit_code == 137
    assert not result.timed_out
    assert not is_running(int(result.stdout))
    assert sandbox.exec(["true"]).is_ok


def test_closing_under_a_command_is_a_lost_sandbox(sandbox: Sandbox) -> None:
    threading.Timer(0.2, sandbox.close).start()
    with pytest.raises(SandboxLostError):
        sandbox.exec(["sleep", "60"], timeout_s=60)


def test_killed_runner_is_a_lost_sandbox_and_takes_its_commands_along(sandbox: ProcessSandbox) -> None:
    pid = int(sandbox.exec(["sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"], keep_background=True).stdout)
    process = sandbox.spawn(["sleep", "600"])
    os.kill(sandbox.control.runner_pid, 9)
    with pytest.raises(SandboxLostError):
        sandbox.exec(["sleep", "60"])
    assert sandbox.is_lost()
    process.close()
    os.kill(pid, 9)  # without a pid namespace of its own, an orphan of a killed runner goes on


# Long-lived processes.


def test_process_talks_both_ways(sandbox: Sandbox) -> None:
    process = sandbox.spawn(["cat"])
    process.send(b"hello")
    assert process.receive(timeout_s=60) == b"hello"
    with pytest.raises(TimeoutError):
        process.receive(timeout_s=0.05)
    process.send(b"x" * 10)
    assert process.receive(4, timeout_s=60) == b"xxxx"
    assert process.receive(timeout_s=60) == b"xxxxxx"
    process.close()
    process.close()


def test_process_exit_code_and_last_output(sandbox: Sandbox) -> None:
    process = sandbox.spawn(["sh", "-c", "echo out; echo err >&2; exit 4"])
    assert process.wait(timeout_s=60) == 4
    assert process.receive() == b"out\nerr\n"
    assert process.receive() == b""
    process.close()


def test_process_that_does_not_exist(sandbox: Sandbox) -> None:
    process = sandbox.spawn(["no-such-program"])
    assert process.wait(timeout_s=60) == 127
    assert b"no-such-program" in process.receive()
    with pytest.raises(SandboxError):
        process.send(b"x")
    process.close()


def test_process_close_lets_a_waiting_thread_go_and_kills_all(sandbox: Sandbox) -> None:
    process = sandbox.spawn(["sh", "-c", "setsid sleep 600 & echo $!; sleep 600"])
    pid = int(process.receive(timeout_s=60))
    threading.Timer(0.2, process.close).start()
    assert process.receive(timeout_s=60) == b""
    assert process.wait(timeout_s=60) == 137
    assert not is_running(pid)


def test_interrupt_ends_long_lived_processes(sandbox: Sandbox) -> None:
    process = sandbox.spawn(["sleep", "600"])
    threading.Timer(0.2, sandbox.interrupt).start()
    assert process.receive(timeout_s=60) == b""
    process.close()


# Files.


def test_files_round_trip(sandbox: Sandbox) -> None:
    for size in (0, 1, 32768, 32769, 3_000_000):
        content = os.urandom(size)
        sandbox.write_file("a/b/c", content)
        assert sandbox.read_file("a/b/c") == content
    assert sandbox.exec(["ls", "-A", "a/b"]).stdout == b"c\n"


def test_files_mode_and_absolute_names(sandbox: ProcessSandbox, tmp_path: Path) -> None:
    sandbox.write_file("/agentgym/work/run", b"#!/bin/sh\necho ran\n", mode=0o755)
    assert sandbox.exec(["./run"]).stdout == b"ran\n"
    sandbox.write_file(str(tmp_path / "elsewhere" / "x"), b"1")
    assert sandbox.read_file(str(tmp_path / "elsewhere" / "x")) == b"1"


def test_files_write_replaces_a_link_and_keeps_what_it_led_to(sandbox: Sandbox, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("kept")
    sandbox.exec(["ln", "-s", str(outside), "link"])
    sandbox.write_file("link", b"new")
    assert outside.read_text() == "kept"
    assert sandbox.read_file("link") == b"new"


@pytest.mark.parametrize(
    "path", ["../x", "a/../../x", "link/x", "link", "up/x", "fifo", "folder", "device", "missing", "nul\0l", "loop"]
)
def test_files_refused_to_read(sandbox: Sandbox, tmp_path: Path, path: str) -> None:
    (tmp_path / "x").write_text("secret")
    script = (
        f"mkdir folder a; mkfifo fifo; ln -s {tmp_path} link; ln -s ../.. up; ln -s /dev/zero device; ln -s loop loop"
    )
    sandbox.exec(["sh", "-c", script])
    with pytest.raises(SandboxFileError):
        sandbox.read_file(path)


@pytest.mark.parametrize(
    "path", ["../x", "a/../../x", "link/x", "link/y/z", "up/x", "folder", "folder/", "", ".", "file/x"]
)
def test_files_refused_to_write(sandbox: Sandbox, tmp_path: Path, path: str) -> None:
    sandbox.exec(["sh", "-c", f"mkdir folder a; touch file folder/full; ln -s {tmp_path} link; ln -s ../.. up"])
    with pytest.raises(SandboxFileError):
        sandbox.write_file(path, b"content" * 100_000)
    assert not list(tmp_path.iterdir())
    assert b".agentgym-" not in sandbox.exec(["ls", "-AR"]).stdout


def test_files_links_that_stay_are_followed(sandbox: Sandbox) -> None:
    sandbox.exec(["sh", "-c", "mkdir -p a/b; ln -s a/b short; ln -s ../../top a/b/top; echo t > top"])
    sandbox.write_file("short/x", b"1")
    assert sandbox.read_file("a/b/x") == b"1"
    assert sandbox.read_file("short/top") == b"t\n"


def test_files_too_large_to_read(sandbox: Sandbox) -> None:
    sandbox.write_file("a", b"12345")
    assert sandbox.read_file("a", max_bytes=5) == b"12345"
    with pytest.raises(SandboxFileError, match="5 bytes, 4 are allowed"):
        sandbox.read_file("a", max_bytes=4)
    with pytest.raises(SandboxFileError):
        sandbox.read_file("/proc/kallsyms", max_bytes=1000)


# Streams.


def test_streams_reach_a_server_inside(sandbox: Sandbox) -> None:
    server = sandbox.spawn(["python3", "-u", "-c", SERVER])
    port = int(server.receive(timeout_s=60))

    def talk(stream: socket.socket) -> bytes:
        with stream:
            stream.settimeout(60)
            stream.sendall(b"x" * 1_000_000)
            stream.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: stream.recv(4096), b""))

    assert talk(sandbox.connect(port)) == b"banner1000000"
    address = sandbox.endpoint(port)
    assert sandbox.endpoint(port) == address
    for _ in range(3):
        stream = socket.socket(socket.AF_UNIX)
        stream.connect(address.removeprefix("unix:"))
        assert talk(stream) == b"banner1000000"
    sandbox.interrupt()
    server.close()
    stream = socket.socket(socket.AF_UNIX)
    stream.connect(address.removeprefix("unix:"))
    with stream:
        assert stream.recv(10) == b""


def test_streams_to_nobody_are_refused(sandbox: Sandbox) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(ConnectionRefusedError):
            sandbox.connect(unused.getsockname()[1])


def test_relay_carries_a_port_inside_to_a_socket(sandbox: ProcessSandbox, tmp_path: Path) -> None:
    path = tmp_path / "proxy.sock"
    with socket.socket(socket.AF_UNIX) as proxy, socket.socket() as probe:
        proxy.bind(str(path))
        proxy.listen()
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        sandbox.streams.relay(listen_port=port, path=str(path))
        fetch = sandbox.spawn(["bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port}; echo ask >&3; head -n 1 <&3"])
        connection, _ = proxy.accept()
        with connection:
            assert connection.recv(100) == b"ask\n"
            connection.sendall(b"answer\n")
            assert fetch.receive(timeout_s=60) == b"answer\n"
        fetch.close()
        with pytest.raises(SandboxError):
            sandbox.streams.relay(listen_port=port, path=str(path))


# Clearing.


def test_clear_empties_folders_however_hard_they_make_it(sandbox: ProcessSandbox, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    full = tmp_path / "full"
    full.mkdir(mode=0o755)
    script = f"""
import os
os.chdir({str(full)!r})
os.symlink({str(outside)!r}, "link")
os.mkfifo("fifo")
os.makedirs("locked/in"); os.chmod("locked/in", 0); os.chmod("locked", 0)
open(b"\\xff\\n", "w").close()
for i in range(2000): open(f"f{{i}}", "w").close()
for i in range(1200):
    os.mkdir("d"); os.chdir("d")
"""
    assert sandbox.exec(["python3", "-c", script]).text() == ""
    sandbox.clear([str(full)])
    assert list(full.iterdir()) == []
    assert (outside / "kept").read_text() == "kept"
    assert sandbox.status([str(full)])["leftovers"] == "0"


def test_clear_kills_what_runs(sandbox: ProcessSandbox) -> None:
    process = sandbox.spawn(["sleep", "600"])
    pid = int(sandbox.exec(["sh", "-c", "setsid sleep 600 >/dev/null 2>&1 & echo $!"], keep_background=True).stdout)
    sandbox.clear([])
    assert not is_running(pid)
    assert process.wait(timeout_s=60) == 137
    process.close()


def test_many_operations_leave_no_descriptor_process_or_thread(sandbox: ProcessSandbox) -> None:
    def inside() -> list[int]:
        keeper = free_keeper(sandbox)
        return [len(os.listdir(f"/proc/{pid}/fd")) for pid in (sandbox.control.runner_pid, keeper)]

    before, ours = inside(), Holdings()
    for _ in range(100):
        sandbox.shell().close()
        sandbox.exec(["true"], stdin=b"x")
        sandbox.exec(["true"])
        sandbox.exec(["none such"])
        sandbox.write_file("a", b"1")
        sandbox.read_file("a")
    assert inside() == before
    ours.require_nothing_new()


def test_runner_takes_less_than_a_mebibyte(sandbox: ProcessSandbox) -> None:
    for _ in range(20):
        sandbox.exec(["true"])
    fields = Path(f"/proc/{sandbox.control.runner_pid}/status").read_text().split()
    assert int(fields[fields.index("VmRSS:") + 1]) < 1024
