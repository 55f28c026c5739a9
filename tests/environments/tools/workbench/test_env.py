from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agentgym.authoring.players import call_text
from agentgym.env import AgentEnv
from agentgym.errors import ConfigError, TaskError
from agentgym.reward import by_component
from agentgym.task import Task
from agentgym_tools.workbench.acts import ASK, DECLINE, DONE, PUT_RIGHT
from agentgym_tools.workbench.env import WorkbenchEnv
from agentgym_tools.workbench.planning import next_calls
from agentgym_tools.worlds.calls import Call

Entry = Callable[..., Task]
Played = Callable[..., list[dict[str, Any]]]
FOLDER = ("make_folder", {"folder": "/notes/new"})
POST = ("publish", {"text": "A quiet day for chess #chess"})
MAKE = Call("create_folder", {"folder": "/notes/new"})
PUBLISH = Call("publish_post", {"text": "A quiet day for chess #chess"})


def sums(infos: list[dict[str, Any]]) -> dict[str, float]:
    return by_component(event for info in infos for event in info["reward_events"])


def test_each_request_is_paid_at_its_turn_and_all_right_is_success(entry: Entry, play: Played) -> None:
    infos = play(entry(FOLDER, POST), MAKE, Call(DONE), PUBLISH, Call(DONE))
    paid = [[e.value for e in info["reward_events"] if e.component == "request"] for info in infos]
    assert paid == [[], [0.5], [], [0.5]]
    assert infos[-1]["success"]
    assert sums(infos)["milestone"] == pytest.approx(0)
    assert "#chess" in infos[1]["messages"][-1]["content"]


def test_a_wrong_request_takes_back_what_was_paid_and_is_put_right(
    entry: Entry, play: Played, env: WorkbenchEnv
) -> None:
    task = entry(POST, FOLDER, ("unlock", {"door": "boot"}))
    infos = play(task, PUBLISH, Call(DONE), Call(DONE), Call("list_folder", {"folder": "/notes"}), Call(DONE))
    assert [event.value for event in infos[2]["reward_events"] if event.component == "request"] == [
        pytest.approx(-1 / 3)
    ]
    assert infos[2]["messages"][-1]["content"].startswith(PUT_RIGHT)
    assert "/notes/new" in infos[3]["messages"][0]["content"]
    assert not infos[-1]["success"]
    assert sums(infos)["request"] == pytest.approx(0)


def test_a_further_change_fails_the_request_as_collateral(entry: Entry, play: Played) -> None:
    infos = play(entry(FOLDER), MAKE, Call("create_folder", {"folder": "/more"}), Call(DONE))
    found = sums(infos)
    assert (found["state"], found["collateral"], found["communicated"]) == (1, 0, 1)
    assert not infos[-1]["success"]


def test_a_missing_tool_is_declined_and_used_once_it_comes(entry: Entry, play: Played, env: WorkbenchEnv) -> None:
    task = entry((*FOLDER, "later"), POST)
    env.reset(options={"task": task})
    assert "create_folder" not in {tool["function"]["name"] for tool in env.tools}
    infos = play(task, Call(DECLINE, {"reason": "no_tool"}), MAKE, Call(DONE), PUBLISH, Call(DONE))
    assert '"name": "create_folder"' in infos[0]["messages"][-1]["content"]
    assert infos[-1]["success"]
    infos = play(task, MAKE)
    assert infos[0]["is_invalid"]
    infos = play(task, Call(DONE), MAKE, Call(DONE), PUBLISH, Call(DONE))
    assert not infos[-1]["success"]


def test_a_missing_value_has_to_be_asked_for_and_nothing_else(entry: Entry, play: Played) -> None:
    task = entry((*POST, "ask"))
    infos = play(task, Call(ASK, {"parameter": "text"}), PUBLISH, Call(DONE))
    assert POST[1]["text"] in infos[0]["messages"][0]["content"]
    assert infos[-1]["success"]
    assert not play(task, PUBLISH, Call(DONE))[-1]["success"]
    asked = (Call(ASK, {"parameter": "day"}), Call(ASK, {"parameter": "text"}), PUBLISH, Call(DONE))
    assert not play(task, *asked)[-1]["success"]
    assert not play(entry(POST), Call(ASK, {"parameter": "text"}), PUBLISH, Call(DONE))[-1]["success"]


