"""Statements and episodes on one PostgreSQL server, which the tests of this file share."""

import threading
import time
from collections.abc import Iterator

import pytest

from agentgym.authoring.players import Saying, call_text
from agentgym.errors import CancelledEpisode, SandboxLostError
from agentgym.message import content_text
from agentgym.testing import check_env
from agentgym_tools.sql.database import MAX_SIZE
from agentgym_tools.sql.engines import open_database
from agentgym_tools.sql.env import RIGHT, WRONG, SqlEnv
from agentgym_tools.sql.guard import SqlRefusedError
from agentgym_tools.sql.judging import judge_answer
from agentgym_tools.sql.postgres import session
from agentgym_tools.sql.postgres.database import PostgresDatabase
from agentgym_tools.sql.postgres.pool import MAX_WEAR, current_pool
from agentgym_tools.sql.problem import read_problem
from agentgym_tools.sql.scripts import SCRIPTS
from agentgym_tools.sql.templates import TEMPLATES


def long_text() -> str:
    """An expression whose planning makes a text of 13 million characters."""
    text = f"'{'a' * 60}'"
    for one, other in ("ab", "bc", "cd"):
        text = f"replace({text}, '{one}', '{other * 60}')"
    return text


PLACE = ("library", 1, False)
FORBIDDEN_READS = {
    "COPY loan TO PROGRAM 'id'": "COPY is not allowed",
    "COPY (SELECT 1) TO '/tmp/x'": "COPY is not allowed",
    "DO $$ BEGIN END $$": "DO is not allowed",
    "SET statement_timeout = 0": "SET is not allowed",
    "SET SESSION AUTHORIZATION keeper": "SET is not allowed",
    "RESET ROLE": "RESET is not allowed",
    "LISTEN x": "LISTEN is not allowed",
    "CREATE TEMP TABLE x (a int)": "CREATE is not allowed",
    "COMMIT": "COMMIT is not allowed",
    "EXPLAIN ANALYZE SELECT 1": "EXPLAIN is not allowed",
    "SELECT * INTO TEMP x FROM loan": "SELECT INTO is not allowed",
    "WITH x AS (DELETE FROM loan RETURNING *) SELECT * FROM x": "this tool only reads",
    "SELECT set_config('statement_timeout', '0', false)": "set_config",
    "SELECT set_config('role', 'keeper', false)": "set_config",
    "SELECT pg_read_file('/etc/passwd')": "pg_read_file",
    "SELECT lo_import('/etc/passwd')": "lo_import",
    "SELECT lo_create(1)": "lo_create",
    "SELECT pg_sleep(10)": "pg_sleep",
    "SELECT pg_advisory_lock(1)": "pg_advisory_lock",
    "SELECT pg_notify('a', 'b')": "pg_notify",
    "SELECT query_to_xml('SELECT 1', true, true, '')": "query_to_xml",
    "SELECT * FROM generate_series(1, 1000000000)": "generate_series",
    "SELECT repeat('a', 1000000000)": "repeat",
    "SELECT random()": "random",
    "SELECT 'aaaa' ~ '(a*)*b'": "textregexeq",
    "SELECT * FROM pg_database": "pg_database",
    "SELECT * FROM pg_stat_activity": "pg_stat_activity",
    "SELECT * FROM d0.loan": "schema d0",
    "SELECT * FROM s1.loan": "schema s1",
    "SELECT CURRENT_TIMESTAMP": "knows no present",
    "SELECT 'now'::date": "knows no present",
    "SELECT E'\\x6eow'::date": "Escapes",
    "SELECT 'no'\n'w'::date": "go on in another line",
    "SELECT ('no' || 'w')::timestamp": "timestamp_from",
    "SELECT ('{no' || 'w}')::date[]": "_date_from",
}
FORBIDDEN_WRITES = {
    "DROP TABLE loan": "DROP is not allowed",
    "TRUNCATE loan": "TRUNCATE is not allowed",
    "MERGE INTO loan USING member ON true WHEN MATCHED THEN DELETE": "MERGE is not allowed",
    "INSERT INTO s1.loan SELECT * FROM loan": "schema s1",
    "UPDATE pg_proc SET proacl = NULL": "pg_proc",
    "UPDATE member SET joined = current_date": "knows no present",
}
MISTAKES = {
    "-- nothing": "There is no statement",
    "SELECT 1; COMMIT": "Only one statement",
    "SELECT 'a": "unterminated",
    "SELECT $1": "parameter",
    "SELECT ctid FROM loan": 'column "ctid" does not exist',
    "SELECT ('no' || 'w')::date": "invalid input",
}
# The first ends by its time or by its room on disk, as the machine is fast.
BOMBS = {
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n": "Stopped",
    "WITH RECURSIVE n(x) AS (SELECT 'ab' UNION ALL SELECT x || x FROM n) SELECT max(length(x)) FROM n": "too much",
    "SELECT a.*, b.*, c.* FROM loan a, loan b, loan c ORDER BY a.borrowed || b.borrowed || c.borrowed": "Stopped",
    f"SELECT {', '.join('x' * 20)} FROM (SELECT {long_text()} AS x) AS y": "Stopped",
    "SELECT string_agg(a.borrowed || b.borrowed, 'x') FROM loan a, loan b, member c": f"more than {MAX_SIZE:,}",
}
FULL_WRITES = (
    "INSERT INTO member SELECT a.loan_id * 1000 + b.loan_id, 'x', 'y', 'z', 1, NULL FROM loan a, loan b",
    "UPDATE member SET name = (WITH RECURSIVE n(x) AS (SELECT 'ab' UNION ALL SELECT x || x FROM n WHERE length(x) < "
    "2000) SELECT max(x) FROM n)",
)


