"""An actor-critic of turns as equations, a line a step, with the numbers that are in force.

Not here: the lines of other learners (agentgym_rl/describe.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentgym_rl.hierarchical.options import COPY, FROZEN, CriticOptions

if TYPE_CHECKING:
    from agentgym_rl.config import AlgorithmConfig, OptimiserConfig
    from agentgym_rl.offline.options import OfflineOptions


def actor_critic_equations(algorithm: AlgorithmConfig, optimiser: OptimiserConfig) -> list[str]:
    """What an actor-critic draws, how its critic learns, and how the policy learns from it."""
    return [
        *_draws(algorithm),
        *_critic(algorithm),
        *_actor(algorithm),
        f"update    policy: AdamW, lr {optimiser.learning_rate:g}, decay {optimiser.decay}, gradient norm at most "
        f"{optimiser.max_grad_norm:g}; {algorithm.actor.updates} an iteration",
    ]


def _draws(algorithm: AlgorithmConfig) -> list[str]:
    critic, actor, replay = algorithm.critic, algorithm.actor, algorithm.replay
    runs = "" if algorithm.collects else f" from {', '.join(replay.runs)}"
    return [
        f"draw      {critic.batch} {replay.unit}s for each update of the critic, {actor.batch} for each of the actor, "
        f"{replay.kind}{runs};",
        "          (s, a, r, s') = prompt, message, reward, next prompt",
    ]


def _critic(algorithm: AlgorithmConfig) -> list[str]:
    critic = algorithm.critic
    if algorithm.picks_listed:
        return _soft_critic(algorithm)
    lines = [
        f"critic    Q_1, Q_2 of (s, a), V_1, V_2 of s, turn by turn, on {_reads(critic)}",
        f"          y_j = r + {critic.discount:g} V'_j(s');  V'(s') = 0 if terminated, V'(final observation) if "
        "truncated",
        f"          L_Q = mean sum_j {_error('Q_j(s, a)', 'y_j', critic)}",
    ]
    if algorithm.actor.kind == "resampled":
        lines.append(f"          L_V = mean sum_j {_error('V_j(s)', 'Q' + chr(39) + '_j(s, b)', critic)},  b ~ pi(.|s)")
    else:
        weight = "W " if algorithm.actor.kind == "in_sample" else ""
        lines += [
            f"          L_V = mean sum_j {weight}|{critic.expectile:g} - 1[u < 0]| {_error('V_j(s)', 'Q', critic)},",
            "          u = Q - V_j(s), Q = min_j Q'_j(s, a)",
        ]
    return [*lines, *_critic_steps(critic)]


def _soft_critic(algorithm: AlgorithmConfig) -> list[str]:
    critic, entropy = algorithm.critic, algorithm.actor.entropy
    tuned = "" if entropy.target is None else f", tuned to an entropy of {entropy.target:g} log(actions of s)"
    return [
        f"critic    Q_1, Q_2 of (s, a), turn by turn, on {_reads(critic)}",
        f"          y = r + {critic.discount:g} sum_a' pi(a'|s') (min_j Q'_j(s', a') - alpha log pi(a'|s')),",
        "          over the legal a' of s'; no sum if terminated, that of the final observation if truncated",
        f"          alpha = {entropy.alpha:g}{tuned}",
        f"          L_Q = mean sum_j {_error('Q_j(s, a)', 'y', critic)}",
        *_critic_steps(critic),
    ]


def _critic_steps(critic: CriticOptions) -> list[str]:
    step = critic.step
    return [
        f"          {critic.updates} updates an iteration, AdamW, lr {step.learning_rate:g}, gradient norm of each "
        f"module at most {step.max_grad_norm:g}",
        f"          after each: copy' <- {1 - critic.network.polyak:g} copy' + {critic.network.polyak:g} critic; alone "
        f"for the first {critic.warmup} iterations",
    ]


def _reads(critic: CriticOptions) -> str:
    if not critic.tower:
        return "the policy's last hidden states, detached"
    if critic.tower == FROZEN:
        return "the last hidden states of the policy at the start"
    of = "a copy of the policy's model" if critic.tower == COPY else f"the model {critic.tower}"
    trained = f"whose adapters of rank {critic.lora_rank} are trained" if critic.lora_rank else "trained"
    return f"{of}, {trained} with them"


def _error(output: str, target: str, critic: CriticOptions) -> str:
    """The regression of one output to its target."""
    if critic.network.value_range is None:
        return f"({output} - {target})^2"
    low, high = critic.network.value_range
    return f"CE({output}, {target}) on the range {low:g} to {high:g}"


def _actor(algorithm: AlgorithmConfig) -> list[str]:
    actor = algorithm.actor
    if actor.kind == "listed":
        return [
            "policy    pi(a|s) = softmax over the legal a of s of sum_k log p(a_k | s, a_<k) / temperature",
            "loss      L = mean_s sum_a pi(a|s) (alpha log pi(a|s) - min_j Q_j(s, a))",
        ]
    if actor.kind == "resampled":
        lines = ["actor     A = min_j Q_j(s, b) - min_j V_j(s),  b ~ pi(.|s) sampled now in the stored s"]
        gain = "(A - c_k)" if actor.has_token_baseline else "A"
        lines.append(f"loss      L = -mean sum_k {gain} log pi(b_k | s, b_<k)")
        if actor.has_token_baseline:
            lines.append("          c_k = a head on the state before token k, fitted to A by squares")
        return lines
    lines = ["actor     A = min_j Q_j(s, a) - min_j V_j(s),  a the stored message"]
    if actor.kind == "in_sample":
        mode = actor.importance
        return [
            *lines,
            "loss      L = -mean sum_k sg(W) A log pi(a_k | s, a_<k)",
            f"          W = {mode.mode} of exp(logp - logp_mu) over a turn, at most {mode.max_weight:g}",
        ]
    weight = f"w = min(exp(A / {actor.awr.temperature:g}), {actor.awr.max_weight:g})"
    return [*lines, f"loss      L = -mean sum_k w log pi(a_k | s, a_<k),  {weight}"]


def offline_equations(algorithm: AlgorithmConfig, optimiser: OptimiserConfig) -> list[str]:
    """What is cloned of stored runs, and the critic that steers the clone where there is one."""
    options, runs = algorithm.offline, ", ".join(algorithm.replay.runs)
    which = f"whose return reaches the quantile {options.quantile:g} of all" if options.quantile else "all alike"
    lines = [f"draw      {options.batch} episodes of {runs} for each update, {which}"]
    if options.method == "a_lol":
        lines += _leftovers(options)
    elif options.method == "step_preference":
        lines += [
            "inspect   in each state s of the expert's episodes, b ~ pi(.|s) beside the expert's a",
            f"loss      L = -mean_s log sigmoid({options.preference.beta:g} "
            "[log pi(a|s)/pi_0(a|s) - log pi(b|s)/pi_0(b|s)]),",
            "          log pi the sum over the tokens of a message, pi_0 the policy at the start",
        ]
    else:
        lines.append("loss      L = -(1/N) sum_(i,k) log pi(token_k),  N = sampled tokens of the update")
    if options.is_steered:
        lines += _steering(options)
    return [
        *lines,
        f"update    AdamW, lr {optimiser.learning_rate:g}, decay {optimiser.decay}; {options.updates} an iteration",
    ]


def _steering(options: OfflineOptions) -> list[str]:
    conservatism = f"          + {options.ilql.conservatism:g} (1/N) sum_k sum_j CE(Q_j(s_k, .), token_k)"
    if options.method == "monte_carlo":
        target = [
            f"critic    + (1/N) sum_k sum_j (Q_j(s_k, token_k) - G_k)^2 / 2,  G_k = r_k + {options.discount:g} G_k+1",
        ]
    else:
        target = [
            "critic    + (1/N) sum_k sum_j (Q_j(s_k, token_k) - y_k)^2 / 2,  "
            f"y_k = r_k + {options.discount:g} V(s_k+1)",
            f"          + (1/N) sum_k |{options.ilql.expectile:g} - 1[u < 0]| u^2 / 2,  u = min_j Q'_j - V(s_k),  Q' "
            f"following Q by {options.polyak:g}",
        ]
    return [
        *target,
        conservatism,
        f"policy    steered: logits + {options.strength:g} min_j Q_j(s, .); it is what is validated, tested, exported",
    ]


def _leftovers(options: OfflineOptions) -> list[str]:
    ratio = {
        "turn": "r = pi / pi_0 of the whole message",
        "token": "r = pi / pi_0 of the token",
        "none": "r = 1",
    }[options.a_lol.ratio]
    low, high = 1 - options.a_lol.eps, 1 + options.a_lol.eps
    return [
        f"value     V_0(s) fitted to G_t = r_t + {options.discount:g} G_t+1 on hidden states of pi_0,",
        "          the policy at the start;",
        f"          alone for the first {options.warmup} iterations",
        "loss      L = -sum_n p_n A_n sum_(k in n) sg(clip(r, "
        f"{low:g}, {high:g})) log pi(a_k | s, a_<k),  A = G - V_0(s),",
        f"          p_n = max(A_n, 0) / sum_m max(A_m, 0) over the turns of the update;  {ratio}",
    ]
