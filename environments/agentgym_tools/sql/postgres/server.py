"""One PostgreSQL server of this process: a cluster of its own in a temporary folder, reached by a socket alone.

A fresh cluster is made once for a user and kept in the cache folder as an image; each server runs on a copy, which is
removed with it. `watcher` sees to its end.
"""

from __future__ import annotations

import hashlib
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentgym.errors import SandboxStartError
from agentgym.sandbox.once import cache_folder, only_one
from agentgym_tools.sql.postgres import watcher
from agentgym_tools.sql.postgres.programs import Programs, find_programs, identity, major, psycopg, run_as, server_user
from agentgym_tools.sql.postgres.template import KEEPER, STATEMENTS

if TYPE_CHECKING:
    import psycopg as driver

_MAX_SOCKET_PATH = 107
_START_S, _STOP_S = 60.0, 20.0
_POLL_S = 0.01
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "32MB",
    "min_wal_size": "2MB",
    "autovacuum": "off",
    "shared_buffers": "32MB",
    "work_mem": "4MB",
    "temp_file_limit": "32MB",
    "max_connections": "120",
    "max_parallel_workers_per_gather": "0",
    "max_worker_processes": "0",
    "jit": "off",
    "track_activities": "off",
    "timezone": "UTC",
    "datestyle": "ISO, YMD",
    "log_timezone": "UTC",
    "log_min_messages": "fatal",
    # Plans that read and group in the order of keys: equal rows have equal results, whatever was changed meanwhile.
    "enable_hashagg": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "join_collapse_limit": "1",
    "from_collapse_limit": "1",
}