def test_nothing_to_do_is_declined_for_its_reason_after_looking(entry: Entry, play: Played) -> None:
    task = entry(("make_folder", {"folder": "/notes"}))
    right = Call(DECLINE, {"reason": "already_so"})
    assert play(task, Call("create_folder", {"folder": "/notes"}), right)[-1]["success"]
    assert play(task, Call("list_folder", {"folder": "/"}), right)[-1]["success"]
    assert not play(task, right)[-1]["success"]
    assert not play(task, Call("list_folder", {"folder": "/"}), Call(DECLINE, {"reason": "not_found"}))[-1]["success"]
    assert not play(task, Call("list_folder", {"folder": "/"}), Call(DONE))[-1]["success"]


def test_an_answer_counts_alone_and_after_it_was_read(entry: Entry, play: Played, env: WorkbenchEnv) -> None:
    task = entry(("litres", {}))
    env.reset(options={"task": task})
    right = env.session.aim.case.answer
    read = Call("get_fuel")
    assert play(task, read, Call(DONE, {"answer": right}))[-1]["success"]
    assert play(task, read, Call(DONE, {"answer": f" {right}.0 "}))[-1]["success"]
    for answer in (right + 1, [str(right), "1"], f"{right} or 7", None, "nan", "1e400"):
        assert not play(task, read, Call(DONE, {"answer": answer}))[-1]["success"]
    assert not play(task, Call(DONE, {"answer": right}))[-1]["success"]


def test_calls_behind_the_end_of_a_request_are_not_run(entry: Entry, env: WorkbenchEnv) -> None:
    env.reset(options={"task": entry(FOLDER, POST)})
    message = "".join(call_text(call.tool, **call.arguments) for call in (MAKE, Call(DONE), PUBLISH))
    *_, info = env.step(message)
    assert [message["role"] for message in info["messages"]] == ["tool", "tool", "tool", "user"]
    assert "Not run" in info["messages"][2]["content"]
    assert not env.session.made


def test_one_of_several_right_ways_is_kept(entry: Entry, env: WorkbenchEnv) -> None:
    env.reset(options={"task": entry(("delete_longest", {"folder": "/logs"}), POST)})
    ways = env.session.aim.case.outcomes
    assert len(env.session.aim.expected) == len(ways)
    for call in (Call("list_folder", {"folder": "/logs"}), ways[-1][0], Call(DONE)):
        env.step(call_text(call.tool, **call.arguments))
    assert env.session.is_right


def test_a_fork_and_its_original_do_not_change_each_other(entry: Entry, env: WorkbenchEnv) -> None:
    env.reset(options={"task": entry(FOLDER, POST)})
    twin = env.fork()
    assert twin.anchor() == env.anchor()
    twin.step(call_text(MAKE.tool, **MAKE.arguments))
    assert twin.anchor() != env.anchor()
    assert twin.progress() > env.progress() == 0
    assert not env.session.now()
    assert twin.session.now()
    twin.close()


def test_calls_are_scored_against_what_is_right_now(entry: Entry) -> None:
    env: AgentEnv = WorkbenchEnv(weights={"call": 0.1})
    env.reset(options={"task": entry(FOLDER, POST)})
    scores = []
    for call in (Call("list_contacts"), Call("create_folder", {"folder": "/other"}), MAKE):
        *_, info = env.step(call_text(call.tool, **call.arguments))
        scores += [event.value for event in info["reward_events"] if event.component == "call"]
    env.close()
    assert scores[0] == -3 < scores[1] < scores[2] == 3


def test_the_oracle_goes_on_after_a_detour(entry: Entry, env: WorkbenchEnv) -> None:
    env.reset(options={"task": entry(("temperature", {"celsius": 27}))})
    env.step(call_text("set_temperature", celsius=16))
    assert next_calls(env.session) == [Call("set_temperature", {"celsius": 27})]


def test_an_unfit_task_or_option_is_refused(entry: Entry, env: WorkbenchEnv) -> None:
    for task in (entry(("fly", {})), entry(), entry(FOLDER, sets=("kitchen",)), Task("t", 0)):
        with pytest.raises(TaskError):
            env.reset(options={"task": task})
    for options in ({"num_requests": 9}, {"trouble": "all"}, {"distractors": 7}, {"weights": {"luck": 1.0}}):
        with pytest.raises(ConfigError):
            WorkbenchEnv(**options)
