"""Advantages of whole rollouts from the returns of their group: GRPO, Dr.GRPO, RLOO, Lite-PPO, MaxRL.

Not here: credit inside a rollout (gae.py, reinforce_pp.py), weights of the loss (aggregation.py), dynamic sampling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from jaxtyping import Bool, Float64

from agentgym.attribution.groups.baselines import STD_EPS, TOLERANCE, Baselines, has_spread
from agentgym.attribution.steps import Bools, Floats
from agentgym.errors import ConfigError, ContractError
from agentgym.ranges import Range, Ranged

AdvantageEstimator = Literal["leave_one_out", "mean_centred", "group_normalised", "lite_ppo", "maxrl"]
TruncatedMode = Literal["include", "exclude_from_loss", "exclude"]
Returns = Float64[np.ndarray, " G"]


@dataclass(frozen=True)
class AdvantageConfig(Ranged):
    """How the returns of a group become advantages."""

    estimator: AdvantageEstimator = "leave_one_out"
    """The formula; see `group_advantages`."""
    truncated: TruncatedMode = "include"
    """What happens to truncated episodes. include: they are trained on and in the baseline; exclude_from_loss: they are
    only in the baseline; exclude: neither."""
    std_eps: Annotated[float, Range(0)] = STD_EPS
    """Added to a standard deviation before dividing by it (group_normalised, lite_ppo)."""
    spread_tolerance: Annotated[float, Range(0)] = TOLERANCE
    """Returns closer than this, relative to the larger of 1 and the largest |return|, are equal: advantage 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.estimator not in _CENTRE:
            raise ConfigError(f"credit.estimator is {self.estimator!r}; expected one of {', '.join(_CENTRE)}")
        if self.truncated not in ("include", "exclude_from_loss", "exclude"):
            raise ConfigError(f"credit.truncated is {self.truncated!r}; expected include, exclude_from_loss or exclude")


@dataclass(frozen=True)
class GroupReturns:
    """The returns of a sealed group: one entry per rollout, in the group's order.

    Two groups of the same task in one batch are two objects, so they never share a baseline.
    """

    returns: Sequence[float | None]
    """Undiscounted return R_i; None: declared missing (infrastructure); NaN or infinite: a broken reward."""
    is_truncated: Sequence[bool]
    """The environment's own flag, never guessed from lengths."""
    weights: Sequence[float] | None = None
    """Weight of each rollout in the baseline, such as the importance weight of a replayed one; None: 1 each."""

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
    """Advantages of one group, and the rollouts that were left out."""

    advantages: Float64[np.ndarray, " G"]
    """0 where is_trained is False."""
    is_trained: Bool[np.ndarray, " G"]
    """True: the rollout enters the loss (also with advantage 0)."""
    num_missing: int
    """Rollouts declared missing."""
    num_nonfinite: int
    """Rollouts whose reward was NaN or infinite; they are excluded and reported."""
    num_truncated_excluded: int
    """Truncated rollouts kept out of the loss by `AdvantageConfig.truncated`."""

    @property
    def has_signal(self) -> bool:
        """Whether any trained rollout has a non-zero advantage; dynamic sampling drops groups without one."""
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

    If rollouts have unequal weights w, mu and sd are weighted: sd^2 = sum w (R - mu)^2 / (V1 - V2 / V1) with
    V1 = sum w and V2 = sum w^2. leave_one_out is then V1 / (V1 - w_i) (R_i - mu), with the weighted mean of the others.
    Only the baseline is weighted. The weight of a rollout's own loss is not in its advantage.

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
    in_baseline = [
        np.isfinite(r) & ~t if config.truncated == "exclude" else np.isfinite(r)
        for r, t in zip(returns, truncated, strict=True)
    ]
    outcomes = []
    compared = _compared(groups, returns, in_baseline, config)
    for group, group_returns, is_cut, members, own in zip(
        groups, returns, truncated, in_baseline, compared, strict=True
    ):
        is_trained = members if config.truncated == "include" else members & ~is_cut
        advantages = np.zeros(len(group_returns), dtype=np.float64)
        advantages[members] = own
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


def _compared(
    groups: Sequence[GroupReturns],
    returns: Sequence[Floats],
    in_baseline: Sequence[Bools],
    config: AdvantageConfig,
) -> list[Floats]:
    """The advantages of the baseline members of each group."""
    sizes = np.array([members.sum() for members in in_baseline], np.int64)
    if not sizes.sum():
        return [np.zeros(0) for _ in groups]
    values = np.concatenate([r[members] for r, members in zip(returns, in_baseline, strict=True)])
    weights = np.concatenate(
        [
            np.ones(size) if group.weights is None else np.array(group.weights, dtype=np.float64)[members]
            for group, members, size in zip(groups, in_baseline, sizes, strict=True)
        ]
    )
    ids = np.repeat(np.arange(len(sizes)), sizes)
    _, numbers = np.unique(ids, return_inverse=True)
    differs = has_spread(values, numbers, config.spread_tolerance)[numbers]
    advantages = np.zeros(len(values))
    if differs.any():
        everything = Baselines(values, np.zeros(len(values), np.int64), weights)
        _, numbers = np.unique(ids[differs], return_inverse=True)
        of = Baselines(values[differs], numbers, weights[differs])
        advantages[differs] = _CENTRE[config.estimator](of, everything, config.std_eps)
    return np.split(advantages, np.cumsum(sizes)[:-1])


def _leave_one_out(of: Baselines, everything: Baselines, eps: float) -> Returns:
    return of.values - of.means_without(np.arange(len(of.values)))


def _mean_centred(of: Baselines, everything: Baselines, eps: float) -> Returns:
    return of.values - of.means[of.ids]


def _group_normalised(of: Baselines, everything: Baselines, eps: float) -> Returns:
    return (of.values - of.means[of.ids]) / (of.deviations[of.ids] + eps)


def _lite_ppo(of: Baselines, everything: Baselines, eps: float) -> Returns:
    return (of.values - of.means[of.ids]) / (float(everything.deviations[0]) + eps)


def _maxrl(of: Baselines, everything: Baselines, eps: float) -> Returns:
    if of.values.min() < 0:
        raise ConfigError(
            f"algorithm.credit.estimator maxrl divides by the mean return and got a return of {of.values.min():g}; "
            "expected returns of at least 0: shift the rewards or choose leave_one_out"
        )
    means = of.means[of.ids]
    advantages: Returns = (of.values - means) / means
    return advantages


_CENTRE: dict[str, Callable[[Baselines, Baselines, float], Returns]] = {
    "leave_one_out": _leave_one_out,
    "mean_centred": _mean_centred,
    "group_normalised": _group_normalised,
    "lite_ppo": _lite_ppo,
    "maxrl": _maxrl,
}
