import json

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym_web.formats.semi_online import TraceEnv, cut_returns, semi_online_performance
from agentgym_web.formats.traces import load_traces


def action(op, number, value=""):
    return {
        "cleaned_html": f'<button backend_node_id="{number}">{op}</button>',
        "pos_candidates": [{"tag": "button", "backend_node_id": str(number)}],
        "operation": {"op": op, "value": value, "original_op": op},
    }


TRACE = {
    "annotation_id": "t1",
    "confirmed_task": "Book a table",
    "actions": [action("CLICK", 1), action("TYPE", 2, "Ada"), action("SELECT", 3, "Two people"), action("CLICK", 4)],
}
EXPERT = ['click("1")', 'fill("2", " ada")', 'select_option("3", "Two people")', 'click("4")']


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "traces.json"
    file.write_text(json.dumps([TRACE]))
    return file


def play(path, actions, **options):
    env = TraceEnv(str(path), **options)
    text = env.reset(seed=0)[0]["text"]
    results = []
    for each in actions:
        results.append(env.step(each))
        if results[-1][2] or results[-1][3]:
            break
    return text, results


def test_expert_reaches_the_end(path):
    text, results = play(path, EXPERT)
    assert text.startswith("Book a table")
    assert 'backend_node_id="2"' in results[0][0]["text"]
    assert sum(each[1] for each in results) == pytest.approx(1)
    assert (results[-1][4]["success"], results[-1][4]["score"]) == (True, 1)


def test_first_difference_ends_the_episode_without_patches(path):
    _, results = play(path, [EXPERT[0], 'click("2")', *EXPERT[2:]])
    assert len(results) == 2
    assert (results[-1][4]["success"], results[-1][4]["score"]) == (False, 0.25)
    assert "fill('2', 'Ada')" in results[-1][0]["text"]


def test_patch_goes_on_with_the_experts_step_and_marks_where_credit_is_cut(path):
    _, results = play(path, [EXPERT[0], 'fill("2", "Bob")', *EXPERT[2:]], max_patches=1)
    assert len(results) == 4
    assert "Instead, this was done: fill('2', 'Ada')" in results[1][0]["text"]
    assert [each[4]["reward_events"][0].detail["is_patched"] for each in results] == [False, True, False, False]
    assert (results[-1][4]["success"], results[-1][4]["score"]) == (False, 0.25)


def test_steps_of_a_trace_are_tasks_with_the_experts_history(path):
    tasks = load_traces(path, by_step=True)
    assert [task.id for task in tasks] == [f"trace:t1:{number}" for number in range(4)]
    env = TraceEnv()
    text = env.reset(options={"task": tasks[2]})[0]["text"]
    assert "1. click('1')\n2. fill('2', 'Ada')" in text
    assert env.step(EXPERT[2])[4]["success"]


def test_returns_are_cut_after_a_patch():
    assert cut_returns([1, 0, 1, 1], [False, True, False, False], 0.5) == [1.0, 0.0, 1.5, 1.0]
    assert cut_returns([1, 0, 1, 1], [False] * 4, 0.5) == [1.375, 0.75, 1.5, 1.0]


def test_performance_is_progress_and_success_and_their_mean():
    found = semi_online_performance([(4, 4), (1, 4), (0, 2)])
    assert (found.progress, found.success) == pytest.approx((1.25 / 3, 1 / 3))
    assert found.score == pytest.approx((1.25 / 3 + 1 / 3) / 2)
    with pytest.raises(ConfigError, match="at least one"):
        semi_online_performance([])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[", "is no JSON"),
        ("[]", "has no traces"),
        ('[{"actions": []}]', "confirmed_task"),
        ('[{"confirmed_task": "x", "actions": []}]', "no actions"),
        ('[{"confirmed_task": "x", "actions": [{"operation": {"op": "FLY"}}]}]', "FLY"),
    ],
)
def test_malformed_file_is_refused(tmp_path, content, said):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(TaskError, match=said):
        load_traces(tmp_path / "a.json")


def test_environment_without_traces_says_what_to_name():
    with pytest.raises(ConfigError, match="traces=PATH"):
        TraceEnv().reset(seed=0)
    assert agentgym.__version__
