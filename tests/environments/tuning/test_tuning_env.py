"""Tuning-v0 on recorded measurements: no server runs here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import ConfigError, TaskError, UnknownNameError
from agentgym.message import content_text
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from agentgym_swe.tuning.drawing import find_reference
from agentgym_swe.tuning.env import Mode, TuningEnv
from agentgym_swe.tuning.problem import to_task
from agentgym_swe.tuning.scripts import SCRIPTS
from agentgym_swe.tuning.servers.catalogue import LOADS
from agentgym_swe.tuning.telling import GRADED

SESSIONS = LOADS["sessions"]
EVEN = dict.fromkeys(SESSIONS.counts, 0.25)
REFERENCE, COST = find_reference(SESSIONS, EVEN, ("process", True))
TASK = to_task(
    SESSIONS, EVEN, ("process", True), seed=3, task_id="tuning:test", private={"reference": REFERENCE, "cost": COST}
)


@pytest.fixture
def env() -> Iterator[TuningEnv]:
    made = TuningEnv(source="recorded", parts_weight=0.1)
    made.reset(options={"task": TASK})
    yield made
    made.close()


def step(env: TuningEnv, name: str, **arguments: Any) -> tuple[str, float, dict[str, Any]]:
    _, reward, _, _, info = env.step(call_text(name, **arguments))
    return content_text(info["messages"][0]), reward, info


def test_first_message_states_load_weights_needs_and_what_is_set(env: TuningEnv) -> None:
    observation, _ = env.reset(options={"task": TASK})
    text = observation["text"]
    assert "CPU time 25%" in text
    assert "after the server is killed" in text
    assert "nobody may call DEBUG" in text
    assert "appendfsync always" in text


def test_options_have_ranges_defaults_and_meanings(env: TuningEnv) -> None:
    said, _, _ = step(env, "options")
    assert "appendfsync = always (one of always, everysec, no; default everysec)." in said
    assert "hz = 10 (a whole number from 1 to 500; default 10)." in said


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"appendfsync": "sometimes"}, "appendfsync takes one of always, everysec, no"),
        ({"hz": 0}, "hz takes a whole number from 1 to 500"),
        ({"hz": "10\nappendonly no"}, "hz takes a whole number"),
        ({"maxmemory": "2gb"}, "maxmemory takes a size in kB"),
        ({"append": "no"}, "like it are appendonly"),
        ({"include": "/etc/passwd"}, "There is no option 'include'"),
        ({}, "Name at least one option."),
    ],
)
def test_bad_values_are_explained_and_change_nothing(env: TuningEnv, values: dict[str, Any], why: str) -> None:
    said, reward, _ = step(env, "configure", values={**values, **({"appendonly": "no"} if values else {})})
    assert said.startswith("Nothing was changed.")
    assert why in said
    assert reward == 0
    assert "appendonly = yes" in step(env, "options")[0]


def test_a_measurement_shows_counters_beside_the_start_and_improvement_is_paid_once(env: TuningEnv) -> None:
    assert step(env, "configure", values=REFERENCE)[1] == pytest.approx(0.1)
    said, reward, _ = step(env, "measure")
    assert f"cost: {COST:.3f}" in said
    assert "by the clock, which does not count" in said
    assert reward == pytest.approx(0.1)
    assert step(env, "measure")[1] == 0
    assert step(env, "counters")[0].count("appendfsync everysec") == 2


def test_the_reference_scores_one_and_the_start_nothing(env: TuningEnv) -> None:
    step(env, "configure", values=REFERENCE)
    said, reward, info = step(env, "submit")
    assert (said, reward, info["success"], info["score"]) == (GRADED, 1.0, True, 1.0)
    env.reset(options={"task": TASK})
    assert step(env, "submit")[2]["score"] == 0.0


@pytest.mark.parametrize(
    ("change", "why"),
    [({"appendonly": "no"}, "acknowledged writes are lost"), ({"unixsocketperm": "777"}, "may open the socket")],
)
def test_a_broken_promise_scores_nothing_and_says_why(env: TuningEnv, change: dict[str, str], why: str) -> None:
    step(env, "configure", values={**REFERENCE, **change})
    _, reward, info = step(env, "submit")
    (verdict,) = [event for event in info["reward_events"] if event.component == "score"]
    assert reward == 0
    assert why in " ".join(verdict.detail["why"])
    assert "violated" in [event.component for event in info["reward_events"]]


def test_what_no_task_needs_may_be_given_up() -> None:
    reference, cost = find_reference(SESSIONS, EVEN, ("", False))
    task = to_task(SESSIONS, EVEN, ("", False), seed=3, task_id="free", private={"reference": reference, "cost": cost})
    assert reference["appendonly"] == "no"
    assert cost < COST
    env = TuningEnv(source="recorded")
    assert play_script(env, task, SCRIPTS["oracle"](task, 0)).success


def test_a_choice_that_was_not_recorded_is_refused_with_what_was() -> None:
    env = TuningEnv(source="recorded", load="cache")
    env.reset(seed=1)
    step(env, "configure", values={"maxmemory-policy": "volatile-lru"})
    said, _, _ = step(env, "measure")
    assert "was not recorded for this load; recorded are allkeys-lru" in said
    assert step(env, "submit")[2]["score"] == 0.0


def test_menu_has_few_words_and_its_player_gains() -> None:
    env = TuningEnv(mode="menu", source="recorded")
    observation, _ = env.reset(options={"task": TASK})
    assert "appendfsync: everysec always; now always" in observation["text"]
    assert step(env, "change", option="hz", value="10")[0].startswith("There is no option 'hz'")
    assert step(env, "change", option="appendfsync", value="no")[0] == "appendfsync takes one of everysec, always."
    assert step(env, "measure")[0] == "cpu 100 memory 100 syncs 100 bytes 100 cost 100"
    assert play_script(env, TASK, SCRIPTS["menu"](TASK, 0)).reward > 0.2


def test_players_set_options_one_by_one_where_they_are_given_a_menu() -> None:
    env = TuningEnv(mode="menu", source="recorded")
    record = play_script(env, TASK, SCRIPTS["oracle"](TASK, 0))
    assert (record.reward, record.success, len(record.steps)) == (1.0, True, len(REFERENCE) + 1)
    assert play_script(env, TASK, SCRIPTS["random"](TASK, 0)).reward >= 0


@pytest.mark.parametrize("mode", ["free", "menu"])
@pytest.mark.parametrize("player", [name for name in SCRIPTS if name.startswith("cheat_")])
def test_cheats_get_nothing(player: str, mode: Mode) -> None:
    env = TuningEnv(mode, source="recorded")
    record = play_script(env, TASK, SCRIPTS[player](TASK, 0))
    assert record.reward <= 0
    assert not record.success


def test_recorded_episodes_repeat_and_live_ones_say_that_they_do_not() -> None:
    assert TuningEnv(source="recorded").deterministic
    assert not TuningEnv().deterministic
    records = [play_script(TuningEnv(source="recorded"), TASK, SCRIPTS["demo"](TASK, 4)) for _ in range(2)]
    assert records[0] == records[1]


def test_wrong_settings_and_tasks_are_refused() -> None:
    with pytest.raises(ConfigError, match="source must be one of live, recorded"):
        TuningEnv(source="guessed")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="sessions"):
        TuningEnv(load="session")
    env = TuningEnv(source="recorded")
    with pytest.raises(TaskError, match="expected a load of"):
        env.reset(options={"task": Task(id="x", seed=0, instruction="x", config={"load": "none"})})
