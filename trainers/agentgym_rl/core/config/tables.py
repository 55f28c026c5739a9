"""The tables of a run that no learner owns: its length, model, warm start, groups, optimiser, micro-batches and checks.

The files that read them use them; the options of learners are in their own folders.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from agentgym.attribution.proxy_watch import WatchConfig as ProxyWatchConfig
from agentgym.config import ADVICE
from agentgym.errors import ConfigError
from agentgym.prompting.tiny import SIZES, FirstWeights
from agentgym.ranges import POSITIVE, SEED, Range, Ranged


@dataclass(frozen=True)
class RunConfig(Ranged):
    """What the run trains on, and for how long."""

    suite: str = field(metadata={ADVICE: "run `agentgym list` to see the suites"})
    """The suite whose train split the run trains on."""
    iterations: Annotated[int, Range(0)]
    """Number of cycles of collecting and learning."""
    seed: Annotated[int, SEED] = 0
    """Seed of everything random in the run."""
    env_options: dict[str, Any] = field(default_factory=dict)
    """Options of the environment, over those that the suite sets; in training, validation and test."""
    max_seconds: Annotated[float | None, Range(0)] = None
    """Wall time of training after which no further iteration starts. Such a run does not repeat exactly."""
    threads: Annotated[int, Range(1)] = 1
    """Threads of torch in this process. More than one is slow when processes compete for the cores."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the model is placed; auto takes a GPU if there is one."""


@dataclass(frozen=True)
class ModelConfig(Ranged):
    """The model that learns."""

    path: str = ""
    """Folder of a Hugging Face checkpoint. "" builds a tiny model from scratch for the suite's vocabulary."""
    size: str = "0.25M"
    """Size of a tiny model."""
    first_weights: FirstWeights = "random"
    """What a tiny model starts from. With copying it can copy tokens of its context from the start; from random weights
    it takes thousands of updates to find out how."""
    dtype: Literal["float32", "bfloat16", "pure_bfloat16"] = "float32"
    """bfloat16 computes and samples in bfloat16 while the optimiser keeps float32 weights; with LoRA the frozen weights
    are bfloat16. pure_bfloat16 trains bfloat16 weights: half the memory, but small updates are rounded away."""
    autocast: bool = False
    """Run the forward and backward passes in bfloat16 autocast; the loss stays in float32."""
    gradient_checkpointing: bool = False
    """Recompute activations in the backward pass to save memory."""
    compile: bool = False
    """Compile the scoring forward pass with torch.compile."""
    lora_rank: Annotated[int, Range(0)] = 0
    """Rank of LoRA adapters; 0 trains all weights."""
    lora_alpha: Annotated[int, Range(1)] = 32
    """Scale of LoRA adapters."""
    trust_remote_code: bool = False
    """Run code that comes with the checkpoint."""
    allow_incomplete: bool = False
    """Accept a checkpoint whose weights are missing, superfluous or of another shape. Missing ones are random."""
    freeze_vision: bool = True
    """Leave the part of a vision-language model that reads pictures as it is, and train what reads and writes text."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size not in SIZES:
            raise ConfigError(f"model.size must be one of {', '.join(SIZES)}, got {self.size!r}")
        if self.path and self.first_weights != "random":
            raise ConfigError("model.first_weights is for tiny models; a model of model.path has its own weights")


@dataclass(frozen=True)
class WarmStartConfig(Ranged):
    """Behaviour cloning from demonstrations before reinforcement learning."""

    demonstrations: Annotated[int, Range(0)] = 0
    """Number of episodes that the demonstrator plays on train tasks; 0 means no warm start."""
    demonstrator: str = "demo"
    """The scripted policy that demonstrates."""
    run: str = ""
    """Folder of a run whose stored episodes are cloned instead."""
    is_filtered: bool = False
    """Clone successful episodes only."""
    has_control: bool = False
    """Also clone successful episodes only, into a copy of the untrained model, as a control for the comparison."""
    epochs: Annotated[int, Range(1)] = 1
    """Passes over the demonstrations."""
    learning_rate: Annotated[float, POSITIVE] = 1e-3
    """Peak learning rate, after a linear warm-up and before a cosine decay."""
    optimiser: Literal["adamw", "muon"] = "adamw"
    """adamw: AdamW; muon: Muon for the matrices of the layers, which may need fewer demonstrations, and AdamW for the
    rest."""
    batch_episodes: Annotated[int, Range(1)] = 64
    """Episodes per update."""
    prompt_weight: Annotated[float, Range(0)] = 0.0
    """Weight of the loss on the tokens that the policy reads, beside that on those it writes; a tiny model learns from
    them what its tasks are about."""
    swap_names: bool = False
    """Exchange the names of the suite's vocabulary (`NAMES`) at random in each episode of an update, so that a tiny
    model learns to copy names and not to know them."""


@dataclass(frozen=True)
class GroupConfig(Ranged):
    """How groups are sampled."""

    size: Annotated[int, Range(1)] = 8
    """Episodes of one task that share a baseline."""
    tasks: Annotated[int, Range(1)] = 16
    """Groups per iteration."""
    staleness: Annotated[int, Range(0)] = 0
    """Iterations by which collecting may run ahead of learning."""
    dynamic_sampling: Literal["keep", "drop", "refill"] = "drop"
    """What happens to groups whose returns are all equal. keep: they stay and add to the denominator of the loss;
    drop: they are left out; refill: further groups are collected in their place (DAPO)."""
    max_refills: Annotated[int, Range(1)] = 3
    """With refill, the run stops after collecting this many times the groups of an iteration."""


@dataclass(frozen=True)
class OptimiserConfig(Ranged):
    """AdamW and its schedule."""

    learning_rate: Annotated[float, POSITIVE] = 1e-6
    """Peak learning rate: 1e-6 for all weights of pretrained models, 1e-5 to 5e-5 for LoRA, 3e-4 for tiny models."""
    betas: Annotated[tuple[float, ...], Range(0, below=1)] = (0.9, 0.95)
    """The two betas of AdamW."""
    weight_decay: Annotated[float, Range(0)] = 0.0
    """Weight decay of AdamW."""
    max_grad_norm: Annotated[float, POSITIVE] = 1.0
    """Gradients are scaled down to this norm, separately for the policy and the value head. It also applies to
    cloning."""
    warmup: Annotated[int, Range(0)] = 0
    """Iterations of linear warm-up."""
    decay: Literal["none", "linear", "cosine"] = "none"
    """How the learning rate falls to a tenth over the run's iterations."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.betas) != 2:
            raise ConfigError(f"optimiser.betas must be a list of two numbers, got {list(self.betas)}")


