"""The options of learning from groups: the table `[algorithm]` of learner "groups".

The files credit.py, update.py and replay.py use these options.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from agentgym.ranges import POSITIVE, SHARE, Range, Ranged
from agentgym_rl.core.attributed import AttributionConfig
from agentgym_rl.core.config.train import LearnerOptions
from agentgym_rl.maths.advantages import AdvantageConfig, TruncatedMode
from agentgym_rl.maths.gae import GaeConfig
from agentgym_rl.maths.options import AggregationMode, ClippedLoss, Importance, NoImportance, PolicyLoss
from agentgym_rl.replay.options import GroupReplayOptions, NoReplay


@dataclass(frozen=True)
class ValueConfig(Ranged):
    """The value head of PPO."""

    coefficient: Annotated[float, Range(0)] = 0.5
    """Weight of its loss, which is divided by the mean square of its targets if that is above 1."""
    clip: Annotated[float | None, POSITIVE] = None
    """Largest change of a value that counts; none means any."""
    learning_rate: Annotated[float, POSITIVE] = 1e-3
    """Learning rate of the head alone."""


@dataclass(frozen=True)
class EpisodeCredit(AdvantageConfig):
    """One advantage for all tokens of an episode, from the returns of its group."""

    kind: Literal["episode"] = "episode"
    """How tokens are credited."""


@dataclass(frozen=True)
class AttributionCredit:
    """One advantage for all tokens of a turn, which a method of attribution gives."""

    kind: Literal["attribution"] = "attribution"
    """How tokens are credited."""
    attribution: AttributionConfig = field(default_factory=AttributionConfig)
    """The method."""
    truncated: TruncatedMode = "include"
    """What happens to truncated episodes. include: they are trained on and compared; exclude_from_loss: they are only
    compared; exclude: neither."""


@dataclass(frozen=True)
class ReturnToGoCredit(Ranged):
    """The discounted reward that follows a token; there is no baseline."""

    kind: Literal["return_to_go"] = "return_to_go"
    """How tokens are credited."""
    discount: Annotated[float, SHARE] = 1.0
    """gamma of a sampled token."""
    kl_in_reward: Annotated[float, Range(0)] = 0.0
    """beta of the KL penalty in the reward of a token."""
    truncated: TruncatedMode = "include"
    """What happens to truncated episodes: they are trained on with include, and left out in both other modes."""


@dataclass(frozen=True)
class _GaeCredit(Ranged):
    """Advantages under a value head (PPO)."""

    gae: GaeConfig = field(default_factory=GaeConfig)
    """Discount and lambda of generalised advantage estimation."""
    value: ValueConfig = field(default_factory=ValueConfig)
    """The value head."""
    kl_in_reward: Annotated[float, Range(0)] = 0.0
    """beta of the KL penalty in the reward of a token."""


@dataclass(frozen=True)
class TurnGaeCredit(_GaeCredit):
    """GAE with a turn as the step."""

    kind: Literal["turn_gae"] = "turn_gae"
    """How tokens are credited."""
    attribution: AttributionConfig = field(default_factory=AttributionConfig)
    """A method of attribution that moves rewards between turns first; none leaves them where they were given."""


@dataclass(frozen=True)
class TokenGaeCredit(_GaeCredit):
    """GAE with a sampled token as the step."""

    kind: Literal["token_gae"] = "token_gae"
    """How tokens are credited."""


Credit = EpisodeCredit | AttributionCredit | ReturnToGoCredit | TurnGaeCredit | TokenGaeCredit
"""How sampled tokens are credited; the first is the default."""


@dataclass(frozen=True)
class GroupOptions(LearnerOptions):
    """Learning from the whole groups of an iteration: the policy-gradient family and PPO."""

    compares_groups: ClassVar[bool] = True

    learner: Literal["groups"] = "groups"
    """The kind of learner."""
    credit: Credit = field(default_factory=EpisodeCredit)
    """The advantages of sampled tokens."""
    is_whitened: bool = False
    """Shift and scale advantages to mean 0 and variance 1 over the batch's tokens."""
    loss: PolicyLoss = field(default_factory=ClippedLoss)
    """The loss of a token."""
    importance: Importance = field(default_factory=NoImportance)
    """Correction of the mismatch between sampling and training probabilities."""
    replay: GroupReplayOptions = field(default_factory=NoReplay)
    """Which stored episodes are learned from again."""
    prox: Literal["behaviour", "recompute"] = "behaviour"
    """The denominator of the ratio: the log-probabilities recorded when sampling, or those that the trainer computes at
    the start of the batch."""
    aggregation: AggregationMode = "token_mean"
    """How the losses of tokens become one number."""
    max_episode_tokens: Annotated[int | None, Range(1)] = None
    """Most sampled tokens that an episode may have: the constant of dr_grpo and the limit of the overlong penalty."""
    overlong_buffer: Annotated[int, Range(0)] = 0
    """Tokens before the limit over which DAPO's penalty ramps up; 0 means no penalty."""
    epochs: Annotated[int, Range(1)] = 1
    """Passes over each batch."""
    minibatches: Annotated[int, Range(1)] = 1
    """Updates per pass."""

    @property
    def runs(self) -> tuple[str, ...]:
        """Folders of the stored runs that are replayed."""
        return self.replay.runs

    @property
    def value(self) -> ValueConfig | None:
        """The value head; None without one."""
        return self.credit.value if isinstance(self.credit, _GaeCredit) else None

    @property
    def has_value_head(self) -> bool:
        """Whether the model gets a value head."""
        return self.value is not None

    @property
    def head_learning_rate(self) -> float | None:
        """The learning rate of the value head; None without a value head."""
        return None if self.value is None else self.value.learning_rate

    @property
    def attribution(self) -> AttributionConfig:
        """The method of attribution; its name is empty if there is none."""
        if isinstance(self.credit, AttributionCredit | TurnGaeCredit):
            return self.credit.attribution
        return AttributionConfig()

    @property
    def kl_in_reward(self) -> float:
        """Beta of the KL penalty in the reward of a token."""
        return self.credit.kl_in_reward if isinstance(self.credit, _GaeCredit | ReturnToGoCredit) else 0.0

    @property
    def truncated(self) -> TruncatedMode:
        """What happens to truncated episodes; with a value head, they are trained on."""
        return "include" if isinstance(self.credit, _GaeCredit) else self.credit.truncated

    @property
    def fate_of_truncated(self) -> str:
        """How truncated episodes are treated, in a few words."""
        return super().fate_of_truncated if self.has_value_head else self.truncated

    @property
    def needs_behaviour_logprobs(self) -> bool:
        """A ratio compares with the policy that sampled."""
        return True

    @property
    def needs_reference(self) -> bool:
        """Whether there is a KL penalty."""
        return self.kl_in_reward > 0 or self.loss.kl_coefficient > 0
