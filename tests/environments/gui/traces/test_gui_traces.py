"""GuiTrace-v0: files of traces, semi-online episodes on them, and recorded episodes as traces."""

import json

import numpy as np
import pytest

import agentgym
from agentgym.attribution import make_attribution
from agentgym.cli.main import main
from agentgym.errors import ConfigError, StoreError, TaskError
from agentgym.picture import Image, png_of
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.reward import CUTS_CREDIT
from agentgym.rollout import play_episode
from agentgym.store import RunStore
from agentgym_gui.traces import converting
from agentgym_gui.traces import files as module
from agentgym_gui.traces.env import GuiTraceEnv
from agentgym_gui.traces.files import Options, load_traces
from agentgym_gui.traces.scripts import Expert

PHONE = {
    "goal": "Add a clock for New York",
    "episode_id": 16169,
    "steps": [
        {
            "action_content": {"action": "click", "coordinate": [540, 1958]},
            "screenshot": "/data/images/16169_0.png",
            "step_instruction": "Click on the + button",
            "check_options": {"candidate_bbox": [[414, 1833, 666, 2085], [0, 0, 1080, 2337]]},
        },
        {"action_content": {"action": "type", "text": "New York"}, "check_options": {"action": "type"}},
        {"action_content": {"action": "swipe", "coordinate": [540.0, 1800.0], "coordinate2": [540.0, 600.0]}},
        {"action_content": {"action": "wait", "time": 2}, "check_options": {}},
    ],
}
DESKTOP = {
    "id": "d1",
    "goal": "Save the file",
    "width": 640,
    "height": 400,
    "syntax": "tools",
    "steps": [
        {"observation": 'b1 button "File"', "elements": {"b1": [0, 0, 40, 20]}, "action": 'click("b1")'},
        {
            "title": "File",
            "elements": {"m1": [0, 20, 90, 20, "menu item", "Save"], "m2": [0, 40, 90, 20, "menu item", "Quit", "off"]},
            "action": 'click("m1")',
        },
    ],
}
PHONE_STEPS = [
    '{"action": "click", "coordinate": [600, 1900]}',
    '{"action": "type", "text": "new york"}',
    '{"action": "swipe", "coordinate": [500, 2000], "coordinate2": [500, 300]}',
    '{"action": "wait", "time": 1}',
]


def write(folder, *traces):
    file = folder / "traces.jsonl"
    file.write_text("".join(json.dumps(trace) + "\n" for trace in traces))
    return file


def play(env, messages, task=None):
    first = env.reset(options={"task": task or env.make_task(0)})
    return first, [env.step(message) for message in messages]


def test_phone_trace_is_played_in_its_own_syntax(tmp_path):
    env = GuiTraceEnv(str(write(tmp_path, PHONE)))
    (observation, _), results = play(env, PHONE_STEPS)
    assert "Add a clock for New York" in observation["text"]
    assert "picture of this step is missing" in observation["text"]
    assert "+ button" not in observation["text"]
    assert [result[1] for result in results] == [0.25] * 4
    assert results[-1][4]["success"]
    assert results[-1][0]["text"] == "The trace has ended."


def test_click_in_the_box_of_the_whole_screen_is_no_success(tmp_path):
    env = GuiTraceEnv(str(write(tmp_path, PHONE)))
    _, [result] = play(env, ['{"action": "click", "coordinate": [10, 10]}'])
    assert (result[1], result[2], result[4]["score"]) == (0, True, 0)
    assert result[0]["text"] == f"The expert did: {json.dumps(PHONE['steps'][0]['action_content'])}"


def test_trace_is_played_in_another_syntax_on_a_grid(tmp_path):
    env = GuiTraceEnv(str(write(tmp_path, PHONE)), syntax="uitars", coordinates="grid", max_patches=1)
    (observation, _), results = play(
        env, ["click(start_box='(500,800)')", "wait()", "scroll(direction='down')", "Thought: x\nAction: wait()"]
    )
    assert observation["text"].startswith("Answer with a thought and an action")
    assert "Instead, this was done: type 'New York'" in results[1][0]["text"]
    assert [result[1] for result in results] == [0.25, 0, 0.25, 0.25]
    assert [result[4]["reward_events"][0].detail[CUTS_CREDIT] for result in results] == [False, True, False, False]
    assert results[-1][4]["score"] == 0.25


def test_invalid_message_is_explained_and_changes_nothing(tmp_path):
    env = GuiTraceEnv(str(write(tmp_path, DESKTOP)))
    _, results = play(env, ['click("b9")', 'click("b1")', "click_at(5, 25)"])
    assert "no element 'b9' on the screen now" in results[0][0]["text"]
    assert (results[0][1], results[0][4]["is_invalid"]) == (-0.1, True)
    assert results[-1][4]["success"]


def test_elements_are_listed_with_state_and_place(tmp_path):
    env = GuiTraceEnv(str(write(tmp_path, DESKTOP)), places=True)
    _, results = play(env, ['click("b1")'])
    assert results[0][0]["text"].splitlines() == [
        'window "File"',
        'm1 menu item "Save" at 0,20 90x20',
        'm2 menu item "Quit" off at 0,40 90x20',
    ]


