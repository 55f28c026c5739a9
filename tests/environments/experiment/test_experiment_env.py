from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest

import agentgym
from agentgym.authoring.players import call_text
from agentgym.errors import ConfigError, TaskError, UnknownNameError
from agentgym.message import content_text
from agentgym.sandbox.pool import shared_pool
from agentgym.task import Task
from agentgym_swe.experiment.env import GRADED, NOTED, ExperimentEnv
from agentgym_swe.experiment.problem import read_task, to_task

TASK = to_task("loans", ["missing", "leak"], seed=3)
READ = "import csv\nrows = list(csv.DictReader(open('test.csv')))\nopen('train.csv').close()\n"


@pytest.fixture
def env() -> Iterator[ExperimentEnv]:
    made = ExperimentEnv(sandbox="process", parts_weight=0.1)
    made.reset(options={"task": TASK})
    yield made
    made.close()


def play(env: ExperimentEnv, script: str) -> tuple[str, dict[str, float], dict[str, Any]]:
    """What the script is answered by, its events, and the info after submitting."""
    assert env.step(call_text("write", path="a.py", content=script))[0]["text"] == NOTED
    *_, ran = env.step(call_text("run", path="a.py"))
    *_, info = env.step(call_text("submit"))
    assert content_text(info["messages"][0]) == GRADED
    events = {event.component: event.value for each in (ran, info) for event in each["reward_events"]}
    return content_text(ran["messages"][0]), events, info


def writes(values: str) -> str:
    """A script that writes a list of values as predictions."""
    return (
        f"{READ}values = {values}\nwith open('predictions.csv', 'w') as f:\n    f.write('id,prediction\\n')\n"
        "    f.writelines(f'{r[\"id\"]},{v}\\n' for r, v in zip(rows, values))\n"
    )


def test_right_labels_score_one_and_steps_are_noted_once(env: ExperimentEnv) -> None:
    labels = read_task(TASK).data.labels.tolist()
    said, events, info = play(env, writes(repr(labels)) + "print('written')")
    assert said == "written"
    assert events == {"read": 1.0, "file": 1.0, "score": 1.0}
    assert info["success"]


def test_labels_are_nowhere_in_the_work_folder(env: ExperimentEnv) -> None:
    env.step(call_text("write", path="a.py", content="print(*sorted(__import__('os').listdir()))"))
    *_, info = env.step(call_text("run", path="a.py"))
    assert content_text(info["messages"][0]) == "a.py about.json test.csv train.csv"
    files = read_task(TASK).files()
    columns = next(csv.DictReader(io.StringIO(files["test.csv"].decode())))
    assert "default" not in columns
    assert "closing_balance" in columns


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ("['nan'] * len(rows)", "no finite number"),
        ("[1] * (len(rows) - 1)", "lacks 1 of 400"),
        ("['1,2'] * len(rows)", "one prediction"),
        ("['1'] * len(rows)\nrows[1] = rows[0]", "repeats the id"),
        ("['__import__(\"os\")'] * len(rows)", "no finite number"),
    ],
)
def test_files_of_another_form_score_nothing_and_say_why(env: ExperimentEnv, values: str, reason: str) -> None:
    _, events, info = play(env, writes(values))
    (verdict,) = [event for event in info["reward_events"] if event.component == "score"]
    assert (verdict.value, reason in verdict.detail["why"]) == (0.0, True)
    assert "file" not in events


def test_a_link_out_of_the_folder_is_no_file_of_predictions(env: ExperimentEnv) -> None:
    _, events, info = play(env, "import os\nos.symlink('/etc/passwd', 'predictions.csv')")
    assert events == {"score": 0.0}
    assert info["reward_events"][0].detail["why"].startswith("predictions.csv cannot be read: ")


def test_forged_notes_count_as_output_only(env: ExperimentEnv) -> None:
    line = f"{'0' * 16} {json.dumps(['fit', 'predict'])}"
    said, events, _ = play(env, f"import os, sys\nprint({line!r}, file=sys.stderr, flush=True)\nos._exit(3)")
    assert events == {"score": 0.0}
    assert said == f"{line}\n[exit code 3]"


def test_a_failing_script_is_answered_by_its_traceback(env: ExperimentEnv) -> None:
    said, events, info = play(env, f"{READ}print('here')\nraise ValueError('wrong')")
    assert info["reward_events"][0].detail["why"] == "There is no predictions.csv."
    assert said.startswith("here\n")
    assert said.splitlines()[-2:] == ["ValueError: wrong", "[exit code 1]"]
    assert events["read"] == 1.0, "what it did before the error counts"


@pytest.mark.parametrize("end", ["raise ValueError('wrong')", "raise SystemExit(3)", "raise SystemExit('no')", "1 +"])
def test_a_script_that_ends_badly_is_answered_alike_twice(env: ExperimentEnv, end: str) -> None:
    env.step(call_text("write", path="a.py", content=READ + end))
    first, second = (content_text(env.step(call_text("run", path="a.py"))[4]["messages"][0]) for _ in range(2))
    assert first == second
    assert "[]" not in first


def test_paths_out_of_the_folder_are_refused(env: ExperimentEnv) -> None:
    *_, info = env.step(call_text("write", path="../../x.py", content=""))
    assert content_text(info["messages"][0]).startswith("The file was not written")


def test_no_sandbox_starts_before_a_file_is_written() -> None:
    pool = shared_pool("process")
    before = pool.stats().leased
    env = ExperimentEnv(sandbox="process")
    env.reset(options={"task": TASK})
    assert pool.stats().leased == before
    *_, info = env.step(call_text("submit"))
    assert info["score"] == 0.0
    assert info["reward_events"][0].detail["why"] == "There is no predictions.csv."


def test_menu_and_scripts_have_their_own_tools() -> None:
    names = {
        mode: [tool["function"]["name"] for tool in ExperimentEnv(mode=mode).tools] for mode in ("menu", "scripts")
    }
    assert names == {"menu": ["train", "submit"], "scripts": ["write", "run", "submit"]}


@pytest.mark.parametrize(
    "config", [{}, {"theme": "loans"}, {"theme": "cars", "hardships": []}, {"theme": "loans", "hardships": ["rain"]}]
)
def test_tasks_of_another_form_are_refused(config: dict[str, Any]) -> None:
    with pytest.raises(TaskError, match="Experiment"):
        ExperimentEnv(sandbox="process").reset(options={"task": Task("x", 1, config=config)})


def test_options_out_of_range_are_refused() -> None:
    for options in ({"mode": "talk"}, {"parts_weight": 2.0}):
        with pytest.raises(ConfigError):
            agentgym.make("agentgym/Experiment-v0", **options)
    with pytest.raises(ConfigError, match="mode must be scripts or menu, or left out for the task's: got 'talk'"):
        agentgym.make("agentgym/Experiment-v0", mode="talk")
    with pytest.raises(UnknownNameError):
        agentgym.make("agentgym/Experiment-v0", theme="loan")
