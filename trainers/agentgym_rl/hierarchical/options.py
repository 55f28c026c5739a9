"""The options of learning under a critic of turns: the tables `[algorithm.critic]` and `[algorithm.actor]`, and around.

What is drawn from is in agentgym_rl/replay/options.py; learners that collect nothing are in agentgym_rl/offline.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal, cast

from agentgym.errors import ConfigError
from agentgym.ranges import ANY, POSITIVE, POSITIVE_SHARE, SHARE, Range, Ranged
from agentgym_rl.core.config.train import LearnerOptions
from agentgym_rl.maths.options import AlolConfig, SequenceTruncated, TurnImportance
from agentgym_rl.replay.options import BufferOptions, Memory, UniformBuffer

StateInput = Literal["auto", "history", "observation", "both", "opening", "all"]
"""What V and Q read of a state."""
AUTO: Literal["auto"] = "auto"
"""What the suite's declaration decides."""
Pooling = Literal["mean", "attention"]
"""How the tokens of an observation become features."""


class AnyCriticConfig(Ranged):
    """What a critic reads of its options; its values are unbounded where there is no key for their range."""

    width: int
    polyak: float
    value_range: tuple[float, float] | None = None
    reads: StateInput = "history"
    pooling: Pooling = "mean"
    has_layer_norm: bool = False
    ensemble: int = 2


@dataclass(frozen=True)
class SoftCriticConfig(AnyCriticConfig):
    """Size of a critic whose values hold entropy beside the return, and how fast its copy follows."""

    width: Annotated[int, Range(1)] = 256
    """Units of the two hidden layers of each head."""
    polyak: Annotated[float, POSITIVE_SHARE] = 0.1
    """tau: the share of the way that the copy goes towards the critic after each of its updates."""


@dataclass(frozen=True)
class CriticConfig(AnyCriticConfig):
    """Size of the critic, how fast its copy follows, and the range of its values."""

    width: Annotated[int, Range(1)] = 256
    """Units of the two hidden layers of each head."""
    polyak: Annotated[float, POSITIVE_SHARE] = 0.1
    """tau: the share of the way that the copy goes towards the critic after each of its updates."""
    value_range: Annotated[tuple[float, float] | None, ANY] = None
    """The least and the greatest possible return. Values are then a sigmoid on this range, fitted by cross-entropy.
    None means unbounded values, fitted by squares."""
    reads: StateInput = "history"
    """What V and Q read of a state. "history": the hidden state at the last token of the prompt, behind everything
    before it. "observation": the tokens that came since the last message, read apart from the history. "both": the one
    beside the other. "opening": the observation and the prompt that the episode began with, each read apart, for goals
    that are said once. "all": the opening, the observation and the history. "auto": "observation" where the suite says
    is_fully_observed, else "all"."""
    pooling: Pooling = "mean"
    """How an observation's tokens become features: their "mean", or with "attention" also sums whose weights are
    learnt. Attention keeps the hidden states of all of these tokens."""
    has_layer_norm: bool = False
    """Normalise the hidden layers of each head."""
    ensemble: Annotated[int, Range(1)] = 2
    """Q and V heads, of each so many. Advantages and the expectile take the least of them."""

    def __post_init__(self) -> None:
        super().__post_init__()
        low_high = self.value_range
        if low_high is not None and not low_high[0] < low_high[1]:
            raise ConfigError(
                f"algorithm.critic.network.value_range is {list(low_high)}; expected the lesser number first"
            )

    def reads_on(self, is_fully_observed: bool) -> StateInput:
        """What is read of a state of a suite: as configured, or as the suite's declaration decides."""
        if self.reads != AUTO:
            return self.reads
        return "observation" if is_fully_observed else "all"


@dataclass(frozen=True)
class CriticStepConfig(Ranged):
    """The critic's optimiser."""

    learning_rate: Annotated[float, POSITIVE] = 2e-5
    """Learning rate of AdamW: 2e-5 for a tower, 1e-3 for heads alone."""
    max_grad_norm: Annotated[float, POSITIVE] = 1.0
    """The gradients of the Q heads, the V heads and the tower are each scaled down to this norm."""


