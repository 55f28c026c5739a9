import json
import re
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
from agentgym_web.formats.page_cuts import cut_page
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


def changed(**fields):
    """A file with the trace whose second action is another one."""
    first, second, *others = TRACE["actions"]
    return json.dumps([{**TRACE, "actions": [first, {**second, **fields}, *others]}])


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
    tasks = load_traces(path, by_step=True).tasks
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
        ('[{"confirmed_task": "x", "actions": [3]}]', "action 0: expected an object with a text cleaned_html"),
        (
            '[{"confirmed_task": "x", "actions": [{"operation": 3}]}]',
            "action 0: expected an object with a text cleaned_html",
        ),
        ('[{"actions": []}]', "confirmed_task"),
        ('[{"confirmed_task": "x", "actions": []}]', "no actions"),
        (changed(operation={"op": "SCROLL"}), "action 1: op of its operation must be of CLICK, .*: got 'SCROLL'"),
        (changed(operation={"op": [1]}), r"op of its operation must be of .*: got \[1\]"),
        (changed(operation={"op": "TYPE", "value": None}), "value of its operation must be a text: got None"),
        (changed(cleaned_html=None), "expected an object with a text cleaned_html"),
        (changed(pos_candidates="abc"), "a list pos_candidates"),
        (changed(pos_candidates=["a"]), "pos_candidates must be objects with backend_node_id: got 'a'"),
        (json.dumps([{**TRACE, "confirmed_task": None}]), "confirmed_task must be a text: got None"),
        (changed(pos_candidates=[]), "action 1: it has no pos_candidates.*leave_out=true"),
        (changed(pos_candidates=[{"backend_node_id": "77"}]), "action 1: no right element is on its page"),
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


def test_steps_without_a_right_element_are_left_out_and_counted(tmp_path, caplog):
    (tmp_path / "a.json").write_text(changed(pos_candidates=[]))
    _, results = play(tmp_path / "a.json", [EXPERT[0], *EXPERT[2:]], leave_out=True)
    assert results[-1][4]["success"]
    assert TraceEnv(str(tmp_path / "a.json"), by_step=True, leave_out=True).num_tasks == 3
    assert TraceEnv(str(tmp_path / "a.json"), leave_out=True).num_steps_left_out == 1
    assert "1 steps without a right element are left out" in caplog.text


def test_file_without_a_step_that_can_be_judged_is_refused(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([{**TRACE, "actions": [{**action("CLICK", 1), "pos_candidates": []}]}]))
    with pytest.raises(TaskError, match=r"none of the 1 steps of .*a\.json can be played"):
        load_traces(tmp_path / "a.json", leave_out=True)


@pytest.mark.parametrize("number", [0, 3, 40, 77, 99])
def test_long_page_is_cut_around_the_right_element(number):
    elements = [f'<a title="a > b" backend_node_id="{each}">Link {each}</a>' for each in range(100)]
    page = f"<html>{''.join(elements)}</html>"
    cut = cut_page(page, str(number), 600)
    parts = cut.split("\n(a part of the page is left out)\n")
    assert sum(map(len, parts)) <= 600
    assert elements[number] in cut
    assert cut.startswith(f"<html>{elements[0]}")
    kept = re.sub(r"</?html>", "", "".join(parts))
    assert kept == "".join(each for each in elements if each in kept)
    assert len(kept) > 400


def test_right_element_of_a_long_page_is_shown(tmp_path):
    long = {**TRACE["actions"][0], "cleaned_html": "<p>x</p>" * 20_000 + TRACE["actions"][0]["cleaned_html"]}
    (tmp_path / "a.json").write_text(json.dumps({**TRACE, "actions": [long]}))
    text, [result] = play(tmp_path / "a.json", EXPERT[:1])
    assert 'backend_node_id="1"' in text
    assert result[4]["success"]


def test_element_that_is_longer_than_what_is_shown_is_refused(tmp_path):
    page = f'<p>a</p><a backend_node_id="2">{"x" * 500}</a>'
    (tmp_path / "a.json").write_text(changed(cleaned_html=page))
    with pytest.raises(TaskError, match="action 1: its right element has more than 100 characters"):
        load_traces(tmp_path / "a.json", max_html=100)


def test_endless_file_is_refused():
    with pytest.raises(TaskError, match="/dev/zero is no regular file"):
        load_traces(Path("/dev/zero"))


def test_file_that_is_larger_than_it_says_is_read_up_to_the_limit(monkeypatch):
    monkeypatch.setattr(module, "MAX_BYTES", 1)
    with pytest.raises(TaskError, match="is too large"):
        load_traces(Path("/proc/self/status"))


def test_byte_order_mark_is_left_out(tmp_path):
    (tmp_path / "a.json").write_text("\ufeff" + json.dumps([TRACE]), encoding="utf-8")
    assert len(load_traces(tmp_path / "a.json").tasks) == 1


def test_task_of_another_environment_is_refused(path):
    with pytest.raises(TaskError, match="expected a task of load_traces"):
        TraceEnv().reset(options={"task": agentgym.Task("x", 0)})
    with pytest.raises(ConfigError, match="max_patches must be at least 0"):
        TraceEnv(str(path), max_patches=-1)
