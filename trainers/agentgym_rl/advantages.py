"""Advantages of whole rollouts from the returns of their group: GRPO, Dr.GRPO, RLOO, Lite-PPO, MaxRL.

Not here: credit inside a rollout (gae.py, reinforce_pp.py), weights of the loss (aggregation.py), dynamic sampling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from jaxtyping import Bool, Float64

from agentgym.errors import ConfigError, ContractError

AdvantageEstimator = Literal["leave_one_out", "mean_centred", "group_normalised", "lite_ppo", "maxrl"]
TruncatedMode = Literal["include", "exclude_from_loss", "exclude"]
Returns = Float64[npt.NDArray[np.float64], " G"]


@dataclass(frozen=True)
class AdvantageConfig:
    """How the returns of a group become advantages."""

    estimator: AdvantageEstimator = "leave_one_out"
    """Which formula; see `group_advantages`."""
    truncated: TruncatedMode = "include"
    """Truncated rollouts: trained on and in the baseline; only in the baseline; or in neither. Of any credit without a
    value head; return_to_go has no baseline, and leaves them out either way."""
    std_eps: float = 1e-4
    """Added to a standard deviation before dividing by it (group_normalised, lite_ppo)."""
    spread_tolerance: float = 1e-6
    """Returns closer than this, relative to the larger of 1 and the largest |return|, are equal: advantage 0."""

    def __post_init__(self) -> None:
        if self.estimator not in _CENTRE:
            raise ConfigError(f"advantage.estimator is {self.estimator!r}; expected one of {', '.join(_CENTRE)}")
        if self.truncated not in ("include", "exclude_from_loss", "exclude"):
            raise ConfigError(
                f"advantage.truncated is {self.truncated!r}; expected include, exclude_from_loss or exclude"
            )
        if self.std_eps < 0 or self.spread_tolerance < 0:
            raise ConfigError("advantage.std_eps and advantage.spread_tolerance must be at least 0")


@dataclass(frozen=True)
class GroupReturns:
    """What a sealed group brings: one entry per rollout, in the group's order.

    Two groups of the same task in one batch are two objects, so they never share a baseline.
    """

    returns: Sequence[float | None]
    """Undiscounted return R_i; None: declared missing (infrastructure); NaN or infinite: a broken reward."""
    is_truncated: Sequence[bool]
    """The environment's own flag, never guessed from lengths."""
    weights: Sequence[float] | None = None
    """How much each rollout counts in the baseline, as replayed ones do by their importance weight; None: once each."""

    def __post_init__(self) -> None:
        weights = self.weights
        if weights is not None and (len(weights) != len(self.returns) or not all(weight >= 0 for weight in weights)):
            raise ContractError(f"the weights of a group are {list(weights)}; expected one of at least 0 a rollout")
        if len(self.returns) != len(self.is_truncated):
            raise ConfigError(
                f"a group has {len(self.returns)} returns but {len(self.is_truncated)} truncation flags; "
                "give one of each per rollout"
            )


@dataclass(frozen=True)
class GroupAdvantages:
    """Advantages of one group and what was left out of it."""

    advantages: Float64[np.ndarray, " G"]
    """0 where is_trained is False."""
    is_trained: Bool[np.ndarray, " G"]
    """True: the rollout belongs into the loss (also with advantage 0)."""
    num_missing: int
    """Rollouts declared missing."""
    num_nonfinite: int
    """Rollouts whose reward was NaN or infinite: excluded and to be shown."""
    num_truncated_excluded: int
    """Truncated rollouts kept out of the loss by `AdvantageConfig.truncated`."""

    @property
    def has_signal(self) -> bool:
        """Whether any trained rollout has a non-zero advantage; dynamic sampling drops groups without."""
        return bool(np.any(self.advantages != 0.0))


