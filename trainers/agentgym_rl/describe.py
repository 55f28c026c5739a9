"""A resolved algorithm as equations, for `agentgym train --describe` and for the report."""

from __future__ import annotations

from agentgym_rl.attributed import equations
from agentgym_rl.config import AlgorithmConfig, GroupConfig, TrainConfig
from agentgym_rl.curricula.description import describe_curriculum
from agentgym_rl.hierarchical.equations import actor_critic_equations, offline_equations
from agentgym_rl.replay.description import describe_replay

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


def describe(config: TrainConfig) -> str:
    """The algorithm of a run, a line a step, with the numbers that are in force."""
    algorithm, group = config.algorithm, config.group
    lines = [f"preset {algorithm.preset}, suite {config.run.suite}"]
    lines += _sampling(config, group) if algorithm.collects else ["collect   nothing"]
    lines += describe_curriculum(config.curriculum, _fate_of_truncated(algorithm))
    lines += describe_replay(algorithm.replay, has_critic=algorithm.has_critic) if algorithm.collects else []
    if algorithm.has_critic:
        lines += actor_critic_equations(algorithm, config.optimiser)
    elif algorithm.learner == "offline":
        lines += offline_equations(algorithm, config.optimiser)
    else:
        lines += [*_credit(algorithm), *_loss(algorithm), *_update(config)]
    return "\n".join(lines)


def _sampling(config: TrainConfig, group: GroupConfig) -> list[str]:
    temperature = config.rollout.sampling.temperature
    lines = [
        f"collect   {group.tasks} tasks x {group.size} episodes an iteration from pi_mu at temperature {temperature:g}"
    ]
    flat = f"; groups without variance: {group.dynamic_sampling}" if config.algorithm.learner == "groups" else ""
    lines.append(f"          staleness at most {group.staleness}{flat}")
    return lines


def _fate_of_truncated(algorithm: AlgorithmConfig) -> str:
    if algorithm.bootstraps:
        return "valued at the last observation"
    return algorithm.advantage.truncated


def _credit(algorithm: AlgorithmConfig) -> list[str]:
    lines = []
    reward = "R_i = sum of the episode's weighted reward events"
    if algorithm.overlong_buffer:
        limit, ramp = algorithm.max_episode_tokens, algorithm.overlong_buffer
        reward += f" + p(tokens),  p from 0 to -1 over the last {ramp} of {limit} tokens"
    lines.append(f"reward    {reward}")
    if algorithm.kl_in_reward:
        lines.append(f"          minus {algorithm.kl_in_reward:g} (logp_prox - logp_ref) at each sampled token")
    gae = algorithm.gae
    if algorithm.credit == "episode":
        baseline = _BASELINES[algorithm.advantage.estimator].replace("EPS", f"{algorithm.advantage.std_eps:g}")
        lines.append(f"credit    {baseline},  over the group; every sampled token of episode i gets A_i")
    elif algorithm.credit == "attribution":
        lines.append(f"credit    A_t = {algorithm.attribution.method}; every sampled token of turn t gets it")
        lines += _attribution(algorithm)
    elif algorithm.credit == "return_to_go":
        lines.append(f"credit    A_k = sum_(k' >= k) {gae.discount:g}^(k'-k) r_k' over sampled tokens, R_i at the last")
    else:
        step = "turn" if algorithm.credit == "turn_gae" else "sampled token"
        if algorithm.attribution.method:
            lines.append(f"          r_t = {algorithm.attribution.method}")
            lines += _attribution(algorithm)
        lines.append(f"credit    delta_t = r_t + {gae.discount:g} V_(t+1) - V_t,  step t = one {step}")
        lines.append(
            f"          A_t = delta_t + {gae.discount * gae.trace:g} A_(t+1);  V after the end: 0 if terminated,"
        )
        lines.append("          V(final observation) if truncated")
    if not algorithm.has_value_head:
        lines.append(f"          truncated episodes: {algorithm.advantage.truncated}")
    if algorithm.is_whitened:
        lines.append("          A whitened over the sampled tokens of the batch: (A - mean) / std")
    return lines


def _attribution(algorithm: AlgorithmConfig) -> list[str]:
    lines = [*equations(algorithm.attribution), *algorithm.attribution.options]
    return [f"          {line}" for line in lines]


def _loss(algorithm: AlgorithmConfig) -> list[str]:
    loss = algorithm.loss
    prox = "recorded when sampled" if algorithm.prox == "behaviour" else "by the trainer at the start of the batch"
    lines = [f"ratio     {_UNITS[loss.ratio_level]}", f"          logp_prox {prox}"]
    if loss.surrogate == "clipped":
        text = f"l = -min(r A, clip(r, {1 - loss.eps_low:g}, {1 + loss.eps_high:g}) A)"
        if loss.dual_clip is not None:
            text += f", at most {loss.dual_clip:g} |A| where A < 0"
    else:
        text = {
            "unclipped": "l = -r A",
            "reinforce": "l = -A logp_theta",
            "cispo": f"l = -sg(min(r, {loss.cispo_max_ratio:g})) A logp_theta",
            "dppo": f"l = -1[|p_theta - p_prox| < {loss.dppo_max_shift:g} towards A] r A"
            f" + {loss.dppo_penalty:g} (log r)^2",
        }[loss.surrogate]
    lines.append(f"loss      {text}")
    if algorithm.importance.mode != "none":
        weights = algorithm.importance
        lines.append(f"          times W = {weights.mode} of exp(logp_prox - logp_mu), at most {weights.max_weight:g}")
    if loss.kl_coefficient:
        lines.append(f"          + {loss.kl_coefficient:g} KL(pi_theta || pi_ref), estimator {loss.kl_estimator}")
    if loss.entropy_coefficient:
        lines.append(f"          - {loss.entropy_coefficient:g} entropy")
    if algorithm.has_value_head:
        weight = f"{algorithm.value.coefficient:g}"
        lines.append(f"          + {weight} (V - target)^2 / (2 max(1, mean target^2)) at the steps' first tokens")
    text = _AGGREGATIONS[algorithm.aggregation].replace("LIMIT", str(algorithm.max_episode_tokens))
    lines.append(f"sum       {text}")
    return lines


def _update(config: TrainConfig) -> list[str]:
    algorithm, optimiser = config.algorithm, config.optimiser
    return [
        f"update    AdamW, lr {optimiser.learning_rate:g}, decay {optimiser.decay}, gradient norm at most "
        f"{optimiser.max_grad_norm:g}; {algorithm.epochs} passes x {algorithm.minibatches} mini-batches a batch"
    ]
