"""Sandboxes under bubblewrap: made, limited, reset, forked and taken down, as root and as anybody."""

import contextlib
import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from agentgym.errors import SandboxLostError, SandboxStartError, UnsupportedSpecError
from agentgym.sandbox.engines.bubblewrap import BubblewrapProvider
from agentgym.sandbox.engines.bubblewrap_root import make_shared, why_unreachable
from agentgym.sandbox.leasing.owner import this_owner
from agentgym.sandbox.spec import Limits, Mount, Network, SandboxSpec
from tests.sandbox.holdings import Holdings

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
SPEC = SandboxSpec(limits=Limits(cpus=None, memory_mib=None, pids=32, work_mib=8, tmp_mib=4))


@pytest.fixture(scope="module")
def state():
    # Not pytest's own folder: that lets no other user through.
    folder = Path(tempfile.mkdtemp(prefix="agentgym-test-"))
    before = os.environ.get("AGENTGYM_STATE_DIR")
    os.environ["AGENTGYM_STATE_DIR"] = str(folder)
    yield folder
    this_owner().release()
    if before is None:
        del os.environ["AGENTGYM_STATE_DIR"]
    else:
        os.environ["AGENTGYM_STATE_DIR"] = before
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def provider(state):
    return BubblewrapProvider()


@pytest.fixture
def sandbox(provider):
    with provider.start(SPEC) as started:
        yield started


def run(sandbox, script, **options):
    return sandbox.exec(["bash", "-c", script], **options)


def test_a_command_runs_as_the_agent_in_the_work_folder(sandbox):
    ran = run(sandbox, "id -un; id -u; pwd; echo $HOME; hostname; echo $$ > f; cat f")
    lines = ran.stdout.decode().split()
    assert ran.is_ok
    assert lines[:5] == ["agent", "1000", "/agentgym/work", "/home/agent", "sandbox"]
    assert sandbox.read_file("f").decode().strip() == lines[5]


def test_the_environment_holds_the_specs_variables_and_none_of_the_hosts(provider, monkeypatch):
    monkeypatch.setenv("HOST_SECRET", "s3cret")
    spec = SandboxSpec(limits=SPEC.limits, env={"TASK_VALUE": "a b\n=c"})
    with provider.start(spec) as sandbox:
        assert run(sandbox, 'printf %s "$TASK_VALUE"').stdout == b"a b\n=c"
        assert b"s3cret" not in run(sandbox, "env; cat /proc/*/environ").stdout
        arguments = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):  # it has ended meanwhile
                arguments.append(path.read_bytes())
        assert not [line for line in arguments if b"bwrap" in line and b"TASK_VALUE" in line], "argv is for all to see"


def test_only_the_work_home_and_temporary_folders_can_be_written(sandbox):
    ran = run(
        sandbox,
        "for d in / /usr /usr/bin /etc /run /run/agentgym /var /home /dev /agentgym /sys /mnt /lib; do "
        "touch $d/x 2>/dev/null && echo $d; done; "
        "for d in . ~ /tmp /dev/shm /var/tmp; do touch $d/x || echo not $d; done",
    )
    assert ran.stdout == b""


def test_folders_are_bounded_in_size(sandbox):
    for folder, mib in (("/agentgym/work", 8), ("/tmp", 4), ("/home/agent", 4), ("/dev/shm", 4)):
        ran = run(sandbox, f"dd if=/dev/zero of={folder}/big bs=1M count=100; stat -c %s {folder}/big")
        assert b"No space left" in ran.stderr
        assert int(ran.stdout) <= mib << 20
    run(sandbox, "rm big")
    ran = run(sandbox, "i=0; while : > n$i; do i=$((i+1)); done; echo $i", timeout_s=60)
    assert b"No space left" in ran.stderr
    assert int(ran.stdout) < 10000, "files cost memory too"


def test_processes_are_bounded_and_the_sandbox_goes_on(sandbox):
    for timeout_s in (5, 30):  # a busy machine may not come so far in five seconds
        ran = run(sandbox, "for i in $(seq 100); do sleep 60 & done; jobs | wc -l", timeout_s=timeout_s)
        if ran.stderr:
            break
    assert b"Resource temporarily unavailable" in ran.stderr
    assert run(sandbox, "echo still here").stdout == b"still here\n"


