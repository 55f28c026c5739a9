"""Reset, check and changes of sessions."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from agentgym.errors import ConfigError
from agentgym_web.sites.core.sessions import Sessions
from agentgym_web.sites.core.site import Site

PLANT = ["INSERT INTO note (text) VALUES (?)", ["planted"]]


def test_reset_undoes_everything(sessions: Sessions) -> None:
    sessions.database("a").execute("DELETE FROM note")
    sessions.reset("a")
    assert sessions.check("a", [{"sql": "SELECT count(*) FROM note", "rows": [[3]]}]) == [True]


def test_reset_logs_in_and_plants(sessions: Sessions) -> None:
    sessions.reset("a", "mara", [PLANT])
    assert sessions.database("a").execute("SELECT user FROM _visitor").fetchone()[0] == "mara"
    assert sessions.check("a", [{"sql": "SELECT text FROM note WHERE id > 3", "rows": [["planted"]]}]) == [True]
    assert not sessions.changes("a")


def test_changes_lists_rows_by_their_key(sessions: Sessions) -> None:
    sessions.reset("a", plants=[PLANT])
    db = sessions.database("a")
    db.execute("UPDATE note SET text = 'uno' WHERE id = 1")
    db.execute("DELETE FROM note WHERE id = 4")
    db.execute("INSERT INTO note VALUES (9, 'nine')")
    db.execute("INSERT INTO viewed VALUES (1)")
    db.execute("INSERT INTO note_text VALUES ('nine')")
    assert sessions.changes("a") == {
        "note": {
            "added": [{"id": 9, "text": "nine"}],
            "removed": [{"id": 4, "text": "planted"}],
            "changed": [[{"id": 1, "text": "one"}, {"id": 1, "text": "uno"}]],
        }
    }


def test_changes_sees_statements_that_were_prepared_before(sessions: Sessions) -> None:
    sessions.reset("a", plants=[PLANT])
    for number in (5, 6):
        sessions.database("a").execute(*PLANT)
        sessions.check("a", [])
        assert [row["id"] for row in sessions.changes("a")["note"]["added"]][-1] == number


def test_changes_sees_what_cascades_and_triggers_write(sessions: Sessions) -> None:
    tables = "CREATE TABLE tag (id INTEGER PRIMARY KEY, note INTEGER REFERENCES note ON DELETE CASCADE)"
    log = "CREATE TABLE log (id INTEGER PRIMARY KEY)"
    trigger = "CREATE TRIGGER gone AFTER DELETE ON note BEGIN INSERT INTO log VALUES (old.id); END"
    plants = [[tables, []], [log, []], [trigger, []], ["INSERT INTO tag VALUES (1, 2)", []]]
    sessions.reset("a", plants=plants)
    sessions.database("a").execute("DELETE FROM note WHERE id = 2")
    changes = sessions.changes("a")
    assert sorted(changes) == ["log", "note", "tag"]
    assert changes["tag"]["removed"] == [{"id": 1, "note": 2}]


def test_check_compares_rows_in_any_order(sessions: Sessions) -> None:
    sql = "SELECT id, text FROM note WHERE id < 3"
    assert sessions.check("a", [{"sql": sql, "rows": [[2, "two"], [1, "one"]]}, {"sql": sql, "rows": []}]) == [
        True,
        False,
    ]


def test_check_reads_the_full_text_index(sessions: Sessions) -> None:
    check = {"sql": "SELECT rowid FROM note_text WHERE note_text MATCH 'two'", "rows": [[2]]}
    assert sessions.check("a", [check]) == [True]


@pytest.mark.parametrize("sql", ["DELETE FROM note", "ATTACH 'x.db' AS x", "PRAGMA user_version = 3", "BEGIN"])
def test_check_cannot_write(sessions: Sessions, sql: str) -> None:
    with pytest.raises(sqlite3.Error):
        sessions.check("a", [{"sql": sql, "rows": []}])
    assert not sessions.changes("a")
    sessions.database("a").execute("DELETE FROM note")


@pytest.mark.parametrize("sql", ["ATTACH 'x.db' AS x", "VACUUM INTO 'x.db'", "PRAGMA writable_schema = ON"])
def test_plants_reach_no_files(sessions: Sessions, sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    with pytest.raises(sqlite3.DatabaseError):
        sessions.reset("a", plants=[[sql, []]])
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(("place", "said"), [(("note", "edited"), "columns id, text"), (("notes", "text"), "no table")])
def test_declared_column_has_to_be_in_the_schema(site: Site, place: tuple[str, str], said: str) -> None:
    assert Sessions(replace(site, written_along=frozenset({("note", "text")})))
    with pytest.raises(ConfigError, match=said):
        Sessions(replace(site, written_along=frozenset({place})))
