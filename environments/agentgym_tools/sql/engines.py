"""The engines that a database of Sql-v0 can be opened on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from agentgym.errors import ConfigError
from agentgym_tools.sql.database import Database, SqliteDatabase
from agentgym_tools.sql.databases import benches_of
from agentgym_tools.sql.postgres.database import PostgresDatabase

Engine = Literal["sqlite", "postgres"]


def require_engine(engine: str) -> None:
    """Refuse what is no engine.

    Raises:
        ConfigError: It is none.
    """
    if engine not in get_args(Engine):
        raise ConfigError(f"engine must be one of {', '.join(get_args(Engine))}: got {engine!r}")


def open_database(
    engine: Engine, place: tuple[str, int, bool], is_stopped: Callable[[], bool] = lambda: False
) -> Database:
    """A database for an episode.

    Args:
        engine: What keeps it.
        place: The schema's name, the database's number, and whether it is made for tiny models.
        is_stopped: Whether a running statement is to give up.

    Raises:
        TaskError: There is no such database.
        ConfigError: The engine is not installed.
        InfrastructureError: The engine cannot be started, or is full.
    """
    if engine == "postgres":
        return PostgresDatabase(place, is_stopped)
    benches = benches_of(*place)
    return SqliteDatabase(benches[0], is_stopped, benches)