@dataclass(frozen=True)
class EntropyConfig(Ranged):
    """How much the entropy of a policy that picks among listed actions is worth."""

    alpha: Annotated[float, POSITIVE] = 0.05
    """The reward that a nat of entropy is worth in a turn. Where alpha is tuned, it starts here."""
    target: Annotated[float | None, Range(above=0, below=1)] = None
    """The share of a state's greatest entropy, log(number of its actions), that alpha is tuned to hold. None leaves
    alpha as it is."""
    learning_rate: Annotated[float, POSITIVE] = 3e-3
    """Learning rate of Adam on log alpha, where alpha is tuned."""


@dataclass(frozen=True)
class AwrConfig(Ranged):
    """How advantages become weights of cloning."""

    temperature: Annotated[float, POSITIVE] = 1.0
    """beta: a small value clones only the best actions, a large one clones all alike."""
    unit: Literal["reward", "spread"] = "reward"
    """What the temperature counts in: rewards, or the mean size of the advantages that the critic gave to stored
    messages in its last updates, which needs no choice anew for each scale of rewards."""
    max_weight: Annotated[float, POSITIVE] = 20.0
    """The largest weight."""


COPY = "copy"
"""Tower that starts as a copy of the policy."""
FROZEN = "frozen"
"""No tower: the hidden states of the policy as it was at the start."""


class _WithNetwork:
    """What the options of every critic have, each of its own type."""

    network: AnyCriticConfig


@dataclass(frozen=True)
class AnyCriticOptions(_WithNetwork, Ranged):
    """What a critic reads, and how it learns in each iteration."""

    updates: Annotated[int, Range(1)] = 4
    """Updates per iteration, before those of the actor."""
    batch: Annotated[int, Range(1)] = 32
    """Entries of the replay buffer (turns or episodes, by `replay.unit`) that are drawn for each update."""
    warmup: Annotated[int, Range(0)] = 0
    """First iterations in which the critic learns alone."""
    discount: Annotated[float, SHARE] = 0.95
    """gamma of a turn."""
    tower: str = ""
    """What the heads read. "": the policy's hidden states, detached, which change as it learns; "frozen": those of the
    policy at the start of the run; "copy": a copy of its model at the start, trained with the heads; anything else: the
    folder of a Hugging Face model with the same vocabulary, also trained with the heads."""
    lora_rank: Annotated[int, Range(0)] = 0
    """Rank of the adapters that are trained in the linear layers of a tower, in place of all its weights; 0 trains all
    weights."""
    optimiser: CriticStepConfig = field(default_factory=lambda: CriticStepConfig(learning_rate=1e-3))
    """The critic's optimiser; the policy has its own."""


@dataclass(frozen=True)
class RankingConfig(Ranged):
    """How often the critic's ranking of two messages is compared with what comes of both."""

    states: Annotated[int, Range(0)] = 0
    """States of fresh episodes in which that is done; 0: never. Both messages are played in a copy of the environment,
    which takes turns: `critic/ranking_turns` counts them."""
    every: Annotated[int, Range(1)] = 5
    """Iterations from one to the next."""
    player: str = "oracle"
    """The script of the environment that plays on behind both."""
    continuations: Annotated[int, Range(1)] = 1
    """Times that it does."""


@dataclass(frozen=True)
class CriticOptions(AnyCriticOptions):
    """A critic with heads for Q and for V."""

    follows: Literal["policy", "data"] = "policy"
    """What V becomes under an actor of kind "resampled". "policy": Q of its new messages, so values are those of the
    policy, and sink with it where it errs. "data": an expectile of Q over stored messages, so values are those of the
    best that was tried, and no message is sampled for them. Other actors always have the latter."""
    expectile: Annotated[float, Range(above=0, below=1)] = 0.9
    """The expectile of Q over stored messages that V becomes."""
    network: CriticConfig = field(default_factory=CriticConfig)
    """Its size, how fast its copy follows, and the range of its values."""
    ranking: RankingConfig = field(default_factory=RankingConfig)
    """A measure of how well it ranks messages."""


