"""Bases: what their schemas may hold."""

from __future__ import annotations

import sqlite3

import pytest

from agentgym.errors import ContractError
from agentgym_tools.worlds import Base


def test_base_image_is_the_same_every_time(base: Base) -> None:
    again = Base("desk", base._schema, base._fill)
    assert again.image == base.image


def test_base_knows_tables_and_keys(base: Base) -> None:
    assert [(table.name, table.key) for table in base.tables] == [
        ("customers", (0,)),
        ("orders", (0,)),
        ("lines", (0, 1)),
    ]


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ("CREATE TABLE a (x INTEGER)", "no PRIMARY KEY"),
        ("CREATE TABLE a (x INTEGER PRIMARY KEY, price REAL)", "a.price has the type 'REAL'"),
        ("CREATE TABLE a (x INTEGER PRIMARY KEY, y)", "a.y has the type 'none'"),
        ("CREATE TABLE a (x TEXT PRIMARY KEY)", "WITHOUT ROWID"),
        ("CREATE TABLE a (x INTEGER PRIMARY KEY AUTOINCREMENT)", "AUTOINCREMENT"),
        (
            "CREATE TABLE a (x INTEGER PRIMARY KEY); "
            "CREATE TABLE b (y INTEGER PRIMARY KEY, x INTEGER REFERENCES a (x) ON DELETE CASCADE)",
            "acts by itself",
        ),
    ],
)
def test_base_refuses_a_schema(schema: str, problem: str) -> None:
    with pytest.raises(ContractError, match=problem):
        Base("bad", schema, lambda db: None).image  # noqa: B018 - made on first use


def _insert_orphan(db: sqlite3.Connection) -> None:
    db.execute("INSERT INTO a VALUES (1, 2)")


def test_base_refuses_rows_that_refer_to_nothing() -> None:
    schema = "CREATE TABLE a (x INTEGER PRIMARY KEY, up INTEGER REFERENCES a (x))"
    with pytest.raises(ContractError, match="that is missing"):
        Base("bad", schema, _insert_orphan).image  # noqa: B018
