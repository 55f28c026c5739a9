"""Discrete soft actor-critic as a learner of the loop: draw -> critic updates -> policy updates, nothing sampled.

Not here: collecting (trainer.py), by a policy that picks among listed actions (agentgym.policies.torch_listed).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from agentgym.prompting.renderer import ChatRenderer
from agentgym.prompting.reply_ids import ActionIds
from agentgym.trajectory import Group
from agentgym_rl.checkpoint import TrainerState
from agentgym_rl.hierarchical.building import make_critic, open_replay
from agentgym_rl.hierarchical.choices import ActionLists, ListPolicy
from agentgym_rl.hierarchical.entropy_temperature import EntropyTemperature
from agentgym_rl.hierarchical.experience import Experience, experience_of
from agentgym_rl.hierarchical.learner import set_priorities
from agentgym_rl.hierarchical.options import FROZEN
from agentgym_rl.hierarchical.soft_actor import PolicyStep, SoftActorUpdates
from agentgym_rl.hierarchical.soft_critic import SoftCriticUpdates
from agentgym_rl.learner import Workplace
from agentgym_rl.metrics import Metrics
from agentgym_rl.module_part import ModulePart
from agentgym_rl.part_state import Part
from agentgym_rl.replay.draw import Draw


class SoftActorCriticLearner:
    """Learns which listed action to pick, from what the replay buffer gives.

    SAC-GLAM, Gaven et al. 2024, arXiv 2410.12481; discrete SAC: Christodoulou 2019, arXiv 1910.07207.

    Args:
        place: What it works with; there must be a store, and a policy that picks among listed actions.

    Raises:
        ConfigError: There are several processes, or the tower has another vocabulary.
        StoreError: An earlier run cannot be replayed.
    """

    def __init__(self, place: Workplace) -> None:
        self.place = place
        config, algorithm = place.config, place.config.algorithm
        lists = ActionLists(ActionIds(ChatRenderer(place.policy.tokenizer)), config.packing)
        policy = ListPolicy(place.model, lists, config.rollout.sampling.temperature)
        read = place.reference if algorithm.critic.tower == FROZEN else None
        step = PolicyStep(place.optimiser, config.optimiser.max_grad_norm, self._publish)
        self.critic = make_critic(place)
        self.entropy = EntropyTemperature(algorithm.actor.entropy).to(place.model.causal_lm.device)
        self.critic_updates = SoftCriticUpdates(policy, self.critic, algorithm.critic, self.entropy, read)
        self.actor_updates = SoftActorUpdates(policy, self.critic, self.entropy, step, read)
        self.replay = open_replay(place)

    def learn(self, groups: list[Group], state: TrainerState) -> Metrics:
        """Refresh the buffer, update the critic, then, after its warm-up, the policy."""
        critic, actor = self.place.config.algorithm.critic, self.place.config.algorithm.actor
        number = state.iteration + 1
        self.replay.relabel([member for group in groups for member in group.members], number)
        metrics = self.replay.refresh(number, state.version)
        draws = [self.replay.draw(critic.batch) for _ in range(critic.updates)]
        metrics |= self.replay.draw_metrics([draw for update in draws for draw in update])
        metrics |= self._train_critic(draws, state)
        if state.iteration < critic.warmup:
            return metrics
        rows = [self.actor_updates.learn(self._drawn(state)) for _ in range(actor.updates)]
        metrics |= {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
        return metrics | {"updates": float(sum(row["updates"] for row in rows))}

    def parts(self) -> Mapping[str, Part]:
        """The replay buffer, the critic with its copy, and alpha."""
        return {
            "replay": self.replay,
            "critic": ModulePart(self.critic, self.critic_updates.optimiser),
            "entropy_temperature": ModulePart(self.entropy, self.entropy.optimiser),
        }

    def close(self) -> None:
        """Close earlier runs that are replayed, and the environment of hindsight."""
        self.replay.close()

    def _publish(self) -> None:
        self.place.policy.load_weights(self.place.model.causal_lm, self.place.policy.version)

    def _drawn(self, state: TrainerState) -> Experience:
        experience, _ = experience_of([self.replay.draw(self.place.config.algorithm.actor.batch)])
        state.seen_hashes.update(each.content_hash for each in experience.batch.trajectories)
        return experience

    def _train_critic(self, draws: list[list[Draw]], state: TrainerState) -> Metrics:
        experience, drawn = experience_of(draws)
        state.seen_hashes.update(each.content_hash for each in experience.batch.trajectories)
        self.place.model.eval()
        report = self.critic_updates.learn(experience)
        self.place.model.train()
        set_priorities(self.replay, draws, drawn, report)
        return dict(report.metrics)
