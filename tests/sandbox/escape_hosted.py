"""Attempts to leave a sandbox in which the host has a part: it listens, reads, downloads, resets, grades.

Those that are one script each are in `escape_attempts`; both are run by `test_escapes`.
"""

import errno
import os
import re
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pytest

from agentgym.errors import SandboxFileError, UnsupportedSpecError
from agentgym.sandbox.base import Sandbox, SandboxProvider
from agentgym.sandbox.spec import Limits, Network, SandboxSpec
from tests.sandbox.escape_attempts import PREAMBLE, Attempt, call_numbers

LIMITS = Limits(cpus=None, memory_mib=None, pids=64, work_mib=16, tmp_mib=8)
SPECS = {
    "bubblewrap": SandboxSpec(limits=LIMITS),
    "docker": SandboxSpec(image="debian:bookworm-slim", limits=replace(LIMITS, memory_mib=128)),
}


@dataclass
class Arena:
    """A provider, and a sandbox that attempts share until one of them loses it."""

    name: str
    provider: SandboxProvider
    spec: SandboxSpec

    @cached_property
    def shared(self) -> Sandbox:
        return self.provider.start(self.spec)

    @contextmanager
    def fresh(self, **changes) -> Iterator[Sandbox]:
        with self.provider.start(replace(self.spec, **changes)) as box:
            yield box

    def run(self, script: str, box: Sandbox | None = None, **options) -> str:
        ran = (box or self.shared).exec(
            ["bash", "-c", PREAMBLE + script], env=call_numbers(), **{"timeout_s": 30, **options}
        )
        return (ran.stdout + ran.stderr).decode("utf-8", "replace")

    def end(self) -> None:
        if "shared" in self.__dict__:
            self.shared.close()


HOSTED: list[tuple[Attempt, Callable[[Arena], None]]] = []


def attempt(name: str, tried: str, stopped_by: str):
    def register(carry_out):
        HOSTED.append((Attempt(name, tried, stopped_by), carry_out))
        return carry_out

    return register


@contextmanager
def decoy(sock: socket.socket) -> Iterator[list[bytes]]:
    """What arrives at a socket of the host that an agent would like to reach."""
    arrived: list[bytes] = []
    sock.settimeout(0.1)
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.is_set():
            with suppress(TimeoutError):
                if sock.type == socket.SOCK_STREAM:
                    sock.accept()[0].close()
                    arrived.append(b"connection")
                else:
                    arrived.append(sock.recv(100))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield arrived
        time.sleep(0.15)
    finally:
        is_over.set()
        thread.join()
        sock.close()


@attempt("decoy-tcp", "Connect to a server on the host's loopback", "a separate network namespace")
def connect_to_host(arena):
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    with decoy(server) as arrived:
        output = arena.run(f"exec 9<> /dev/tcp/127.0.0.1/{port} && echo ESCAPED")
    assert "Connection refused" in output
    assert "ESCAPED" not in output
    assert not arrived


@attempt("decoy-udp", "Send a datagram, such as a DNS query, to the host's loopback", "a separate network namespace")
def send_to_host(arena):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    port = server.getsockname()[1]
    with decoy(server) as arrived:
        arena.run(f"for i in 1 2 3; do echo secret > /dev/udp/127.0.0.1/{port}; done")
    assert not arrived


@attempt("decoy-abstract", "Connect to an abstract unix socket of the host", "a separate network namespace")
def connect_to_abstract_socket(arena):
    name = f"agentgym-decoy-{os.urandom(4).hex()}"
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind("\0" + name)
    server.listen()
    with decoy(server) as arrived:
        output = arena.run(
            f'perl -MSocket -e \'socket(S, 1, 1, 0); print connect(S, pack("S", 1) . "\\0{name}") ? '
            '"ESCAPED\\n" : "refused: $!\\n"\'; cat /proc/net/unix'
        )
    assert "refused: Connection refused" in output
    assert name not in output
    assert not arrived