@dataclass(frozen=True)
class SoftCriticOptions(AnyCriticOptions):
    """A critic with heads for Q alone, as V is a sum over the listed actions."""

    network: SoftCriticConfig = field(default_factory=SoftCriticConfig)
    """Its size, and how fast its copy follows."""


@dataclass(frozen=True)
class AnyActorOptions(Ranged):
    """How often the policy learns."""

    updates: Annotated[int, Range(1)] = 1
    """Updates per iteration."""
    batch: Annotated[int, Range(1)] = 32
    """Entries of the replay buffer that are drawn for each update."""


@dataclass(frozen=True)
class TurnActorOptions(AnyActorOptions):
    """How often a policy that writes its messages learns, and what keeps many updates from ruining it."""

    warmup: Annotated[int, Range(0)] = 0
    """First updates of the policy over which its learning rate rises."""
    max_kl: Annotated[float | None, POSITIVE] = None
    """Nats a turn that the policy may move in an iteration: no further update follows one that brought it farther. It
    costs a forward pass an update. None: no bound."""
    min_entropy: Annotated[float | None, POSITIVE] = None
    """Nats a token below which entropy is rewarded, a nat as much as the spread of advantages. None: it never is."""


@dataclass(frozen=True)
class ResampledActor(TurnActorOptions):
    """The policy learns from new actions in stored states (ArCHer)."""

    kind: Literal["resampled"] = "resampled"
    """Which actions the policy learns from."""
    samples: Annotated[int, Range(1)] = 1
    """New messages in each state. From two on, each is compared with the mean Q of the others instead of with V, so
    that an error of V in a state favours none of them."""
    is_scaled: bool = False
    """Divide advantages by how far apart the messages of a state are, so that states count alike where little is at
    stake and where much is. Needs samples of at least 2."""
    has_token_baseline: bool = False
    """Subtract from the advantage what could be expected of it at each token, by a head of its own."""


@dataclass(frozen=True)
class InSampleActor(TurnActorOptions):
    """The policy learns from stored actions, corrected by importance weights."""

    kind: Literal["in_sample"] = "in_sample"
    """Which actions the policy learns from."""
    importance: TurnImportance = field(default_factory=SequenceTruncated)
    """Weights of stored actions, where a sequence is a turn; V's targets have them too."""


@dataclass(frozen=True)
class AwrActor(TurnActorOptions):
    """The policy clones stored actions, with weights that grow with their advantages."""

    kind: Literal["awr"] = "awr"
    """Which actions the policy learns from."""
    awr: AwrConfig = field(default_factory=AwrConfig)
    """How advantages become weights."""


@dataclass(frozen=True)
class AlolActor(TurnActorOptions):
    """The policy clones stored actions that are better than V, in proportion: a first phase, and no kind of actor."""

    a_lol: AlolConfig = field(default_factory=AlolConfig)
    """The ratio to the policy of the start."""


ActorOptions = ResampledActor | InSampleActor | AwrActor
"""How the policy learns from a critic; the first is the default."""


@dataclass(frozen=True)
class SoftActorOptions(AnyActorOptions):
    """How the policy learns over all actions that the environment lists (discrete soft actor-critic)."""

    entropy: EntropyConfig = field(default_factory=EntropyConfig)
    """What entropy is worth."""


