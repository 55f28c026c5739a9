from __future__ import annotations

import json

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError, UnknownNameError
from agentgym.outcome import Outcome
from agentgym.sandbox.pool import shared_pool
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from agentgym_tools.maths.env import RIGHT, WRONG, MathsEnv
from agentgym_tools.maths.kinds import TRAINED
from agentgym_tools.maths.scripts import SCRIPTS, Demonstrator
from agentgym_tools.maths.values import REFUSALS

TASK = Task(
    "t", 1, "What is 6 times 7?", config={"form": "integer"}, private={"answer": "42", "program": "print(6 * 7)"}
)


def call(name: str, **arguments: object) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def test_env_is_registered_and_draws_what_is_asked() -> None:
    env = agentgym.make("agentgym/Maths-v0", sandbox="process", kind="piles", level=2)
    assert (env.make_task(3).config["kind"], env.make_task(3).config["level"]) == ("piles", 2)
    assert env.make_task(3) == env.make_task(3)


def test_tasks_made_from_seeds_are_of_trained_kinds(env: MathsEnv) -> None:
    kinds = {env.make_task(seed).config["kind"] for seed in range(25)}
    assert len(kinds) > 8
    assert kinds <= set(TRAINED)


def test_no_sandbox_starts_before_code_does(env: MathsEnv) -> None:
    pool = shared_pool("process")
    before = pool.stats().leased
    env.reset(options={"task": TASK})
    assert pool.stats().leased == before
    env.step(call("answer", value="forty-two"))
    assert pool.stats().leased == before
    env.step(call("run_python", code="x = 6"))
    assert pool.stats().leased == before + 1
    assert env.step(call("run_python", code="x * 7"))[0]["text"] == "42"
    *_, terminated, _, info = env.step(call("answer", value=42))
    assert (terminated, info["success"]) == (True, True)
    assert pool.stats().leased == before


@pytest.mark.parametrize(("value", "success"), [("42", True), (42, True), (42.0, True), ("43", False), ("4.0", False)])
def test_answer_ends_the_episode(env: MathsEnv, value: object, success: bool) -> None:
    env.reset(options={"task": TASK})
    observation, reward, terminated, _, info = env.step(call("answer", value=value))
    assert (observation["text"], reward) == (RIGHT if success else WRONG, float(success))
    assert (terminated, info["success"]) == (True, success)


def test_answer_of_another_form_is_explained_and_not_judged(env: MathsEnv) -> None:
    env.reset(options={"task": TASK})
    observation, reward, terminated, *_ = env.step(call("answer", value="6 * 7"))
    assert (observation["text"], reward, terminated) == (REFUSALS["integer"], 0.0, False)
    assert env.step(call("answer", value="42"))[1] == 1.0


def test_milestone_is_paid_once_and_taken_back(env: MathsEnv) -> None:
    env.reset(options={"task": TASK})
    assert env.step(call("run_python", code="print(*range(100))"))[1] == 0.0
    assert env.progress() == 0.0
    assert env.step(call("run_python", code="print('so:')\nprint(42)"))[1] == pytest.approx(0.1)
    assert env.progress() == 1.0
    assert env.step(call("run_python", code="print(42)"))[1] == 0.0
    assert env.step(call("answer", value="41"))[1] == pytest.approx(-0.1)


def test_milestone_of_a_cut_episode_is_taken_back(env: MathsEnv) -> None:
    env.reset(options={"task": TASK})
    env.step(call("run_python", code="42"))
    reward, info = env.finalize("time")
    assert reward == pytest.approx(-0.1)
    assert info["success"] is False


def test_failing_code_costs_nothing_and_talk_is_invalid(env: MathsEnv) -> None:
    env.reset(options={"task": TASK})
    observation, reward, *_ = env.step(call("run_python", code="1 / 0"))
    assert "ZeroDivisionError" in observation["text"]
    assert reward == 0.0
    assert env.step("It is 42.")[1] == pytest.approx(-0.1)


def test_turns_are_limited(env: MathsEnv) -> None:
    env.reset(options={"task": env.make_task(1)})
    for _ in range(8):
        *_, truncated, info = env.step(call("answer", value=""))
    assert truncated
    assert info["outcome"] == Outcome("truncated", "turns")


@pytest.mark.parametrize(
    "task",
    [
        Task("x", 1),
        Task("x", 1, config={"form": "poem"}, private={"answer": "1"}),
        Task("x", 1, config={"form": "integer"}, private={"answer": "1/2"}),
    ],
)
def test_foreign_task_is_refused(env: MathsEnv, task: Task) -> None:
    with pytest.raises(TaskError, match="not a task of Maths-v0"):
        env.reset(options={"task": task})


def test_bad_options_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean piles"):
        MathsEnv(kind="pile")
    with pytest.raises(ConfigError, match="level must be"):
        MathsEnv(level=4)
    with pytest.raises(ConfigError, match="render_mode"):
        MathsEnv(render_mode="human")


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name.startswith("cheat_") or name == "null"])
def test_cheats_get_nothing(env: MathsEnv, name: str) -> None:
    record = play_script(env, TASK, SCRIPTS[name](TASK, 0))
    assert not record.success
    assert record.reward <= 0.0


def test_demonstrator_gets_better_with_its_quality(env: MathsEnv) -> None:
    tasks = [env.make_task(seed) for seed in range(16)]
    rates = [
        sum(play_script(env, task, Demonstrator(task, i, quality)).success for i, task in enumerate(tasks))
        for quality in (0.1, 0.7, 1.0)
    ]
    assert rates[0] < rates[1] < rates[2] == 16
