"""The options of the maths: the loss of a token, the importance weights, and the aggregation over tokens.

The files beside this one have the formulas. A configuration is read without torch, so this module does not import it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from agentgym.errors import ConfigError
from agentgym.ranges import ANY, POSITIVE, SHARE, Range, Ranged

AggregationMode = Literal["token_mean", "seq_mean_token_mean", "seq_mean_token_sum", "dr_grpo", "local_token_mean"]
"""How the losses of tokens become one number; see aggregation.py."""
RatioLevel = Literal["token", "turn", "sequence"]
"""The unit that shares a probability ratio; see ratios.py."""
KlEstimator = Literal["k1", "k2", "k3", "k3+"]
"""The estimators of the KL divergence; see kl.py."""


@dataclass(frozen=True)
class CovarianceConfig(Ranged):
    """Which tokens may be left out, and how many."""

    share: Annotated[float, SHARE] = 0.02
    """The largest share of all tokens that is left out."""
    low: Annotated[float, ANY] = 2.0
    """Tokens with a covariance between low and high are candidates."""
    high: Annotated[float, ANY] = 60.0
    """The upper end of that range."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.low < self.high:
            raise ConfigError(f"low of covariance clipping must be below high, got {self.low} and {self.high}")


@dataclass(frozen=True)
class NoImportance:
    """No correction: every weight is 1."""

    mode: Literal["none"] = "none"
    """The correction."""


@dataclass(frozen=True)
class _Truncated(Ranged):
    """Weights up to a cap."""

    max_weight: Annotated[float, POSITIVE] = 2.0
    """The cap of the weights."""


@dataclass(frozen=True)
class TokenTruncated(_Truncated):
    """Truncated importance sampling of tokens."""

    mode: Literal["token_tis"] = "token_tis"
    """The correction."""


@dataclass(frozen=True)
class SequenceTruncated(_Truncated):
    """Truncated importance sampling of sequences."""

    mode: Literal["seq_tis"] = "seq_tis"
    """The correction."""


@dataclass(frozen=True)
class _Masked(Ranged):
    """Weights within a band; those outside it become 0."""

    min_weight: Annotated[float, Range(0)] = 0.0
    """The lower edge of the band of weights that are kept."""
    max_weight: Annotated[float, POSITIVE] = 2.0
    """The upper edge of the band."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.min_weight < self.max_weight:
            raise ConfigError(
                f"importance band is [{self.min_weight}, {self.max_weight}]; expected 0 <= min_weight < max_weight"
            )


@dataclass(frozen=True)
class TokenMasked(_Masked):
    """Masked importance sampling of tokens."""

    mode: Literal["token_mis"] = "token_mis"
    """The correction."""


@dataclass(frozen=True)
class SequenceMasked(_Masked):
    """Masked importance sampling of sequences."""

    mode: Literal["seq_mis"] = "seq_mis"
    """The correction."""


@dataclass(frozen=True)
class IcePop(_Masked):
    """Masked importance sampling of tokens by a band with two edges."""

    mode: Literal["icepop"] = "icepop"
    """The correction."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_weight == 0:
            raise ConfigError("importance.min_weight is 0 with icepop, whose band has two edges; try 0.5 and 5")


