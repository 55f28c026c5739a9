"""Sandboxes in containers: hardened, clean after a reset, copied by a fork, and gone without a trace."""

import dataclasses
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from agentgym.errors import (
    SandboxDirtyError,
    SandboxError,
    SandboxFileError,
    SandboxLostError,
    SandboxStartError,
    UnsupportedSpecError,
)
from agentgym.sandbox.engines import docker_container
from agentgym.sandbox.engines.docker_container import DockerContainer
from agentgym.sandbox.engines.docker_sandbox import DockerSandbox
from agentgym.sandbox.spec import Limits, Mount, Network
from tests.sandbox.docker_engine import SPEC, running_provider, shell
from tests.sandbox.engine import has_engine

pytestmark = [
    pytest.mark.skipif(not has_engine(), reason="no container engine answers"),
    pytest.mark.skipif(os.geteuid() != 0, reason="work folders as overlays need root"),
]


@pytest.fixture(scope="module")
def provider():
    with running_provider() as provider:
        yield provider


@pytest.fixture
def fresh_provider():
    with running_provider(is_warm=False) as provider:
        yield provider


@pytest.fixture(scope="module")
def shared(provider):
    """One sandbox for tests that leave it as it was."""
    with provider.start(SPEC) as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(provider):
    with provider.start(SPEC) as sandbox:
        yield sandbox


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    (folder / "src").mkdir(parents=True)
    for number in range(20):
        (folder / "src" / f"file{number}").write_text(f"{number}\n")
    return folder


def output(sandbox, script):
    ran = shell(sandbox, script)
    assert ran.is_ok, ran.text()
    return ran.stdout.decode()


def in_background(call):
    outcome = []

    def run():
        try:
            outcome.append(call())
        except BaseException as error:  # noqa: BLE001 - handed to the test
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, outcome


# Hardening.


def test_commands_run_as_the_agent_in_the_work_folder_with_the_spec_s_variables(provider):
    with provider.start(dataclasses.replace(SPEC, env={"TASK": "seven"})) as sandbox:
        said = output(sandbox, "id -un; id -u; id -g; pwd; echo $HOME $TASK; touch ~/file file && ls ~")
    assert said.splitlines() == ["agent", "1000", "1000", "/agentgym/work", "/home/agent seven", "file"]


def test_no_capabilities_no_new_privileges_seccomp_and_no_dumps(shared):
    status = dict(
        line.split(":\t", 1) for line in output(shared, "cat /proc/self/status").splitlines() if ":\t" in line
    )
    assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
    assert output(shared, "ulimit -c").strip() == "0"


@pytest.mark.parametrize(
    "path", ["/", "/etc", "/usr/bin", "/agentgym", "/run/agentgym", "/dev", "/proc/sys/kernel", "/sys"]
)
def test_only_the_work_and_temporary_folders_can_be_written_to(shared, path):
    assert not shell(shared, f"touch {path}/x").is_ok


def test_the_first_process_is_the_runner_and_cannot_be_killed_or_read(shared):
    assert output(shared, "cat /proc/1/comm").strip() == "agentgym-runner"
    assert not shell(shared, "kill -9 1; cat /proc/1/environ").is_ok
    assert shared.exec(["true"]).is_ok


def test_no_network_but_an_own_loopback(shared):
    assert output(shared, "ls /sys/class/net").split() == ["lo"]
    assert len(output(shared, "cat /proc/net/route").splitlines()) == 1
    assert output(shared, "getent ahosts localhost | grep -c ^127.0.0.1").strip() == "3"
    assert "/32 host LOCAL" in output(shared, "cat /proc/net/fib_trie")
    with pytest.raises(ConnectionRefusedError):
        shared.connect(8000)
    ours = os.readlink("/proc/self/ns/net")
    assert os.readlink(f"/proc/{shared._container.pid}/ns/net") != ours