@attempt(
    "proxy-to-host",
    "Reach the host's loopback, private and metadata addresses through the proxy of an allowlist",
    "the proxy refuses hosts that are not listed, and names that resolve to such addresses",
)
def connect_through_proxy(arena):
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    targets = [
        f"127.0.0.1:{port}",
        f"localhost:{port}",
        f"[::1]:{port}",
        f"[::ffff:127.0.0.1]:{port}",
        "169.254.169.254:80",
    ]
    targets += [f"2130706433:{port}", f"0x7f.1:{port}", "allowed.invalid.evil.example:80"]
    asks = "; ".join(
        f"exec 9<> /dev/tcp/127.0.0.1/8118; printf 'CONNECT {target} HTTP/1.1\\r\\n\\r\\n' >&9; head -1 <&9; exec 9<&-"
        for target in targets
    )
    with decoy(server) as arrived, arena.fresh(network=Network(allow=("allowed.invalid",))) as box:
        output = arena.run(asks + "; env | grep -i proxy", box)
    assert len(re.findall("HTTP/1.1 40[03]", output)) == len(targets), output
    assert " 200 " not in output
    assert "127.0.0.1:8118" in output
    assert not arrived


@attempt("host-environment", "Read secrets in the host's environment", "the environment is built from nothing")
def read_environment(arena):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOST_API_KEY", "s3cr3t-value")
        with arena.fresh() as box:
            output = arena.run("env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'", box)
    assert "PATH=" in output
    assert "s3cr3t" not in output


@attempt(
    "link-read",
    "Make the host read a system file through a link in the work folder",
    "the kernel resolves paths beneath the work folder (openat2)",
)
def read_through_link(arena):
    arena.run("rm -rf l*; ln -s /etc/passwd l1; ln -s ../../etc l2; ln -s /proc/self/root l3; ln -s . l4; ln -s l1 l5")
    for path in ("l1", "l2/passwd", "l3/etc/passwd", "l4/l1", "l5", "../../etc/passwd", "l4/../../../etc/passwd"):
        with pytest.raises(SandboxFileError):
            arena.shared.read_file(path)


@attempt(
    "link-write",
    "Make the host write outside the work folder through a link",
    "paths are resolved beneath the work folder, and files are replaced as a whole",
)
def write_through_link(arena):
    arena.run("rm -rf w*; echo kept > /tmp/target; ln -s /tmp/target w1; ln -s /tmp w2")
    with suppress(SandboxFileError):
        arena.shared.write_file("w1", b"changed")
    for path in ("w2/target", "../tmp/target", "w2/new"):
        with pytest.raises(SandboxFileError):
            arena.shared.write_file(path, b"changed")
    assert arena.run("cat /tmp/target; ls /tmp/new").startswith("kept\n")


@attempt(
    "race-read",
    "Swap a file for a link while the host reads it",
    "the kernel checks and opens in one step",
)
def race_against_read(arena):
    swap = "echo mine > f; while :; do ln -sfn /etc/passwd g; mv -T g l; echo mine > h; mv h l; done"
    seen: set[bytes] = set()
    with arena.fresh() as box, box.spawn(["bash", "-c", swap]):
        deadline, latest = time.monotonic() + 2, time.monotonic() + 60
        while time.monotonic() < deadline or (not {b"mine\n", b"refused"} <= seen and time.monotonic() < latest):
            try:
                seen.add(box.read_file("l"))
            except SandboxFileError:
                seen.add(b"refused")
    assert seen <= {b"mine\n", b"", b"refused"}
    assert {b"mine\n", b"refused"} <= seen, "the race was not run"


