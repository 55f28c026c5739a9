"""Which learner a run has: `algorithm.learner` by name.

Not here: what a learner is (learner.py), the loop around it (trainer.py).
"""

from __future__ import annotations

from agentgym.rollout import draw_seed
from agentgym_rl.group_learner import GroupLearner
from agentgym_rl.hierarchical.learner import ActorCriticLearner
from agentgym_rl.hierarchical.soft_learner import SoftActorCriticLearner
from agentgym_rl.learner import Learner, Workplace
from agentgym_rl.offline.a_lol import AlolLearner
from agentgym_rl.offline.actor_critic import StoredActorCriticLearner
from agentgym_rl.offline.cloning import CloningLearner
from agentgym_rl.offline.steered import SteeredLearner
from agentgym_rl.offline.step_agent import StepAgentLearner
from agentgym_rl.offline.stored_episodes import StoredEpisodes
from agentgym_rl.replay.admission import open_runs


def make_learner(place: Workplace) -> Learner:
    """The learner that the configuration names.

    Args:
        place: What it works with.

    Raises:
        ConfigError: The run's options cannot work here.
        StoreError: An earlier run cannot be replayed.
    """
    algorithm = place.config.algorithm
    if algorithm.has_critic:
        if algorithm.picks_listed:
            return SoftActorCriticLearner(place)
        return (ActorCriticLearner if algorithm.collects else StoredActorCriticLearner)(place)
    if algorithm.learner == "offline":
        episodes = open_episodes(place)
        if algorithm.offline.method == "a_lol":
            return AlolLearner(place, episodes)
        if algorithm.offline.method == "step_preference":
            return StepAgentLearner(place, episodes)
        return (SteeredLearner if algorithm.offline.is_steered else CloningLearner)(place, episodes)
    return GroupLearner(place)


def open_episodes(place: Workplace) -> StoredEpisodes:
    """The episodes of the runs that are learnt from offline.

    Raises:
        ConfigError: There is nothing to learn from.
        StoreError: A run cannot be learnt from.
    """
    config, tokenizer = place.config, place.policy.tokenizer
    replay = config.algorithm.replay
    indices = open_runs(place.runs, replay.bounds_of_runs(), suite=place.suite.name, tokenizer=tokenizer)
    return StoredEpisodes(indices, draw_seed(config.run.seed, "offline"), config.algorithm.offline.quantile)