@dataclass(frozen=True)
class GeometricGate(_Truncated):
    """Truncated importance sampling of tokens, for sequences whose geometric mean lies within a gate."""

    mode: Literal["geometric"] = "geometric"
    """The correction."""
    min_gate: Annotated[float, Range(0)] = 0.5
    """The smallest geometric mean of w that a sequence may have."""
    max_gate: Annotated[float, POSITIVE] = 2.0
    """The largest."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.min_gate < self.max_gate:
            raise ConfigError(f"importance gate is [{self.min_gate}, {self.max_gate}]; expected 0 <= min < max")


TurnImportance = SequenceTruncated | NoImportance | SequenceMasked
"""Corrections that weigh all tokens of a sequence alike, where a turn is the sequence; the first is the default."""
Importance = NoImportance | TokenTruncated | SequenceTruncated | TokenMasked | SequenceMasked | IcePop | GeometricGate
"""How the mismatch between sampling and training probabilities is corrected; the first is the default."""


@dataclass(frozen=True)
class TokenLoss(Ranged):
    """The options that the losses of a token share, for any surrogate."""

    ratio_level: RatioLevel = "token"
    """The unit that shares a probability ratio and is clipped as one: a token, a turn or a sequence."""
    kl_coefficient: Annotated[float, Range(0)] = 0.0
    """beta, the weight of the KL penalty in the loss. A positive one needs reference log-probabilities."""
    kl_estimator: KlEstimator = "k2"
    """The estimator of the KL penalty; see kl.py."""
    use_kl_ratio: bool = False
    """Multiply the KL estimate by the ratio, without gradient, to correct for off-policy samples."""
    entropy_coefficient: Annotated[float, Range(0)] = 0.0
    """Weight of the entropy bonus. A positive one needs entropies with gradient."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ratio_level not in get_args(RatioLevel):
            raise ConfigError(f"loss.ratio_level is {self.ratio_level!r}; expected token, turn or sequence")
        if self.kl_estimator not in get_args(KlEstimator):
            raise ConfigError(f"loss.kl_estimator is {self.kl_estimator!r}; expected k1, k2, k3 or k3+")


@dataclass(frozen=True)
class ClippedLoss(TokenLoss):
    """PPO's clipped surrogate; see `surrogate_losses` in losses.py."""

    surrogate: Literal["clipped"] = "clipped"
    """The surrogate."""
    eps_low: Annotated[float, SHARE] = 0.2
    """The ratio counts no lower than 1 - eps_low."""
    eps_high: Annotated[float, Range(0)] = 0.28
    """The ratio counts no higher than 1 + eps_high."""
    dual_clip: Annotated[float | None, Range(above=1)] = 3.0
    """A negative advantage counts at most this many times; none: unbounded."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dual_clip is not None and self.dual_clip <= 1 + self.eps_high:
            raise ConfigError(f"loss.dual_clip is {self.dual_clip}; expected more than 1 + eps_high, or none")


@dataclass(frozen=True)
class UnclippedLoss(TokenLoss):
    """The ratio times the advantage."""

    surrogate: Literal["unclipped"] = "unclipped"
    """The surrogate."""


@dataclass(frozen=True)
class ReinforceLoss(TokenLoss):
    """The log-probability times the advantage, without a ratio."""

    surrogate: Literal["reinforce"] = "reinforce"
    """The surrogate."""


@dataclass(frozen=True)
class CispoLoss(TokenLoss):
    """The log-probability times a capped ratio and the advantage."""

    surrogate: Literal["cispo"] = "cispo"
    """The surrogate."""
    max_ratio: Annotated[float, POSITIVE] = 5.0
    """The cap of the ratio, which is a constant for the gradient."""


@dataclass(frozen=True)
class DppoLoss(TokenLoss):
    """The ratio times the advantage, for tokens whose probability moved little, and a penalty on the log-ratio."""

    surrogate: Literal["dppo"] = "dppo"
    """The surrogate."""
    max_shift: Annotated[float, POSITIVE] = 0.2
    """Tokens whose probability moved further than this in the wanted direction get no gradient."""
    penalty: Annotated[float, Range(0)] = 1e-3
    """Weight of the squared log-ratio."""


PolicyLoss = ClippedLoss | UnclippedLoss | ReinforceLoss | CispoLoss | DppoLoss
"""The loss of one token; the first is the default."""


AlolRatio = Literal["turn", "token", "none"]
"""The unit that shares a ratio to the reference; "none": there is no ratio."""


@dataclass(frozen=True)
class AlolConfig(Ranged):
    """The ratio to the reference of advantage-leftover-lunch."""

    ratio: AlolRatio = "turn"
    """turn: of the whole answer (A-LoL); token: of each token (A-LoL seq.); none: 1 (A-LoL ref-free)."""
    clip: Annotated[float, SHARE] = 0.9
    """The ratio counts within 1 - clip and 1 + clip."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ratio not in get_args(AlolRatio):
            raise ConfigError(f"the ratio of A-LoL is {self.ratio!r}; expected turn, token or none")