class Server:
    """A running server.

    Attributes:
        folder: Its folder; the socket is in it.
        keeper: The connection of the role that owns everything, in autocommit mode.

    Raises:
        ConfigError: PostgreSQL is not installed, or there is nobody to run it.
        MissingExtraError: The driver is not installed.
        SandboxStartError: It could not be started: no room, no rights, or too long a path.
    """

    def __init__(self) -> None:
        connect = psycopg().connect
        programs, self._user = find_programs(), server_user()
        self.owner = os.getpid()
        self.folder = self._make_folder()
        try:
            self._fill(programs)
            self._watcher = self._launch(programs)
        except OSError as error:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise SandboxStartError(
                f"PostgreSQL could not be started in {self.folder}: {error}; free room there, or name other folders in "
                "TMPDIR and XDG_CACHE_HOME"
            ) from error
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        self.keeper = self._wait(connect)

    def connect(self, role: str, database: str, **settings: str) -> driver.Connection[Any]:
        """A new connection in autocommit mode."""
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        found: driver.Connection[Any] = psycopg().connect(
            host=str(self.folder), user=role, dbname=database, options=options, autocommit=True
        )
        return found

    def is_alive(self) -> bool:
        """Whether it runs."""
        if self._watcher.poll() is not None:
            return False
        link = self.keeper.pgconn
        if self.keeper.closed or link.status != psycopg().pq.ConnStatus.OK:
            return False
        ready = select.poll()
        ready.register(link.socket, select.POLLIN)
        if not ready.poll(0):  # a server that ends says so, or closes the connection
            return True
        try:
            self.keeper.execute("SELECT 1")
        except psycopg().OperationalError:
            return False
        return True

    def stop(self) -> None:
        """End it and remove its folder; harmless for one that has ended."""
        self.keeper.close()
        self._end()

    def _end(self) -> None:
        order = self._watcher.stdin
        if order is not None and not order.closed:
            # The end of the pipe alone would not reach it while a forked child has a copy. It may have ended.
            with suppress(BrokenPipeError), order:
                order.write(b"\n")
        try:
            self._watcher.wait(_STOP_S)
        except subprocess.TimeoutExpired:  # a signal at its death ends the server
            self._watcher.kill()
            self._watcher.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _make_folder(self) -> Path:
        try:
            folder = Path(tempfile.mkdtemp(prefix="agentgym-postgres-"))
        except OSError as error:
            raise SandboxStartError(
                f"there is no folder for PostgreSQL's files ({error}); name a folder that may be written in TMPDIR"
            ) from error
        path = f"{folder}/.s.PGSQL.5432"
        if len(os.fsencode(path)) > _MAX_SOCKET_PATH:
            folder.rmdir()
            raise SandboxStartError(
                f"the path of PostgreSQL's socket has {len(os.fsencode(path))} bytes, at most {_MAX_SOCKET_PATH}: "
                f"{path}; name a shorter folder in TMPDIR"
            )
        return folder

    def _fill(self, programs: Programs) -> None:
        """Copy the image, after making it where it is missing or of another version."""
        text = "\n".join((programs.version, *STATEMENTS))
        image = cache_folder() / "postgres" / hashlib.sha256(text.encode()).hexdigest()[:16]
        data = self.folder / "data"
        with only_one(str(image)):
            if not _is_image(image, programs):
                self._make_image(programs, data)
                image.parent.mkdir(exist_ok=True)
                half = Path(tempfile.mkdtemp(dir=image.parent))
                shutil.copytree(data, half, dirs_exist_ok=True)
                shutil.rmtree(image, ignore_errors=True)
                half.rename(image)
            elif not data.exists():
                shutil.copytree(image, data)
        data.chmod(0o700)
        self._give_away()

    def _give_away(self) -> None:
        """Make the folder the server's user's own."""
        if self._user:
            for path in (self.folder, *self.folder.rglob("*")):
                shutil.chown(path, self._user, identity(self._user)["group"])

    def _make_image(self, programs: Programs, data: Path) -> None:
        self._give_away()
        initdb: list[str | Path] = [
            programs.folder / "initdb",
            "--no-sync",
            "--auth=trust",
            "--locale=C",
            "--encoding=UTF8",
        ]
        self._require_success(
            "initdb", run_as(self._user, [*initdb, f"--username={KEEPER}", "--wal-segsize=1", "--pgdata", data])
        )
        single: list[str | Path] = [
            programs.folder / "postgres",
            "--single",
            "-j",
            "-F",
            "-c",
            "exit_on_error=on",
            "-D",
            data,
        ]
        script = "".join(f"{statement.strip()};\n\n" for statement in STATEMENTS)
        self._require_success("postgres --single", run_as(self._user, [*single, "template1"], script))

    @staticmethod
    def _require_success(name: str, finished: subprocess.CompletedProcess[str]) -> None:
        if finished.returncode:
            raise SandboxStartError(
                f"{name} ended with {finished.returncode}: {finished.stderr.strip()[-600:]}; check that there is room "
                "in the folder for temporary files, or name another one in TMPDIR"
            )

    def _launch(self, programs: Programs) -> subprocess.Popen[bytes]:
        settings = {**SETTINGS, "unix_socket_directories": str(self.folder)}
        command = [str(programs.folder / "postgres"), "-D", str(self.folder / "data")]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        runner = [sys.executable, "-I", "-S", watcher.__file__, str(self.owner), self._user, str(self.folder)]
        return subprocess.Popen(  # noqa: S603 - our own interpreter and arguments
            [*runner, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,  # what ends the owner's session or process group does not end it
        )

    def _wait(self, connect: Any) -> driver.Connection[Any]:
        """The first connection, once the server takes any."""
        end = time.monotonic() + _START_S
        why: Exception | None = None
        while time.monotonic() < end and self._watcher.poll() is None:
            try:
                found: driver.Connection[Any] = connect(
                    host=str(self.folder), user=KEEPER, dbname="postgres", autocommit=True
                )
                return found
            except psycopg().OperationalError as error:
                why = error
                time.sleep(_POLL_S)
        self._end()
        raise SandboxStartError(
            f"PostgreSQL took no connection in {self.folder}: {why or 'it ended at once'}; remove "
            f"{cache_folder() / 'postgres'}, which is made anew, and look for room in the folder for temporary files"
        )


def _is_image(image: Path, programs: Programs) -> bool:
    """Whether a folder is a cluster of this version."""
    try:
        return (image / "PG_VERSION").read_text(encoding="ascii").strip() == str(major(programs.version))
    except (OSError, UnicodeDecodeError):
        return False