@dataclass(frozen=True)
class OfflineStart(Ranged):
    """What is learnt from before the policy's first update, beside the episodes of the critic's warm-up."""

    better_episodes: Annotated[int, Range(0)] = 0
    """Stored episodes that returned more than the worst one, for which the policy's first update waits beyond the
    critic's warm-up: without any there is nothing to rank. 0: it waits for none."""
    random_episodes: Annotated[int, Range(0)] = 0
    """Episodes that the environment's random player adds to the buffer before the first iteration. They take turns,
    which `start/turns` counts."""
    critic_updates: Annotated[int, Range(0)] = 0
    """Further updates of the critic just before the policy's first."""
    policy_updates: Annotated[int, Range(0)] = 0
    """Updates of the policy right after them that clone stored messages by their advantages, whatever the actor's kind:
    a first phase."""
    phase: Literal["awr", "a_lol"] = "awr"
    """What that phase is. "awr": advantage-weighted regression. "a_lol": advantage-leftover-lunch, which leaves out the
    messages that are no better than V, and weighs the others by the square of their advantage and by the ratio to the
    policy of the start."""
    awr: AwrConfig = field(default_factory=lambda: AwrConfig(temperature=0.5, unit="spread"))
    """How advantages become weights in the phase "awr"."""
    a_lol: AlolConfig = field(default_factory=AlolConfig)
    """The ratio to the policy of the start in the phase "a_lol"."""

    @property
    def needs_reference(self) -> bool:
        """Whether messages are weighed by the ratio to the policy of the start."""
        return self.policy_updates > 0 and self.phase == "a_lol" and self.a_lol.ratio != "none"


class UnderCritic(LearnerOptions):
    """What learners under a critic of turns have in common; whether they collect is up to each."""

    has_critic: ClassVar[bool] = True
    replay: Memory
    critic: AnyCriticOptions
    actor: AnyActorOptions

    @property
    def runs(self) -> tuple[str, ...]:
        """Folders of the stored runs that are learnt from."""
        return self.replay.runs

    @property
    def needs_reference(self) -> bool:
        """Whether the critic reads the policy of the start."""
        return self.critic.tower == FROZEN

    def without_warmup(self) -> UnderCritic:
        """The same, with the policy learning from the first iteration on."""
        return cast(UnderCritic, replace(cast(Any, self), critic=replace(self.critic, warmup=0)))


class UnderTurnCritic(UnderCritic):
    """The options of learners whose policy writes its messages."""

    critic: CriticOptions
    actor: ActorOptions
    start: OfflineStart = OfflineStart()

    @property
    def needs_reference(self) -> bool:
        """Whether the critic reads the policy of the start, or the first phase compares with it."""
        return super().needs_reference or self.start.needs_reference

    @property
    def needs_behaviour_logprobs(self) -> bool:
        """Whether stored actions are weighed."""
        return isinstance(self.actor, InSampleActor)


class UnderSoftCritic(UnderCritic):
    """The options of learners whose policy picks among listed actions."""

    picks_legal_actions: ClassVar[bool] = True
    critic: SoftCriticOptions
    actor: SoftActorOptions


@dataclass(frozen=True)
class ActorCriticOptions(UnderTurnCritic):
    """Learning from a replay buffer under a critic of turns (ArCHer and its relatives)."""

    learner: Literal["actor_critic"] = "actor_critic"
    """The kind of learner."""
    replay: BufferOptions = field(default_factory=UniformBuffer)
    """What is drawn from."""
    critic: CriticOptions = field(default_factory=CriticOptions)
    """The critic of turns."""
    actor: ActorOptions = field(default_factory=ResampledActor)
    """How the policy learns from it."""
    start: OfflineStart = field(default_factory=OfflineStart)
    """What is learnt from before the policy's first update."""


@dataclass(frozen=True)
class SoftActorCriticOptions(UnderSoftCritic):
    """Learning which listed action to pick, from a replay buffer (discrete soft actor-critic)."""

    learner: Literal["soft_actor_critic"] = "soft_actor_critic"
    """The kind of learner."""
    replay: BufferOptions = field(default_factory=UniformBuffer)
    """What is drawn from."""
    critic: SoftCriticOptions = field(default_factory=SoftCriticOptions)
    """The critic of turns."""
    actor: SoftActorOptions = field(default_factory=SoftActorOptions)
    """How the policy learns from it."""