def test_a_container_in_the_host_s_network_is_refused(provider, monkeypatch):
    before = provider.footprint()
    arguments = docker_container.creation_arguments

    def in_host_network(client, plan):
        made = arguments(client, plan)
        made["host_config"]["NetworkMode"] = "host"
        return {**made, "network_disabled": False}

    monkeypatch.setattr(docker_container, "creation_arguments", in_host_network)
    with pytest.raises(SandboxStartError, match="network of the host"):
        provider.start(SPEC)
    assert provider.settled(before) == before


def test_nothing_of_the_host_s_environment_or_engine_is_inside(shared, monkeypatch):
    monkeypatch.setenv("AGENTGYM_SECRET", "s3cret")
    assert "s3cret" not in output(shared, "env; cat /proc/*/environ 2>/dev/null; true")
    assert not shell(shared, "ls /var/run/docker.sock /run/docker.sock").is_ok
    assert not shell(shared, "ls /run/agentgym").is_ok
    assert not shell(shared, "test -e /run/agentgym/control.sock").is_ok


def test_the_engine_holds_the_limits_and_the_labels(provider, shared):
    found = provider.host.client.api.inspect_container(shared.id)
    host = found["HostConfig"]
    assert (host["Memory"], host["MemorySwap"]) == (128 << 20, 128 << 20)
    assert (host["NanoCpus"], host["PidsLimit"]) == (10**9, 64)
    assert (host["ReadonlyRootfs"], host["AutoRemove"]) == (True, True)
    assert host["LogConfig"]["Type"] == "none"
    labels = found["Config"]["Labels"]
    assert labels["agentgym.owner"] == provider.owner.id
    assert labels["agentgym.sandbox"] == shared.id
    assert labels["agentgym.spec"] == SPEC.key
    assert labels["agentgym.lease"] == "3600.0"


def test_mounts_are_read_only_unless_they_say_otherwise(provider, tmp_path):
    tmp_path.chmod(0o777)
    (tmp_path / "given").write_text("content")
    mounts = (Mount(str(tmp_path), "/mnt/ro"), Mount(str(tmp_path), "/mnt/rw", writable=True))
    with provider.start(dataclasses.replace(SPEC, mounts=mounts)) as sandbox:
        assert output(sandbox, "cat /mnt/ro/given") == "content"
        assert not shell(sandbox, "touch /mnt/ro/new").is_ok
        assert shell(sandbox, "touch /mnt/rw/new").is_ok
    assert (tmp_path / "new").exists()


def test_root_inside_cannot_write_beside_the_work_folder_and_is_made_anew(provider):
    with provider.start(dataclasses.replace(SPEC, user="root")) as sandbox:
        assert output(sandbox, "id -u") == "0\n"
        assert not shell(sandbox, "touch /agentgym/x").is_ok
        assert not shell(sandbox, "chmod 777 /agentgym").is_ok
        assert shell(sandbox, "touch x ~/y").is_ok
        report = sandbox.reset()
        assert (report.method, "root" in report.why) == ("recreate", True)
        assert output(sandbox, "ls; ls ~") == ""


@pytest.mark.parametrize(
    ("user", "expected"), [("nobody", "nobody 65534"), ("1234", "user1234 1234"), ("1", "daemon 1")]
)
def test_users_of_the_image_and_numbers_work(provider, user, expected):
    with provider.start(dataclasses.replace(SPEC, user=user)) as sandbox:
        assert output(sandbox, "echo $(id -un) $(id -u); touch x").strip() == expected


# Specs that are refused.


def test_writable_root_needs_the_word_that_its_size_has_no_limit(provider):
    spec = dataclasses.replace(SPEC, writable_root=True)
    with pytest.raises(UnsupportedSpecError, match=r"spec\.relaxed\('work_mib'\)"):
        provider.start(spec)
    with provider.start(dataclasses.replace(spec.relaxed("work_mib"), user="root")) as sandbox:
        shell(sandbox, "echo x > /etc/changed")
        assert output(sandbox, "cat /etc/changed") == "x\n"
        assert sandbox.reset().method == "recreate"
        assert not shell(sandbox, "cat /etc/changed").is_ok


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        ({"image": "agentgym-test-absent:1"}, SandboxStartError, "docker pull"),
        ({"user": "nosuchuser"}, UnsupportedSpecError, "no user"),
        ({"mounts": (Mount("/nonexistent/folder", "/mnt/x"),)}, SandboxStartError, "nonexistent"),
        ({"work": "/nonexistent/folder"}, ValueError, "no folder"),
        ({"limits": Limits(memory_mib=1)}, SandboxStartError, "memory"),
    ],
)
def test_a_start_that_fails_leaves_nothing(provider, change, error, told):
    before = provider.footprint()
    with pytest.raises(error, match=told):
        provider.start(dataclasses.replace(SPEC, **change))
    assert provider.settled(before) == before


