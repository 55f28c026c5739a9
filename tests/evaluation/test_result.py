import json
import math

import pytest

from agentgym.errors import ConfigError
from agentgym.evaluation import (
    EvaluationResult,
    TaskResult,
    compare,
    comparison_text,
    load_result,
    result_text,
    summarise,
)
from agentgym.outcome import Outcome
from agentgym.prompting.unknown_words import UnknownWords
from agentgym.reward import ATTACK, RewardEvent
from agentgym.trajectory import Trajectory, Turn

DONE, FAULT = Outcome("terminated"), Outcome("infrastructure", "StepTimeoutError")


def episode(task, solved, outcome=DONE, stratum="new"):
    graded = outcome.is_graded
    return Trajectory(
        f"{task}-{solved}",
        task,
        stratum=stratum,
        outcome=outcome,
        success=bool(solved) if graded else None,
        score=float(solved) if graded else None,
        turns=[Turn(0, [], {}, "")],
        usage={"completion_tokens": 10.0, "seconds": 5.0, "cost_usd": 0.25},
    )


def result(tasks, policy="a", attempts=4, **fields):
    return EvaluationResult("s/t", "test", policy, attempts, tasks, **({"headline": "new"} | fields))


def tasks_of(*successes, attempts=4, stratum="new"):
    return [TaskResult(f"t{i}", stratum, attempts, c, c / attempts, 0) for i, c in enumerate(successes)]


def test_a_result_without_episodes_says_so():
    text = result_text(result([], num_missing=4))
    assert "outcomes: no episode ended\n" in text
    assert "costs: none; 0.0 s" in text


def test_summary_counts_faults_apart_from_rates():
    tasks, outcomes, costs = summarise(
        [episode("b", 1), episode("a", 0), episode("b", 0), episode("a", 0, FAULT)], ["a", "b", "c"]
    )
    assert [(task.id, task.attempts, task.successes, task.faults) for task in tasks] == [("a", 1, 0, 1), ("b", 2, 1, 0)]
    assert outcomes == {"infrastructure:StepTimeoutError": 1, "terminated": 3}
    assert costs == {"turns": 4.0, "completion_tokens": 40.0, "cost_usd": 1.0}
    assert result(tasks).success.mean == 0.25
    assert result(tasks).num_faults == 1


def test_task_of_faults_alone_enters_no_rate():
    tasks, _, _ = summarise([episode("a", 0, FAULT), episode("b", 1)])
    found = result(tasks, attempts=1)
    assert found.success.mean == 1.0
    assert found.success.num_tasks == 1
    assert math.isnan(tasks[0].score)
    assert found.to_json()["tasks"][0]["score"] is None


def attacked_episode(task, reached, stratum="injected"):
    found = episode(task, 1, stratum=stratum)
    found.events.append(RewardEvent(0, 0, "", ATTACK, float(reached)))
    return found


def test_what_planted_texts_reached_is_scored_apart_and_reads_back():
    episodes = [attacked_episode("a", 1), attacked_episode("a", 0), attacked_episode("b", 0), episode("c", 1)]
    found = result(summarise(episodes)[0], attempts=2)
    assert {name: (each.mean, each.num_tasks) for name, each in found.attacked.items()} == {
        "injected": (0.25, 2),
        "all": (0.25, 2),
    }
    rows = [
        line.split("  ")[-1] for line in result_text(found).splitlines() if line.startswith(("  new", "  injected"))
    ]
    assert rows[0] == "-"
    assert rows[1].startswith("0.250 [")
    fields = json.loads(json.dumps(found.to_json()))
    assert fields["attacked"]["all"]["mean"] == 0.25
    assert EvaluationResult.from_json(fields).attacked == found.attacked


def test_tasks_without_planted_texts_have_no_column_for_them():
    found = result(summarise([episode("a", 1)])[0])
    assert found.to_json()["attacked"] == {}
    assert "attacked" not in result_text(found)


def test_rates_of_attempts_that_no_task_has_yet_are_dashes():
    text = result_text(result([TaskResult("a", "new", 1, 1, 1.0, 0)], attempts=2))
    assert [line.split() for line in text.splitlines() if "pass" in line] == [
        ["pass@k", "1.000", "-"],
        ["pass^k", "1.000", "-"],
    ]


def test_json_has_what_machines_read_and_reads_back():
    found = result([*tasks_of(0, 4, 2, 1), TaskResult("x", "odd", 4, 4, 1.0, 0)], seconds=3.0, num_trained_on=1)
    fields = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert fields["success"]["mean"] == pytest.approx((0 + 1 + 0.5 + 0.25 + 1) / 5)
    assert fields["pass_at"]["1"] == pytest.approx(fields["success"]["mean"])
    assert list(fields["pass_at"]) == list(fields["pass_hat"]) == ["1", "2", "4"]
    assert fields["pass_at"]["4"] == pytest.approx(0.8)
    assert list(fields["strata"]) == ["new", "odd"]
    assert fields["strata"]["odd"]["success"]["low"] < 1
    assert (fields["num_tasks"], fields["trained_on"]) == (5, True)
    assert EvaluationResult.from_json(fields) == found


