import json
from pathlib import Path

import pytest

import agentgym
from agentgym.attribution import make_attribution
from agentgym.cli.main import main
from agentgym.errors import ConfigError, TaskError
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.reward import CUTS_CREDIT
from agentgym.rollout import play_episode
from agentgym_web.formats import traces as module
from agentgym_web.formats.semi_online import TraceEnv
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
    assert [each[4]["reward_events"][0].detail[CUTS_CREDIT] for each in results] == [False, True, False, False]
    assert (results[-1][4]["success"], results[-1][4]["score"]) == (False, 0.25)


def test_steps_of_a_trace_are_tasks_with_the_experts_history(path):
    tasks = load_traces(path, by_step=True)
    assert [task.id for task in tasks] == [f"trace:t1:{number}" for number in range(4)]
    env = TraceEnv()
    text = env.reset(options={"task": tasks[2]})[0]["text"]
    assert "1. click('1')\n2. fill('2', 'Ada')" in text
    assert env.step(EXPERT[2])[4]["success"]


def test_credit_stops_at_a_patch(path):
    env = TraceEnv(str(path), max_patches=1)
    said = iter([EXPERT[0], 'fill("2", "Bob")', *EXPERT[2:]])
    record = play_episode(env, ScriptedPolicy("x", lambda task, seed: Says(said)), env.make_task(0))
    [credit] = make_attribution("return_to_go", ["gamma=0.5"]).attribute([record])
    assert credit.tolist() == [0.25, 0, 0.375, 0.25]


class Says:
    def __init__(self, lines):
        self.lines = lines

    def act(self, messages):
        return next(self.lines)


def test_evaluation_by_id_has_a_column_of_the_measure(path, capsys):
    arguments = ["eval", "--suite", "agentgym/WebTrace-v0", "--policy"]
    assert main([*arguments, "oracle", "--env-option", f"traces={path}"]) == 0
    [head, row, _] = capsys.readouterr().out.splitlines()[1:4]
    assert (head.split()[-1], row.split()[1], row.split()[-1]) == ("SOP", "1", "1.000")
    assert main([*arguments, "null", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["num_tasks"], result["measures"]) == (3, {"SOP": {"": 0.0, "all": 0.0}})


def test_only_the_first_call_of_a_message_counts(path):
    _, [result] = play(path, ['click("9"); click("1")'])
    assert (result[2], result[4]["score"]) == (True, 0)
    assert "one action a message" in result[0]["text"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[", "is no JSON"),
        ("[]", "is empty"),
        ("[" * 100_000, "is no JSON"),
        ("1" * 5000, "is no JSON"),
        ('[{"confirmed_task": "x", "actions": [3]}]', "action 0: expected cleaned_html"),
        ('[{"confirmed_task": "x", "actions": [{"operation": 3}]}]', "action 0: expected cleaned_html"),
        ('[{"actions": []}]', "confirmed_task"),
        ('[{"confirmed_task": "x", "actions": []}]', "no actions"),
        ('[{"confirmed_task": "x", "actions": [{"operation": {"op": "FLY"}}]}]', "FLY"),
    ],
)
def test_malformed_file_is_refused(tmp_path, content, said):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(TaskError, match=said):
        load_traces(tmp_path / "a.json")


def test_huge_file_is_refused_before_it_is_read(path, monkeypatch):
    monkeypatch.setattr(module, "MAX_BYTES", 0)
    with pytest.raises(TaskError, match="split it"):
        load_traces(path)


def test_endless_file_is_refused():
    with pytest.raises(TaskError, match="/dev/zero is no regular file"):
        load_traces(Path("/dev/zero"))


def test_file_that_is_larger_than_it_says_is_read_up_to_the_limit(monkeypatch):
    monkeypatch.setattr(module, "MAX_BYTES", 1)
    with pytest.raises(TaskError, match="is too large"):
        load_traces(Path("/proc/self/status"))


def test_byte_order_mark_is_left_out(tmp_path):
    (tmp_path / "a.json").write_text("\ufeff" + json.dumps([TRACE]), encoding="utf-8")
    assert len(load_traces(tmp_path / "a.json")) == 1


def test_task_of_another_environment_is_refused(path):
    with pytest.raises(TaskError, match="expected a task of load_traces"):
        TraceEnv().reset(options={"task": agentgym.Task("x", 0)})
    with pytest.raises(ConfigError, match="max_patches must be at least 0"):
        TraceEnv(str(path), max_patches=-1)