@attempt(
    "race-download",
    "Swap a folder for a link while the host downloads the tree",
    "the sandbox's own user packs the tree, and the host unpacks no link that leaves it",
)
def race_against_download(arena):
    swap = "mkdir -p t/a; echo mine > t/a/passwd; while :; do mv t/a t/b; ln -s /etc t/a; rm t/a; mv t/b t/a; done"
    place = Path(tempfile.mkdtemp())
    num_whole = 0
    try:
        with arena.fresh() as box, box.spawn(["bash", "-c", swap]):
            deadline = time.monotonic() + 2
            while time.monotonic() < deadline:
                target = place / str(time.monotonic())
                with suppress(SandboxFileError):
                    box.download("t", target)
                    num_whole += 1
                assert not (place / "passwd").exists()
        for found in place.rglob("passwd"):
            assert found.read_text() in ("mine\n", "")
        for found in place.rglob("*"):
            assert not found.is_symlink() or not os.path.isabs(os.readlink(found))
    finally:
        shutil.rmtree(place)


@attempt(
    "download-links",
    "Give the host a tree with links that lead out of it",
    "unpacking refuses absolute links, and links above the tree",
)
def download_links(arena):
    place = Path(tempfile.mkdtemp())
    try:
        for number, link in enumerate(("/etc/passwd", "../../../../etc/passwd", "a/../../..", "/")):
            arena.run(f"rm -rf d; mkdir -p d/a; echo x > d/file; ln -s {link} d/link")
            with pytest.raises(SandboxFileError):
                arena.shared.download("d", place / str(number))
        assert not list(place.iterdir())
    finally:
        shutil.rmtree(place)


@attempt(
    "download-special",
    "Give the host pipes, sockets and programs that run as their owner",
    "unpacking refuses special files and drops special bits",
)
def download_special(arena):
    place = Path(tempfile.mkdtemp())
    try:
        arena.run("rm -rf d; mkdir d; mkfifo d/pipe")
        with pytest.raises(SandboxFileError):
            arena.shared.download("d", place / "a")
        arena.run("rm -rf d; mkdir d; cp /bin/true d/x; chmod 6755 d/x; chmod 1777 d")
        with suppress(SandboxFileError):
            arena.shared.download("d", place / "b")
        assert not [found for found in place.rglob("*") if found.lstat().st_mode & 0o7000]
    finally:
        shutil.rmtree(place)


@attempt(
    "pipe-read",
    "Make the host wait forever at a pipe, or read a device",
    "only regular files are read, and they are opened without waiting",
)
def read_special(arena):
    arena.run("rm -rf p q; mkfifo p; mkdir q")
    for path in ("p", "q", ".", "/dev/zero", "/dev/tty", "/proc/self"):
        started = time.monotonic()
        with pytest.raises(SandboxFileError):
            arena.shared.read_file(path)
        assert time.monotonic() - started < 60


@attempt(
    "sparse-file",
    "Give the host a sparse file of one terabyte",
    "sizes are checked before reading and counted while reading",
)
def read_sparse_file(arena):
    arena.run("rm -rf s; mkdir s; truncate -s 1T s/huge || truncate -s 1G s/huge")
    with pytest.raises(SandboxFileError) as refusal:
        arena.shared.read_file("s/huge")
    assert refusal.value.errno in (errno.EFBIG, None)
    place = Path(tempfile.mkdtemp())
    try:
        with pytest.raises(SandboxFileError):
            arena.shared.download("s", place / "s", max_bytes=1 << 20)
        assert sum(found.stat().st_blocks for found in place.rglob("*")) * 512 < 4 << 20
    finally:
        shutil.rmtree(place)
    arena.run("rm -rf s")


@attempt("growing-file", "Make a file grow forever while the host reads it", "bytes are counted while reading")
def read_growing_file(arena):
    with arena.fresh() as box, box.spawn(["bash", "-c", "while :; do head -c 65536 /dev/zero >> f || : > f; done"]):
        for _ in range(20):
            try:
                assert len(box.read_file("f", max_bytes=1 << 20)) <= 1 << 20
            except SandboxFileError:
                time.sleep(0.01)


