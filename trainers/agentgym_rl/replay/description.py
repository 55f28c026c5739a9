"""Replay as equations, for `agentgym train --describe`: the lines between collecting and credit, and those after.

`agentgym_rl.hierarchical` describes how an actor-critic uses a buffer.
"""

from __future__ import annotations

from agentgym_rl.replay.options import (
    BufferOptions,
    DrawnReplay,
    GoodReplay,
    GroupReplayOptions,
    ImitationReplay,
    NoReplay,
    PrioritisedBuffer,
    ReturnWeightedBuffer,
    SuccessReplay,
)
from agentgym_rl.replay.tables import HindsightConfig

_UNITS = {"token": "token", "turn": "turn, a product over its tokens", "sequence": "episode, a product over its tokens"}


def describe_group_replay(options: GroupReplayOptions) -> list[str]:
    """Describe what learning from groups remembers, what it draws, and the weight of the draws."""
    if not options.is_on:
        return []
    learnt = [] if isinstance(options, NoReplay) else _learnt_by_groups(options)
    lines = [*_remembered(options), *(f"          {line}" for line in learnt)]
    hindsight = options.hindsight
    if hindsight is None:
        return lines
    return [
        *lines,
        _relabelled(hindsight),
        f"          L += {hindsight.coefficient:g} mean_k(-logp_theta,k) over {hindsight.episodes} of them; no ratio, "
        "since none was sampled",
    ]


def describe_buffer(options: BufferOptions) -> list[str]:
    """Describe what an actor-critic remembers, and the probability with which it draws an entry."""
    lines = [*_remembered(options), *(f"          {line}" for line in _drawn(options))]
    if options.hindsight is None:
        return lines
    return [*lines, _relabelled(options.hindsight), "          and are drawn like everything else"]


def _remembered(options: GroupReplayOptions | BufferOptions) -> list[str]:
    bounds = [f"{options.bounds().capacity} turns"]
    bounds += [] if options.max_age is None else [f"{options.max_age} iterations"]
    bounds += [] if options.max_lag is None else [f"{options.max_lag} versions of the weights"]
    lines = [f"replay    of the last {', '.join(bounds)}; evaluations never enter"]
    if options.runs:
        is_joined = isinstance(options, SuccessReplay)
        share = "where this run has none" if is_joined else f"{options.runs_share:.0%} of each draw"
        lines.append(f"          and of {', '.join(options.runs)}: {share}")
    return lines


def _drawn(options: BufferOptions) -> list[str]:
    """The probability with which an actor-critic draws an entry."""
    if isinstance(options, PrioritisedBuffer):
        priority = options.priority
        surprise = {"td_error": "|TD error|", "advantage": "|A|", "return": "return - lowest return"}[priority.by]
        return [
            f"drawn by {options.unit}: P(i) = p_i^{priority.alpha:g} / sum_j p_j^{priority.alpha:g},  "
            f"p = {surprise} + {priority.floor:g};",
            f"each counts with (N P(i))^-{priority.beta:g}, over the largest of the draw",
        ]
    if isinstance(options, ReturnWeightedBuffer):
        return [f"drawn by {options.unit}: {_by_return(options.temperature)}"]
    return [f"drawn by {options.unit}, all alike"]


def _by_return(temperature: float) -> str:
    return f"probability ~ exp(g / {temperature:g}), g the episode's return scaled to [0, 1] over the buffer"


def _learnt_by_groups(options: SuccessReplay | ImitationReplay | GoodReplay) -> list[str]:
    weights = (
        f"W = min(exp(logp_prox - logp_mu), {options.max_weight:g}) per {_UNITS[options.weight_level]}; logp_mu as "
        "recorded, logp_prox recomputed"
    )
    if isinstance(options, SuccessReplay):
        return [
            f"a group without success gets one of the last {options.per_task} of its task; it counts in the baseline "
            "with its mean W,",
            "with credit by attribution once; its loss is times W",
            weights,
        ]
    if isinstance(options, ImitationReplay):
        kept, fresh = options.covariance, options.fresh_covariance
        scale = " / median(group deviations)" if options.imitation.is_scaled else ""
        return [
            f"{options.episodes} episodes of A' > 0,  A' = (R - median(means of the last {options.imitation.history} "
            f"groups)){scale}",
            *_beside(options),
            weights,
            f"left out at random: at most {kept.share:g} of the replayed tokens with {kept.low:g} < cov < "
            f"{kept.high:g},",
            f"{fresh.share:g} of the fresh ones with {fresh.low:g} < cov < {fresh.high:g};",
            "cov = (A - mean A)(logp_prox - mean logp_prox)",
        ]
    return [
        f"{options.episodes} episodes by {_by_return(options.temperature)}",
        "A_i = R_i - mean return of the task's episodes in the buffer",
        *_beside(options),
        weights,
    ]


def _beside(options: DrawnReplay) -> list[str]:
    ramp = f", times (1 - cos(pi min(i / {options.ramp}, 1))) / 2 in iteration i" if options.ramp else ""
    return [f"L = L_fresh + {options.coefficient:g} L_replayed{ramp};", "each with its own denominators"]


def _relabelled(config: HindsightConfig) -> str:
    goals = "what they reached" if config.strategy == "final" else f"up to {config.goals} goals that they reached"
    return f"hindsight failed episodes are played again at {goals}, and stored with prompts and rewards of those"
