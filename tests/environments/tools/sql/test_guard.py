import itertools
import threading
import time

import pytest

from agentgym_tools.sql.database import MAX_SQL, SqliteDatabase
from agentgym_tools.sql.databases import bench_of
from agentgym_tools.sql.guard import SqlRefusedError

FORBIDDEN_READS = {
    "DELETE FROM loan": "DELETE is not allowed here",
    "WITH x AS (SELECT 1) DELETE FROM loan": "this tool only reads",
    "PRAGMA writable_schema = 1": "PRAGMA is not allowed",
    "ATTACH '/tmp/x.db' AS x": "ATTACH is not allowed",
    "EXPLAIN SELECT 1": "EXPLAIN is not allowed",
    "SELECT load_extension('x')": "load_extension() is not allowed",
    "SELECT randomblob(1000000000)": "randomblob() is not allowed",
    "SELECT zeroblob(1000000000)": "zeroblob() is not allowed",
    "SELECT printf('%1000000000d', 1)": "printf() is not allowed",
    "SELECT format('%1000000000d', 1)": "format() is not allowed",
    "SELECT hex(name) FROM member": "hex() is not allowed",
    "SELECT random()": "random() is not allowed",
    "SELECT current_timestamp": "current_timestamp() is not allowed",
    "SELECT sql FROM sqlite_schema": "is not allowed",
    "SELECT count(*) FROM sqlite_master": "is not allowed",
    "SELECT 1 FROM _log": "_log is not allowed",
    "SELECT * FROM temp._log": "_log is not allowed",
    "WITH _insert_loan AS (SELECT * FROM temp._log) SELECT * FROM _insert_loan": "_log is not allowed",
    "WITH _insert_loan AS (SELECT sql FROM sqlite_schema) SELECT * FROM _insert_loan": "is not allowed",
    "SELECT * FROM pragma_table_info('loan')": "Only the tables that tables() lists",
    "SELECT * FROM json_each('[1, 2]')": "Only the tables that tables() lists",
}
FORBIDDEN_WRITES = {
    "SELECT 1": "SELECT is not allowed here",
    "DROP TABLE loan": "DROP is not allowed",
    "CREATE TABLE x (a)": "CREATE is not allowed",
    "ALTER TABLE loan ADD COLUMN x": "ALTER is not allowed",
    "VACUUM INTO '/tmp/x.db'": "VACUUM is not allowed",
    "BEGIN": "BEGIN is not allowed",
    "COMMIT": "COMMIT is not allowed",
    "ROLLBACK TO call": "ROLLBACK is not allowed",
    "INSERT INTO temp._log (number) VALUES (99)": "Only the tables that tables() lists",
    "DELETE FROM temp._log": "Only the tables that tables() lists",
    "UPDATE loan SET fee = random()": "random() is not allowed",
}
MISTAKES = {
    "": "There is no statement",
    "-- nothing": "There is no statement",
    "/* nothing": "There is no statement",
    "SELECT 1; SELECT 2": "Only one statement",
    "SELECT 1; DELETE FROM loan": "Only one statement",
    "SELECT 'a": "not complete",
    "SELECT ?": "bindings",
    "SELECT x FROM loan": "no such column: x",
    "SELEC 1": "SELEC is not allowed here",
    "SELECT CAST(x'ff' AS TEXT)": "Could not decode",
    "SELECT \x00": "control characters",
    "SELECT 1 -- " + "x" * 1_000_000: "characters; at most",
    "SELECT '\ud800'": "halves of characters",
}
BOMBS = {
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n": "takes too long",
    "SELECT count(*) FROM loan a, loan b, loan c, loan d, loan e": "takes too long",
    "WITH RECURSIVE n(x) AS (SELECT 'ab' UNION ALL SELECT x || x FROM n) SELECT max(length(x)) FROM n": "too long",
    "SELECT group_concat(a.borrowed || b.borrowed) FROM loan a, loan b": "too long",
    "SELECT a.*, b.*, c.* FROM loan a, loan b, loan c ORDER BY a.fee || b.fee || c.fee": "takes too long",
    "SELECT " + "(" * 200 + "1" + ")" * 200: "Error",
    "SELECT " + ", ".join(["1"] * 100): "too many columns",
    " UNION ALL ".join(["SELECT 1"] * 40): "too many terms",
    "SELECT 1 WHERE 'a' LIKE '" + "%a" * 100 + "'": "too complex",
}


@pytest.mark.parametrize(("sql", "why"), FORBIDDEN_READS.items())
def test_query_that_does_more_than_read_rows_is_a_violation(database, sql, why):
    with pytest.raises(SqlRefusedError) as caught:
        database.read(sql, 5)
    assert why in str(caught.value)
    assert caught.value.is_violation
    assert database.changes() == []


