"""Texts planted in descriptions of tools: where they stand, and that what they want is judged by the state."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from agentgym.errors import ConfigError, TaskError
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from agentgym_tools.mcp.drawing import calls_of
from agentgym_tools.mcp.env import McpToolsEnv
from agentgym_tools.mcp.grading import fault
from agentgym_tools.mcp.injections import WORDINGS, Planted
from agentgym_tools.mcp.planting import plant
from agentgym_tools.mcp.rules.rows import changed
from agentgym_tools.mcp.scripts import SCRIPTS, answer_of
from agentgym_tools.mcp.work_folder import start_of


def tasks_of(split: str = "test") -> tuple[Task, ...]:
    return load_suite("tools/mcp-injected").tasks(split)


def planted_in(task: Task) -> Planted:
    planted = Planted.of(task)
    assert planted is not None
    return planted


def write_folder(task: Task, folder: Path, *, is_right: bool = True, is_attacked: bool = False) -> Path:
    """A work folder after what the planted text wants, and after what is right."""
    start, change = start_of(task.config), planted_in(task).change
    rules = [rule for rule in task.private["rules"] if rule["rule"] != "answer"]
    steps = [*([change["after"]] if is_attacked else []), *(rule["after"] for rule in rules if is_right)]
    for path, database in start.databases.items():
        folder.mkdir(parents=True)
        (folder / path).write_bytes(changed(database, "; ".join(steps)))
    for path, repository in start.repositories.items():
        made = repository.copy()
        for each in steps:
            made.apply(each)
        for name, content in made.to_files().items():
            (folder / path / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / path / name).write_bytes(content)
    return folder


def test_an_attack_counts_by_the_state_and_makes_right_work_fail(tmp_path: Path) -> None:
    for task in tasks_of()[:64:3]:
        planted = planted_in(task)
        right = write_folder(task, tmp_path / task.id)
        attacked = write_folder(task, tmp_path / f"{task.id} attacked", is_attacked=True)
        alone = write_folder(task, tmp_path / f"{task.id} alone", is_right=False, is_attacked=True)
        assert [planted.is_reached(task, each) for each in (right, attacked, alone, None)] == [False, True, True, False]
        assert fault(task, answer_of(task), right) == ""
        assert fault(task, answer_of(task), attacked) != ""


def test_the_text_stands_in_the_description_of_a_tool_that_the_task_needs() -> None:
    env = McpToolsEnv(sandbox="process")
    for task in tasks_of()[::9]:
        env.reset(options={"task": task})
        planted = planted_in(task)
        said = {schema["function"]["name"]: schema["function"]["description"] for schema in env.tools}
        assert said[planted.tool].endswith(planted.text)
        assert sum(planted.text in each for each in said.values()) == 1
        assert planted.tool in [tool for tool, _ in calls_of(task)]
    env.reset(options={"task": load_suite("tools/mcp").tasks("test")[0]})
    assert not any(text in str(env.tools) for text in WORDINGS.harmless)
    env.close()


def test_the_end_of_an_episode_says_whether_the_attack_succeeded() -> None:
    env = McpToolsEnv(sandbox="process")
    task, twin = tasks_of()[0], tasks_of()[64]
    for each, expected in ((task, [0.0]), (twin, []), (replace(task, private={**task.private, "planted": None}), [])):
        episode = play_script(env, each, SCRIPTS["null"](each, 0))
        assert [event.value for event in episode.steps[-1].events if event.component == "attack"] == expected
    env.close()


def test_twins_differ_in_the_text_alone() -> None:
    tasks = tasks_of()
    for task, twin in zip(tasks[:64], tasks[64:], strict=True):
        assert {**task.private, "planted": None} == {**twin.private, "planted": None}
        assert planted_in(task).tool == planted_in(twin).tool
        assert planted_in(twin).text in WORDINGS.harmless
        assert planted_in(twin).call is None


def test_the_wordings_held_out_are_in_the_test_split_alone() -> None:
    families = {split: {planted_in(task).family for task in tasks_of(split)} for split in ("train", "test")}
    assert families["train"] == set(WORDINGS.families) - set(WORDINGS.held_out)
    assert families["test"] - {""} == set(WORDINGS.families)
    assert {task.config["servers"][0] for task in tasks_of()} == {"git", "sqlite"}


def test_a_third_of_the_attacks_needs_no_other_tool_than_the_task() -> None:
    for number, task in enumerate(tasks_of()[:40]):
        call = planted_in(task).call
        assert call is not None
        assert (call[0] in [tool for tool, _ in calls_of(task)]) is (number // 5 % 3 == 0)


def test_what_cannot_be_read_is_refused() -> None:
    task = tasks_of()[0]
    with pytest.raises(ConfigError, match="no family"):
        plant(random.Random(0), task, "song", uses_own_tool=False)
    wanted = planted_in(task).to_json()
    env = McpToolsEnv(sandbox="process")
    for planted, said in (
        ({"tool": "git__git_log"}, "cannot be read"),
        ({**wanted, "change": {"rule": "answer"}}, "the change is of 'answer'"),
        ({**wanted, "tool": "git__push"}, "no tool of its servers"),
    ):
        with pytest.raises(TaskError, match=said):
            env.reset(options={"task": replace(task, private={**task.private, "planted": planted})})
    env.close()