@dataclass(frozen=True)
class PackingConfig(Ranged):
    """The shape of micro-batches."""

    row_length: Annotated[int, Range(2)] = 2048
    """Number of tokens in a row, which is the longest segment that can be trained on."""
    micro_batch_tokens: Annotated[int, Range(2)] = 8192
    """The most tokens of a micro-batch, padding included."""
    is_packed: bool = True
    """Put several segments into a row. If False, each row holds one segment, padded on the right, in order of length.
    The cost of attention grows with the square of the row length, so rows of one segment are faster on a CPU, where
    kernels skip no blocks."""
    keep_sequences_whole: bool = False
    """Keep all segments of an episode in one micro-batch. Ratios and importance weights of whole sequences need it."""
    is_trimmed: bool = True
    """Cut each micro-batch to its longest row. If False, every row has row_length, which suits compiled models."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.micro_batch_tokens < self.row_length:
            raise ConfigError(
                f"packing.micro_batch_tokens must be at least packing.row_length, which is {self.row_length}, got "
                f"{self.micro_batch_tokens}"
            )


@dataclass(frozen=True)
class ValidationConfig(Ranged):
    """Validation during the run and the test at its end."""

    every: Annotated[int, Range(0)] = 10
    """Iterations between validations; 0 means none."""
    tasks: Annotated[int, Range(1)] = 100
    """Number of validation tasks, spread evenly over the split."""
    test_attempts: Annotated[int, Range(1)] = 1
    """Attempts at each test task."""
    test_tasks: Annotated[int | None, Range(1)] = None
    """Number of test tasks, spread evenly over the split; none takes all."""
    has_final_test: bool = True
    """Evaluate on the test split once, at the end."""


@dataclass(frozen=True)
class WatchConfig(Ranged):
    """When a run stops because it cannot learn."""

    max_zero_variance_iterations: Annotated[int, Range(1)] = 10
    """Stop after this many iterations in a row in which all episodes that are compared got the same reward."""
    max_invalid_iterations: Annotated[int, Range(1)] = 5
    """Stop after this many iterations in a row in which every episode ended as invalid."""
    max_value_ratio: Annotated[float, POSITIVE] = 10.0
    """Stop when a critic's mean Q is more than this many times the largest stored return: the critic has diverged."""
    proxy: ProxyWatchConfig = field(default_factory=ProxyWatchConfig)
    """When shaped reward no longer agrees with the score."""


@dataclass(frozen=True)
class CheckpointConfig(Ranged):
    """What is kept for resuming."""

    every: Annotated[int, Range(1)] = 10
    """Iterations between checkpoints; the last iteration always has one."""
    keep: Annotated[int, Range(1)] = 2
    """Number of newest checkpoints that are kept."""