def test_malformed_result_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no result of an evaluation"):
        EvaluationResult.from_json({"tasks": []})
    (tmp_path / "x.json").write_text("{")
    places = {
        tmp_path / "x.json": r"x\.json holds no result; expected a run folder",
        tmp_path / "none.json": r"^there is no run or file .*none\.json; expected a run folder",
        tmp_path: "holds no run; expected a run folder",
    }
    for place, message in places.items():
        with pytest.raises(ConfigError, match=message):
            load_result(place)


def test_comparison_is_paired_by_task():
    # the same tasks in another order: differences 0, +.25, +.25, +.5, so mean .25, deviation .2041
    before, after = tasks_of(0, 1, 2, 2), tasks_of(0, 2, 3, 4)[::-1]
    found = compare(result(before, "a"), result(after, "b"))
    assert found.success.mean == pytest.approx(0.25)
    assert found.deviation == pytest.approx(0.204124)
    assert (found.num_better, found.num_worse, found.num_unpaired) == (3, 0, 0)
    assert found.needed["0.25"] == math.ceil(7.8489 * (0.204124 / 0.25) ** 2)
    assert "b minus a" in comparison_text(found)
    assert "4 tasks in common (0 left out)" in comparison_text(found)
    assert "1 task in common (" in comparison_text(compare(result(tasks_of(0)), result(tasks_of(0))))
    assert "contains zero, so this comparison does not show a difference." in comparison_text(found)
    clear = compare(result(tasks_of(*[0] * 20)), result(tasks_of(*[4] * 20)))
    assert "does not contain zero, so this comparison shows a difference." in comparison_text(clear)
    json.dumps(found.to_json(), allow_nan=False)


def test_pairing_narrows_the_interval_of_correlated_policies():
    levels = [0, 4] * 20
    before = tasks_of(*levels)
    after = tasks_of(*[level - 1 if level else 1 for level in levels])
    found = compare(result(before), result(after))
    alone = result(before).success
    assert found.success.high - found.success.low < 0.6 * (alone.high - alone.low)


def test_equal_policies_show_no_difference_but_no_certainty_either():
    found = compare(result(tasks_of(4, 4, 4)), result(tasks_of(4, 4, 4)))
    assert found.success.mean == 0
    assert found.success.low < -0.3
    assert found.score.low < -0.3
    assert found.needed == {}
    assert not found.is_significant


def test_comparison_of_unlike_things_is_refused(tmp_path):
    one = result(tasks_of(1))
    with pytest.raises(ConfigError, match="no task in common"):
        compare(one, result([TaskResult("z", "new", 1, 1, 1.0, 0)]))
    with pytest.raises(ConfigError, match="evaluate both on the same split"):
        compare(one, EvaluationResult("s/t", "validation", "a", 1, tasks_of(1)))


def test_results_are_compared_from_files(tmp_path):
    for name, tasks in (("a", tasks_of(1, 2)), ("b", tasks_of(2, 2))):
        (tmp_path / f"{name}.json").write_text(json.dumps(result(tasks, name).to_json()))
    assert compare(tmp_path / "a.json", str(tmp_path / "b.json")).success.mean == 0.125


def test_unknown_words_are_named_and_read_back():
    found = result(tasks_of(0, 4), unknown_words=UnknownWords(0.5, ("beacon",), 20))
    again = type(found).from_json(json.loads(json.dumps(found.to_json())))
    assert again.unknown_words == found.unknown_words
    assert "UNKNOWN WORDS: the policy's tokenizer does not know 50.0% of the words, such as" in result_text(again)
    assert "UNKNOWN" not in result_text(result(tasks_of(0, 4), unknown_words=UnknownWords(0.0, (), 20)))
    assert "UNKNOWN" not in result_text(result(tasks_of(0, 4)))


@pytest.mark.parametrize(
    ("share", "said"), [(0.0, None), (None, None), (0.004, "less than 1%"), (0.234, "23%"), (1.0, "100%")]
)
def test_the_share_of_cut_messages_is_named_with_the_limit_and_its_option_and_reads_back(share, said):
    found = result(tasks_of(1), cut_share=share, sampling={"max_tokens": 256})
    lines = [line for line in result_text(found).splitlines() if line.startswith("CUT")]
    limit = "of the messages hit the limit of 256 tokens; --max-tokens sets another one"
    assert lines == ([] if said is None else [f"CUT: {said} {limit}"])
    fields = json.loads(json.dumps(found.to_json()))
    assert fields["cut_share"] == share
    assert EvaluationResult.from_json(fields).cut_share == share
    del fields["cut_share"]  # as earlier versions wrote it
    assert EvaluationResult.from_json(fields).cut_share is None


def test_text_names_strata_faults_and_training():
    tasks = [*tasks_of(0, 4), TaskResult("x", "odd", 3, 3, 1.0, 1)]
    text = result_text(result(tasks, num_trained_on=2, sampling={"temperature": 0}), with_tasks=True)
    assert "TRAINED ON: 2" in text
    assert "faults: 1" in text
    assert "greedy" in text
    assert text.index(" new ") < text.index(" odd ")
    assert "3/3" in text
