from __future__ import annotations

import json

import pytest

from agentgym import make
from agentgym.errors import ContractError
from agentgym.game import SoloGame
from agentgym.policies.by_name import load
from agentgym.rollout import Job, Opening, RolloutSettings, collect_episodes
from agentgym.rollout.opening import play_opening
from agentgym.suite import load_suite
from agentgym.trajectory import HINT

SUITE = load_suite("dialogue/maze-partial")
TASK = SUITE.train_tasks()[0]


def play(**job):
    policy = load("oracle", SUITE.env)
    [record], _ = collect_episodes(
        [Job(TASK, "shown", 0, **job)], lambda _: SoloGame(make(SUITE.env)), {"*": policy}, RolloutSettings()
    )
    return record


def opening(turns: int) -> Opening:
    found = Opening.of(play())
    assert found is not None
    return found.first(turns)


def test_an_opening_leads_to_the_recorded_state() -> None:
    there, here = SoloGame(make(SUITE.env)), SoloGame(make(SUITE.env))
    played = opening(2)
    there.reset(TASK)
    told = [there.step(text).inbox["agent"] for text in played.actions]
    inbox = play_opening(here, here.reset(TASK, played.seed), played)
    assert here.anchor() == there.anchor()
    assert [message["role"] for message in inbox["agent"]] == ["user", "assistant", "user", "assistant", "user"]
    assert inbox["agent"][-1] == told[-1][0]
    assert [m["content"] for m in inbox["agent"] if m["role"] == "assistant"] == list(played.actions)


def test_an_opening_survives_json() -> None:
    played = opening(3)
    assert Opening.from_json(json.loads(json.dumps(played.to_json()))) == played


def test_another_answer_than_the_recorded_one_is_noticed() -> None:
    played = opening(2)
    other = next(task for task in SUITE.train_tasks() if task.instruction != TASK.instruction)
    game = SoloGame(make(SUITE.env))
    with pytest.raises(ContractError, match="again gave another episode: its answer before turn 0"):
        play_opening(game, game.reset(other), played)


def test_what_happens_after_an_opening_is_counted_from_its_end() -> None:
    whole = play()
    record = play(opening=opening(2), env_seed=whole.seed)
    assert (record.parent_id, record.parent_turn) == ("shown/agent", 2)
    assert record.turns[0].index == 0
    assert {event.turn for event in record.events} == set(range(len(record.turns)))
    # The script begins anew, from where the maze now stands; what it does there is its own affair.
    assert len(record.turns[0].messages) == 5
    assert HINT not in record.metadata


def test_a_hint_is_shown_once_and_recorded_apart() -> None:
    seen: list[str] = []
    policy = load("oracle", SUITE.env)
    generate = policy.generate

    def logged(requests):
        seen.extend("".join(str(message["content"]) for message in request.messages) for request in requests)
        return generate(requests)

    policy.generate = logged  # type: ignore[method-assign]
    [record], _ = collect_episodes(
        [Job(TASK, "shown", 0, hint="Way: up.")], lambda _: SoloGame(make(SUITE.env)), {"*": policy}, RolloutSettings()
    )
    assert len(seen) == len(record.turns) > 1
    assert all(text.count("Way: up.") == 1 for text in seen)
    assert not any("Way: up." in str(message["content"]) for message in record.transcript())
    assert record.metadata[HINT] == "Way: up."
