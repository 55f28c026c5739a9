"""An actor-critic of turns that collects nothing: its critic is judged by stored episodes instead of fresh ones.

Not here: the updates, which are those of any actor-critic (hierarchical/learner.py).
"""

from __future__ import annotations

from agentgym_rl.hierarchical.critic.fresh_values import values_of
from agentgym_rl.hierarchical.critic.updates import CriticReport
from agentgym_rl.hierarchical.experience import Experience
from agentgym_rl.hierarchical.learner import ActorCriticLearner


class StoredActorCriticLearner(ActorCriticLearner):
    """Learns from the turns of stored episodes alone."""

    def update_critic(self, experience: Experience, iteration: int) -> CriticReport:
        """The updates, and how the values before them compare with the returns that followed."""
        judged = values_of(experience.batch.trajectories, self.value)
        report = super().update_critic(experience, iteration)
        discount = self.place.config.algorithm.critic.discount
        metrics = {} if judged is None else judged.calibration(discount)
        return report._replace(metrics=dict(report.metrics) | metrics)
