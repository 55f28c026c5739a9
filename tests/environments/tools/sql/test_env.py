from typing import Any

import pytest

from agentgym.authoring.players import Saying, call_text
from agentgym.errors import ConfigError, TaskError
from agentgym.message import content_text
from agentgym.task import Task
from agentgym_tools.sql.comparing import Form
from agentgym_tools.sql.env import ASKS, CHANGES, MAX_ROWS, RIGHT, WRONG, SqlEnv
from agentgym_tools.sql.schema import load_schema, schema_names

COUNT = "SELECT COUNT(*) FROM member WHERE town = 'Ashby'"
RAISE = "UPDATE member SET points = points + 1 WHERE town = 'Ashby'"


def start(env: SqlEnv, task: Task) -> SqlEnv:
    env.reset(options={"task": task})
    return env


def say(env: SqlEnv, name: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """The text that a call is answered with, and the info of its step."""
    info = env.step(call_text(name, **arguments))[-1]
    return content_text(info["messages"][0]), info


def test_tables_and_columns_are_told(env, make_task):
    start(env, make_task(COUNT))
    assert say(env, "tables")[0] == "branch, member, book, loan"
    text = say(env, "describe", table="loan")[0]
    assert "loan_id INTEGER (key)" in text
    assert "member_id INTEGER (links to member)" in text
    assert "borrowed TEXT (date as YYYY-MM-DD)" in text
    assert "state TEXT (good, worn, damaged; may be NULL)" in text
    assert say(env, "describe", table="lone")[0] == "There is no table 'lone'. Did you mean loan?"
    assert len(say(env, "describe", table="x" * 100_000)[0]) < 300


def test_long_results_are_cut_with_a_note(env, make_task):
    start(env, make_task(COUNT))
    text = say(env, "query", sql="SELECT loan_id FROM loan")[0]
    assert len(text.splitlines()) == MAX_ROWS + 2
    assert text.endswith("(cut after 30 rows; there are more)")
    wide = say(env, "query", sql=f"SELECT {', '.join(['borrowed || title'] * 10)} FROM loan, book LIMIT 30")[0]
    assert wide.endswith("(cut after 3,000 characters)")
    assert say(env, "query", sql="SELECT loan_id FROM loan WHERE 0")[0] == "loan_id\n(no rows)"


def test_values_are_shown_apart_by_their_types(env, make_task):
    start(env, make_task(COUNT))
    text = say(env, "query", sql="SELECT NULL, '', x'0aff', 1.5, 'a\nb', 'NULL'")[0]
    assert text.splitlines()[1] == "NULL | '' | x'0aff' | 1.5 | a\\nb | 'NULL'"


def test_right_answer_is_paid_and_the_milestones_are_taken_back(env, make_task):
    start(env, make_task(COUNT))
    rewards = [
        env.step(call_text("describe", table="book"))[1],
        env.step(call_text("describe", table="member"))[1],
        env.step(call_text("query", sql=COUNT))[1],
    ]
    assert rewards == pytest.approx([0.0, 0.05, 0.05])
    assert env.progress() == pytest.approx(0.9)
    text, info = say(env, "answer", sql=COUNT + ";")
    assert text == RIGHT
    assert (info["success"], env.progress()) == (True, 1.0)
    events = {event.component: event.value for event in info["reward_events"]}
    assert events == {"success": 1.0, "milestone": -1.0}


@pytest.mark.parametrize(
    "sql",
    ["SELECT 1 WHERE 0", "SELECT * FROM member", "SELECT COUNT(*), 1 FROM member WHERE town = 'Ashby'", "", "nothing"],
)
def test_wrong_answer_ends_the_episode_without_pay(env, make_task, sql):
    start(env, make_task(COUNT))
    text, info = say(env, "answer", sql=sql)
    assert text == WRONG
    assert info["success"] is False
    assert info["outcome"].kind == "terminated"


def test_answer_that_is_right_on_this_database_alone_is_wrong(env, make_task):
    start(env, make_task(COUNT))
    number = say(env, "query", sql=COUNT)[0].splitlines()[1]
    info = say(env, "answer", sql=f"SELECT {number}")[1]
    assert info["success"] is False
    assert "sibling" in info["reward_events"][0].detail["why"]


def test_another_way_to_ask_is_right(env, make_task):
    start(env, make_task(COUNT))
    assert say(env, "answer", sql="SELECT SUM(town = 'Ashby') * 1.0 AS n FROM member")[0] == RIGHT


def test_order_is_judged_where_it_is_asked_for(env, make_task):
    sql = "SELECT member_id, points FROM member ORDER BY points DESC"
    task = make_task(sql, form=Form(order=(1,)))
    for answer, verdict in ((f"{sql}, member_id DESC", RIGHT), (sql.replace("DESC", "ASC"), WRONG)):
        start(env, task)
        assert say(env, "answer", sql=answer)[0] == verdict


def test_change_is_judged_by_the_rows_it_changes(env, make_task):
    start(env, make_task(RAISE, "change"))
    assert say(env, "submit")[1]["success"] is False
    start(env, make_task(RAISE, "change"))
    keys = say(env, "query", sql="SELECT member_id FROM member WHERE town = 'Ashby'")[0].splitlines()[1:]
    for number, key in enumerate(keys):
        assert say(env, "execute", sql=f"UPDATE member SET points = points + 1 WHERE member_id = {key}")[0] == "1 rows."
        assert env.turn == number + 2
    assert say(env, "submit")[1]["success"] is True


def test_change_too_many_fails_until_it_is_undone(env, make_task):
    task = make_task(RAISE, "change")
    more = "UPDATE member SET points = points + 1 WHERE member_id = (SELECT MIN(member_id) FROM member)"
    for statements, is_right in (([RAISE, more], False), ([RAISE, more, more.replace("+", "-")], True)):
        start(env, task)
        for sql in statements:
            say(env, "execute", sql=sql)
        assert say(env, "submit")[1]["success"] is is_right


def test_forbidden_statement_is_a_violation_and_changes_nothing(env, make_task):
    start(env, make_task(RAISE, "change"))
    before = env.anchor()
    for name, sql in (
        ("query", "DELETE FROM member"),
        ("execute", "DROP TABLE member"),
        ("query", "PRAGMA user_version"),
    ):
        text, info = say(env, name, sql=sql)
        assert "not allowed" in text
        assert [(event.component, event.value) for event in info["reward_events"]] == [("violation", -1.0)]
        assert "outcome" not in info
    assert env.anchor() == before


def test_mistake_in_sql_is_no_violation(env, make_task):
    start(env, make_task(COUNT))
    text, info = say(env, "query", sql="SELECT nowhere FROM member")
    assert text == "Error: no such column: nowhere"
    assert info["reward_events"] in ((), [])


def test_megabyte_of_arguments_is_refused(env, make_task):
    start(env, make_task(RAISE, "change"))
    before = env.anchor()
    for name, key in (("query", "sql"), ("execute", "sql"), ("ask", "text"), ("describe", "table")):
        text = say(env, name, **{key: "SELECT 1 -- " + "a" * 999_000})[0]
        assert len(text) < 300
    assert env.anchor() == before
    text, info = say(env, "execute", sql=RAISE + "a" * 1_000_000)
    assert "at most 1000000 are read" in text
    assert info["is_invalid"]


def test_tools_of_the_other_job_say_what_to_call(env, make_task):
    start(env, make_task(COUNT))
    assert say(env, "execute", sql=RAISE)[0] == ASKS
    assert say(env, "submit")[0] == ASKS
    start(env, make_task(RAISE, "change"))
    assert say(env, "answer", sql=COUNT)[0] == CHANGES


def test_user_is_asked_about_an_unclear_word(env, make_task):
    meant = "members whose points is at least 20"
    task = make_task("SELECT member_id FROM member WHERE points >= 20", meanings={"keen": meant})
    assert meant not in content_text(env.reset(options={"task": task})[1]["messages"][0])
    before = env.progress()
    text, info = say(env, "ask", text="Who is keen?")
    assert text == f"By 'keen' I mean {meant}."
    assert env.progress() > before
    assert [event.component for event in info["reward_events"]] == ["milestone"]
    assert say(env, "ask", text="Who is keen?")[1]["reward_events"] in ((), [])


def test_cut_episode_has_failed_and_keeps_no_milestones(play, make_task):
    episode = play(make_task(COUNT), Saying(call_text("describe", table="member"), call_text("tables")))
    assert episode.info["outcome"].kind == "truncated"
    assert episode.info["success"] is False
    assert episode.total_reward == pytest.approx(0.0)


def test_fork_has_a_database_of_its_own(env, make_task):
    start(env, make_task(RAISE, "change"))
    say(env, "describe", table="member")
    twin = env.fork()
    assert twin.anchor() == env.anchor()
    say(twin, "execute", sql=RAISE)
    assert twin.anchor() != env.anchor()
    assert say(twin, "submit")[1]["success"] is True
    assert say(env, "submit")[1]["success"] is False
    twin.close()


def test_episodes_on_one_database_do_not_meet(make_task):
    envs = [start(SqlEnv(), make_task(RAISE, "change")) for _ in range(5)]
    for number, env in enumerate(envs):
        for _ in range(number):
            say(env, "execute", sql=RAISE)
    assert [say(env, "submit")[1]["success"] for env in envs] == [False, True, False, False, False]
    for env in envs:
        env.close()


@pytest.mark.parametrize("options", [{"level": 0}, {"level": True}, {"job": "talk"}, {"render_mode": "human"}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ConfigError):
        SqlEnv(**options)


def test_task_of_another_environment_is_refused(env):
    for config in (
        {},
        {"schema": "zoo", "database": 0, "job": "question"},
        {"schema": "farm", "database": 0, "job": "x"},
    ):
        with pytest.raises(TaskError, match="cannot be played by Sql"):
            env.reset(options={"task": Task("t", 1, config=config, private={"sql": COUNT})})
    with pytest.raises(TaskError, match="no database 9"):
        env.reset(
            options={
                "task": Task("t", 1, config={"schema": "farm", "database": 9, "job": "change"}, private={"sql": ""})
            }
        )


@pytest.mark.parametrize("job", ["question", "change", "ambiguous"])
def test_tasks_from_seeds_are_of_the_wanted_kind(job):
    task = SqlEnv(level=1, job=job).make_task(3)
    assert task == SqlEnv(level=1, job=job).make_task(3)
    assert task.config["level"] == 1
    assert (task.config["job"] == "change") == (job == "change")
    assert ("meanings" in task.private) == (job == "ambiguous")


def test_there_are_twelve_schemas_that_share_no_table():
    names = [table.name for name in schema_names() for table in load_schema(name).tables]
    assert len(schema_names()) == 12
    assert len(names) == 48
    assert len(set(names)) == len(names)
