"""The PostgreSQL server: what keeps it from starting, and that it ends with its owner, however that ends."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import ConfigError, SandboxLostError, SandboxStartError
from agentgym_tools.sql.env import SqlEnv
from agentgym_tools.sql.postgres import pool, programs, server
from agentgym_tools.sql.postgres.database import PostgresDatabase

PLACE = ("library", 1, False)
COUNT = "SELECT COUNT(*) FROM member"
OWNER = """
import sys
from agentgym_tools.sql.postgres.database import PostgresDatabase
database = PostgresDatabase(("library", 1, True))
print(database._pool.server.folder, (database._pool.server.folder / "data" / "postmaster.pid").read_text().split()[0],
    flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _no_server_left():
    yield
    pool.stop()


def is_gone(pid: int, folder: Path) -> bool:
    """Whether a server and its folder are gone within some seconds."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if not Path(f"/proc/{pid}").exists() and not folder.exists():
            return True
        time.sleep(0.05)
    return False


def pid_of(found: server.Server) -> int:
    return int((found.folder / "data" / "postmaster.pid").read_text().split()[0])


@pytest.mark.parametrize("way", ["exit", "SIGTERM", "SIGKILL"])
def test_server_ends_with_its_owner(way):
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    folder, pid = owner.stdout.readline().split()
    assert Path(f"/proc/{pid}").exists()
    if way == "exit":
        owner.stdin.close()
    else:
        owner.send_signal(signal.Signals[way])
    owner.wait(60)
    owner.stdin.close()
    owner.stdout.close()
    assert is_gone(int(pid), Path(folder))


def test_server_ends_when_it_is_stopped_and_when_its_watcher_is_killed():
    stopped = server.Server()
    pid = pid_of(stopped)
    stopped.stop()
    assert is_gone(pid, stopped.folder)
    stopped.stop()
    orphan = server.Server()
    pid = pid_of(orphan)
    orphan._watcher.kill()
    orphan._watcher.wait()
    orphan.stop()
    assert is_gone(pid, orphan.folder)


def test_server_listens_on_its_socket_alone_as_an_unprivileged_user():
    found = pool.current_pool()
    pid = pid_of(found.server)
    assert os.stat(f"/proc/{pid}").st_uid != 0
    assert found.server.folder.stat().st_mode & 0o077 == 0
    shown = [found.server.keeper.execute(f"SHOW {name}").fetchone()[0] for name in ("listen_addresses", "fsync")]
    assert shown == ["", "off"]


def test_server_killed_in_an_episode_is_a_fault_of_infrastructure_and_the_next_episode_has_another(make_task):
    env = SqlEnv(engine="postgres")
    env.reset(options={"task": make_task(COUNT)})
    killed = pool.current_pool().server
    os.kill(pid_of(killed), signal.SIGKILL)
    killed._watcher.wait(60)
    with pytest.raises(SandboxLostError, match="starts another server"):
        env.step(call_text("query", sql=COUNT))
    env.reset(options={"task": make_task(COUNT)})
    assert pool.current_pool().server is not killed
    assert env.step(call_text("answer", sql=COUNT))[-1]["success"] is True
    env.close()
    assert not killed.folder.exists()


def test_process_of_one_connection_killed_loses_the_episode_alone(make_task):
    database = PostgresDatabase(PLACE)
    os.kill(database._seat.session._connection.info.backend_pid, signal.SIGKILL)
    with pytest.raises(SandboxLostError):
        database.read(COUNT, 1)
    database.close()
    after = PostgresDatabase(PLACE)
    assert after.read(COUNT, 1).rows[0][0] > 0
    after.close()


def test_server_that_is_not_installed_is_an_error_that_names_package_and_command(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(programs, "_DEBIAN_FOLDER", tmp_path)
    with pytest.raises(ConfigError, match=r"make system, or: sudo apt-get install postgresql-15"):
        PostgresDatabase(PLACE)


def test_old_version_is_refused(monkeypatch, tmp_path):
    for name, text in (("postgres", "echo postgres 9.6.1"), ("initdb", "exit 1")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    monkeypatch.setattr(programs, "_DEBIAN_FOLDER", tmp_path / "none")
    with pytest.raises(ConfigError, match=r"needs PostgreSQL 15 or later, found: postgres 9\.6\.1"):
        PostgresDatabase(PLACE)


def test_path_too_long_for_a_socket_is_refused(monkeypatch, tmp_path):
    long = tmp_path / ("x" * 90)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    with pytest.raises(SandboxStartError, match=r"at most 107: .* name a shorter folder in TMPDIR"):
        server.Server()
    assert list(long.iterdir()) == []


def test_folder_that_cannot_be_written_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    with pytest.raises(SandboxStartError, match="name a folder that may be written in TMPDIR"):
        server.Server()


def test_image_of_another_version_or_half_an_image_is_made_anew(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    server.Server().stop()
    (image,) = (tmp_path / "agentgym" / "postgres").iterdir()
    (image / "PG_VERSION").write_text("14\n")
    shutil.rmtree(image / "base")
    second = server.Server()
    assert second.is_alive()
    second.stop()
    assert (image / "base").is_dir()