def test_a_runner_that_does_not_report_leaves_nothing(provider, monkeypatch):
    monkeypatch.setattr("agentgym.sandbox.engines.docker_container._REPORT_WAIT_S", 0.5)
    monkeypatch.setattr("agentgym.sandbox.engines.docker_container.DockerContainer._is_runner", lambda self, pid: False)
    before = provider.footprint()
    with pytest.raises(SandboxStartError, match="not its runner"):
        provider.start(SPEC)
    assert provider.settled(before) == before


# Coming back.


def test_reset_in_place_leaves_no_file_process_or_shared_memory(provider, repository):
    with provider.start(dataclasses.replace(SPEC, work=str(repository))) as sandbox:
        identity = sandbox.id
        shell(
            sandbox,
            "echo changed > src/file1; rm src/file2; mkdir -p new/deep; mv src/file3 new; chmod 0 new;"
            "echo x > /tmp/x; echo x > ~/.bashrc; echo x > /dev/shm/x; touch -t 200001010000 src;"
            "sleep 1000 & setsid sleep 1000 & (setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' &)",
            keep_background=True,
        )
        report = sandbox.reset()
        assert (report.method, report.why, sandbox.id) == ("in_place", "", identity)
        assert output(sandbox, "cat src/* | sort -n | tail -1; ls . src | wc -l; ls -A /tmp ~ /dev/shm") == (
            "19\n24\n/dev/shm:\n\n/home/agent:\n\n/tmp:\n"
        )
        assert "sleep" not in output(sandbox, "cat /proc/[0-9]*/comm")


def test_thirty_resets_leave_the_footprint_as_it_was(provider, sandbox):
    before = provider.footprint()
    for number in range(30):
        sandbox.write_file(f"file{number}", b"x")
        assert sandbox.reset().method == "in_place"
    assert provider.footprint() == before
    assert output(sandbox, "ls -A") == ""


def test_a_sandbox_that_cannot_be_unmounted_is_quarantined(provider, monkeypatch):
    monkeypatch.setattr("agentgym.sandbox.leasing.workspace._BUSY_WAIT_S", 0.05)
    before = provider.footprint()
    sandbox = provider.start(SPEC)
    with (
        open(sandbox._container.workspace.work / "held", "w"),
        pytest.raises(SandboxDirtyError, match="could not be put back"),
    ):
        sandbox.reset()
    with pytest.raises(SandboxLostError):
        sandbox.exec(["true"])
    assert provider.settled(before) == before


@pytest.mark.parametrize(
    ("dirt", "told"),
    [("sleep 1000 &", "processes 1"), ("touch /tmp/.hidden", "leftovers 1"), ("touch /dev/mqueue/q", "leftovers 1")],
)
def test_the_canary_sees_what_a_clear_would_have_missed(provider, monkeypatch, dirt, told):
    sandbox = provider.start(SPEC)
    monkeypatch.setattr(sandbox, "clear", lambda folders: shell(sandbox, dirt, cwd="/", keep_background=True))
    with pytest.raises(SandboxDirtyError, match=told):
        sandbox.reset()
    with pytest.raises(SandboxLostError):
        sandbox.exec(["true"])


def test_the_canary_sees_a_work_folder_that_is_not_the_new_one(provider, monkeypatch):
    sandbox = provider.start(SPEC)
    monkeypatch.setattr(sandbox._container.workspace, "reset", lambda layers: None)
    monkeypatch.setattr(type(sandbox._container.workspace), "device", "0:0")
    with pytest.raises(SandboxDirtyError, match="does not see"):
        sandbox.reset()