def test_sandboxes_count_their_processes_each_for_itself(provider):
    crowd = ["bash", "-c", "for i in $(seq 24); do sleep 20 & done; echo ready; wait"]
    with provider.start(SPEC) as one, provider.start(SPEC) as two, one.spawn(crowd) as busy:
        assert busy.receive(timeout_s=60) == b"ready\n"
        assert run(two, "for i in $(seq 24); do sleep 0.1 & done; wait").is_ok


def test_limits_that_cannot_be_enforced_are_refused_by_name(provider):
    with pytest.raises(UnsupportedSpecError, match=r"spec\.relaxed\('cpus', 'memory_mib'\)"):
        provider.start(SandboxSpec())
    with pytest.raises(UnsupportedSpecError, match="internal"):
        provider.start(SandboxSpec(limits=SPEC.limits, network=Network(group="g")))
    with pytest.raises(UnsupportedSpecError, match="no images"):
        provider.start(SandboxSpec(limits=SPEC.limits, image="debian"))
    with pytest.raises(UnsupportedSpecError, match="root"):
        provider.start(SandboxSpec(limits=SPEC.limits, user="root"))


def test_a_reset_brings_back_the_pristine_files_and_ends_every_process(provider, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a").write_text("pristine")
    (tmp_path / "link").symlink_to("sub/a")
    with provider.start(SandboxSpec(limits=SPEC.limits, work=str(tmp_path))) as sandbox:
        assert sandbox.read_file("link") == b"pristine"
        left = ". ~ /tmp /dev/shm"
        run(sandbox, f"echo dirt > sub/a; rm link; for d in {left}; do echo x > $d/.dirt; done")
        run(sandbox, "setsid sleep 300 & disown", keep_background=True)
        assert b"sleep" in run(sandbox, "cat /proc/[0-9]*/comm").stdout
        report = sandbox.reset()
        assert (report.method, bool(report.why)) == ("recreate", True)
        assert sandbox.read_file("link") == b"pristine"
        assert run(sandbox, f"for d in {left}; do ls -A $d | grep dirt; done").stdout == b""
        assert b"sleep" not in run(sandbox, "cat /proc/[0-9]*/comm").stdout
    assert (tmp_path / "sub" / "a").read_text() == "pristine"


def test_a_snapshot_can_be_returned_to_and_forked(provider, tmp_path):
    (tmp_path / "kept").write_text("1")
    with provider.start(SandboxSpec(limits=SPEC.limits, work=str(tmp_path))) as sandbox:
        run(sandbox, "echo a > mine; rm kept; echo h > ~/h; echo t > /tmp/t; chmod 4711 mine; mkfifo pipe")
        snapshot = sandbox.snapshot()
        run(sandbox, "echo b > mine; rm ~/h; mkdir later")
        sandbox.reset(snapshot)
        seen = "cat mine ~/h /tmp/t; stat -c %a mine; ls"
        assert run(sandbox, seen).stdout.split() == [b"a", b"h", b"t", b"4711", b"mine"]
        forks = sandbox.fork(2)
        try:
            run(sandbox, "echo c > mine")
            run(forks[0], "echo d > mine; touch new")
            assert run(forks[1], seen).stdout.split() == [b"a", b"h", b"t", b"4711", b"mine"]
            run(forks[1], "echo e > ~/h")
            again = forks[1].fork()[0]
            forks.append(again)
            assert run(again, "cat mine ~/h").stdout.split() == [b"a", b"e"]
        finally:
            for fork in forks:
                fork.close()


def test_a_snapshot_holds_still_what_writes(sandbox):
    write = "i=0; while :; do i=$((i+1)); echo $i > a; echo $i > b; [ $i -eq 9 ] && echo under way; done"
    with sandbox.spawn(["bash", "-c", write]) as writer:
        assert writer.receive(timeout_s=60)
        for _ in range(3):
            snapshot = sandbox.snapshot()
            layer = Path((snapshot.path / "layers").read_text().splitlines()[0])
            first, second = ((layer / name).read_text().strip() for name in "ab")
            assert int(first or second) - int(second or first) in (0, 1)
        before = sandbox.read_file("a")
        deadline = time.monotonic() + 60
        while (now := sandbox.read_file("a")) in (before, b"") and time.monotonic() < deadline:
            time.sleep(0.01)
        assert now not in (before, b""), "it goes on afterwards"


def test_mounts_are_seen_and_read_only_unless_said(provider, state):
    # A folder that the sandbox's user can get to.
    folder = state / "mounted"
    folder.mkdir()
    (folder / "a").write_text("from the host")
    folder.chmod(0o777)
    state.chmod(0o700)  # as it is made; before the first start, it lets the sandbox's user pass
    mounts = (Mount(str(folder), "/mnt/read"), Mount(str(folder), "/mnt/write", writable=True))
    with provider.start(SandboxSpec(limits=SPEC.limits, mounts=mounts)) as sandbox:
        ran = run(sandbox, "cat /mnt/read/a; touch /mnt/read/x; touch /mnt/write/y")
        assert ran.stdout == b"from the host"
        assert b"Read-only" in ran.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["a", "y"]


def test_a_mount_that_the_sandbox_cannot_get_to_is_refused(provider, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root's sandboxes are another user")
    tmp_path.chmod(0o700)
    (tmp_path / "a").mkdir()
    with pytest.raises(UnsupportedSpecError, match="may not enter"):
        provider.start(SandboxSpec(limits=SPEC.limits, mounts=(Mount(str(tmp_path / "a"), "/mnt/a"),)))
    with pytest.raises(UnsupportedSpecError, match="missing"):
        provider.start(SandboxSpec(limits=SPEC.limits, mounts=(Mount("/nonexistent/a", "/mnt/a"),)))


def test_listed_hosts_and_no_others_are_reached_through_the_proxy(provider):
    with socket.create_server(("127.0.0.1", 0)) as listed, socket.create_server(("127.0.0.1", 0)) as other:
        ports = [server.getsockname()[1] for server in (listed, other)]
        network = Network(allow=(f"127.0.0.1:{ports[0]}",))
        with provider.start(SandboxSpec(limits=SPEC.limits, network=network)) as sandbox:
            for _ in range(2):
                asked = [
                    run(
                        sandbox,
                        "exec 9<> /dev/tcp/127.0.0.1/${http_proxy##*:}; "
                        f"printf 'CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\n' >&9; head -1 <&9",
                    ).stdout
                    for port in ports
                ]
                assert [reply.split()[1] for reply in asked] == [b"200", b"403"]
                sandbox.reset()


def test_a_server_inside_is_reached_through_an_endpoint(provider):
    server = (
        "$s = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1', LocalPort => 7070);"
        " while ($c = $s->accept) { print $c 'hello'; close $c }"
    )
    spec = SandboxSpec(limits=SPEC.limits, command=("perl", "-MIO::Socket::INET", "-e", server))
    with provider.start(spec) as sandbox:
        for _ in range(2):
            address = sandbox.endpoint(7070).removeprefix("unix:")
            deadline = time.monotonic() + 60
            content = b""
            while not content and time.monotonic() < deadline:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(address)
                    content = connection.recv(100)
            assert content == b"hello"
            sandbox.reset()
    assert not Path(address).exists()


def test_what_forks_stand_on_goes_with_the_last_of_them(provider, state):
    before = len(list(state.rglob("snapshot-*")))
    with provider.start(SPEC) as sandbox:
        run(sandbox, "echo a > a")
        forks = sandbox.fork(2)
        inner = forks[0].fork()[0]
        forks[0].close()
        assert run(inner, "cat a").stdout == b"a\n"
        forks[1].reset()
        assert run(forks[1], "ls").stdout == b""
        forks[1].close()
        assert run(inner, "cat a").stdout == b"a\n"
        inner.close()
    assert len(list(state.rglob("snapshot-*"))) == before


def test_nothing_is_left_after_closing(provider, state):
    def counts():
        mounts = Path("/proc/self/mountinfo").read_text().count(str(state))
        return mounts, len(list(state.rglob("agentgym-*")))

    provider.start(SPEC).close()
    before, ours = counts(), Holdings()
    for _ in range(5):
        sandbox = provider.start(SPEC)
        sandbox.exec(["true"])
        sandbox.endpoint(80)
        sandbox.reset()
        sandbox.endpoint(80)
        process = sandbox._process._process.pid
        sandbox.close()
        sandbox.close()
        assert not Path(f"/proc/{process}").exists()
    assert counts() == before
    ours.require_nothing_new()
    with pytest.raises(SandboxLostError):
        sandbox.exec(["true"])


def test_a_failed_start_leaves_nothing(provider, state, monkeypatch):
    provider.start(SPEC).close()
    mounts, before = Path("/proc/self/mountinfo").read_text().count(str(state)), Holdings()
    spec = SandboxSpec(limits=SPEC.limits, mounts=(Mount("/usr", "/proc/nowhere/x"),))
    with pytest.raises(SandboxStartError, match="bwrap: Can't"):
        provider.start(spec)
    before.require_nothing_new()
    assert Path("/proc/self/mountinfo").read_text().count(str(state)) == mounts
    assert not list(state.glob("owners/*/sandboxes/*"))


def test_a_killed_sandbox_is_lost_and_says_so(provider):
    with provider.start(SPEC) as sandbox:
        os.kill(sandbox._process._runner_pid, signal.SIGKILL)
        with pytest.raises(SandboxLostError):
            sandbox.exec(["true"])


def test_a_sandbox_outlives_the_thread_that_started_it(provider):
    started = []
    thread = threading.Thread(target=lambda: started.append(provider.start(SPEC)))
    thread.start()
    thread.join()
    time.sleep(0.2)
    with started[0] as sandbox:
        assert sandbox.exec(["true"]).is_ok


def test_sandboxes_end_with_their_owner(state):
    script = (
        "import os, time\n"
        "from agentgym.sandbox.engines.bubblewrap import BubblewrapProvider\n"
        "from agentgym.sandbox.spec import Limits, SandboxSpec\n"
        "spec = SandboxSpec(limits=Limits(cpus=None, memory_mib=None, work_mib=8, tmp_mib=4))\n"
        "provider = BubblewrapProvider()\n"
        "boxes = [provider.start(spec) for _ in range(5)]\n"
        "boxes[0].exec(['bash', '-c', 'setsid sleep 300 & disown'], keep_background=True)\n"
        "processes = [box._process for box in boxes]\n"
        "print(*(it._process.pid for it in processes), *(it._runner_pid for it in processes), flush=True)\n"
        "time.sleep(60)\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        pids = [int(pid) for pid in owner.stdout.readline().split()]
        assert len(pids) == 10
    finally:
        owner.kill()
        owner.wait()
        owner.stdout.close()
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    left = BubblewrapProvider().sweep()
    assert any("owners" in name for name in left)
    assert str(state) in " ".join(left)


def test_many_sandboxes_start_at_once(provider):
    boxes, errors = [], []

    def start():
        try:
            boxes.append(provider.start(SPEC))
        except Exception as error:  # noqa: BLE001 - shown below
            errors.append(error)

    threads = [threading.Thread(target=start) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len({box.id for box in boxes}) == 12
    for box in boxes:
        assert box.exec(["true"]).is_ok
        box.close()


# Modules may lie where only root can read them, so they are imported before its rights are given up.
ROOTLESS = """
import os, sys
from pathlib import Path
from agentgym.sandbox.engines.bubblewrap import BubblewrapProvider
from agentgym.sandbox.runner.binary import runner_binary
from agentgym.sandbox.spec import Limits, SandboxSpec
for folder in (runner_binary().parent, runner_binary().parent.parent):
    folder.chmod(0o755)
os.setgroups([])
os.setresgid(61500, 61500, 61500)
os.setresuid(61500, 61500, 61500)
provider = BubblewrapProvider()
work = Path(sys.argv[1])
(work / "a").write_text("pristine")
spec = SandboxSpec(limits=Limits(cpus=None, memory_mib=None, pids=32, work_mib=8, tmp_mib=4), work=str(work))
def run(box, script):
    ran = box.exec(["bash", "-c", script])
    return (ran.stdout + ran.stderr).decode().split()
with provider.start(spec) as box:
    assert run(box, "id -u; pwd; cat a") == ["1000", "/agentgym/work", "pristine"]
    assert "space" in run(box, "dd if=/dev/zero of=big bs=1M count=100; rm big")
    assert "unavailable" in run(box, "for i in $(seq 60); do sleep 1 & done")
    run(box, "echo mine > a; echo h > ~/h")
    fork = box.fork()[0]
    assert run(fork, "cat a ~/h") == ["mine", "h"]
    fork.close()
    box.reset()
    assert run(box, "cat a; ls ~") == ["pristine"]
print("rootless works")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_somebody_without_rights_gets_the_same():
    places = [Path(tempfile.mkdtemp(prefix="agentgym-rootless-")) for _ in range(2)]
    nobody = 61500
    for place in places:
        os.chown(place, nobody, nobody)
    env = {**os.environ, "HOME": str(places[0]), "AGENTGYM_STATE_DIR": str(places[0] / "state")}
    env["XDG_CACHE_HOME"] = str(places[0])
    try:
        argv = [sys.executable, "-c", ROOTLESS, str(places[1])]
        ran = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=120, check=False)
        assert ran.stdout == "rootless works\n", ran.stderr
    finally:
        for place in places:
            shutil.rmtree(place)


def test_a_machine_that_refuses_says_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxStartError, match="apt-get install bubblewrap"):
        BubblewrapProvider().capabilities()
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    tmp_path.chmod(0o755)
    with pytest.raises(SandboxStartError, match="cannot make a sandbox here"):
        BubblewrapProvider().capabilities()


def test_a_state_folder_that_lets_nobody_through_is_named(monkeypatch, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root's sandboxes are another user")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setenv("AGENTGYM_STATE_DIR", str(closed / "state"))
    with pytest.raises(SandboxStartError, match="AGENTGYM_STATE_DIR"):
        BubblewrapProvider().start(SPEC)
    this_owner().release()


def test_shared_files_name_nobody_of_the_host(tmp_path):
    runner = tmp_path / "runner"
    runner.write_bytes(b"x")
    shared = make_shared(tmp_path / "shared", Path("/"), runner)
    assert {line.split(":")[0] for line in (shared.etc / "passwd").read_text().splitlines()} == {
        "root",
        "agent",
        "nobody",
    }
    for name in ("shadow", "gshadow", "machine-id", "ssl/private", "ssh", "sudoers", "docker"):
        assert not (shared.etc / name).exists()
    assert (shared.etc / "hosts").read_text().startswith("127.0.0.1 localhost")


def test_permissions_decide_who_gets_to_a_path(tmp_path):
    tmp_path.chmod(0o711)
    inner = tmp_path / "inner"
    inner.mkdir(mode=0o700)
    os.chown(inner, 7, 8)
    inner.chmod(0o710)
    target = inner / "x"
    if why_unreachable(inner, 7, 7):
        assert "may not enter" in why_unreachable(target, 7, 7)
        return
    assert why_unreachable(target, 7, 9) == "", "its owner may not"


def test_a_forked_child_can_end_no_sandbox_of_its_parent(sandbox):
    sandbox.write_file("kept", b"yes")
    child = os.fork()
    if child == 0:
        try:
            with pytest.raises(SandboxLostError):
                sandbox.reset()
            sandbox.close()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert run(sandbox, "cat kept").stdout == b"yes"


def test_a_proxy_that_cannot_listen_leaves_nothing(provider, state, monkeypatch):
    def refuse(path, allow):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("agentgym.sandbox.engines.bubblewrap.EgressProxy", refuse)
    sandboxes = this_owner(state).folder / "sandboxes"
    before = os.listdir(sandboxes)
    with pytest.raises(SandboxStartError, match="Too many open files"):
        provider.start(SandboxSpec(limits=SPEC.limits, network=Network(allow=("localhost:9",))))
    assert os.listdir(sandboxes) == before


def test_a_start_without_descriptors_leaves_no_process(provider, monkeypatch):
    def refuse(pid):
        raise OSError(errno.EMFILE, "Too many open files")

    provider.start(SPEC).close()
    before = set(children())
    with monkeypatch.context() as patch:
        patch.setattr(os, "pidfd_open", refuse)
        with pytest.raises(SandboxStartError, match="Too many open files"):
            provider.start(SPEC)
    assert set(children()) == before


def children():
    """Processes that this one has started and not yet seen the end of."""
    return Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
