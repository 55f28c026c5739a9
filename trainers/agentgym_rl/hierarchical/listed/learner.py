"""Discrete soft actor-critic as a learner of the loop: draw -> critic updates -> policy updates, nothing sampled.

Not here: collecting (trainer.py), by a policy that picks among listed actions (agentgym.policies.torch.listed).
"""

from __future__ import annotations

from collections.abc import Mapping

from agentgym.prompting.renderer import ChatRenderer
from agentgym.prompting.reply_ids import ActionIds
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.learner import Workplace
from agentgym_rl.core.metrics import Metrics
from agentgym_rl.core.module_part import ModulePart
from agentgym_rl.core.part_state import Part
from agentgym_rl.core.publishing import publish
from agentgym_rl.hierarchical.building import make_critic
from agentgym_rl.hierarchical.critic.fresh_values import TurnValues
from agentgym_rl.hierarchical.critic.updates import CriticReport
from agentgym_rl.hierarchical.entropy_temperature import EntropyTemperature
from agentgym_rl.hierarchical.experience import Experience
from agentgym_rl.hierarchical.listed.actor import PolicyStep, SoftActorUpdates
from agentgym_rl.hierarchical.listed.choices import ActionLists, ListPolicy
from agentgym_rl.hierarchical.listed.critic import SoftCriticUpdates
from agentgym_rl.hierarchical.options import FROZEN, UnderSoftCritic
from agentgym_rl.hierarchical.replay_learner import ReplayLearner
from agentgym_rl.hierarchical.transitions import TurnTransitions


class SoftActorCriticLearner(ReplayLearner):
    """Learns which listed action to pick, from what the replay buffer gives.

    SAC-GLAM, Gaven et al. 2024, arXiv 2410.12481; discrete SAC: Christodoulou 2019, arXiv 1910.07207.

    Args:
        place: What it works with; there must be a store, and a policy that picks among listed actions.

    Raises:
        ConfigError: There are several processes, or the tower has another vocabulary.
        StoreError: An earlier run cannot be replayed.
    """

    place: Workplace[UnderSoftCritic]

    def __init__(self, place: Workplace[UnderSoftCritic]) -> None:
        config, algorithm = place.config, place.config.algorithm
        lists = ActionLists(ActionIds(ChatRenderer(place.policy.tokenizer)), config.packing)
        policy = ListPolicy(place.model, lists, config.rollout.sampling.temperature)
        read = place.reference if algorithm.critic.tower == FROZEN else None
        step = PolicyStep(place.optimiser, config.optimiser.max_grad_norm, self._publish)
        self.critic = make_critic(place)
        self.entropy = EntropyTemperature(algorithm.actor.entropy).to(place.model.causal_lm.device)
        self.critic_updates = SoftCriticUpdates(policy, self.critic, algorithm.critic, self.entropy, read)
        self.actor_updates = SoftActorUpdates(policy, self.critic, self.entropy, step, read)
        super().__init__(place)

    def parts(self) -> Mapping[str, Part]:
        """The replay buffer with the policy's progress, the critic with its copy, and alpha."""
        return {
            "replay": self.replay_part(),
            "critic": ModulePart(self.critic, self.critic_updates.optimiser),
            "entropy_temperature": ModulePart(self.entropy, self.entropy.optimiser),
        }

    def value(self, batch: TrainBatch, turns: TurnTransitions) -> TurnValues:
        """V as the expectation over the list, with what the policy's entropy is worth; Q by the lesser head."""
        return self.critic_updates.value(batch, turns)

    def update_critic(self, experience: Experience, iteration: int) -> CriticReport:
        """Towards expectations over the lists; nothing is sampled."""
        return self.critic_updates.learn(experience)

    def update_actor(self, experience: Experience, iteration: int, number: int) -> Metrics:
        """One update of the policy."""
        return self.actor_updates.learn(experience)

    def _publish(self) -> None:
        publish(self.place.model, self.place.policy, self.place.policy.version)
