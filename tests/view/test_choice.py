import html
import re
import shlex
import time

import pytest

from agentgym.errors import UnknownNameError
from agentgym.outcome import Outcome
from agentgym.store import EpisodeRow, RunStore
from agentgym.trajectory import Trajectory
from agentgym.view import write_report
from agentgym.view.choice import choose


def test_episodes_of_a_long_run_are_chosen_in_a_moment():
    """Each of them is looked at once; a look at all for each of them takes half a minute."""
    shared = {"purpose": "train", "policy": "policy", "suite": "s", "split": "train", "stratum": "a", "task_id": "t"}
    shared |= {"role": "agent", "attempt": 0, "group_id": "g", "outcome": "terminated", "cause": "", "score": None}
    shared |= {"success": True, "reward": 1.0, "num_turns": 1, "num_action_tokens": 1}
    rows = [EpisodeRow(number=at, id=f"e{at}", iteration=at // 200, **shared) for at in range(30_000)]
    began = time.thread_time()
    chosen = choose(rows, {})
    assert time.thread_time() - began < 5.0  # 0.1 s on an idle machine
    assert {row.iteration for _, row in chosen} == {0, 149}


def tries(**results):
    """Rows of an evaluation: for each policy the results of its tasks, + for solved, - for not, ! for a fault."""
    shared = {"purpose": "test", "iteration": None, "suite": "s", "split": "test", "stratum": "a", "role": "agent"}
    shared |= {"attempt": 0, "group_id": "", "outcome": "terminated", "cause": "", "score": None, "reward": None}
    shared |= {"num_turns": 1, "num_action_tokens": 1}
    found = [
        {"policy": policy, "task_id": f"t{at}", "success": {"+": True, "-": False, "!": None}[mark]}
        for policy, marks in results.items()
        for at, mark in enumerate(marks)
    ]
    return [EpisodeRow(number=at, id=f"e{at}", **shared, **each) for at, each in enumerate(found, start=1)]


def shown(rows, tasks=()):
    return [(row.task_id, row.policy, row.success) for _, row in choose(rows, {}, tasks)]


def test_an_evaluation_shows_each_policy_on_the_same_tasks():
    found = shown(tries(oracle="+++", random="--+"))
    first, second = found[0][0], found[2][0]
    assert first in ("t0", "t1"), "the task on which they differ comes first"
    assert found == [(first, "oracle", True), (first, "random", False), ("t2", "oracle", True), ("t2", "random", True)]
    assert second == "t2"


def test_an_evaluation_of_one_policy_shows_a_success_and_a_failure():
    assert {success for _, _, success in shown(tries(random="----+---"))} == {True, False}


def test_an_evaluation_shows_four_episodes_if_it_has_them():
    assert len(shown(tries(random="--------"))) == 4
    assert len(shown(tries(random="--"))) == 2
    assert len(shown(tries(random="----+---"))) == 4
    assert len(shown(tries(a="----", b="----"))) == 4
    again = [row._replace(number=10 * attempt + row.number) for attempt in range(3) for row in tries(random="--")]
    assert len(shown(again)) == 4
    assert choose(again, {})[-1][0] == "Another attempt, random"


def test_further_episodes_are_of_other_strata_and_show_failures():
    rows = [row._replace(stratum="b" if row.task_id == "t7" else "a") for row in tries(random="++++++-+")]
    found = shown(rows)
    assert len(found) == 4
    assert ("t6", "random", False) in found
    assert ("t7", "random", True) in found
    assert sum(not success for _, _, success in shown(tries(random="+--------+"))) == 3


def test_one_task_with_both_results_of_a_policy_shows_both():
    assert shown(tries(random="+") + [row._replace(number=9) for row in tries(random="-")]) == [
        ("t0", "random", True),
        ("t0", "random", False),
    ]


def test_a_policy_that_played_other_tasks_is_shown_too():
    rows = tries(oracle="++") + [row._replace(number=9 + row.number, task_id="u") for row in tries(random="-")]
    assert {policy for _, policy, _ in shown(rows)} == {"oracle", "random"}


def test_a_fault_of_an_evaluation_is_shown():
    assert [reason for reason, _ in choose(tries(random="+!"), {})] == [
        "One task, random",
        "Fault, left out of the rates",
    ]


def test_an_evaluation_of_many_policies_is_bounded_and_repeatable():
    rows = tries(**{f"p{at}": "+-" * 10 if at % 2 else "-+" * 10 for at in range(30)})
    found = choose(rows, {})
    assert len(found) == 16
    assert len({row.policy for _, row in found}) == 16
    assert found == choose(rows, {})


def test_chosen_tasks_are_shown_under_every_policy():
    rows = tries(oracle="+++", random="--+")
    assert shown(rows, ["t1", "t0"]) == [
        ("t1", "oracle", True),
        ("t1", "random", False),
        ("t0", "oracle", True),
        ("t0", "random", False),
    ]


def test_the_first_episode_of_each_chosen_task_and_policy_has_room_before_second_ones():
    rows = [
        row._replace(number=100 * attempt + row.number) for attempt in range(20) for row in tries(bad="-", good="+")
    ]
    found = choose(rows, {}, ["t0"])
    assert [row.policy for _, row in found] == ["bad"] * 8 + ["good"] * 8
    assert max(row.number for _, row in found) == 702


def test_an_unknown_task_is_a_clear_error():
    with pytest.raises(UnknownNameError, match="the run has no task 'other'; known: t0, t1"):
        choose(tries(random="+-"), {}, ["t0", "other"])


def test_the_page_says_how_many_episodes_it_shows_of_how_many(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        for at in range(5):
            record = Trajectory(f"e{at}", f"t{at}", policy="p", outcome=Outcome("terminated"), success=bool(at))
            store.write_episode(record, purpose="test")
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert "4 of 5 episodes" in page
    assert "Chosen are a success and a failure of each policy" in page
    listed = page.partition("1 evaluated episode not shown here")[2]
    task_id = re.search("agentgym report RUN --task (t[0-4]) …", page).group(1)
    assert re.findall("<tr><td><span>(t[0-4])</span>", listed) == [task_id]
    assert task_id != "t0", "the only failure is shown"
    page = write_report(tmp_path, tasks=[f"t{at}" for at in range(5)]).read_text(encoding="utf-8")
    assert "5 of 5 episodes" in page
    assert "--task" not in page
    assert "not shown here" not in page


def test_the_ids_and_policies_of_other_episodes_are_escaped(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        for at in range(6):
            name = f"t{at} <img src=x>'; rm"
            record = Trajectory(f"e{at}", name, policy="<p>", outcome=Outcome("terminated"), success=False)
            store.write_episode(record, purpose="test")
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert "2 evaluated episodes not shown here" in page
    assert "<img" not in page
    command = html.unescape(re.search("agentgym report RUN --task (.*?) …", page).group(1))
    assert re.fullmatch(r"t\d <img src=x>'; rm", *shlex.split(command)), "it is one word for a shell"


def test_a_long_list_of_other_episodes_is_bounded(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        for at in range(120):
            record = Trajectory(f"e{at}", f"t{at}", policy="p", outcome=Outcome("terminated"), success=False)
            store.write_episode(record, purpose="test")
    page = write_report(tmp_path).read_text(encoding="utf-8")
    listed = page.partition("116 evaluated episodes not shown here, the first 100")[2]
    assert listed.count("<tr><td>") == 100