@attempt("output-flood", "Fill the host's memory with output", "the runner drops and counts what exceeds the limit")
def flood_output(arena):
    ran = arena.shared.exec(["bash", "-c", "head -c 200000000 /dev/zero"], timeout_s=60, max_output_bytes=100_000)
    assert len(ran.stdout) == 100_000
    assert ran.dropped_bytes == 199_900_000


@attempt("forged-frames", "Write the runner's own messages to standard output", "output is payload and never parsed")
def forge_frames(arena):
    # The end of a command with exit code 0, as the runner says it to the host.
    forged = r"\x18\x00\x00\x00\x22" + r"\x00" * 24
    ran = arena.shared.exec(["bash", "-c", f"printf '{forged}'; printf '{forged}' >&2; exit 7"])
    assert ran.exit_code == 7
    assert len(ran.stdout) == len(ran.stderr) == 29


@attempt(
    "kill-runner",
    "Kill or stop the runner",
    "the first process of a namespace accepts no signal from inside",
)
def kill_runner(arena):
    with arena.fresh() as box:
        arena.run("for s in KILL STOP TERM INT HUP QUIT SEGV PIPE USR1 ABRT; do kill -$s 1; done; sleep 0.2", box)
        assert arena.run("echo alive", box) == "alive\n"


@attempt(
    "kill-all",
    "Kill every process, the runner's helpers included, to look like a fault of the machine",
    "the operation ends as killed, not as lost, and the sandbox keeps working",
)
def kill_all(arena):
    with arena.fresh() as box:
        started = time.monotonic()
        ran = box.exec(["bash", "-c", "kill -9 -1; kill -9 $PPID; sleep 100"], timeout_s=90)
        assert ran.exit_code != 0
        assert time.monotonic() - started < 60
        assert arena.run("echo alive", box) == "alive\n"


@attempt(
    "lose-time-limit",
    "Kill the runner's helper that enforces the time limit, and continue without a limit",
    "the runner kills what the killed helper ran",
)
def lose_time_limit(arena):
    with arena.fresh() as box:
        ran = box.exec(["bash", "-c", "(setsid bash -c 'sleep 300; :' &); kill -9 $PPID; sleep 301"], timeout_s=5)
        assert ran.exit_code != 0
        deadline = time.monotonic() + 60
        look = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'sleep 30[01]'"
        while (found := arena.run(look, box).strip()) != "0" and time.monotonic() < deadline:
            time.sleep(0.05)
        assert found == "0"


@attempt(
    "stop-helper",
    "Stop the runner's helper, so that the host waits and blames the machine",
    "the runner kills a stopped helper, and the operation ends as killed",
)
def stop_helper(arena):
    with arena.fresh() as box:
        started = time.monotonic()
        ran = box.exec(["bash", "-c", "kill -STOP $PPID; sleep 100"], timeout_s=2)
        assert ran.exit_code != 0
        assert time.monotonic() - started < 60
        assert arena.run("echo alive", box) == "alive\n"


@attempt("fork-bomb", "Fork without end", "a limit of processes, which does not apply to the runner")
def fork_bomb(arena):
    with arena.fresh() as box:
        ran = box.exec(
            ["bash", "-c", "bomb() { bomb | bomb & }; bomb; for i in $(seq 200); do sleep 9 & done"], timeout_s=3
        )
        assert b"Resource temporarily unavailable" in ran.stderr or ran.timed_out
        assert arena.run("echo alive", box) == "alive\n"


@attempt(
    "memory-bomb",
    "Take all memory",
    "a memory limit under Docker; bubblewrap has none and refuses a specification that asks for one",
)
def memory_bomb(arena):
    if "memory_mib" not in arena.provider.capabilities().limits:
        with pytest.raises(UnsupportedSpecError, match="memory_mib"):
            arena.provider.start(replace(arena.spec, limits=replace(LIMITS, memory_mib=128)))
        return
    with arena.fresh() as box:
        ran = box.exec(["perl", "-e", 'push @x, "x" x 1e7 while 1'], timeout_s=30)
        assert ran.exit_code != 0
        assert not ran.timed_out
        assert ran.oom_killed is not False
        assert arena.run("echo alive", box) == "alive\n"


