"""The scripts behind `make system`: they install what is missing, start an engine, and leave alone what is there."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
PROGRAMS = (
    "chromium",
    "chromium-headless-shell",
    "dockerd",
    "bwrap",
    "debootstrap",
    "podman",
    "iptables",
    "ip",
    "git",
    "stockfish",
    "postgres",
)


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A checkout with the scripts, and `bin`, which is all of PATH but /usr/sbin; its engine always answers."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "bin").mkdir()
    shutil.copy(SCRIPTS / "install_system.sh", tmp_path / "scripts")
    program(tmp_path / "scripts", "start_engine.sh", "echo engine asked for")
    return tmp_path


def install(machine: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(machine / "scripts" / "install_system.sh")],
        cwd=machine,
        env={"PATH": str(machine / "bin"), **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def with_everything(machine: Path) -> None:
    for name in PROGRAMS:
        program(machine / "bin", name, "exit 1")
    program(machine / "bin", "cc", "echo /lib/libc.a")
    program(machine / "bin", "sh", 'exec /bin/sh "$@"')


def with_apt(machine: Path, uid: int) -> None:
    program(machine / "bin", "apt-get", f'echo "$@" >> {machine}/apt.log')
    program(machine / "bin", "id", f"echo {uid}")
    program(machine / "bin", "sh", 'exec /bin/sh "$@"')


def test_nothing_is_installed_where_everything_is_there(machine: Path) -> None:
    with_everything(machine)
    with_apt(machine, 0)
    ended = install(machine)
    assert ended.returncode == 0
    assert "nothing to install" in ended.stdout
    assert "engine asked for" in ended.stdout
    assert "after make install" in ended.stdout
    assert not (machine / "apt.log").exists()


def test_missing_packages_alone_are_installed(machine: Path) -> None:
    with_everything(machine)
    with_apt(machine, 0)
    (machine / "bin" / "bwrap").unlink()
    program(machine / "bin", "cc", "echo libc.a")
    assert install(machine).returncode == 0
    update, installed = (machine / "apt.log").read_text().splitlines()
    assert update.startswith("update")
    assert installed.split()[-2:] == ["bubblewrap", "libc6-dev"]


def test_packages_are_named_where_they_cannot_be_installed(machine: Path) -> None:
    program(machine / "bin", "sh", 'exec /bin/sh "$@"')
    ended = install(machine)
    assert ended.returncode == 0
    assert "install these yourself: chromium" in ended.stdout
    with_apt(machine, 1000)
    ended = install(machine)
    assert ended.returncode == 0
    assert "run: sudo apt-get install chromium" in ended.stdout
    assert "without chromium: browser tests of the report page are skipped" in ended.stdout
    assert "without bubblewrap: tests of bubblewrap sandboxes are skipped" in ended.stdout
    assert not (machine / "apt.log").exists()


def test_a_user_with_sudo_has_the_engine_started_by_root(machine: Path) -> None:
    with_everything(machine)
    with_apt(machine, 1000)
    (machine / "bin" / "bwrap").unlink()
    program(machine / "bin", "sudo", 'shift; [ "$1" = true ] && exit 0; echo "as root: $*"; exec "$@"')
    program(machine / "bin", "env", 'while [ "${1#*=}" != "$1" ]; do shift; done; exec "$@"')
    ended = install(machine, DOCKER_HOST="unix:///some.sock")
    assert ended.returncode == 0, ended.stderr
    assert (machine / "apt.log").read_text().splitlines()[1].endswith("bubblewrap")
    assert "DOCKER_HOST=unix:///some.sock sh scripts/start_engine.sh" in ended.stdout.replace(f"{machine}/", "")
    assert "engine asked for" in ended.stdout


@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("", 0)])
def test_missing_engine_fails_continuous_integration_alone(machine: Path, ci: str, code: int) -> None:
    with_everything(machine)
    program(machine / "scripts", "start_engine.sh", "exit 1")
    ended = install(machine, CI=ci)
    assert ended.returncode == code
    assert "no container engine" in ended.stdout


@pytest.mark.parametrize(("build_code", "said"), [(0, "ready"), (1, "could not be built")])
def test_images_are_built_by_the_installed_command(machine: Path, build_code: int, said: str) -> None:
    with_everything(machine)
    (machine / ".venv" / "bin").mkdir(parents=True)
    program(machine / ".venv" / "bin", "agentgym", f'echo "called $@"; exit {build_code}')
    ended = install(machine)
    assert "called images build" in ended.stdout
    assert said in ended.stdout


@pytest.mark.parametrize(("pip_code", "ci", "code"), [(0, "true", 0), (1, "", 0), (1, "true", 1)])
def test_the_interpreter_of_bfcl_is_made_once(machine: Path, pip_code: int, ci: str, code: int) -> None:
    with_everything(machine)
    program(machine / "bin", "rm", 'exec /bin/rm "$@"')
    (machine / ".venv" / "bin").mkdir(parents=True)
    peer = machine / "build" / "peers" / "bfcl" / "bin"
    made = f'/bin/mkdir -p "$3/bin"; /bin/cp {machine}/peer "$3/bin/python"'
    program(machine / ".venv" / "bin", "python", made)
    can_import = f"[ -f {machine}/installed ]; exit $?"
    pip = f"echo installing $7 $8; [ {pip_code} = 0 ] && : > {machine}/installed; exit {pip_code}"
    program(machine, "peer", f'if [ "$1" = -c ]; then {can_import}; fi; {pip}')
    ended = install(machine, CI=ci)
    assert ended.returncode == code
    assert "installing -r scripts/../benchmarks/peers/bfcl/requirements.txt" in ended.stdout.replace(f"{machine}/", "")
    assert ("tests of its adapter are skipped" in ended.stdout) == bool(pip_code)
    assert (peer / "python").is_file() == (not pip_code)
    if not pip_code:
        assert "installing" not in install(machine, CI=ci).stdout


# The engine.


@dataclass
class Engine:
    """A second engine: its own folders, socket and network namespace, no bridge, no rules."""

    folder: Path

    @property
    def host(self) -> str:
        return f"unix://{self.folder}/docker.sock"

    @property
    def pid(self) -> int:
        return int((self.folder / "docker.pid").read_text())

    def start(self, *more: str) -> subprocess.CompletedProcess[str]:
        folder = self.folder
        own = [f"--data-root={folder}/data", f"--exec-root={folder}/exec", f"--pidfile={folder}/docker.pid"]
        # In a network namespace of its own: an engine without a bridge removes the one that the machine's engine uses.
        return subprocess.run(
            [
                "unshare",
                "--net",
                "sh",
                str(SCRIPTS / "start_engine.sh"),
                *own,
                "--bridge=none",
                "--iptables=false",
                *more,
            ],
            env={**os.environ, "DOCKER_HOST": self.host, "AGENTGYM_STATE_DIR": str(folder / "state")},
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )

    def stop(self, number: int) -> None:
        pid = self.pid
        os.kill(pid, number)
        deadline = time.monotonic() + 60
        while Path(f"/proc/{pid}").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)


@pytest.fixture
def engine() -> Iterator[Engine]:
    if os.geteuid() != 0 or shutil.which("dockerd", path=f"{os.environ['PATH']}:/usr/sbin") is None:
        pytest.skip("starting an engine of its own takes root and dockerd")
    folder = Path(tempfile.mkdtemp(prefix="agentgym-engine-"))  # short: a socket's path has at most 107 bytes
    second = Engine(folder)
    yield second
    if (folder / "docker.pid").exists() and Path(f"/proc/{second.pid}/comm").read_text() == "dockerd\n":
        second.stop(signal.SIGTERM)
    left = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines() if f" {folder}/" in line]
    for point in reversed(left):
        subprocess.run(["umount", point], timeout=60, check=True)
    shutil.rmtree(folder)


def test_engine_starts_and_starts_again_after_it_was_killed(engine: Engine) -> None:
    started = engine.start()
    assert started.returncode == 0, started.stderr
    assert "starting dockerd" in started.stdout
    assert os.getsid(engine.pid) == engine.pid
    again = engine.start()
    assert (again.returncode, "nothing to do" in again.stdout) == (0, True)
    first = engine.pid
    engine.stop(signal.SIGKILL)
    # Process numbers come round: the file names somebody else by now, and so does containerd's.
    (engine.folder / "docker.pid").write_text(str(os.getpid()))
    (engine.folder / "exec" / "containerd" / "containerd.pid").write_text(str(os.getpid()))
    restarted = engine.start()
    assert restarted.returncode == 0, restarted.stderr
    assert engine.pid not in (first, os.getpid())


def test_engine_that_cannot_start_shows_the_end_of_its_log(engine: Engine) -> None:
    ended = engine.start("--storage-driver=no-such-driver")
    assert ended.returncode == 1
    assert "no-such-driver" in ended.stderr
    assert str(engine.folder / "state" / "dockerd.log") in ended.stderr


def test_engine_elsewhere_is_not_started_here() -> None:
    ended = subprocess.run(
        ["sh", str(SCRIPTS / "start_engine.sh")],
        env={**os.environ, "DOCKER_HOST": "tcp://127.0.0.1:1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    assert "only an engine on a socket of this machine" in ended.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_user_without_rights_is_told_so_at_once() -> None:
    with tempfile.TemporaryDirectory(prefix="agentgym-engine-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copy(SCRIPTS / "start_engine.sh", folder)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(folder / "docker.sock"))
            (folder / "docker.sock").chmod(0o600)
            listener.listen()
            ended = subprocess.run(
                ["/bin/sh", str(folder / "start_engine.sh")],
                cwd="/",
                env={"PATH": "/usr/bin:/bin", "DOCKER_HOST": f"unix://{folder}/docker.sock"},
                user=65534,
                group=65534,
                extra_groups=[],
                capture_output=True,
                text=True,
                timeout=30,
                check=False,
            )
    assert ended.returncode == 1
    assert "usermod -aG docker" in ended.stderr
