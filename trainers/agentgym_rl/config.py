"""The configuration of a training run: one frozen dataclass a component, and how a file becomes one.

What the algorithm's presets set is in `presets.py`, which options apply to what in `applicability.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from agentgym.attribution.proxy_watch import WatchConfig as ProxyWatchConfig
from agentgym.config import Source, build, dotted_keys, merged, read_tables
from agentgym.errors import ConfigError, UnknownNameError
from agentgym.policy import Sampling
from agentgym.rollout import RolloutSettings
from agentgym_rl.advantages import AdvantageConfig
from agentgym_rl.aggregation import AggregationMode
from agentgym_rl.applicability import require_applicable
from agentgym_rl.attributed import AttributionConfig
from agentgym_rl.curricula.config import CurriculumConfig
from agentgym_rl.gae import GaeConfig
from agentgym_rl.hierarchical.options import FROZEN, ActorOptions, CriticOptions
from agentgym_rl.importance import ImportanceConfig
from agentgym_rl.losses import PolicyLossConfig
from agentgym_rl.offline.options import OfflineOptions
from agentgym_rl.packing import PackingConfig
from agentgym_rl.presets import PRESETS
from agentgym_rl.replay.options import ReplayOptions
from agentgym_rl.roles import RolesConfig

WHOLE_SEQUENCE_MODES = ("seq_tis", "seq_mis", "geometric")
Credit = Literal["episode", "turn_gae", "token_gae", "return_to_go", "attribution"]


@dataclass(frozen=True)
class RunConfig:
    """What is trained on, and for how long."""

    suite: str
    """Suite whose train split is trained on."""
    iterations: int
    """Cycles of collecting and learning."""
    seed: int = 0
    """Seed of everything random in the run."""
    max_seconds: float | None = None
    """Wall time of training after which no further iteration starts; such a run does not repeat exactly."""
    threads: int = 1
    """Threads of torch in this process; more than one collapses under contention."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the model lives; auto takes a GPU where there is one."""

    def __post_init__(self) -> None:
        if self.iterations < 0 or self.seed < 0 or self.threads < 1:
            raise ConfigError("run.iterations and run.seed must be at least 0, run.threads at least 1")


@dataclass(frozen=True)
class ModelConfig:
    """The model that learns."""

    path: str = ""
    """Folder of a Hugging Face checkpoint; "" builds a tiny model from nothing for the suite's vocabulary."""
    size: str = "0.25M"
    """Size of a tiny model."""
    dtype: Literal["float32", "bfloat16"] = "float32"
    """Of the weights."""
    autocast: bool = False
    """Forward and backward in bfloat16 autocast; the loss stays in float32."""
    gradient_checkpointing: bool = False
    """Compute activations again in the backward pass."""
    compile: bool = False
    """torch.compile of the scoring forward pass."""
    lora_rank: int = 0
    """Rank of LoRA adapters; 0 trains all weights."""
    lora_alpha: int = 32
    """Scale of LoRA adapters."""
    trust_remote_code: bool = False
    """Run code that comes with the checkpoint."""


@dataclass(frozen=True)
class WarmStartConfig:
    """Behaviour cloning from demonstrations before reinforcement learning."""

    demonstrations: int = 0
    """Episodes of the demonstrator on train tasks; 0 for no warm start."""
    demonstrator: str = "demo"
    """Scripted policy that demonstrates."""
    run: str = ""
    """Folder of a run whose stored episodes are cloned instead."""
    is_filtered: bool = False
    """Clone successful episodes only."""
    has_control: bool = False
    """Also clone successful episodes only, into a copy of the untrained model, as a control for the comparison."""
    epochs: int = 1
    """Passes over the demonstrations."""
    learning_rate: float = 1e-3
    """Peak of the linear warm-up and cosine decay."""
    batch_episodes: int = 64
    """Episodes an update."""


@dataclass(frozen=True)
class GroupConfig:
    """How groups are sampled."""

    size: int = 8
    """Episodes of one task that share a baseline."""
    tasks: int = 16
    """Groups an iteration."""
    staleness: int = 0
    """Iterations by which collecting may run ahead of learning."""
    dynamic_sampling: Literal["keep", "drop", "refill"] = "drop"
    """Groups without variance: kept (they add to the denominator), dropped, or replaced by further groups (DAPO)."""
    max_refills: int = 3
    """With refill: at most so many times the groups of an iteration are collected before the run stops."""

    def __post_init__(self) -> None:
        if self.size < 1 or self.tasks < 1 or self.staleness < 0 or self.max_refills < 1:
            raise ConfigError("group.size, group.tasks and group.max_refills must be positive, group.staleness >= 0")


@dataclass(frozen=True)
class ValueConfig:
    """The value head of PPO."""

    coefficient: float = 0.5
    """Weight of its loss, which is divided by the mean square of its targets where that is above 1."""
    clip: float | None = None
    """Largest change of a value that counts; none: any."""
    learning_rate: float = 1e-3
    """Of the head alone."""