def group_advantages(groups: Sequence[GroupReturns], config: AdvantageConfig) -> list[GroupAdvantages]:
    """One advantage per rollout, from the members of its own group that have a return.

    With n baseline members, mean mu and unbiased standard deviation sd of the group:

    - leave_one_out: A = R_i - mean of the other members = n/(n-1) (R_i - mu). RLOO, Ahmadian et al. 2024,
      arXiv 2402.14740; the advantage of LOOP, Chen et al. 2025, arXiv 2502.01600.
    - mean_centred: A = R_i - mu. Dr.GRPO, Liu et al. 2025, arXiv 2503.20783.
    - group_normalised: A = (R_i - mu) / (sd + std_eps). GRPO, Shao et al. 2024, arXiv 2402.03300.
    - lite_ppo: A = (R_i - mu) / (sd of all baseline members of the batch + std_eps). Liu et al. 2025, arXiv 2508.08221.
    - maxrl: A = (R_i - mu) / mu, for returns of at least 0.

    A baseline counts every rollout once, however many steps or tokens it has. Differs: a group with fewer than two
    members or with equal returns (up to `spread_tolerance`) gets exactly 0, so that float noise is never divided by a
    tiny deviation.

    Where rollouts count unequally (weights w), mu and sd are weighted, sd^2 = sum w (R - mu)^2 / (V1 - V2 / V1) with
    V1 = sum w and V2 = sum w^2, and leave_one_out is V1 / (V1 - w_i) (R_i - mu): the mean of the others, weighted. Only
    the baseline is: the weight of a rollout's own loss is not in its advantage.

    Args:
        groups: Sealed groups; only lite_ppo looks beyond a rollout's own group.
        config: The estimator and the treatment of truncated rollouts.

    Returns:
        One result per group, in order, float64.

    Raises:
        ConfigError: maxrl with a negative return.
    """
    returns = [np.array([np.nan if r is None else r for r in group.returns], dtype=np.float64) for group in groups]
    truncated = [np.array(group.is_truncated, dtype=bool) for group in groups]
    weights = [
        np.ones(len(r)) if g.weights is None else np.array(g.weights) for g, r in zip(groups, returns, strict=True)
    ]
    in_baseline = [
        np.isfinite(r) & ~t if config.truncated == "exclude" else np.isfinite(r)
        for r, t in zip(returns, truncated, strict=True)
    ]
    batch_std = 0.0
    if config.estimator == "lite_ppo" and groups:
        kept = zip(returns, weights, in_baseline, strict=True)
        pairs = [(r[b], w[b]) for r, w, b in kept]
        batch_std = _std(np.concatenate([r for r, _ in pairs]), np.concatenate([w for _, w in pairs]))
    outcomes = []
    for group, group_returns, w, is_cut, members in zip(groups, returns, weights, truncated, in_baseline, strict=True):
        is_trained = members if config.truncated == "include" else members & ~is_cut
        advantages = np.zeros(len(group_returns), dtype=np.float64)
        if members.sum() > 1 and has_spread(group_returns[members], config.spread_tolerance):
            advantages[members] = _CENTRE[config.estimator](
                group_returns[members], w[members], batch_std, config.std_eps
            )
        num_missing = sum(r is None for r in group.returns)
        outcomes.append(
            GroupAdvantages(
                advantages=np.where(is_trained, advantages, 0.0),
                is_trained=is_trained,
                num_missing=num_missing,
                num_nonfinite=int((~np.isfinite(group_returns)).sum()) - num_missing,
                num_truncated_excluded=int((np.isfinite(group_returns) & is_cut & ~is_trained).sum()),
            )
        )
    return outcomes


def has_spread(returns: Returns, tolerance: float) -> bool:
    """Whether returns differ by more than `tolerance` relative to the larger of 1 and the largest |return|."""
    return bool(np.ptp(returns) > tolerance * max(1.0, float(np.abs(returns).max())))


def _mean(returns: Returns, weights: Returns) -> float:
    return float(np.average(returns, weights=weights)) if weights.any() else float(returns.mean())


def _std(returns: Returns, weights: Returns) -> float:
    """Unbiased for equal weights, where it is that of n - 1."""
    total = float(weights.sum())
    freedom = total - float(np.square(weights).sum()) / total if total > 0 else 0.0
    if len(returns) < 2 or freedom <= 0:
        return 0.0
    return float(np.sqrt((weights * np.square(returns - _mean(returns, weights))).sum() / freedom))


def _leave_one_out(returns: Returns, weights: Returns, batch_std: float, eps: float) -> Returns:
    others = weights.sum() - weights
    share: Returns = np.divide(weights.sum(), others, out=np.zeros(len(returns)), where=others > 0)
    return (returns - _mean(returns, weights)) * share


def _mean_centred(returns: Returns, weights: Returns, batch_std: float, eps: float) -> Returns:
    return returns - _mean(returns, weights)


def _group_normalised(returns: Returns, weights: Returns, batch_std: float, eps: float) -> Returns:
    return (returns - _mean(returns, weights)) / (_std(returns, weights) + eps)


def _lite_ppo(returns: Returns, weights: Returns, batch_std: float, eps: float) -> Returns:
    return (returns - _mean(returns, weights)) / (batch_std + eps)


def _maxrl(returns: Returns, weights: Returns, batch_std: float, eps: float) -> Returns:
    if returns.min() < 0:
        raise ConfigError(
            f"advantage.estimator maxrl divides by the mean return and got a return of {returns.min():g}; "
            "expected returns of at least 0: shift the rewards or choose leave_one_out"
        )
    mean = _mean(returns, weights)
    return (returns - mean) / mean


_CENTRE: dict[str, Callable[[Returns, Returns, float, float], Returns]] = {
    "leave_one_out": _leave_one_out,
    "mean_centred": _mean_centred,
    "group_normalised": _group_normalised,
    "lite_ppo": _lite_ppo,
    "maxrl": _maxrl,
}