@pytest.mark.parametrize(("sql", "why"), FORBIDDEN_WRITES.items())
def test_change_of_anything_but_rows_is_a_violation(database, sql, why):
    database.write("UPDATE loan SET fee = 1 WHERE loan_id = (SELECT MIN(loan_id) FROM loan WHERE fee > 1)")
    before = database.changes()
    with pytest.raises(SqlRefusedError) as caught:
        database.write(sql)
    assert why in str(caught.value)
    assert caught.value.is_violation
    assert database.changes() == before != []


@pytest.mark.parametrize("sql", MISTAKES)
def test_mistake_is_explained(database, sql):
    with pytest.raises(SqlRefusedError) as caught:
        database.read(sql, 5)
    assert MISTAKES[sql] in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("sql", BOMBS)
def test_bomb_is_stopped_soon_and_the_database_serves_on(database, sql):
    begin = time.monotonic()
    with pytest.raises(SqlRefusedError) as caught:
        database.read(sql, 5)
    assert BOMBS[sql] in str(caught.value)
    assert not caught.value.is_violation
    assert time.monotonic() - begin < 60  # unbounded they would take for ever
    assert database.read("SELECT COUNT(*) FROM loan", 5).rows[0][0] > 0


def test_result_of_long_texts_is_stopped_before_it_fills_memory(database):
    long = "replace(replace('" + "a" * 60 + "', 'a', '" + "b" * 60 + "'), 'c', 'd')"
    with pytest.raises(SqlRefusedError, match="rows hold more than"):
        database.read(f"SELECT {', '.join([long] * 20)} FROM loan", 2000)


def test_refused_write_is_undone_as_a_whole(database):
    database.write("UPDATE loan SET fee = fee + 1 WHERE loan_id = (SELECT MIN(loan_id) FROM loan)")
    before = database.changes()
    for sql in (
        "INSERT INTO loan SELECT * FROM loan",
        "DELETE FROM member",
        "DELETE FROM loan RETURNING *",
        "UPDATE loan SET fee = (WITH n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT MAX(x) FROM n)",
    ):
        with pytest.raises(SqlRefusedError):
            database.write(sql)
        assert database.changes() == before != []


def test_rows_without_end_are_not_added_and_what_was_changed_before_stays(database):
    database.write("UPDATE loan SET fee = fee + 1 WHERE loan_id = (SELECT MIN(loan_id) FROM loan)")
    before = database.changes()
    sql = (
        "WITH n(x) AS (SELECT 1000 UNION ALL SELECT x + 1 FROM n LIMIT 20000) INSERT INTO member SELECT x, "
        f"replace('{'a' * 60}', 'a', 'twenty letters or so'), 'Ashby', '2020-01-01', 1, NULL FROM n"
    )
    for _ in range(2):
        with pytest.raises(SqlRefusedError, match="tables would hold more than"):
            database.write(sql)
        assert database.changes() == before != []
    assert database.write("UPDATE loan SET fee = fee + 1") > 1


def test_statement_allowed_to_a_writer_is_refused_to_a_reader_afterwards(database):
    sql = "WITH o AS (SELECT MIN(loan_id) AS k FROM loan) UPDATE loan SET fee = 99 WHERE loan_id IN (SELECT k FROM o)"
    assert database.write(sql) == 1
    with pytest.raises(SqlRefusedError, match="only reads"):
        database.read(sql, 5)
    assert len(database.changes()) == 1


def test_dates_are_computed_but_know_no_present(database):
    row = database.read(
        "SELECT date('2022-01-31', '+1 day'), julianday('2022-01-02') - julianday('2022-01-01'), strftime('%m', "
        "'2022-05-06'), date('now'), date(), julianday('NOW'), date('2022-01-01', 'localtime')",
        1,
    ).rows[0]
    assert row == ("2022-02-01", 1.0, "05", None, None, None, None)


def test_interrupt_stops_a_running_statement():
    stop = threading.Event()
    database = SqliteDatabase(bench_of("library", 1, 0, False), stop.is_set)
    stop.set()
    with pytest.raises(SqlRefusedError):
        database.read("SELECT COUNT(*) FROM loan a, loan b, loan c", 1)
    database.close()


def test_machine_that_stands_still_stops_no_statement(database, monkeypatch):
    monkeypatch.setattr(time, "monotonic", itertools.count(0, 60).__next__)
    assert database.read("SELECT COUNT(*) FROM loan a, loan b", 1).rows[0][0] > 5_000


def test_longest_statement_is_read(database):
    sql = "SELECT 1 -- "
    assert database.read(sql + "x" * (MAX_SQL - len(sql)), 1).rows == [(1,)]