# Copies.


def test_snapshot_is_a_state_to_come_back_to_again_and_again(provider, repository):
    with provider.start(dataclasses.replace(SPEC, work=str(repository))) as sandbox:
        shell(sandbox, "echo one > src/file1; rm src/file2; echo t > /tmp/t; ln -s /etc/passwd ~/link; mkfifo pipe")
        snapshot = sandbox.snapshot()
        for _ in range(2):
            shell(sandbox, "echo two > src/file1; rm -rf /tmp/t src/file4")
            assert sandbox.reset(snapshot).method == "in_place"
            assert output(sandbox, "cat src/file1 /tmp/t src/file4; ls src | wc -l; readlink ~/link") == (
                "one\nt\n4\n19\n/etc/passwd\n"
            )
        sandbox.reset()
        assert output(sandbox, "cat src/file1; ls src | wc -l; ls /tmp") == "1\n20\n"
        provider.discard(snapshot)


def test_forks_part_ways_and_outlive_what_they_came_from(provider, repository):
    before = provider.footprint()
    parent = provider.start(dataclasses.replace(SPEC, work=str(repository)))
    shell(parent, "echo fork > src/file1; echo t > /tmp/t")
    children = parent.fork(3)
    parent.close()
    for number, child in enumerate(children):
        shell(child, f"echo {number} >> src/file1")
    grandchild = children[1].fork()[0]
    for child in children:
        child.close()
    assert output(grandchild, "cat src/file1 /tmp/t src/file2") == "fork\n1\nt\n2\n"
    assert grandchild.reset().method == "in_place"
    assert output(grandchild, "cat src/file1") == "1\n"
    grandchild.close()
    assert provider.settled(before) == before
    assert os.listdir(provider.owner.folder / "snapshots") == []


