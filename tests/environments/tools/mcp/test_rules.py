"""Rules without servers: answers by type, rows of database files, hostile ones too, and all kinds of tasks."""

import datetime
import random
import sqlite3
import zoneinfo
from pathlib import Path

import pytest

from agentgym.errors import TaskError
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_tools.mcp.drawing import calls_of, draft_of
from agentgym_tools.mcp.grading import fault
from agentgym_tools.mcp.kinds import KINDS
from agentgym_tools.mcp.kinds.sqlite import FILE, scene
from agentgym_tools.mcp.kinds.time import ZONES
from agentgym_tools.mcp.rules.answers import is_right_answer
from agentgym_tools.mcp.rules.rows import changed, difference, trusted_content
from agentgym_tools.mcp.work_folder import start_of

CHANGE = "UPDATE t SET v = 3 WHERE k = 1"
START = "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER); INSERT INTO t VALUES (1, 1), (2, 2)"


@pytest.mark.parametrize(
    ("kind", "value", "right", "wrong"),
    [
        ("number", "5.5", ["5.5", " +5.50 "], ["5,5", "5", "", "nan", "5.5e0", "5.5 or 6"]),
        ("time", "09:05", ["9:05", "09:05 "], ["9:5", "21:05", "09:05 09:06"]),
        ("text", "Ada Birk", ["ada  birk", "'Ada Birk'", "Ada Birk."], ["Ada", "Ada Birk or Cleo", ""]),
        ("list", ["b", "2"], ["2, b", '["b", 2]', "b\n2.0"], ["b", "b, 2, 3", "b, b, 2", "[b 2"]),
    ],
)
def test_answers_are_compared_by_type(kind: str, value: object, right: list[str], wrong: list[str]) -> None:
    rule = {"type": kind, "value": value}
    assert [is_right_answer(rule, said) for said in right] == [True] * len(right)
    assert [is_right_answer(rule, said) for said in [*wrong, "9" * 100_000]] == [False] * (len(wrong) + 1)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        (CHANGE, ""),
        ("UPDATE t SET v = v + 2 WHERE k < 2", ""),
        (f"{CHANGE}; UPDATE t SET v = 9 WHERE k = 2; UPDATE t SET v = 2 WHERE k = 2", ""),
        ("UPDATE t SET v = 3", "in t, 1 rows are missing, and 1 are there that should not be"),
        (f"{CHANGE}; INSERT INTO t VALUES (3, 3)", "in t, 0 rows are missing, and 1"),
        (f"{CHANGE}; UPDATE t SET v = '3' WHERE k = 1; UPDATE t SET v = 2.5 WHERE k = 2", "in t, 1 rows are missing"),
        (f"{CHANGE}; CREATE TABLE u (a)", "other tables or columns"),
        (f"{CHANGE}; ALTER TABLE t ADD w", "other tables or columns"),
        (f"{CHANGE}; CREATE VIEW u AS SELECT 1", "other tables or columns"),
        ("DROP TABLE t; CREATE VIEW t AS SELECT 1 AS k, 3 AS v UNION SELECT 2, 2", "other tables or columns"),
        (f"{CHANGE}; CREATE TRIGGER u AFTER INSERT ON t BEGIN SELECT 1; END", "other tables or columns"),
    ],
)
def test_rows_are_right_when_all_of_them_are(sql: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(changed(changed(b"", START), sql))
    expected = trusted_content(changed(changed(b"", START), CHANGE))
    found = difference(tmp_path / "a.db", expected)
    assert found.startswith(why)
    assert bool(found) is bool(why)


def test_a_file_that_is_no_database_is_wrong_and_raises_nothing(tmp_path: Path) -> None:
    expected = trusted_content(changed(b"", START))
    bad = bytearray(changed(b"", START))
    bad[100:200] = b"\xff" * 100
    for content in (b"", b"no database", bytes(bad)):
        (tmp_path / "a.db").write_bytes(content)
        assert difference(tmp_path / "a.db", expected)
    assert difference(tmp_path / "b.db", expected) == "the database is gone or too large"


def test_a_new_table_may_be_worded_otherwise(tmp_path: Path) -> None:
    made = "CREATE TABLE n (n_id INTEGER PRIMARY KEY, a TEXT); INSERT INTO n VALUES (1, 'x')"
    other = "create table if not exists \"n\" (n_id integer, a text, primary key (n_id)); insert into n values (1, 'x')"
    start = changed(b"", START)
    (tmp_path / "a.db").write_bytes(changed(start, other))
    assert difference(tmp_path / "a.db", trusted_content(changed(start, made))) == ""


def test_files_beside_the_database_are_seen(tmp_path: Path) -> None:
    rules = [{"rule": "rows", "path": "a.db", "after": CHANGE}]
    task = Task("t", 0, config={"databases": {"a.db": START}}, private={"rules": rules})
    (tmp_path / "a.db").write_bytes(changed(start_of(task.config).databases["a.db"], CHANGE))
    assert fault(task, "", tmp_path) == ""
    (tmp_path / "a.db-journal").touch()
    assert fault(task, "", tmp_path) == ""
    (tmp_path / "b.db").touch()
    assert fault(task, "", tmp_path) == "the file b.db is not as it should be"
    assert fault(task, "", None) == "nothing was changed"


def test_clocks_of_the_cities_are_as_stated_in_every_season() -> None:
    for zone, minutes in ZONES.values():
        for month in range(1, 13):
            offset = datetime.datetime(2026, month, 15, tzinfo=zoneinfo.ZoneInfo(zone)).utcoffset()
            assert offset == datetime.timedelta(minutes=minutes), zone


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_draws_the_same_task_again(name: str) -> None:
    task = next(
        task
        for split in ("test", "train")
        for task in load_suite("tools/mcp").tasks(split)
        if task.config["kind"] == name
    )
    draft = draft_of(task)
    assert (draft.text, list(draft.rules)) == (task.instruction, task.private["rules"])
    assert draft_of(task).calls == draft.calls
    assert fault(task, "", None)


def test_questions_about_databases_have_the_answers_that_sqlite_gives() -> None:
    for seed in range(4):
        task = random.Random(seed).choice(
            [task for task in load_suite("tools/mcp").tasks("test") if task.config["kind"] == "sqlite_question"]
        )
        db = sqlite3.connect(":memory:")
        db.deserialize(scene(*task.config["scene"]["of"])[FILE])
        rows = db.execute(draft_of(task).calls[-1][1]["query"]).fetchall()
        db.close()
        said = ", ".join(str(row[0]) for row in rows)
        assert is_right_answer(task.private["rules"][0], said)


def test_a_task_of_ones_own_says_by_which_key_it_is_solved():
    with pytest.raises(TaskError, match="states no 'calls'"):
        calls_of(Task("task-1", 1, "Add 20 and 22."))
