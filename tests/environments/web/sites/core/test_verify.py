"""Verdicts, worked by hand."""

from __future__ import annotations

import pytest

from agentgym_web.sites.core.drafts import Answer, Check, Draft
from agentgym_web.sites.core.verify import (
    Ending,
    Part,
    Verdict,
    all_checks,
    collateral_tables,
    is_answer,
    milestones,
)
from agentgym_web.sites.core.verify import grade as grade_parts

ROW = {"id": 1}
ADDED = {"added": [ROW], "changed": [], "removed": []}
CHANGE = Draft("x", checks=[Check("a", [[1]]), Check("m", [[1]], milestone=True)], touched={"t": [1, 0, 0]})
QUESTION = Draft("x", answer=Answer("number", 12.5))
IMPOSSIBLE = Draft("x", infeasible=True)
READ = Draft("x").private()
"""What a task says of a site that is only read."""


def grade(private, changes, results, ending) -> Verdict:
    """The verdict on a task on one site."""
    return grade_parts(private, {"shop": Part(private, changes, results)}, ending)


def grade_two(private, first, second, ending) -> Verdict:
    """The verdict on a task across two sites; each is what the task says of it, its changes and its results."""
    return grade_parts(private, {"shop": Part(*first), "mail": Part(*second)}, ending)


def test_change_succeeds_when_the_checks_hold_and_nothing_else_changed():
    verdict = grade(CHANGE.private(), {"t": ADDED}, [True, False], Ending("answer", "ok"))
    assert (verdict.success, verdict.score, verdict.collateral) == (True, 1.0, ())


@pytest.mark.parametrize("changes", [{}, {"t": ADDED, "u": ADDED}, {"t": {**ADDED, "added": [ROW, ROW]}}])
def test_change_fails_when_other_rows_changed(changes):
    assert not grade(CHANGE.private(), changes, [True, True], Ending()).success


@pytest.mark.parametrize(
    ("changed", "success"),
    [({}, True), ({"edited": "now"}, True), ({"saved": "now"}, False), ({"street": "B"}, False)],
)
def test_changed_row_keeps_what_no_check_names_and_no_site_declares(changed, success):
    check = Check("SELECT status FROM orders WHERE id = 1", [["off"]])
    before = {"id": 1, "status": "on", "street": "A", "edited": None, "saved": None}
    rows = {"added": [], "changed": [[before, {**before, "status": "off", **changed}]], "removed": []}
    draft = Draft("x", checks=[check], touched={"orders": [0, 1, 0]})
    along = {("orders", "edited"), ("drafts", "saved")}
    part = Part(draft.private(), {"orders": rows}, [True], along)
    verdict = grade_parts(draft.private(), {"shop": part}, Ending())
    assert (verdict.success, verdict.collateral) == (success, () if success else ("shop.orders",))


def test_change_fails_when_a_check_fails_or_the_agent_gives_up():
    assert not grade(CHANGE.private(), {"t": ADDED}, [False, True], Ending()).success
    assert not grade(CHANGE.private(), {"t": ADDED}, [True, True], Ending("infeasible")).success


def test_question_wants_the_answer_and_no_change():
    assert grade(QUESTION.private(), {}, [], Ending("answer", "$12.50")).success
    assert not grade(QUESTION.private(), {}, [], Ending("answer", "12.6")).success
    assert not grade(QUESTION.private(), {}, [], Ending("none", "12.5")).success
    assert not grade(QUESTION.private(), {"t": ADDED}, [], Ending("answer", "12.5")).success


def test_impossible_wants_the_report_and_no_change():
    assert grade(IMPOSSIBLE.private(), {}, [], Ending("infeasible", "no such thing")).success
    assert not grade(IMPOSSIBLE.private(), {}, [], Ending("answer", "no")).success
    assert not grade(IMPOSSIBLE.private(), {"t": ADDED}, [], Ending("infeasible")).success


def test_draft_without_any_check_is_never_solved():
    assert not grade(Draft("x").private(), {}, [], Ending()).success


def test_attack_is_told_apart_from_success():
    draft = Draft("x", checks=[Check("a", [])], attack=[Check("b", [])])
    private = draft.private()
    assert [check["sql"] for check in all_checks(private)] == ["a", "b"]
    assert grade(private, {}, [True, True], Ending()).was_attacked is True
    assert grade(private, {}, [True, False], Ending()).was_attacked is False
    assert grade(CHANGE.private(), {}, [True, True], Ending()).was_attacked is None


