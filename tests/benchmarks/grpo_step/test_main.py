import pytest

from benchmarks.grpo_step import __main__
from benchmarks.grpo_step.__main__ import run_process
from benchmarks.grpo_step.work import Work, make_model
from benchmarks.slow_lookup import SlowLookupEnv, slow_suite


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("grpo") / "model"
    make_model(folder, "0.25M", demonstrations=200, epochs=1)
    return folder


@pytest.mark.slow
def test_both_sides_play_real_turns_with_the_same_model(model, tmp_path):
    work = Work(str(model), "", iterations=1, tasks=2, group_size=8)
    found = {side: run_process(side, work, tmp_path) for side in ("agentgym", "trl")}
    for figures in found.values():
        assert len(figures.iteration_s) == len(figures.turns) == 1
        assert figures.turns[0] >= 8
        assert figures.sampled_tokens[0] > 2 * figures.turns[0]
        assert figures.peak_bytes > figures.baseline_bytes > 0
    assert not list(tmp_path.iterdir())


def test_a_side_that_breaks_is_reported(tmp_path, monkeypatch):
    monkeypatch.setitem(__main__._MODULES, "agentgym", "benchmarks.no_such_side")
    with pytest.raises(RuntimeError, match="process of agentgym ended with code"):
        run_process("agentgym", Work(str(tmp_path / "nothing"), ""), tmp_path)


def test_slow_lookup_sleeps_at_calls_only(monkeypatch):
    slept = []
    monkeypatch.setattr("benchmarks.slow_lookup.time.sleep", slept.append)
    env = SlowLookupEnv(0.5)
    env.reset(seed=1)
    env.step("no call")
    assert slept == []
    env.step('<tool_call>{"name": "answer", "arguments": {"value": "x"}}</tool_call>')
    assert slept == [0.5]


def test_slow_suite_has_the_same_tasks():
    suite = slow_suite(0.1)
    assert suite.env_options == {"delay_s": 0.1}
    assert suite.train_tasks()[0].id.startswith("tools/lookup")


def test_work_lists_the_tasks_of_all_iterations():
    tasks = Work("", "", iterations=2, tasks=5).task_list()
    assert len(tasks) == 15
    assert {task.split for task in tasks} == {"train"}
