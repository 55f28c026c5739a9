"""What critics regress to: one step of reward and the value of what follows, or the whole return that was seen.

Not here: the regression (losses.py), the forward passes that value states (valuation.py). A step is a turn, or a
sampled token (ilql.py); arrays hold one episode after the other.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64, Int64

from agentgym.attribution.steps import returns_to_go
from agentgym_rl.hierarchical.transitions import CUT, TERMINAL


def next_values(
    values: Float64[np.ndarray, "K N"],
    final_values: Float64[np.ndarray, "K N"],
    successor: Int64[np.ndarray, " N"],
) -> Float64[np.ndarray, "K N"]:
    """Value of the state after each step.

    Args:
        values: V of the state before each step, of K heads.
        final_values: V of the final observation of the episode of each step; read where the successor is `CUT` alone.
        successor: Index of the following step, `TERMINAL` or `CUT`.

    Returns:
        The successor's value; that of the final observation where the episode was cut; 0 where it ended: whatever
        stands in `final_values` there, NaN included, is not read.
    """
    following = np.zeros_like(values)
    has_next, is_cut = successor >= 0, successor == CUT
    following[:, has_next] = values[:, successor[has_next]]
    following[:, is_cut] = final_values[:, is_cut]
    return following


def one_step_targets(
    rewards: Float64[np.ndarray, " N"], following: Float64[np.ndarray, "K N"], discount: float
) -> Float64[np.ndarray, "K N"]:
    """y_j = r + gamma V_j(s'), for every head j its own.

    ArCHer, Zhou et al. 2024, arXiv 2402.19446. Differs: V(s') is 0 after a termination alone; a time limit is
    bootstrapped from the final observation, as `next_values` gives it.

    Args:
        rewards: r of each step.
        following: V(s') by the target network, without gradient; 0 where there is no s'.
        discount: gamma a step.
    """
    return rewards + discount * following


def monte_carlo_targets(
    rewards: Float64[np.ndarray, " N"],
    successor: Int64[np.ndarray, " N"],
    final_values: Float64[np.ndarray, " N"],
    discount: float,
) -> Float64[np.ndarray, " N"]:
    """G_t = r_t + gamma G_{t+1}: the discounted return from each step to the end of its episode.

    Args:
        rewards: r of each step.
        successor: Index of the following step, `TERMINAL` or `CUT`.
        final_values: Per step the value of its episode's final observation: the G after a `CUT`; 0 for returns as they
            were seen, which take a time limit for an end.
        discount: gamma a step.
    """
    terms, is_cut = rewards.copy(), successor == CUT
    terms[is_cut] += discount * final_values[is_cut]
    return returns_to_go(terms, np.append(0, np.flatnonzero(successor < 0) + 1), discount)


def episode_successors(lengths: Int64[np.ndarray, " B"], is_cut: np.ndarray) -> Int64[np.ndarray, " N"]:
    """Successors of the steps of episodes that lie one after the other; episodes without steps take no place.

    Args:
        lengths: Steps of each episode.
        is_cut: Whether a limit cut it, bool[B].
    """
    successor = np.arange(1, int(lengths.sum()) + 1)
    has_steps = lengths > 0
    successor[lengths[has_steps].cumsum() - 1] = np.where(is_cut[has_steps], CUT, TERMINAL)
    return successor
