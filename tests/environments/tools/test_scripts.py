from typing import Any

import pytest

from agentgym.task import Task
from agentgym_tools.lookup.questions import Difficulty, draw_task
from agentgym_tools.lookup.scripts import SCRIPTS, Demonstrator, hint, oracle

CHEATS = sorted(name for name in SCRIPTS if name.startswith("cheat_"))
TASKS = [
    draw_task(seed, Difficulty(hops=1 + seed % 4, naming="part" if seed % 3 == 0 else "full")) for seed in range(40)
]


def success_rate(play: Any, quality: float, tasks: list[Task]) -> float:
    return sum(play(task, Demonstrator(task, i, quality)).info["success"] for i, task in enumerate(tasks)) / len(tasks)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_oracle_solves_every_task_in_as_few_turns_as_it_takes(play: Any, task: Task) -> None:
    episode = play(task, oracle(task, 0))
    assert episode.info["success"] is True
    assert episode.total_reward == 1.0
    assert episode.num_turns == task.config["hops"] + 1 + (task.config["naming"] == "part")


@pytest.mark.parametrize("name", CHEATS)
def test_cheat_gets_no_more_than_nothing(play: Any, name: str) -> None:
    for task in TASKS:
        cheat = play(task, SCRIPTS[name](task, 0))
        assert cheat.info["success"] is False
        assert cheat.total_reward <= play(task, SCRIPTS["null"](task, 0)).total_reward == 0.0


def test_random_player_makes_only_valid_calls_and_hardly_ever_succeeds(play: Any) -> None:
    episodes = [play(task, SCRIPTS["random"](task, seed)) for seed in range(10) for task in TASKS]
    assert all(episode.total_reward >= 0 for episode in episodes)
    assert sum(episode.info["success"] for episode in episodes) / len(episodes) < 0.05


def test_demonstrator_gets_better_with_its_quality(play: Any) -> None:
    tasks = [draw_task(seed, Difficulty()) for seed in range(150)]
    rates = [success_rate(play, quality, tasks) for quality in (0.0, 0.5, 0.8, 1.0)]
    assert rates == sorted(rates)
    assert rates[0] == 0.0
    assert 0.1 < rates[1] < 0.4
    assert rates[3] == 1.0


def test_demonstrator_fails_in_several_ways(play: Any) -> None:
    tasks = [draw_task(seed, Difficulty()) for seed in range(200)]
    episodes = [play(task, Demonstrator(task, i)) for i, task in enumerate(tasks)]
    failed = [episode for episode in episodes if not episode.info["success"]]
    texts = " ".join(str(message["content"]) for episode in failed for message in episode.messages)
    assert "No such entity." in texts
    assert "No such relation." in texts
    assert "Wrong." in texts
    assert "Call search, lookup or answer." in texts


def test_scripts_repeat_themselves_with_the_same_seed(play: Any) -> None:
    for name in ("random", "demo"):
        first, again = (play(TASKS[0], SCRIPTS[name](TASKS[0], 5)).messages for _ in range(2))
        assert first == again


@pytest.mark.parametrize("task", TASKS[:8], ids=lambda task: task.id)
def test_hint_names_what_to_look_up_and_gives_no_answer_away(task: Task) -> None:
    said = hint(task)
    assert said.startswith("Plan: ")
    places = [said.index(f"look up the {relation} of") for relation in dict.fromkeys(task.private["chain"])]
    assert places == sorted(places)
    assert ("search for" in said) == (task.config["naming"] == "part")
    assert task.private["answer"] not in said
