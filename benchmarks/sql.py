"""What the reset of a database costs Sql-v0: a rollback in a pooled clone beside a new clone, and SQLite's reset.

- rollback: an episode's clone is given back and taken again, as the next episode on the same database does. It is
  measured after episodes that only read, and after ones that changed a row.
- new clone: CREATE DATABASE from the database's template, and a connection to it.
- sqlite: the same as rollback on SQLite, in process.
- start: a server with its first clone, once for a process; its image is made once for a user.

Times are of the wall, because the server works in other processes; the sides take turns.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from agentgym_tools.sql.database import Database
from agentgym_tools.sql.engines import Engine, open_database
from agentgym_tools.sql.postgres.pool import MAX_WEAR, current_pool, stop
from benchmarks.measure import significant
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "psycopg")
PLACE = ("library", 4, False)
RESETS, QUICK_RESETS = 400, 40
CLONES, QUICK_CLONES = 30, 4
READ = "SELECT town, COUNT(*) FROM member GROUP BY town"
WRITE = "UPDATE member SET points = points + 1 WHERE member_id = (SELECT MIN(member_id) FROM member)"


def measure(quick: bool) -> Report:
    """The figures; `quick` takes fewer resets and clones."""
    num_resets, num_clones = (QUICK_RESETS, QUICK_CLONES) if quick else (RESETS, CLONES)
    num_resets = min(num_resets, MAX_WEAR - 1)  # beyond, a clone is replaced, which is no rollback
    report = Report(setting={"resets": num_resets, "clones": num_clones, "database": f"{PLACE[0]}-{PLACE[1]}"})
    progress("start")
    open_database("postgres", PLACE).close()
    stop()
    start = time.perf_counter()
    open_database("postgres", PLACE).close()
    report.figures["start of a server with its first clone, s"] = significant(time.perf_counter() - start)
    middles = {}
    for name, work in (("reading", _read), ("writing", _write)):
        progress(name)
        for engine, taken in resets(num_resets, work).items():
            middles[engine, name] = _add(report, f"{engine}: reset after {name}", taken)
    progress("clones")
    clone = _add(report, "postgres: new clone", clones(num_clones))
    stop()
    rollback = max(middles["postgres", name] for name in ("reading", "writing"))
    report.goals.append(Goal("reset by rollback, p50, ms", rollback, 1.0, "at most"))
    report.goals.append(Goal("new clone / rollback, p50", clone / rollback, 50.0, "at least"))
    return report


def resets(count: int, work: Callable[[Database], object]) -> dict[Engine, list[float]]:
    """Seconds that each engine takes for each reset after some work, the engines in turn."""
    taken: dict[Engine, list[float]] = {"postgres": [], "sqlite": []}
    databases = {engine: open_database(engine, PLACE) for engine in taken}
    for _ in range(count):
        for engine, each in taken.items():
            work(databases[engine])
            start = time.perf_counter()
            databases[engine].close()
            databases[engine] = open_database(engine, PLACE)
            each.append(time.perf_counter() - start)
    for database in databases.values():
        database.close()
    return taken


def clones(count: int) -> list[float]:
    """Seconds that each new clone takes."""
    taken = []
    kept = [open_database("postgres", PLACE) for _ in range(2)]  # so that none is idle
    names = current_pool().names()
    for _ in range(count):
        start = time.perf_counter()
        database = open_database("postgres", PLACE)
        taken.append(time.perf_counter() - start)
        kept.append(database)
    assert len(current_pool().names() - names) == count
    for database in kept:
        database.close()
    return taken


def _read(database: Database) -> None:
    database.read(READ, 30)


def _write(database: Database) -> None:
    database.write(WRITE)


def _add(report: Report, name: str, taken: list[float]) -> float:
    shares = np.percentile(taken, (50, 95)) * 1e3
    report.figures[f"{name}, p50 and p95, ms"] = [significant(float(each)) for each in shares]
    return float(shares[0])


if __name__ == "__main__":
    sys.exit(main("sql", measure, PACKAGES))