def test_a_fork_that_fails_half_way_leaves_nothing(provider, sandbox, monkeypatch):
    before = provider.footprint()
    make, calls = DockerContainer, []

    def fail_third(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise SandboxStartError("no room")
        return make(*arguments)

    monkeypatch.setattr("agentgym.sandbox.engines.docker_sandbox.DockerContainer", fail_third)
    with pytest.raises(SandboxStartError, match="no room"):
        sandbox.fork(3)
    assert provider.settled(before) == before


def test_a_snapshot_of_a_hostile_tree_is_refused_and_leaves_nothing(provider, sandbox):
    shell(sandbox, "cd /tmp; for i in $(seq 300); do mkdir d; cd d; done")
    with pytest.raises(SandboxError, match="nest deeper"):
        sandbox.snapshot()
    assert os.listdir(provider.owner.folder / "snapshots") == []
    assert sandbox.reset().method == "in_place"


# Being lost.


@pytest.mark.parametrize(("how", "told"), [("kill", "signal 9"), ("stop", "signal"), ("remove", "signal 9")])
def test_a_container_killed_under_a_command_is_lost_and_says_why(provider, how, told):
    before = provider.footprint()
    sandbox = provider.start(SPEC)
    thread, outcome = in_background(lambda: sandbox.exec(["sleep", "60"]))
    time.sleep(0.3)
    container = provider.host.client.containers.get(sandbox.id)
    {"kill": container.kill, "stop": lambda: container.stop(timeout=1), "remove": lambda: container.remove(force=True)}[
        how
    ]()
    thread.join(timeout=60)
    assert isinstance(outcome[0], SandboxLostError)
    assert told in str(outcome[0])
    assert sandbox.is_lost()
    for call in (lambda: sandbox.exec(["true"]), lambda: sandbox.read_file("x"), sandbox.reset, sandbox.snapshot):
        with pytest.raises(SandboxLostError):
            call()
    sandbox.close()
    assert provider.settled(before) == before


def test_the_others_are_undisturbed_by_a_lost_one(provider):
    sandboxes = [provider.start(SPEC) for _ in range(3)]
    provider.host.client.containers.get(sandboxes[0].id).kill()
    assert [sandbox.exec(["true"]).is_ok for sandbox in sandboxes[1:]] == [True, True]
    for sandbox in sandboxes:
        sandbox.close()


def test_close_ends_what_runs_and_twice_is_harmless(provider):
    before = provider.footprint()
    sandbox = provider.start(SPEC)
    thread, outcome = in_background(lambda: sandbox.exec(["sleep", "60"]))
    time.sleep(0.2)
    sandbox.close()
    sandbox.close()
    thread.join(timeout=60)
    assert isinstance(outcome[0], SandboxLostError)
    assert provider.settled(before) == before


def test_a_container_whose_creation_was_never_answered_is_removed(provider, monkeypatch):
    real, before = provider.host.client.api.create_container, provider.footprint()

    def unanswered(**arguments):
        real(**arguments)
        raise ConnectionError("the engine hung up")

    monkeypatch.setattr(provider.host.client.api, "create_container", unanswered)
    with pytest.raises(SandboxStartError, match="hung up"):
        provider.start(SPEC)
    assert provider.settled(before) == before


def test_starts_and_closes_in_parallel_leave_nothing(provider):
    before = provider.footprint()

    def live(number):
        with provider.start(SPEC) as sandbox:
            return sandbox.exec(["echo", str(number)]).stdout

    with ThreadPoolExecutor(8) as executor:
        assert list(executor.map(live, range(24))) == [f"{number}\n".encode() for number in range(24)]
    assert provider.settled(before) == before


OWN_SANDBOXES = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.leasing.watcher import watch
from tests.sandbox.docker_engine import SPEC
provider = DockerProvider(state=Path(sys.argv[1]))
if sys.argv[3] == "watched":
    watch(provider.owner)
with ThreadPoolExecutor(8) as executor:
    sandboxes = list(executor.map(lambda _: provider.start(SPEC), range(int(sys.argv[2]))))
for sandbox in sandboxes:
    sandbox.exec(["sh", "-c", "setsid sleep 1000 & echo x > file"], keep_background=True)
print("ready", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize(
    ("kind", "step"), [(DockerContainer, "sees_work_folder"), (DockerSandbox, "_why_not_in_place")]
)
def test_a_container_killed_before_it_is_ready_leaves_nothing(fresh_provider, monkeypatch, kind, step):
    began = getattr(kind, step)

    def killed_first(owner):
        if not owner.control.is_lost():
            fresh_provider.host.client.api.kill(owner.id, signal=signal.SIGKILL)
            assert owner.control.is_lost(10_000)
        return began(owner)

    before = fresh_provider.footprint()
    monkeypatch.setattr(kind, step, killed_first)
    with pytest.raises(SandboxLostError, match="is gone: it was killed from outside with signal 9"):
        fresh_provider.start(SPEC)
    gc.collect()  # a socket left open would be told here
    assert fresh_provider.footprint() == before


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["watched", "swept"])
def test_a_kill_of_the_owner_of_ten_sandboxes_leaves_none(fresh_provider, mode):
    """Of fifty, in `test_faults`."""
    other = fresh_provider
    owners = other.owner.state / "owners"
    bystander = other.start(SPEC)
    before = other.footprint()
    command = [sys.executable, "-c", OWN_SANDBOXES, str(other.owner.state), "10", mode]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    with process:
        assert process.stdout.readline() == "ready\n"
        assert other.footprint().containers == before.containers + 10
        os.killpg(process.pid, signal.SIGKILL)
    if mode == "swept":
        assert len(other.sweep()) > 0
    assert other.settled(before, timeout_s=60) == before
    deadline = time.monotonic() + 60
    while os.listdir(owners) != [other.owner.id] and time.monotonic() < deadline:
        time.sleep(0.1)
    assert os.listdir(owners) == [other.owner.id]
    assert bystander.exec(["true"]).is_ok
    bystander.close()


# Networks.


def test_members_of_a_group_know_each_other_by_name_and_nobody_else(provider):
    before = provider.footprint()
    web = provider.start(dataclasses.replace(SPEC, network=Network(group="shop", alias="web")))
    agent = provider.start(dataclasses.replace(SPEC, network=Network(group="shop", alias="agent")))
    stranger = provider.start(dataclasses.replace(SPEC, network=Network(group="other", alias="web2")))
    known = output(agent, "getent hosts web | awk '{print $1}'").strip()
    assert known == output(web, "hostname -i").strip()
    assert not shell(stranger, "getent hosts web", timeout_s=20).is_ok
    assert not shell(agent, "getent hosts example.com", timeout_s=20).is_ok
    network = provider.host.client.api.networks(names=[f"agentgym-{provider.owner.id}-shop"])[0]
    assert network["Internal"]
    address = ["ip", "-o", "-4", "addr", "show", f"br-{network['Id'][:12]}"]
    assert subprocess.run(address, capture_output=True, text=True, check=True).stdout == ""
    for sandbox in (web, agent, stranger):
        sandbox.close()
    assert provider.settled(before) == before


def test_an_allowlist_is_reached_through_the_proxy_alone(provider):
    spec = dataclasses.replace(SPEC, network=Network(allow=("listed.example",)))
    with provider.start(spec) as sandbox:
        assert output(sandbox, "echo $HTTPS_PROXY $http_proxy; ls /sys/class/net") == (
            "http://127.0.0.1:8118 http://127.0.0.1:8118\nlo\n"
        )
        ask = (
            "exec 3<>/dev/tcp/127.0.0.1/8118; printf 'CONNECT other.example:443 HTTP/1.1\\r\\n\\r\\n' >&3; head -1 <&3"
        )
        for _ in range(2):
            assert b"403" in sandbox.exec(["bash", "-c", ask]).stdout
            assert sandbox.reset().method == "in_place"


def test_the_spec_s_command_and_endpoints_come_back_after_a_reset(provider, tmp_path):
    (tmp_path / "serve.sh").write_text("echo $$ > /tmp/started; exec sleep 1000")
    spec = dataclasses.replace(SPEC, work=str(tmp_path), command=("sh", "/agentgym/work/serve.sh"))
    with provider.start(spec) as sandbox:
        for _ in range(3):
            deadline = time.monotonic() + 60
            while not shell(sandbox, "test -s /tmp/started").is_ok and time.monotonic() < deadline:
                time.sleep(0.01)
            assert shell(sandbox, "kill -0 $(cat /tmp/started)").is_ok
            sandbox.interrupt()
            assert shell(sandbox, "kill -0 $(cat /tmp/started)").is_ok
            path = sandbox.endpoint(8000).removeprefix("unix:")
            assert os.path.exists(path)
            assert sandbox.reset().method == "in_place"
            assert not os.path.exists(path)


# Without root on the engine's host.


@pytest.fixture
def plain_provider(monkeypatch):
    monkeypatch.setattr("agentgym.sandbox.engines.docker.os.geteuid", lambda: 1000)
    with running_provider(is_warm=False) as provider:
        assert not provider.capabilities().in_place_reset
        yield provider


def test_without_mounts_the_work_folder_is_in_memory_and_a_reset_makes_it_anew(plain_provider, repository):
    assert "needs root" in plain_provider.capabilities().notes["in_place_reset"]
    with plain_provider.start(dataclasses.replace(SPEC, work=str(repository))) as sandbox:
        assert output(sandbox, "cat src/file7; id -un; pwd") == "7\nagent\n/agentgym/work\n"
        assert b"No space left" in shell(sandbox, "head -c 40M /dev/zero > large").stderr
        report = sandbox.reset()
        assert (report.method, "needs root" in report.why) == ("recreate", True)
        assert output(sandbox, "ls; ls src | wc -l") == "src\n20\n"
        with pytest.raises(SandboxError, match="cannot be snapshotted"):
            sandbox.snapshot()


def test_a_file_in_a_folder_of_the_image_can_be_read_but_not_written(shared):
    assert shared.read_file("/etc/debian_version").startswith(b"12")
    with pytest.raises(SandboxFileError):
        shared.write_file("/etc/new", b"x")
