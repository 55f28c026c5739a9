"""A critic's ranking of two messages beside what comes of them, in forked states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from agentgym.action import reply_message
from agentgym.errors import AgentGymError
from agentgym.policies.by_name import load
from agentgym.registration import make, spec
from agentgym.rollout import Job, RolloutSettings, collect_episodes, game_maker
from agentgym.suite import load_suite
from agentgym_rl.hierarchical.kinds import ACTOR_CRITIC, PLAYER
from agentgym_rl.hierarchical.options import RankingConfig
from agentgym_rl.hierarchical.ranking import PAIRS, TURNS, ForkedRanking
from agentgym_rl.run.config import load_config
from agentgym_rl.run.setup import groundwork
from benchmarks.credit.key_door import right_word
from benchmarks.credit.suites import KEY_DOOR, LONG_LOOKUP, NEAR_GOALS, TWO_ROOMS, register_suite

CONFIG = RankingConfig(states=24)


@pytest.fixture(scope="module")
def episodes():
    """Of the random player, each message with some id."""
    register_suite(KEY_DOOR)
    suite = load_suite(KEY_DOOR)
    jobs = [Job(task, f"random-{n}", n) for n, task in enumerate(suite.train_tasks()[:6])]
    policies = {"agent": load("random", suite.env)}
    found, _ = collect_episodes(jobs, game_maker(suite), policies, RolloutSettings(is_lockstep=True))
    ids = {"west": 1, "east": 2, "take": 3, "open": 4}
    return suite, [
        replace(each, turns=[replace(turn, action_ids=np.array([ids[turn.text]], np.int32)) for turn in each.turns])
        for each in found
    ]


def by_the_right_word(members, pairs):
    """A critic that knows the game, as far as one of both messages is right."""
    gaps = []
    for pair in pairs:
        turn = members[pair.episode].turns[pair.turn]
        right = right_word(str(turn.messages[-1]["content"]))
        gaps.append(float(turn.text == right) - float(pair.text == right))
    return np.array(gaps)


def test_a_critic_that_is_right_is_told_from_one_that_is_not(episodes) -> None:
    suite, members = episodes
    ranking = ForkedRanking(suite, CONFIG, 0.95)
    decided = []

    def knowing(members, pairs):
        gaps = by_the_right_word(members, pairs)
        decided.append(float((gaps != 0).mean()))
        return gaps

    right = ranking.measure(members, knowing, 0)
    wrong = ranking.measure(members, lambda *both: -knowing(*both), 0)
    assert right[PAIRS] >= 6
    assert right["critic/ranking"] >= decided[0] > 0.5
    assert wrong["critic/ranking"] <= 1 - decided[0]
    assert right[TURNS] == wrong[TURNS] > 2 * right[PAIRS]


def test_the_same_seed_chooses_the_same_pairs(episodes) -> None:
    suite, members = episodes
    seen = []

    def remember(members, pairs):
        seen.append([(pair.episode, pair.turn, pair.text) for pair in pairs])
        return np.zeros(len(pairs))

    for seed in (0, 0, 1):
        assert ForkedRanking(suite, CONFIG, 0.95).measure(members, remember, seed)["critic/ranking"] == 0.0
    assert seen[0] == seen[1] != seen[2]


def test_nothing_is_measured_where_both_messages_come_to_the_same(episodes) -> None:
    """Without a discount, the oracle gets to the end either way."""
    suite, members = episodes
    early = [replace(each, turns=each.turns[:2]) for each in members]
    found = ForkedRanking(suite, CONFIG, 1.0).measure(early, by_the_right_word, 0)
    assert found[PAIRS] == 0
    assert "critic/ranking" not in found
    assert found[TURNS] > 0


@pytest.mark.parametrize("name", [NEAR_GOALS, TWO_ROOMS, LONG_LOOKUP])
def test_an_oracle_that_takes_over_goes_on_from_where_the_conversation_is(name: str) -> None:
    """Each message by an oracle of its own, which was not there before: as many turns as one oracle takes."""
    register_suite(name)
    suite = load_suite(name)
    oracle = load("oracle", name).factory_of(spec(suite.env).role_named(suite.role))
    for task in suite.train_tasks()[:4]:
        lengths = []
        for has_one in (True, False):
            env, script = make(suite.env, **suite.env_options), oracle(task, 0)
            _, info = env.reset(seed=0, options={"task": task})
            talk, is_over, turns = list(info["messages"]), False, 0
            while not is_over:
                text = (script if has_one else oracle(task, 0)).act(talk)
                _, _, terminated, truncated, info = env.step(text)
                talk += [reply_message(text, env.tools), *info["messages"]]
                is_over, turns = terminated or truncated, turns + 1
            assert info["success"], (task.id, has_one)
            lengths.append(turns)
        assert lengths[0] == lengths[1] > 1


@pytest.mark.parametrize(("player", "message"), [("nobody", "'nobody'"), ("human", "expected a script")])
def test_a_player_that_is_no_script_is_refused_before_the_folder_is_made(player: str, message: str) -> None:
    register_suite(KEY_DOOR)
    options = ["algorithm.preset=archer_awr", "algorithm.critic.ranking.states=4", f"run.suite={KEY_DOOR}"]
    ground = groundwork(load_config(None, ["run.iterations=30", *options, f"algorithm.critic.ranking.player={player}"]))
    assert PLAYER in ACTOR_CRITIC.checks
    with pytest.raises(AgentGymError, match=rf"algorithm\.critic\.ranking\.player.*{message}"):
        PLAYER.require(ground)
