"""Edits of statements are slips of the kinds that they are called; what is true of them is found without a judge."""

from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_tools.sql.problem import read_problem
from benchmarks.verdicts import question_tasks
from benchmarks.verdicts.questions import articles, databases, numbers, queries
from benchmarks.verdicts.questions.statements import edits_of

SQL = "SELECT team_id FROM team WHERE (places >= 12 OR sport = 'a > b') AND founded < '2003-11-26'"


def edits(name: str, sql: str = SQL) -> list[str]:
    return [text for each, text in edits_of(sql) if each == name]


def test_a_dropped_condition_is_always_met_beside_and_and_never_beside_or() -> None:
    assert edits("condition dropped") == [
        "SELECT team_id FROM team WHERE (1 = 0 OR sport = 'a > b') AND founded < '2003-11-26'",
        "SELECT team_id FROM team WHERE (places >= 12 OR 1 = 0) AND founded < '2003-11-26'",
        "SELECT team_id FROM team WHERE (places >= 12 OR sport = 'a > b') AND 1 = 1",
    ]


def test_a_dropped_condition_takes_its_query_and_its_calls_along() -> None:
    sql = "SELECT a FROM t WHERE n = (SELECT MAX(n) FROM t WHERE b > 1) AND substr(day, 6, 2) = '03' GROUP BY a"
    assert edits("condition dropped", sql) == [
        "SELECT a FROM t WHERE 1 = 1 AND substr(day, 6, 2) = '03' GROUP BY a",
        "SELECT a FROM t WHERE n = (SELECT MAX(n) FROM t WHERE 1 = 1) AND substr(day, 6, 2) = '03' GROUP BY a",
        "SELECT a FROM t WHERE n = (SELECT MAX(n) FROM t WHERE b > 1) AND 1 = 1 GROUP BY a",
    ]


def test_comparisons_change_but_not_inside_texts_nor_where_a_value_is_set() -> None:
    assert len(edits("other comparison")) == 2 + 1 + 2 + 2
    changed = edits("other comparison", "UPDATE team SET sport = 'golf' WHERE places = 3")
    assert changed == ["UPDATE team SET sport = 'golf' WHERE places <> 3"]
    assert edits("other comparison", "SELECT a FROM t WHERE b IS NOT NULL AND c IN (1)")[:2] == [
        "SELECT a FROM t WHERE b IS  NULL AND c IN (1)",
        "SELECT a FROM t WHERE b IS NOT NULL AND c NOT IN (1)",
    ]


def test_bounds_move_by_one_or_by_a_day() -> None:
    assert [text.partition("places")[2][:6] for text in edits("other bound")[:2]] == [" >= 11", " >= 13"]
    assert [text[-12:] for text in edits("other bound")[2:]] == ["'2003-11-25'", "'2003-11-27'"]


def test_duplicates_and_aggregates_change() -> None:
    sql = "SELECT DISTINCT a FROM t GROUP BY a HAVING AVG(b) > 2"
    assert edits("duplicates", sql) == ["SELECT  a FROM t GROUP BY a HAVING AVG(b) > 2"]
    assert [text.partition("HAVING ")[2] for text in edits("other aggregate", sql)] == [
        "SUM(b) > 2",
        "MAX(b) > 2",
        "ROUND(AVG(b), 1) > 2",
    ]


def a_task(suite: str, **config: object) -> Task:
    tasks = load_suite(suite).tasks("test")
    return next(task for task in tasks if all(task.config.get(key) == value for key, value in config.items()))


def test_planted_values_tell_a_day_from_the_next_one() -> None:
    problem = read_problem(load_suite("tools/sql-small").task("tools/sql-small:test-00000"))
    assert "hired < '2003-11-26'" in problem.sql
    assert databases.tells_apart(problem, problem.sql.replace("<", "<=")) == "planted"
    assert databases.tells_apart(problem, problem.sql.replace("<", ">")) == "its own"
    assert databases.says_the_same(problem, problem.sql.replace("<", " < "))


def test_a_change_is_true_by_the_rows_that_it_leaves() -> None:
    variants = list(queries.variants(a_task("tools/sql", job="change", template="raise_where")))
    truth = {(variant.change, variant.is_right) for variant in variants}
    assert {
        ("by key", True),
        ("undone", True),
        ("twice", False),
        ("one row less", False),
        ("no change", False),
    } <= truth


def test_numbers_are_compared_as_numbers() -> None:
    task = a_task("tools/maths", form="fraction", kind="urns")
    truth = {(variant.change, variant.is_right) for variant in numbers.variants(task)}
    assert {("off by one", False), ("near decimal", False), ("other form", True)} <= truth
    assert ("other form", False) not in truth


def test_an_older_value_is_what_an_older_article_says() -> None:
    task = next(task for task in load_suite("tools/search-small").tasks("test") if task.stratum == "contradiction")
    older = [variant for variant in articles.variants(task) if variant.change == "older value"]
    assert older
    assert all(variant.work != task.private["answer"] and not variant.is_right for variant in older)


def test_players_and_right_work_are_judged_rightly() -> None:
    subjects = question_tasks.SUBJECTS
    for name, step in (("tools/search-small", 30), ("tools/sql", 60), ("tools/maths-small", 60)):
        tasks = load_suite(name).tasks("test")[::step]
        row = question_tasks.row_of(subjects[name], tasks, lambda task, variant: None)
        assert row["oracle"] == row["tasks"] == len(tasks)
        assert row["null"] == row["random"] == row["cheats"] == 0
        assert all(row[each][0] == row[each][1] for each in (*subjects[name].otherwise, "left out"))
        if name != "tools/sql":
            assert all(row[each][0] == 0 for each in subjects[name].nearly)