@dataclass(frozen=True)
class AlgorithmConfig:
    """What makes the loss."""

    preset: str = "loop"
    """Named set of defaults for the keys below: see `agentgym train --describe`."""
    learner: Literal["groups", "actor_critic", "offline"] = "groups"
    """What is learnt from: the whole groups of an iteration; a replay buffer, under a critic of turns; or the runs of
    replay.runs alone, and nothing is collected."""
    credit: Credit = "episode"
    """One advantage an episode; GAE over turns or tokens with a value head; discounted token returns; or the
    advantages of turns that a method of attribution gives."""
    advantage: AdvantageConfig = field(default_factory=AdvantageConfig)
    """Baselines of credit "episode"."""
    attribution: AttributionConfig = field(default_factory=AttributionConfig)
    """The method of credit "attribution"; of credit "turn_gae" one that moves rewards between turns first."""
    gae: GaeConfig = field(default_factory=GaeConfig)
    """Discounts of credit "turn_gae" and "token_gae"; the discount also of "return_to_go"."""
    value: ValueConfig = field(default_factory=ValueConfig)
    """The value head of GAE."""
    is_whitened: bool = False
    """Shift and scale advantages to mean 0, variance 1 over the batch's tokens."""
    loss: PolicyLossConfig = field(default_factory=PolicyLossConfig)
    """The loss of a token."""
    importance: ImportanceConfig = field(default_factory=ImportanceConfig)
    """Correction of the mismatch between sampling and training probabilities."""
    replay: ReplayOptions = field(default_factory=ReplayOptions)
    """What is learnt from again."""
    critic: CriticOptions = field(default_factory=CriticOptions)
    """The critic of learner "actor_critic"."""
    actor: ActorOptions = field(default_factory=ActorOptions)
    """How the policy learns from it."""
    offline: OfflineOptions = field(default_factory=OfflineOptions)
    """How learner "offline" learns."""
    prox: Literal["behaviour", "recompute"] = "behaviour"
    """Denominator of the ratio: the recorded log-probabilities, or those of the trainer at the start of the batch."""
    kl_in_reward: float = 0.0
    """beta of the KL penalty in the token reward."""
    aggregation: AggregationMode = "token_mean"
    """How token losses become one number."""
    max_episode_tokens: int | None = None
    """Most sampled tokens an episode may have: the constant of dr_grpo and the limit of the overlong penalty."""
    overlong_buffer: int = 0
    """Tokens before the limit over which DAPO's penalty ramps up; 0 for none."""
    epochs: int = 1
    """Passes over each batch."""
    minibatches: int = 1
    """Updates a pass."""

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.minibatches < 1:
            raise ConfigError("algorithm.epochs and algorithm.minibatches must be at least 1")

    @property
    def has_value_head(self) -> bool:
        """Whether the model gets a value head."""
        return self.learner == "groups" and self.credit in ("turn_gae", "token_gae")

    @property
    def has_critic(self) -> bool:
        """Whether there is a critic of turns."""
        is_offline = self.learner == "offline" and self.offline.method == "actor_critic"
        return self.learner == "actor_critic" or is_offline

    @property
    def picks_listed(self) -> bool:
        """Whether the policy picks among the actions that the environment lists, instead of writing messages."""
        return self.has_critic and self.actor.kind == "listed"

    @property
    def is_steered(self) -> bool:
        """Whether the policy is one that a critic over the vocabulary steers."""
        return self.learner == "offline" and self.offline.is_steered

    @property
    def collects(self) -> bool:
        """Whether episodes are played to learn from."""
        return self.learner != "offline"

    @property
    def needs_behaviour_logprobs(self) -> bool:
        """Whether a loss compares the present policy with the one that sampled, which derived episodes cannot tell."""
        return self.learner == "groups" or (self.has_critic and self.actor.kind == "in_sample")

    @property
    def bootstraps(self) -> bool:
        """Whether the state after a truncated episode is valued, so that it must be recorded."""
        return self.has_value_head or self.has_critic

    @property
    def needs_reference(self) -> bool:
        """Whether a frozen copy of the starting weights is kept."""
        is_compared = self.learner == "offline" and self.offline.is_compared
        is_read = self.has_critic and self.critic.tower == FROZEN
        return is_compared or is_read or self.kl_in_reward > 0 or self.loss.kl_coefficient > 0


@dataclass(frozen=True)
class OptimiserConfig:
    """AdamW and its schedule."""

    learning_rate: float = 1e-6
    """Peak; 1e-6 for full weights of pretrained models, 1e-5 to 5e-5 for LoRA, 3e-4 for tiny models."""
    betas: tuple[float, ...] = (0.9, 0.95)
    """Of AdamW."""
    weight_decay: float = 0.0
    """Of AdamW."""
    max_grad_norm: float = 1.0
    """Gradients of the policy, and those of the value head apart, are scaled down to this norm; in cloning too."""
    warmup: int = 0
    """Iterations of linear warm-up."""
    decay: Literal["none", "linear", "cosine"] = "none"
    """How the learning rate falls to a tenth over the run's iterations."""

    def __post_init__(self) -> None:
        if self.learning_rate <= 0 or self.max_grad_norm <= 0 or len(self.betas) != 2:
            raise ConfigError("optimiser.learning_rate and max_grad_norm must be positive, betas two numbers")