@attempt("fill-disk", "Fill the disk and shared memory", "file systems of limited size")
def fill_disk(arena):
    with arena.fresh() as box:
        for folder, mib in (("/agentgym/work", 16), ("/tmp", 8), ("/dev/shm", 8)):
            output = arena.run(
                f"dd if=/dev/zero of={folder}/f bs=1M count=100; stat -c %s {folder}/f; rm {folder}/f", box
            )
            assert "No space left" in output
            assert int(re.search(r"^(\d+)$", output, re.M)[1]) <= mib << 20


@attempt("fill-inodes", "Use up every inode", "file systems with limited inodes")
def fill_inodes(arena):
    with arena.fresh() as box:
        script = 'perl -e \'$n = 0; $n++ while $n < 300000 && open(F, ">", "n$n"); print "$n $!\\n"\''
        count, why = arena.run(script, box, timeout_s=60).split(" ", 1)
        assert int(count) < 300_000
        assert "No space left" in why
        assert arena.run("cd /; rm -r /agentgym/work/*; echo alive", box, timeout_s=60) == "alive\n"


@attempt(
    "outlive-reset",
    "Leave a process that keeps running after a reset",
    "a reset kills everything in the process namespace",
)
def outlive_reset(arena):
    with arena.fresh() as box:
        leave = "for i in 1 2 3; do (setsid bash -c 'trap \"\" TERM HUP; exec -a stale sleep 300' &) ; done; "
        count = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -o 'stale 30[0]' | wc -l"
        arena.run(leave + f"until [ $({count}) = 3 ]; do sleep 0.05; done", box, keep_background=True)
        assert arena.run(count, box).strip() == "3"
        box.reset()
        assert arena.run(count, box).strip() == "0"


@attempt(
    "files-after-reset",
    "Leave hidden files for the next episode",
    "a reset restores the work folder and empties the others",
)
def leave_files(arena):
    with arena.fresh() as box:
        places = ". ~ /tmp /dev/shm /var/tmp /run /run/lock /dev /dev/mqueue /mnt"
        arena.run(f"for d in {places}; do echo x > $d/.hidden; mkdir -p $d/.d/e; ln -s x $d/.l; done", box)
        box.reset()
        found = arena.run(
            "find / -xdev \\( -name .hidden -o -name .l -o -name .d \\) 2>/dev/null; "
            f"for d in {places}; do ls -A $d 2>/dev/null | grep '^[.]' | sed 's/^/LEFT /'; done",
            box,
        )
        assert "LEFT" not in found
        assert ".hidden" not in found


@attempt(
    "folders-after-reset",
    "Take away the next episode's right to write in its folders",
    "a reset restores the permissions and times of folders, or creates the folders again",
)
def spoil_folders(arena):
    look = "stat -c '%a %U %n' . ~ /tmp /dev/shm; touch ./t ~/t /tmp/t /dev/shm/t && rm ./t ~/t /tmp/t /dev/shm/t"
    with arena.fresh() as box:
        before = arena.run(look, box)
        arena.run("chmod 500 . ~ /tmp /dev/shm", box)
        assert "denied" in arena.run(look, box)
        box.reset()
        assert arena.run(look, box) == before


@attempt(
    "ipc-after-reset",
    "Leave shared memory, semaphores and message queues, which are not files, for the next episode",
    "a reset removes them, or creates a new IPC namespace",
)
def leave_ipc(arena):
    make = "sys $NR_shmget 4711 4096 950; sys $NR_semget 4711 1 950; sys $NR_msgget 4711 950; "
    make += "sys $NR_mq_open stale 66 384 0"
    look = "sys $NR_shmget 4711 0 0; sys $NR_semget 4711 0 0; sys $NR_msgget 4711 0; sys $NR_mq_open stale 0 0 0"
    with arena.fresh() as box:
        arena.run(make, box)
        assert arena.run(look, box).count("ESCAPED") == 4, "the attempt was not made"
        box.reset()
        assert arena.run(look, box) == "refused: No such file or directory\n" * 4