def test_all_actions_of_a_message_are_the_step(tmp_path):
    env = GuiTraceEnv(str(write(tmp_path, DESKTOP)))
    _, [result] = play(env, ['click("b1"); click("b1")'])
    assert (result[1], result[2]) == (0, True)
    assert [message["content"] for message in result[4]["messages"]] == ["read", 'The expert did: click("b1")']


def test_step_by_step_with_the_experts_history_and_instruction(tmp_path):
    file = write(tmp_path, PHONE)
    tasks = load_traces(file, Options(by_step=True))
    assert [task.id for task in tasks] == [f"trace:16169:{number}" for number in range(4)]
    assert [len(task.config["screens"]) for task in tasks] == [1, 2, 3, 4]
    env = GuiTraceEnv(str(file), by_step=True, instructions=True)
    assert "Now: Click on the + button" in play(env, [], tasks[0])[0][0]["text"]
    (observation, _), [result] = play(env, [PHONE_STEPS[1]], tasks[1])
    assert "Done so far:\n1. " in observation["text"]
    assert result[4]["success"]


def test_picture_is_sent_and_its_size_is_what_coordinates_mean(tmp_path):
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "16169_0.png").write_bytes(png_of(np.zeros((1200, 540, 3), np.uint8)))
    env = GuiTraceEnv(str(write(tmp_path, PHONE)), images=str(tmp_path / "images"))
    (_, info), results = play(env, ['{"action": "click", "coordinate": [270, 979]}', PHONE_STEPS[1]])
    parts = info["messages"][0]["content"]
    assert parts[1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert results[0][1] == 0.25
    assert "Nothing was recorded" in results[0][0]["text"]
    assert results[1][1] == 0.25


def test_file_that_is_no_picture_is_not_sent(tmp_path):
    (tmp_path / "16169_0.png").write_text("root:x:0:0")
    env = GuiTraceEnv(str(write(tmp_path, PHONE)), images=str(tmp_path))
    (observation, info), _ = play(env, [])
    assert isinstance(info["messages"][0]["content"], str)
    assert "picture of this step is missing" in observation["text"]


def test_credit_stops_at_a_patch(tmp_path):
    env = GuiTraceEnv(str(write(tmp_path, PHONE)), max_patches=1)
    said = iter([PHONE_STEPS[0], PHONE_STEPS[3], *PHONE_STEPS[2:]])

    class Says:
        def act(self, messages):
            return next(said)

    record = play_episode(env, ScriptedPolicy("x", lambda task, seed: Says()), env.make_task(0))
    [credit] = make_attribution("return_to_go", ["gamma=0.5"]).attribute([record])
    assert credit.tolist() == [0.25, 0, 0.375, 0.25]


def test_evaluation_has_a_column_of_the_measure(tmp_path, capsys):
    path = write(tmp_path, PHONE, DESKTOP | {"syntax": "tools"})
    arguments = ["eval", "--suite", "agentgym/GuiTrace-v0", "--policy"]
    assert main([*arguments, "null", "--env-option", f"traces={path}", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["num_tasks"], result["measures"]) == (2, {"SOP": {"": 0.0, "all": 0.0}})


@pytest.mark.parametrize("stratum", ["train", "unseen_names", "longer"])
def test_expert_solves_tasks_of_the_suite(stratum):
    split = "train" if stratum == "train" else "test"
    tasks = [task for task in agentgym.load_suite("gui/traces").tasks(split) if task.stratum == stratum][:5]
    env = agentgym.make("agentgym/GuiTrace-v0").unwrapped
    for task in tasks:
        record = play_episode(env, ScriptedPolicy("x", lambda task, seed: Expert(task, seed, 1.0)), task)
        assert (record.success, record.score, record.total_reward) == (True, 1, pytest.approx(1))
    assert len(tasks) == 5


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "has no traces"),
        ("{", "line 1: expected a trace as a JSON object"),
        ("[" * 100_000, "line 1: expected a trace"),
        ("[]", "expected an object with a text 'goal'"),
        ('{"goal": "x"}', "'steps'"),
        ('{"goal": "x", "steps": []}', "from 1 to 500 'steps'"),
        ('{"goal": "x", "steps": [3]}', "step 1: expected an object"),
        ('{"goal": "x", "steps": [{}]}', "step 1: expected 'action'"),
        ('\n{"goal": "x", "steps": [{"action_content": {"action": "fly"}}]}', "line 2, step 1: its action is none of"),
        ('{"goal": "x", "syntax": "no", "steps": [{"action": "x"}]}', "the syntax 'no' is unknown"),
        ('{"goal": "x", "width": 0, "height": 5, "steps": [{"action": "x"}]}', "0x5 pixels"),
        ('{"goal": "x", "width": "a", "height": 5, "steps": [{"action": "x"}]}', "its size has the coordinate 'a'"),
        ('{"goal": "x", "steps": [{"action": "x", "elements": {"a": [1, 2]}}]}', "element 'a' is not"),
        ('{"goal": "x", "steps": [{"action": "x", "elements": {"a": [1, 2, NaN, 4]}}]}', "coordinate nan"),
        ('{"goal": "x", "steps": [{"action": "x", "boxes": [[1, 2, 3]]}]}', r"a box is \[left, top"),
        ('{"goal": "x", "steps": [{"action": "x", "boxes": 5}]}', "at most 5000 boxes"),
        ("\n".join([json.dumps({**PHONE, "episode_id": 7})] * 2), "line 2: its id is that of line 1, too"),
    ],
)
def test_malformed_file_is_refused_by_line_and_step(tmp_path, content, said):
    file = tmp_path / "a.jsonl"
    file.write_text(content)
    with pytest.raises(TaskError, match=said):
        load_traces(file)


