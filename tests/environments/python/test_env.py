import threading
import time
from functools import partial

import pytest

import agentgym
from agentgym.errors import CancelledEpisode, ConfigError, TaskError
from agentgym.outcome import Outcome
from agentgym.sandbox.pool import shared_pool
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.testing import check_env
from agentgym.testing.episodes import play_script
from agentgym_tools.python import interpreter_env
from agentgym_tools.python.env import RIGHT, WRONG, PythonEnv
from agentgym_tools.python.interpreter_env import NO_OUTPUT
from agentgym_tools.python.scripts import SCRIPTS
from tests.environments.python.conftest import call, run


def test_env_is_registered() -> None:
    env = agentgym.make("agentgym/Python-v0", sandbox="process", family="strings")
    assert env.make_task(3).config["family"] == "strings"


def test_variables_last_between_calls_and_turns(env: PythonEnv, function_task: Task) -> None:
    env.reset(options={"task": function_task})
    both = call("run_python", code="x = 5") + "\n" + call("run_python", code="x + 1")
    assert env.step(f"[{both.replace(chr(10), ',')}]")[0]["text"] == f"{NO_OUTPUT}\n6"
    assert run(env, "x * 2") == "10"


def test_variables_do_not_last_between_episodes(env: PythonEnv, function_task: Task) -> None:
    env.reset(options={"task": function_task})
    run(env, "x = 5\nopen('left.txt', 'w').write('left')")
    env.reset(options={"task": function_task})
    assert "NameError" in run(env, "x")
    assert run(env, "import os\nos.listdir('.')") == "[]"


def test_restarts_are_said(env: PythonEnv, function_task: Task) -> None:
    env.reset(options={"task": function_task})
    assert run(env, "x = 1\nexit()").startswith("The code asked to exit. The interpreter was restarted")
    assert run(env, "import os\nos.abort()").startswith("The interpreter crashed.")
    assert "NameError" in run(env, "x")


def test_right_answer_is_rewarded_once(env: PythonEnv, answer_task: Task) -> None:
    env.reset(options={"task": answer_task})
    answer = f" {answer_task.private['answer']}\n"
    observation, reward, terminated, _, info = env.step(call("submit", solution=answer))
    assert (observation["text"], reward, terminated, info["success"]) == (RIGHT, 1.0, True, True)


def test_wrong_answer_ends_the_episode(env: PythonEnv, answer_task: Task) -> None:
    env.reset(options={"task": answer_task})
    observation, reward, terminated, _, info = env.step(call("submit", solution="-1"))
    assert (observation["text"], reward, terminated, info["success"]) == (WRONG, 0.0, True, False)


def test_failed_public_test_is_told_and_may_be_mended(env: PythonEnv, function_task: Task) -> None:
    name = function_task.config["function"]
    env.reset(options={"task": function_task})
    observation, reward, terminated, _, info = env.step(call("submit", solution=f"def {name}(xs):\n    return 'no'"))
    assert observation["text"].startswith(f"Public test 1 of 2 fails: {name}([")
    assert "returned 'no', expected" in observation["text"]
    assert (reward, terminated, env.progress()) == (0.0, False, 0.0)
    observation, reward, terminated, _, info = env.step(call("submit", solution=function_task.private["solution"]))
    assert (observation["text"], reward, terminated, info["success"], env.progress()) == (RIGHT, 1.0, True, True, 1.0)
    assert {event.component: event.value for event in info["reward_events"]} == {"success": 1.0, "progress": 1.0}


def test_public_tests_alone_are_not_enough(env: PythonEnv, function_task: Task) -> None:
    record = play_script(env, function_task, SCRIPTS["cheat_known_tests"](function_task, 0))
    assert record.steps[-1].text.startswith("Wrong. ")
    assert record.steps[-1].text.endswith("of 8 hidden tests fail.")
    assert (record.reward, record.success) == (0.0, False)


def test_share_of_hidden_tests_is_rewarded_where_it_has_a_weight(function_task: Task) -> None:
    env = PythonEnv(sandbox="process", progress_weight=0.5)
    record = play_script(env, function_task, SCRIPTS["oracle"](function_task, 0))
    assert record.reward == 1.5


def test_hidden_tests_run_in_another_sandbox(env: PythonEnv, function_task: Task) -> None:
    env.reset(options={"task": function_task})
    run(env, "open('mine.txt', 'w').write('x')")
    solution = function_task.private["solution"]
    leaked = f"import os\n{solution}\nif not os.path.exists('mine.txt'):\n    del {function_task.config['function']}\n"
    observation, *_ = env.step(call("submit", solution=leaked))
    assert observation["text"] == "Wrong. 8 of 8 hidden tests fail."


def test_sandbox_is_given_back_at_every_end(env: PythonEnv, function_task: Task, answer_task: Task) -> None:
    pool = shared_pool("process")
    before = pool.stats().leased
    env.reset(options={"task": function_task})
    assert pool.stats().leased == before + 1
    env.reset(options={"task": answer_task})
    assert pool.stats().leased == before + 1
    env.step(call("submit", solution="0"))
    assert pool.stats().leased == before
    env.reset(options={"task": function_task})
    env.finalize("time")
    assert pool.stats().leased == before
    env.reset(options={"task": function_task})
    env.interrupt()
    assert pool.stats().leased == before
    env.reset(options={"task": function_task})
    env.close()
    assert pool.stats().leased == before


def test_interrupt_stops_running_code(env: PythonEnv, function_task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter_env, "RUN_LIMIT_S", 60.0)
    env.reset(options={"task": function_task})
    run(env, "1")
    threading.Timer(0.3, env.interrupt).start()
    began = time.monotonic()
    with pytest.raises(CancelledEpisode):
        run(env, "import time\ntime.sleep(55)")
    assert time.monotonic() - began < 50
    env.reset(options={"task": function_task})
    assert run(env, "1") == "1"


def test_long_code_is_refused_and_not_run(env: PythonEnv, function_task: Task) -> None:
    env.reset(options={"task": function_task})
    assert "at most 20000" in run(env, "#" * 30_000)


def test_turns_are_limited(env: PythonEnv, answer_task: Task) -> None:
    env.reset(options={"task": answer_task})
    for _ in range(8):
        *_, truncated, info = env.step(call("run_python", code="1"))
    assert truncated
    assert info["outcome"] == Outcome("truncated", "turns")


def test_foreign_task_is_refused(env: PythonEnv) -> None:
    with pytest.raises(TaskError, match="not a task of Python-v0"):
        env.reset(options={"task": Task("x", 1)})
    assert shared_pool("process").stats().leased == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"family": "poems"}, "family must be one of"),
        ({"level": 4}, "level must be 1, 2 or 3"),
        ({"progress_weight": -1.0}, "progress_weight"),
        ({"render_mode": "human"}, "render_mode"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        PythonEnv(sandbox="process", **options)  # type: ignore[arg-type]


def test_step_starts_no_interpreter(env: PythonEnv, function_task: Task) -> None:
    env.reset(options={"task": function_task})
    look = "import os; os.getpid()"
    seen = [run(env, look) for _ in range(6)]
    assert seen[0].isdigit()
    assert len(set(seen)) == 1


@pytest.mark.slow
def test_env_keeps_the_contract() -> None:
    chosen = next(task for task in load_suite("tools/python").tasks("test") if task.stratum == "lists")
    check_env(partial(PythonEnv, sandbox="process"), tasks=[chosen], scripts=SCRIPTS).raise_if_failed()