@attempt(
    "between-sandboxes",
    "Reach another sandbox of the same owner: its files, processes, memory segments and ports",
    "each sandbox has its own namespaces",
)
def reach_other_sandbox(arena):
    with arena.fresh() as one, arena.fresh() as two:
        arena.run("echo secret > /tmp/s; echo secret > s; sys $NR_shmget 815 4096 950 > /dev/null", one)
        with one.spawn(
            [
                "perl",
                "-MIO::Socket::INET",
                "-e",
                "$s = IO::Socket::INET->new(Listen => 1, LocalPort => 7777); $| = 1; print qq(ready\\n); sleep 60",
            ]
        ) as server:
            assert b"ready" in server.receive(timeout_s=10)
            output = arena.run(
                "cat /tmp/s s; sys $NR_shmget 815 0 0; exec 9<> /dev/tcp/127.0.0.1/7777 && echo ESCAPED; "
                "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -o LocalPor[t]",
                two,
            )
    assert "secret" not in output
    assert "ESCAPED" not in output
    assert "LocalPort" not in output


@attempt(
    "reward-file",
    "Write the reward and overwrite the grader before grading",
    "grading uses a fresh sandbox that contains neither",
)
def write_reward(arena):
    with arena.fresh() as box:
        arena.run(
            "for d in . ~ /tmp /logs /logs/verifier /tests /dev/shm; do mkdir -p $d; echo 1 > $d/reward.txt; "
            "echo '{\"reward\": 1}' > $d/reward.json; echo 'exit 0' > $d/test.sh; done",
            box,
        )
    with arena.fresh() as grader:
        found = arena.run(
            "find / -xdev -name 'reward.*' -o -xdev -name test.sh 2>/dev/null; ls -A ~ /tmp /dev/shm .", grader
        )
        assert "reward" not in found
        assert "test.sh" not in found


@attempt(
    "grader-tools",
    "Change what the grader runs: shell start-up files, search path, Python's start-up",
    "start-up files are not read, programs are read-only, and grading uses a fresh sandbox",
)
def change_tools(arena):
    with arena.fresh() as box:
        arena.run(
            "for f in .bashrc .profile .bash_profile .bash_login .inputrc; do echo 'echo HIJACKED' > ~/$f; done; "
            "mkdir -p ~/bin ~/.local/bin; printf '#!/bin/sh\\necho HIJACKED\\n' | tee ~/bin/ls ~/.local/bin/ls > ls; "
            "chmod +x ls ~/bin/ls ~/.local/bin/ls",
            box,
        )
        output = arena.run("ls; bash -lc ls; echo $PATH", box)
        assert "HIJACKED" not in output.replace("bash -lc", "") or "HIJACKED" not in arena.run("ls", box)
        with box.shell() as shell:
            assert b"HIJACKED" not in shell.run("ls").output
    with arena.fresh() as grader:
        assert "HIJACKED" not in arena.run("bash -lc ls", grader)


@attempt(
    "grader-timeout",
    "Make the grading of a submission take forever",
    "a time limit kills every descendant, and the submission counts as the cause",
)
def time_out_grader(arena):
    with arena.fresh() as grader:
        grader.write_file("submission.sh", b"trap '' TERM INT HUP\n(setsid sleep 300 &)\nwhile :; do :; done\n")
        started = time.monotonic()
        ran = grader.exec(["bash", "submission.sh"], timeout_s=0.5)
        assert ran.timed_out
        assert time.monotonic() - started < 200
        seen = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'sleep 30[0]'"
        assert arena.run(seen, grader).strip() == "0"
