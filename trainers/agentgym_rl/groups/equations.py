"""Learning from groups as equations, a line a step, with the numbers that are in force.

Not here: the lines on collecting, which all learners share (agentgym_rl/run/describe.py).
"""

from __future__ import annotations

from agentgym_rl.core.attributed import equations
from agentgym_rl.core.config.train import ConfigOf
from agentgym_rl.groups.options import AttributionCredit, EpisodeCredit, GroupOptions, ReturnToGoCredit, TurnGaeCredit
from agentgym_rl.replay.description import describe_group_replay

_BASELINES = {
    "leave_one_out": "A_i = R_i - mean_{j != i} R_j",
    "mean_centred": "A_i = R_i - mean_j R_j",
    "group_normalised": "A_i = (R_i - mean_j R_j) / (std_j R_j + EPS)",
    "lite_ppo": "A_i = (R_i - mean_j R_j) / (std_batch R + EPS)",
    "maxrl": "A_i = (R_i - mean_j R_j) / mean_j R_j",
}
_AGGREGATIONS = {
    "token_mean": "L = sum_{i,k} l_{i,k} / N,  N = sampled tokens of the update, over all ranks",
    "seq_mean_token_mean": "L = (1/S) sum_i (1/n_i) sum_k l_{i,k},  S episodes, n_i sampled tokens each",
    "seq_mean_token_sum": "L = (1/S) sum_i sum_k l_{i,k},  S episodes",
    "dr_grpo": "L = (1/(S * LIMIT)) sum_i sum_k l_{i,k},  S episodes",
    "local_token_mean": "L = sum_{i,k} l_{i,k} / N,  N = sampled tokens of the micro-batch (depends on its size)",
}
_UNITS = {
    "token": "r_k = exp(logp_theta,k - logp_prox,k)",
    "turn": "r_k = exp(mean over the turn of (logp_theta - logp_prox))",
    "sequence": "r_k = exp(mean over the episode of (logp_theta - logp_prox)), gradient of token k by straight-through",
}


def group_equations(config: ConfigOf[GroupOptions]) -> list[str]:
    """What is replayed, the credit of tokens, their loss and the update."""
    algorithm = config.algorithm
    return [*describe_group_replay(algorithm.replay), *_credit(algorithm), *_loss(algorithm), *_update(config)]


def _credit(algorithm: GroupOptions) -> list[str]:
    lines = []
    reward = "R_i = sum of the episode's weighted reward events"
    if algorithm.overlong_buffer:
        limit, ramp = algorithm.max_episode_tokens, algorithm.overlong_buffer
        reward += f" + p(tokens),  p from 0 to -1 over the last {ramp} of {limit} tokens"
    lines.append(f"reward    {reward}")
    if algorithm.kl_in_reward:
        lines.append(f"          minus {algorithm.kl_in_reward:g} (logp_prox - logp_ref) at each sampled token")
    credit = algorithm.credit
    if isinstance(credit, EpisodeCredit):
        baseline = _BASELINES[credit.estimator].replace("EPS", f"{credit.std_eps:g}")
        lines.append(f"credit    {baseline},  over the group; every sampled token of episode i gets A_i")
    elif isinstance(credit, AttributionCredit):
        lines.append(f"credit    A_t = {credit.attribution.method}; every sampled token of turn t gets it")
        lines += _attribution(algorithm)
    elif isinstance(credit, ReturnToGoCredit):
        discount = f"{credit.discount:g}"
        lines.append(f"credit    A_k = sum_(k' >= k) {discount}^(k'-k) r_k' over sampled tokens, R_i at the last")
    else:
        gae = credit.gae
        step = "turn" if isinstance(credit, TurnGaeCredit) else "sampled token"
        if algorithm.attribution.method:
            lines.append(f"          r_t = {algorithm.attribution.method}")
            lines += _attribution(algorithm)
        lines.append(f"credit    delta_t = r_t + {gae.discount:g} V_(t+1) - V_t,  step t = one {step}")
        lines.append(
            f"          A_t = delta_t + {gae.discount * gae.lambda_:g} A_(t+1);  V after the end: 0 if terminated,"
        )
        lines.append("          V(final observation) if truncated")
    if not algorithm.has_value_head:
        lines.append(f"          truncated episodes: {algorithm.truncated}")
    if algorithm.is_whitened:
        lines.append("          A whitened over the sampled tokens of the batch: (A - mean) / std")
    return lines


def _attribution(algorithm: GroupOptions) -> list[str]:
    lines = [*equations(algorithm.attribution), *algorithm.attribution.options]
    return [f"          {line}" for line in lines]


def _loss(algorithm: GroupOptions) -> list[str]:
    loss = algorithm.loss
    prox = "recorded when sampled" if algorithm.prox == "behaviour" else "by the trainer at the start of the batch"
    lines = [f"ratio     {_UNITS[loss.ratio_level]}", f"          logp_prox {prox}"]
    if loss.surrogate == "clipped":
        text = f"l = -min(r A, clip(r, {1 - loss.eps_low:g}, {1 + loss.eps_high:g}) A)"
        if loss.dual_clip is not None:
            text += f", at most {loss.dual_clip:g} |A| where A < 0"
    elif loss.surrogate == "unclipped":
        text = "l = -r A"
    elif loss.surrogate == "reinforce":
        text = "l = -A logp_theta"
    elif loss.surrogate == "cispo":
        text = f"l = -sg(min(r, {loss.max_ratio:g})) A logp_theta"
    else:
        text = f"l = -1[|p_theta - p_prox| < {loss.max_shift:g} towards A] r A + {loss.penalty:g} (log r)^2"
    lines.append(f"loss      {text}")
    if algorithm.importance.mode != "none":
        weights = algorithm.importance
        lines.append(f"          times W = {weights.mode} of exp(logp_prox - logp_mu), at most {weights.max_weight:g}")
    if loss.kl_coefficient:
        lines.append(f"          + {loss.kl_coefficient:g} KL(pi_theta || pi_ref), estimator {loss.kl_estimator}")
    if loss.entropy_coefficient:
        lines.append(f"          - {loss.entropy_coefficient:g} entropy")
    if algorithm.value is not None:
        weight = f"{algorithm.value.coefficient:g}"
        lines.append(f"          + {weight} (V - target)^2 / (2 max(1, mean target^2)) at the steps' first tokens")
    text = _AGGREGATIONS[algorithm.aggregation].replace("LIMIT", str(algorithm.max_episode_tokens))
    lines.append(f"sum       {text}")
    return lines


def _update(config: ConfigOf[GroupOptions]) -> list[str]:
    algorithm, optimiser = config.algorithm, config.optimiser
    return [
        f"update    AdamW, lr {optimiser.learning_rate:g}, decay {optimiser.decay}, gradient norm at most "
        f"{optimiser.max_grad_norm:g}; {algorithm.epochs} passes x {algorithm.minibatches} mini-batches a batch"
    ]