def test_huge_files_and_lines_are_refused(tmp_path, monkeypatch):
    file = write(tmp_path, PHONE)
    monkeypatch.setattr(module, "MAX_LINE", 100)
    with pytest.raises(TaskError, match="line 1 is longer"):
        load_traces(file)
    monkeypatch.setattr(module, "MAX_BYTES", 0)
    with pytest.raises(TaskError, match="split it"):
        load_traces(file)
    with pytest.raises(TaskError, match="there is no file"):
        load_traces(tmp_path / "none.jsonl")


def test_wrong_options_and_tasks_are_refused():
    with pytest.raises(ConfigError, match="max_patches from 0"):
        GuiTraceEnv(max_patches=-1)
    with pytest.raises(ConfigError, match="name the file with traces"):
        GuiTraceEnv(images="pictures")
    with pytest.raises(TaskError, match="expected a task of load_traces"):
        GuiTraceEnv().reset(options={"task": agentgym.Task("x", 0)})


def record_run(folder, trajectories, instruction):
    with RunStore.create(folder, {}) as store:
        for trajectory in trajectories:
            task = agentgym.Task(trajectory.task_id, 0, instruction=instruction)
            store.write_tasks([task])
            store.write_episode(trajectory, purpose="evaluation")


def test_solved_episodes_become_traces_that_can_be_solved(tmp_path):
    env = GuiTraceEnv(str(write(tmp_path, DESKTOP)))
    said = ['click("b9")', 'click("b1")', 'click("m1")']
    policy = ScriptedPolicy("x", lambda task, seed: agentgym.authoring.players.Saying(*said))
    records = [play_episode(env, policy, env.make_task(0), seed=number) for number in range(2)]
    records[1].id, records[1].success = "other", False
    records[0].turns[0].screenshot = Image("ab" * 32, "image/png", png_of(np.zeros((4, 4, 3), np.uint8)))
    record_run(tmp_path / "run", records, DESKTOP["goal"])
    file = tmp_path / "out.jsonl"
    assert converting.convert(tmp_path / "run", file) == {"traces": 1, "not solved": 1}
    [trace] = [json.loads(line) for line in file.read_text().splitlines()]
    assert [step["action"] for step in trace["steps"]] == said[1:]
    assert trace["steps"][0]["observation"] == 'b1 button "File"'
    assert (tmp_path / trace["steps"][0]["screenshot"]).read_bytes().startswith(b"\x89PNG")
    again = GuiTraceEnv(str(file))
    assert play(again, said[1:])[1][-1][4]["success"]
    kept = file.read_text()
    with pytest.raises(StoreError, match="became a trace of the syntax openai"):
        converting.main([str(tmp_path / "run"), str(file), "openai"])
    assert file.read_text() == kept


def test_episodes_of_the_web_become_traces_with_our_tools(tmp_path, capsys):
    trajectory = web_episode([("click", {"bid": "12"}), ("fill", {"bid": "7", "value": "Ada"})])
    other = web_episode([("goto", {"url": "http://x"})], "e2")
    record_run(tmp_path / "run", [trajectory, other], "Book")
    converting.main([str(tmp_path / "run"), str(tmp_path / "out.jsonl"), "web"])
    said = capsys.readouterr().out
    assert "1 traces" in said
    assert "the action goto has no counterpart" in said
    env = GuiTraceEnv(str(tmp_path / "out.jsonl"))
    _, results = play(env, ['click("12")', 'type_into("7", "ada")'])
    assert results[-1][4]["success"]


def web_episode(calls, name="e1"):
    text = 'Book\n\n[12] link "Book"\n[7] textbox "Name"'
    turns = [
        agentgym.trajectory.Turn(
            number,
            [{"role": "user", "content": text}],
            {"tool_calls": [{"function": {"name": call, "arguments": json.dumps(arguments)}}]},
            "",
        )
        for number, (call, arguments) in enumerate(calls)
    ]
    outcome = agentgym.Outcome("terminated")
    return agentgym.trajectory.Trajectory(name, "web:1", turns=turns, outcome=outcome, score=1.0, success=True)
