"""What is lost when a server is killed, or its machine loses power: acknowledged writes are looked for after a restart.

Power is cut in this way: every process is killed, and whatever was written since the last sync of its file is undone
from the journal that the watching library kept. Of pages of PostgreSQL's tables, the first half stays: they are torn.
"""

from __future__ import annotations

import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path
from typing import Any, Literal

from agentgym_swe.tuning.inside import nginx_server, postgres_server, redis_server
from agentgym_swe.tuning.inside.server import RUN, NotStartedError, Options

Level = Literal["process", "power"]
NUM_WRITES = 60
PAGE = 8192
_HEAD = struct.Struct("<QQQQII")


def cut_power(journal: Path, torn: str = "") -> int:
    """Undo what was written since the last sync of each file.

    Args:
        journal: Where the watching library kept it.
        torn: A part of paths whose pages keep their first half; "" for none.

    Returns:
        How many writes were undone.
    """
    undone = 0
    for kept in journal.iterdir():
        content, place, records = kept.read_bytes(), 0, []
        while place + _HEAD.size <= len(content):
            offset, _, old_length, old_size, path_length, _ = _HEAD.unpack_from(content, place)
            place += _HEAD.size
            path = content[place : place + path_length].decode()
            place += path_length
            records.append((path, offset, content[place : place + old_length], old_size))
            place += old_length
        for path, offset, old, old_size in reversed(records):
            undone += _undo(Path(path), offset, old, old_size, is_torn=bool(torn) and torn in path)
    shutil.rmtree(journal)
    return undone


def _undo(path: Path, offset: int, old: bytes, old_size: int, *, is_torn: bool) -> int:
    try:
        with open(path, "r+b") as file:
            for start in range(0, len(old), PAGE):
                skipped = PAGE // 2 if is_torn else 0
                file.seek(offset + start + skipped)
                file.write(old[start + skipped : start + PAGE])
            if not is_torn:
                file.truncate(old_size)
    except OSError:
        return 0
    return 1


def crash_redis(options: Options, work: dict[str, Any], level: Level) -> list[str]:
    """Store values, kill Redis after the last acknowledgement, start it again and look for them."""
    server, journal = redis_server.Redis(options), RUN / "journal"
    server.extra = ("rdb-key-save-delay 3000",)
    try:
        server.start(journal if level == "power" else None)
        client = redis_server.Client(server.path)
        acked = _store(client, range(NUM_WRITES))
        client.ask("BGREWRITEAOF")  # while a rewrite is under way, other rules hold
        acked += _store(client, range(NUM_WRITES, 2 * NUM_WRITES))
        if level == "process":
            _wait_for_disk(client)
        server.kill()
        client.close()
        if level == "power":
            cut_power(journal)
        server.extra = ()
        server.start()
        client = redis_server.Client(server.path)
        found = client.ask_many([("GET", f"acked:{number}") for number in acked])
        client.close()
        return _lost(acked, [number for number, value in zip(acked, found, strict=True) if value == b"kept"])
    except (NotStartedError, OSError) as error:
        return [f"Redis could not be started again: {error}"]
    finally:
        server.kill()


def _wait_for_disk(client: redis_server.Client) -> None:
    """Wait until Redis has written what it holds back while the disk is busy with an earlier sync.

    It holds back for 2 s at most. Whether it is killed in that time depends on the machine, not on its options.
    """
    deadline = time.monotonic() + 5
    while client.info().get("aof_buffer_length", "0") != "0" and time.monotonic() < deadline:
        time.sleep(0.005)


def _store(client: redis_server.Client, numbers: range) -> list[int]:
    return [number for number in numbers if client.ask("SET", f"acked:{number}", "kept") == "OK"]


def crash_nginx(options: Options, work: dict[str, Any], level: Level) -> list[str]:
    """Ask for pages, kill nginx after the last answer, and look for them in the log."""
    server, journal = nginx_server.Nginx(options), RUN / "journal"
    try:
        server.lay_out(work)
        server.start(journal if level == "power" else None)
        name = work["files"][0][0]
        for number in range(NUM_WRITES):
            nginx_server.get(f"/{name}?acked={number}")
        server.kill()
        if level == "power":
            cut_power(journal)
        log = server.folder / server.data / "access.log"
        lines = log.read_text(errors="replace") if log.exists() else ""
        return _lost(list(range(NUM_WRITES)), [n for n in range(NUM_WRITES) if f"acked={n} " in lines])
    finally:
        server.kill()


def crash_postgres(options: Options, work: dict[str, Any], level: Level) -> list[str]:
    """Insert rows before and during a checkpoint, kill PostgreSQL, start it again and look for them."""
    server, journal = postgres_server.Postgres(options), RUN / "journal"
    session = checkpoint = None
    try:
        server.start(journal if level == "power" else None, "/base/" if level == "power" else "")
        session = subprocess.Popen(  # noqa: S603 - psql
            server.psql(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        acked = _insert(session, range(NUM_WRITES))
        checkpoint = subprocess.Popen(  # noqa: S603 - psql
            server.psql("-c", "CHECKPOINT"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 8
        while not server.stalled.exists() and checkpoint.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        acked += _insert(session, range(NUM_WRITES, 2 * NUM_WRITES))
        server.kill()
        if level == "power":
            cut_power(journal, torn="/base/")
        (server.folder / ".s.PGSQL.5432").unlink(missing_ok=True)
        (server.folder / ".s.PGSQL.5432.lock").unlink(missing_ok=True)
        (server.folder / server.data / "postmaster.pid").unlink(missing_ok=True)
        server.start()
        found = server.sql("SELECT id FROM acked WHERE note = 'kept'").split()
        server.sql("SELECT sum(abalance) FROM pgbench_accounts; SELECT sum(length(note)) FROM events")
        return _lost(acked, [int(number) for number in found])
    except (NotStartedError, OSError) as error:
        return [f"PostgreSQL could not be read again: {error}"]
    finally:
        for process in (session, checkpoint):
            if process is not None:
                process.send_signal(signal.SIGKILL)
                process.communicate()
        server.kill()


def _insert(session: subprocess.Popen[str], numbers: range) -> list[int]:
    """Insert rows and change one of a table that was written by a checkpoint before; the acknowledged ones."""
    acked = []
    assert session.stdin is not None
    assert session.stdout is not None
    for number in numbers:
        if number % 10 == 0:
            session.stdin.write(f"UPDATE pgbench_accounts SET abalance = {number} WHERE aid = {number + 1};\n")  # noqa: S608 - a number
        session.stdin.write(f"INSERT INTO acked VALUES ({number}, 'kept') RETURNING id;\n")  # noqa: S608 - a number
        session.stdin.flush()
        line = session.stdout.readline().strip()
        if line.isdigit():
            acked.append(int(line))
    return acked


def _lost(acked: list[int], found: list[int]) -> list[str]:
    missing = set(acked) - set(found)
    if not acked:
        return ["no write was acknowledged"]
    return [f"{len(missing)} of {len(acked)} acknowledged writes are lost"] if missing else []


CRASHES = {"redis": crash_redis, "nginx": crash_nginx, "postgres": crash_postgres}
