"""Critics over the vocabulary, one step a token: ILQL's losses, Monte-Carlo regression, and decoding steered by Q.

Not here: the targets, which are those of turns with a token as the step (targets.py), the cloned policy that is steered
(cloning.py). Snell et al. 2022, arXiv 2206.11871.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from agentgym_rl.hierarchical.critic.losses import critic_loss, expectile_loss
from agentgym_rl.offline.options import IlqlConfig


def taken(q: Float[Tensor, "2 T V"], tokens: Int[Tensor, " T"]) -> Float[Tensor, "2 T"]:
    """Q of the tokens that were taken."""
    return q.gather(-1, tokens.long().expand(q.shape[0], -1)[..., None]).squeeze(-1)


def ilql_loss(
    q: Float[Tensor, "2 T V"],
    values: Float[Tensor, " T"],
    tokens: Int[Tensor, " T"],
    targets: Float[Tensor, " T"],
    target_q: Float[Tensor, "2 T"],
    weights: Float[Tensor, " T"],
    *,
    config: IlqlConfig,
) -> Float[Tensor, ""]:
    """L_Q + L_V + cql_weight * L_CQL.

    - L_Q = sum_k weight_k sum_j (Q_j(s_k, a_k) - y_k)^2 / 2, y_k = r_k + gamma V(s_{k+1}): `one_step_targets` over
      sampled tokens alone, so that the next state is that before the next sampled token, in a later turn too.
    - L_V = sum_k weight_k |tau - 1[u < 0]| u^2 / 2, u = min_j Q_j(s_k, a_k) - V(s_k), with Q of the copy.
    - L_CQL: see `conservative_loss`.

    Args:
        q: Of all tokens at the state before each sampled token, with gradient.
        values: V there, with gradient.
        tokens: The sampled tokens.
        targets: y.
        target_q: Q of the copy at the sampled tokens.
        weights: 1 / (sampled tokens of the update) for a mean.
        config: tau and the weight of the last term.
    """
    q_loss = critic_loss(taken(q, tokens), targets.expand(q.shape[0], -1), weights)
    v_loss = expectile_loss(values[None], target_q, weights, config.expectile)
    return 0.5 * (q_loss + v_loss) + config.cql_weight * conservative_loss(q, tokens, weights)


def monte_carlo_loss(
    q: Float[Tensor, "2 T V"],
    tokens: Int[Tensor, " T"],
    returns: Float[Tensor, " T"],
    weights: Float[Tensor, " T"],
    cql_weight: float = 0.1,
) -> Float[Tensor, ""]:
    """L_Q + cql_weight * L_CQL with the return that followed (`monte_carlo_targets`) in place of y: no bootstrap."""
    regression = 0.5 * critic_loss(taken(q, tokens), returns.expand(q.shape[0], -1), weights)
    return regression + cql_weight * conservative_loss(q, tokens, weights)


def conservative_loss(
    q: Float[Tensor, "2 T V"], tokens: Int[Tensor, " T"], weights: Float[Tensor, " T"]
) -> Float[Tensor, ""]:
    """sum_k weight_k sum_j (log sum_a exp Q_j(s_k, a) - Q_j(s_k, a_k)): the cross-entropy of Q taken as logits.

    Conservative Q-learning, Kumar et al. 2020, arXiv 2006.04779.
    """
    gap = q.logsumexp(-1) - taken(q, tokens)
    return (weights.to(gap.dtype) * gap).sum()


def steered_logits(logits: Float[Tensor, "B V"], q: Float[Tensor, "2 B V"], strength: float) -> Float[Tensor, "B V"]:
    """Logits + strength * min(Q_1, Q_2): the cloned policy, tilted towards what the critic likes.

    V, which the paper subtracts, is the same for all tokens and changes no probability.

    Args:
        logits: Of the cloned policy for the next token.
        q: Of every next token.
        strength: beta; 0 leaves the policy as it is, 1 to 32 are usual.
    """
    return logits + strength * q.min(dim=0).values.to(logits.dtype)


def steering(
    q_of: Callable[[Int[Tensor, "B L"]], Float[Tensor, "2 B V"]], strength: float
) -> Callable[[Tensor, Tensor], Tensor]:
    """A logits processor for `generate` of transformers.

    Args:
        q_of: Q of every next token after each of B texts.
        strength: As for `steered_logits`.

    Returns:
        A function of (ids int64[B, L], logits float[B, V]). What it samples has other probabilities than the policy's:
        they are recorded as those of the steered policy, or not at all.
    """

    @torch.no_grad()
    def process(input_ids: Tensor, scores: Tensor) -> Tensor:
        return steered_logits(scores, q_of(input_ids), strength)

    return process
