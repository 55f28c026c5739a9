"""Whether a critic ranks two messages of a state as what came of them does, when both were played (forked states).

It costs environment turns, which are logged, and needs an environment that forks and a script that plays on: nothing is
learnt from it. Not here: how a critic values messages (learner.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from agentgym.action import reply_message
from agentgym.config import Source, naming
from agentgym.env import AgentEnv
from agentgym.errors import ConfigError
from agentgym.message import Message
from agentgym.policies.by_name import load
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.registration import make, spec
from agentgym.rollout import draw_seed
from agentgym.suite import Suite
from agentgym.trajectory import Ids, Trajectory
from agentgym_rl.core.config.kind import Groundwork
from agentgym_rl.hierarchical.options import RankingConfig, UnderTurnCritic

TURNS = "critic/ranking_turns"
"""Metric: environment turns that were played for it."""
PAIRS = "critic/ranking_pairs"
"""Metric: pairs of messages that it rests on."""
_MAX_TURNS = 200
_SAME = 1e-9


class Pair(NamedTuple):
    """Two messages in a state.

    Attributes:
        episode: Index of the episode.
        turn: Turn in it; the first message is the one that was said there.
        other: The ids of the second message, which was said elsewhere.
        text: Its text.
    """

    episode: int
    turn: int
    other: Ids
    text: str


Ranking = Callable[[Sequence[Trajectory], Sequence[Pair]], Float64[np.ndarray, " P"]]
"""How much better the critic thinks of the first message of each pair than of the second."""


def require_player(ground: Groundwork[UnderTurnCritic]) -> None:
    """Refuse a player that is no script of the environment, where one is to play.

    Raises:
        UnknownNameError: There is no such policy; names the key and close names.
        ConfigError: It is a policy, and no script.
    """
    config = ground.config.algorithm.critic.ranking
    if config.states:
        _script(ground.suite, config)


def _script(suite: Suite, config: RankingConfig) -> ScriptedPolicy:
    with naming("algorithm.critic.ranking.player", Source()):
        player = load(config.player, suite.name)
    if not isinstance(player, ScriptedPolicy):
        raise ConfigError(f"algorithm.critic.ranking.player is {config.player!r}; expected a script, such as oracle")
    return player


class ForkedRanking:
    """Compares a critic's ranking with the returns of both messages, a script playing on behind each.

    Args:
        suite: Its environment forks and is deterministic but for the seed.
        config: How many states, and who plays on.
        discount: gamma of a turn: of two ways to the same end, the shorter one is better.

    Raises:
        UnknownNameError: There is no such player.
        ConfigError: The player is no script of the environment.
    """

    def __init__(self, suite: Suite, config: RankingConfig, discount: float) -> None:
        self.suite, self.config, self.discount = suite, config, discount
        self._make_player = _script(suite, config).factory_of(spec(suite.env).role_named(suite.role))
        self._make_env = partial(make, suite.env, **suite.env_options)
        self._turns = 0

    def measure(self, members: Sequence[Trajectory], rank: Ranking, seed: int) -> dict[str, float]:
        """The share of pairs with different returns whose order the critic has right; nothing without such pairs.

        Args:
            members: Fresh episodes.
            rank: The critic.
            seed: Of the choice of states and messages, and of what is random behind them.
        """
        self._turns = 0
        pairs, gaps = [], []
        for pair in self._pairs(members, np.random.default_rng(seed)):
            gap = self._gap(members[pair.episode], pair, draw_seed(seed, pair.episode, pair.turn))
            if gap is not None and abs(gap) > _SAME:
                pairs.append(pair)
                gaps.append(gap)
        found = {TURNS: float(self._turns), PAIRS: float(len(pairs))}
        if not pairs:
            return found
        is_right = np.sign(rank(members, pairs)) == np.sign(gaps)
        return found | {"critic/ranking": float(is_right.mean())}

    def _pairs(self, members: Sequence[Trajectory], rng: np.random.Generator) -> list[Pair]:
        """States, and a message in each that was said in another one."""
        said = {turn.text: turn.action_ids for each in members for turn in each.turns if len(turn.action_ids)}
        places = [(n, t) for n, each in enumerate(members) for t, turn in enumerate(each.turns) if len(turn.action_ids)]
        chosen = rng.permutation(len(places))[: self.config.states]
        found = []
        for episode, turn in (places[index] for index in chosen):
            others = [text for text in said if text != members[episode].turns[turn].text]
            if others:
                text = others[int(rng.integers(len(others)))]
                found.append(Pair(episode, turn, said[text], text))
        return found

    def _gap(self, trajectory: Trajectory, pair: Pair, seed: int) -> float | None:
        """The difference of the returns; None where the state cannot be reached again."""
        with closing(self._make_env()) as env:
            task = self.suite.task(trajectory.task_id)
            _, info = env.reset(seed=trajectory.seed, options={"task": task})
            talk = list(info["messages"])
            for turn in trajectory.turns[: pair.turn]:
                _, _, terminated, truncated, info = self._step(env, turn.text)
                if terminated or truncated:
                    return None
                talk += [turn.reply, *info["messages"]]
            texts = (trajectory.turns[pair.turn].text, pair.text)
            one, other = (self._return(env, talk, text, seed) for text in texts)
            return one - other

    def _return(self, env: AgentEnv, talk: Sequence[Message], text: str, seed: int) -> float:
        """The mean discounted return of a message, over continuations."""
        assert env.task is not None
        returns = []
        for number in range(self.config.continuations):
            try:
                twin = env.fork(draw_seed(seed, number))
            except NotImplementedError as error:
                raise ConfigError(
                    f"algorithm.critic.ranking needs an environment that forks: {error}; set its states to 0"
                ) from error
            with closing(twin):
                player = self._make_player(env.task, draw_seed(seed, "player", number))
                returns.append(self._play(twin, player.act, list(talk), text))
        return float(np.mean(returns))

    def _play(self, env: AgentEnv, act: Callable[[Sequence[Message]], str], talk: list[Message], text: str) -> float:
        total, weight = 0.0, 1.0
        for _ in range(_MAX_TURNS):
            _, reward, terminated, truncated, info = self._step(env, text)
            total += weight * float(reward)
            weight *= self.discount
            if terminated or truncated:
                break
            talk += [reply_message(text, env.tools), *info["messages"]]
            text = str(act(talk))
        return total

    def _step(self, env: AgentEnv, text: str):  # type: ignore[no-untyped-def]  # gymnasium's five
        self._turns += 1
        return env.step(text)