@dataclass(frozen=True)
class ValidationConfig:
    """Validation during the run and the test at its end."""

    every: int = 10
    """Iterations between validations; 0 for none."""
    tasks: int = 100
    """Tasks of the validation split, spread evenly over it."""
    test_attempts: int = 1
    """Attempts a task of the test split."""
    test_tasks: int | None = None
    """Tasks of the test split, spread evenly over it; none for all."""
    has_final_test: bool = True
    """Whether the test split is touched, once, at the end."""


@dataclass(frozen=True)
class WatchConfig:
    """When a run stops because it cannot learn."""

    max_zero_variance_iterations: int = 10
    """Iterations in a row in which all episodes that are compared are rewarded alike."""
    max_invalid_iterations: int = 5
    """Iterations in a row in which every episode ended as invalid."""
    max_value_ratio: float = 10.0
    """How many times the largest return that is stored a critic's mean Q may be; beyond, it has diverged."""
    proxy: ProxyWatchConfig = field(default_factory=ProxyWatchConfig)
    """When reward that a method of attribution shaped counts as gone astray from the score."""


@dataclass(frozen=True)
class CheckpointConfig:
    """What is kept to resume from."""

    every: int = 10
    """Iterations between checkpoints; the last one is always kept."""
    keep: int = 2
    """Newest checkpoints that are kept."""

    def __post_init__(self) -> None:
        if self.every < 1 or self.keep < 1:
            raise ConfigError("checkpoint.every and checkpoint.keep must be at least 1")


@dataclass(frozen=True)
class TrainConfig:
    """A training run."""

    run: RunConfig
    model: ModelConfig = field(default_factory=ModelConfig)
    warm_start: WarmStartConfig = field(default_factory=WarmStartConfig)
    group: GroupConfig = field(default_factory=GroupConfig)
    rollout: RolloutSettings = field(default_factory=RolloutSettings)
    curriculum: CurriculumConfig = field(default_factory=CurriculumConfig)
    algorithm: AlgorithmConfig = field(default_factory=AlgorithmConfig)
    optimiser: OptimiserConfig = field(default_factory=OptimiserConfig)
    packing: PackingConfig = field(default_factory=lambda: PackingConfig(row_length=512, micro_batch_tokens=16384))
    validation: ValidationConfig = field(default_factory=ValidationConfig)
    watch: WatchConfig = field(default_factory=WatchConfig)
    roles: RolesConfig = field(default_factory=RolesConfig)
    checkpoint: CheckpointConfig = field(default_factory=CheckpointConfig)

    def __post_init__(self) -> None:
        _check_sampling(self.rollout.sampling)

    def longest_context(self, of_policy: int) -> int:
        """Most tokens of a segment: as many as fit into a row, the policy's own context, and the configured one."""
        limits = (self.rollout.max_context, of_policy, self.packing.row_length)
        return min(limit for limit in limits if limit is not None)


def load_config(path: Path | None, overrides: Sequence[str] = ()) -> TrainConfig:
    """Read a run's configuration.

    Args:
        path: TOML file.
        overrides: "table.key=value".

    Raises:
        ConfigError: A key is unknown, of the wrong type, or does not apply to the chosen algorithm.
        UnknownNameError: There is no such preset.
    """
    tables, source = read_tables(path, overrides)
    return config_from_tables(tables, source)


def config_from_tables(tables: dict[str, Any], source: Source) -> TrainConfig:
    """The configuration that tables say, the preset's values standing below those of the tables."""
    own = tables.get("algorithm", {})
    preset = own.get("preset", AlgorithmConfig().preset)
    if preset not in PRESETS:
        raise UnknownNameError("algorithm preset", str(preset), PRESETS)
    given = merged({"algorithm": PRESETS[preset]}, tables)
    config = build(TrainConfig, given, source)
    require_applicable(config, dotted_keys(tables), source)
    algorithm = config.algorithm
    if algorithm.loss.ratio_level == "sequence" or algorithm.importance.mode in WHOLE_SEQUENCE_MODES:
        config = replace(config, packing=replace(config.packing, keep_sequences_whole=True))
    if algorithm.attribution.method:
        config = replace(config, rollout=replace(config.rollout, record_anchors=True, record_progress=True))
    return config


def _check_sampling(sampling: Sampling) -> None:
    if sampling.top_p != 1.0:
        raise ConfigError(
            f"rollout.sampling.top_p is {sampling.top_p}; training needs 1.0, where the recorded log-probabilities are "
            f"those of the whole distribution"
        )
    if sampling.temperature == 0:
        raise ConfigError("rollout.sampling.temperature is 0; training needs sampled messages, such as 1.0")