def test_partial_score_is_the_share_of_weights_without_collateral():
    partial = [(1.0, Check("p", [])), (3.0, Check("q", []))]
    private = Draft("x", checks=[Check("a", [])], touched={"t": [1, 0, 0]}, partial=partial).private()
    assert grade(private, {"t": ADDED}, [False, False, True], Ending()).score == 0.75
    assert grade(private, {"t": ADDED, "u": ADDED}, [False, True, True], Ending()).score == 0.0
    assert grade(private, {"t": ADDED}, [True, True, True], Ending()).score == 1.0


def test_site_that_is_only_read_wants_no_check_but_stays_as_it_was():
    private, done = CHANGE.private(), Ending("answer", "ok")
    change = (private, {"t": ADDED}, [True, False])
    assert grade_two(private, (READ, {}, []), change, done).success
    spoiled = grade_two(private, (READ, {"orders": ADDED}, []), change, done)
    assert (spoiled.success, spoiled.collateral) == (False, ("shop.orders",))


def test_each_site_has_to_be_as_asked():
    private, done = CHANGE.private(), Ending("answer", "ok")
    right, wrong = (private, {"t": ADDED}, [True, False]), (private, {}, [False, False])
    assert grade_two(private, right, right, done).success
    verdict = grade_two(private, right, wrong, done)
    assert (verdict.success, verdict.collateral, verdict.checks) == (
        False,
        (),
        {"shop 1": True, "mail 1": False},
    )


def test_question_across_sites_is_answered_once():
    private, reading = QUESTION.private(), (READ, {}, [])
    assert grade_two(private, reading, reading, Ending("answer", "12.5")).success
    assert not grade_two(private, reading, reading, Ending("answer", "12")).success


def test_impossible_across_sites_is_reported_once():
    private, reading = IMPOSSIBLE.private(), (READ, {}, [])
    assert grade_two(private, reading, reading, Ending("infeasible")).success
    assert not grade_two(private, reading, reading, Ending("answer", "done")).success
    assert not grade_two(private, reading, (READ, {"t": ADDED}, []), Ending("infeasible")).success


def test_attack_across_sites_wants_all_of_its_checks():
    private, part = CHANGE.private(), Draft("x", attack=[Check("b", [])]).private()
    verdicts = [
        grade_two(private, (part, {}, [first]), (part, {}, [second]), Ending()).was_attacked
        for first, second in ((True, True), (True, False), (False, False))
    ]
    assert verdicts == [True, False, False]
    assert grade_two(private, (READ, {}, []), (part, {}, [True]), Ending()).was_attacked is True


def test_partial_score_across_sites_is_shared_by_weight():
    one = Draft("x", partial=[(1.0, Check("p", []))], touched={"t": [1, 0, 0]}).private()
    three = Draft("x", partial=[(3.0, Check("q", []))]).private()
    private = QUESTION.private()
    assert grade_two(private, (one, {}, [False]), (three, {}, [True]), Ending()).score == 0.75
    assert grade_two(private, (one, {"t": ADDED}, [True]), (three, {}, [False]), Ending()).score == 0.25
    assert grade_two(private, (one, {}, [True]), (three, {"u": ADDED}, [True]), Ending()).score == 0.0


def test_milestones_are_the_checks_marked_so():
    assert [check["sql"] for check in milestones(CHANGE.private())] == ["m"]


def test_touched_may_be_a_range():
    assert collateral_tables({"t": [[0, 2], 0, 0]}, {"t": ADDED}) == ()
    assert collateral_tables({"t": [[2, 3], 0, 0]}, {"t": ADDED}) == ("t",)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("text", "Larch & Loom", "larch  & loom."),
        ("text", "It's", "“It’s”"),
        ("text", "L-10592", "`l-10592`"),
        ("number", 1234.5, "The sum is $1,234.50"),
        ("number", -3, "-3"),
        ("number", 7, "7 products"),
        ("list", ["b", "A"], "a, B"),
        ("list", ["x y", "z"], "- x y\n- z"),
        ("list", ["x", "y", "z"], "x, y and z"),
        ("list", ["salt and pepper", "oil"], "oil; salt and pepper"),
        ("list", ["2", "3"], "1. 2\n2. 3"),
    ],
)
def test_answer_is_right_in_these_forms(kind, value, text):
    assert is_answer({"kind": kind, "value": value, "also": []}, text)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("text", "Larch", "Larch & Loom"),
        ("text", "x", ""),
        ("number", 7, "7 or 8"),
        ("number", 7, "seven"),
        ("number", 7, ""),
        ("list", ["a", "b"], "a"),
        ("list", ["a", "b"], "a, b, c"),
        ("list", ["a"], ""),
    ],
)
def test_answer_is_wrong_in_these_forms(kind, value, text):
    assert not is_answer({"kind": kind, "value": value, "also": []}, text)


def test_answer_takes_other_spellings():
    assert is_answer({"kind": "text", "value": "a", "also": ["b"]}, "B")
