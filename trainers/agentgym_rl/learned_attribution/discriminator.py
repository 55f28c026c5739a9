"""The discriminator of StepAgent: whether a turn is an expert's or the agent's, fitted in turn with the policy.

The formula that makes rewards of it is `agentgym.attribution.learned.expert`.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional
from transformers import PreTrainedModel

from agentgym.attribution.learned.expert import EXPERT, Expert
from agentgym.trajectory import Trajectory
from agentgym_rl.learned_attribution.estimator import EpisodeOutputs, Estimator
from agentgym_rl.learned_attribution.reading import Episode

_EXPERT, _AGENT = 1.0, 0.0


class Discriminator(Estimator):
    """D(s_t, a_t), a sigmoid at the last token of turn t, by -log D on expert turns and -log(1 - D) on the agent's.

    Deng et al. 2024, arXiv 2411.03817; Ho and Ermon 2016, arXiv 1606.03476. Both sides weigh the same, whatever their
    number of turns.

    Args:
        method: The formula.
        experts: The expert's episodes, at least one.
        policy: As for `Estimator`.

    Attributes:
        run: Folder of the run that the expert's episodes are of; "" for the run that is credited.
    """

    names = (EXPERT,)

    def __init__(self, method: Expert, experts: Sequence[Trajectory], policy: PreTrainedModel | None = None) -> None:
        super().__init__("expert", method.fit, policy)
        chosen = [each for each in experts if each.turns][-method.fit.window :]
        self.run = method.run
        self._experts = [self.episode_of(each, _EXPERT) for each in chosen]
        self._expert_weight = self._agent_weight = 1.0

    def target(self, trajectory: Trajectory) -> float:
        """0: what is observed is the agent's."""
        return _AGENT

    def examples(self) -> list[Episode]:
        """The expert's episodes and those of the window, which weigh the same; none while the window is empty."""
        if not self._window:
            return []
        total = len(self._experts) + len(self._window)
        sides = (sum(each.num_turns for each in side) for side in (self._experts, self._window))
        self._expert_weight, self._agent_weight = (total / (2 * turns) for turns in sides)
        return [*self._experts, *self._window]

    def loss(self, outputs: EpisodeOutputs) -> Float[Tensor, " E"]:
        """Cross-entropy of the turns of each episode."""
        labels = outputs.targets[outputs.episode]
        losses = functional.binary_cross_entropy_with_logits(outputs.after, labels, reduction="none")
        weights = self._expert_weight * outputs.targets + self._agent_weight * (1 - outputs.targets)
        return outputs.sums(losses) * weights

    def read(self, outputs: EpisodeOutputs) -> dict[str, Float[Tensor, " N"]]:
        """The logit of D."""
        return {EXPERT: outputs.after}