@pytest.fixture
def database() -> Iterator[PostgresDatabase]:
    found = PostgresDatabase(PLACE)
    yield found
    found.close()


@pytest.fixture
def env() -> Iterator[SqlEnv]:
    env = SqlEnv(engine="postgres")
    yield env
    env.close()


def refused(carry_out, *arguments):
    with pytest.raises(SqlRefusedError) as caught:
        carry_out(*arguments)
    return caught.value


def test_query_that_does_more_than_read_rows_is_a_violation(database):
    for sql, why in FORBIDDEN_READS.items():
        refusal = refused(database.read, sql, 5)
        assert why in str(refusal), sql
        assert refusal.is_violation, sql
    assert database.changes() == []


def test_change_of_anything_but_rows_is_a_violation_and_leaves_what_was_changed(database):
    database.write("UPDATE loan SET fee = fee + 1 WHERE loan_id = (SELECT MIN(loan_id) FROM loan)")
    before = database.changes()
    for sql, why in FORBIDDEN_WRITES.items():
        refusal = refused(database.write, sql)
        assert why in str(refusal), sql
        assert refusal.is_violation, sql
    for sql in (*FULL_WRITES, "DELETE FROM member", "DELETE FROM loan RETURNING *"):
        assert not refused(database.write, sql).is_violation, sql
    assert database.changes() == before != []


def test_mistake_is_explained(database):
    for sql, why in MISTAKES.items():
        refusal = refused(database.read, sql, 5)
        assert why in str(refusal)
        assert not refusal.is_violation


def test_bomb_is_stopped_soon_and_the_database_serves_on(database):
    for sql, why in BOMBS.items():
        begin = time.monotonic()
        assert why in str(refused(database.read, sql, 5)), sql
        assert time.monotonic() - begin < 60
        assert database.read("SELECT COUNT(*) FROM loan", 5).rows[0][0] > 0


def test_values_have_the_types_of_the_other_engine(database):
    sql = "SELECT 1, 2.50, 1.5::float8, true, '2022-01-31'::date, NULL, 'a', 3::numeric, '\\x0aff'::bytea"
    rows = database.read(sql, 1).rows
    assert rows == [(1, 2.5, 1.5, True, "2022-01-31", None, "a", 3, b"\x0a\xff")]
    assert [type(value) for value in rows[0]] == [int, float, float, bool, str, type(None), str, int, bytes]


def test_tables_that_a_query_reads_are_told(database):
    sql = "SELECT COUNT(*) FROM loan JOIN member USING (member_id) WHERE 'book' <> fee::text"
    assert database.read(sql, 1).read == {"loan", "member"}
    assert database.read("WITH loan AS (SELECT 1) SELECT * FROM loan", 1).read == frozenset()


def test_rows_come_in_the_order_of_keys_whatever_was_changed(database):
    sql = "SELECT member_id FROM member"
    before = database.read(sql, 100).rows
    database.write("UPDATE member SET points = points + 1 WHERE member_id = (SELECT MIN(member_id) FROM member)")
    assert database.read(sql, 100).rows == before == sorted(before)


def test_clone_is_used_again_after_a_rollback_and_holds_nothing_of_the_episode():
    first = PostgresDatabase(PLACE)
    seat = first._seat
    first.write("DELETE FROM loan")
    first.close()
    second = PostgresDatabase(PLACE)
    assert second._seat is seat
    assert second.read("SELECT COUNT(*) FROM loan", 1).rows[0][0] > 0
    assert second.changes() == []
    second.close()


@pytest.mark.parametrize("fault", ["committed", "worn"])
def test_clone_that_is_doubtful_or_worn_is_replaced(fault):
    database = PostgresDatabase(PLACE)
    seat = database._seat
    database.write("DELETE FROM loan")
    if fault == "committed":
        seat.session._own("COMMIT")
        with pytest.raises(SandboxLostError, match="is replaced"):
            database.read("SELECT 1", 1)
    else:
        seat.wear = MAX_WEAR
    database.close()
    assert seat.name not in current_pool().names()
    fresh = PostgresDatabase(PLACE)
    assert fresh.read("SELECT COUNT(*) FROM loan", 1).rows[0][0] > 0
    fresh.close()


def test_interrupt_stops_a_running_statement(env, make_task, monkeypatch):
    monkeypatch.setattr(session, "MAX_WALL_S", 60.0)
    env.reset(options={"task": make_task("SELECT 1")})
    env._database._seat.session._own("SET statement_timeout = 60000")
    threading.Timer(0.2, env.interrupt).start()
    begin = time.monotonic()
    with pytest.raises(CancelledEpisode):
        env.step(call_text("query", sql="SELECT COUNT(*) FROM loan a, loan b, loan c, loan d, loan e"))
    assert time.monotonic() - begin < 40


def test_both_engines_give_the_same_rows_for_every_template(suite_tasks):
    tasks = {task.config["template"]: task for tasks in suite_tasks.values() for task in tasks}
    assert set(tasks) == set(TEMPLATES)
    ordered = sorted(tasks.values(), key=lambda task: (task.config["schema"], task.config["database"]))
    for number, task in enumerate(ordered):
        with_env = SqlEnv(engine="postgres")
        for script, success in (("oracle", True), ("cheat_more", False))[: 1 if number % 4 else 2]:
            _, info = with_env.reset(options={"task": task})
            player = SCRIPTS[script](task, 0)
            while "outcome" not in info:
                info = with_env.step(player.act(info["messages"]))[-1]
            assert info["success"] is success, task
        with_env.close()


def test_answer_that_is_right_on_this_database_alone_is_wrong(play, make_task):
    count = "SELECT COUNT(*) FROM member WHERE town = 'Ashby'"
    database = open_database("postgres", PLACE)
    number = database.read(count, 1).rows[0][0]
    database.close()
    for sql, words in ((count, RIGHT), (f"SELECT {number}", WRONG), ("SELECT COUNT(*) FROM s1.member", WRONG)):
        episode = play(make_task(count), Saying(call_text("answer", sql=sql)))
        assert content_text(episode.messages[-1]) == words


def test_day_too_many_is_wrong_though_no_drawn_row_has_that_day(make_task, database):
    problem = read_problem(make_task("SELECT member_id FROM member WHERE joined < '2016-03-07'"))
    near = problem.sql.replace("<", "<=")
    for with_planted in (False, True, False):  # what was planted is undone
        assert judge_answer(problem, problem.sql, database, with_planted=with_planted).is_right
        assert judge_answer(problem, near, database, with_planted=with_planted).is_right is not with_planted


def test_long_lists_of_values_may_be_looked_up(database):
    numbers, texts = ", ".join(map(str, range(20))), ", ".join(f"'t{place}'" for place in range(20))
    for condition in (f"member_id IN ({numbers})", f"town IN ({texts})", f"points NOT IN ({numbers})"):
        assert database.read(f"SELECT COUNT(*) FROM member WHERE {condition}", 1).rows


def test_answer_cannot_write_on_a_sibling(database):
    sql = "WITH x AS (UPDATE member SET points = 1 RETURNING *) SELECT * FROM x"
    assert refused(database.read_sibling, 1, sql, 10)


def test_fork_has_a_clone_of_its_own_with_the_same_rows(env, make_task):
    change = "UPDATE member SET points = points + 1 WHERE town = 'Ashby'"
    env.reset(options={"task": make_task(change, "change")})
    env.step(call_text("execute", sql="INSERT INTO member VALUES (9001, 'New Vale', 'Ashby', '2020-01-01', 1, NULL)"))
    twin = env.fork()
    assert twin.anchor() == env.anchor()
    twin.step(call_text("execute", sql="DELETE FROM member WHERE member_id = 9001"))
    twin.step(call_text("execute", sql=change))
    assert twin.anchor() != env.anchor()
    assert twin.step(call_text("submit"))[-1]["success"] is True
    assert env.step(call_text("submit"))[-1]["success"] is False
    twin.close()


def test_agent_is_told_which_engine_it_is():
    said = {
        engine: [each["function"]["description"] for each in SqlEnv(engine=engine).tools]
        for engine in ("sqlite", "postgres")
    }
    assert [text.replace("SQLite", "PostgreSQL") for text in said["sqlite"]] == said["postgres"]
    assert any("PostgreSQL" in text for text in said["postgres"])


def test_contract_of_environments_is_kept(suite_tasks):
    tasks = [suite_tasks[name][0] for name in ("unseen_instances", "unseen_changes")]
    checks = ("replay", "concurrency", "anchors", "forks", "ends", "finalize", "interrupt", "cheats", "hostile_actions")
    report = check_env(lambda: SqlEnv(engine="postgres"), tasks=tasks, scripts=SCRIPTS, only=["oracle", *checks])
    report.raise_if_failed()
