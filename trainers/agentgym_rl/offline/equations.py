"""Learning from stored runs as equations, a line a step, with the numbers that are in force.

The critic of turns and its policy are described in agentgym_rl/hierarchical/equations.py.
"""

from __future__ import annotations

from agentgym_rl.core.config.train import ConfigOf
from agentgym_rl.hierarchical.equations import soft_critic_equations, turn_critic_equations
from agentgym_rl.offline.options import (
    AlolOptions,
    CloningOptions,
    EpisodeOptions,
    IlqlOptions,
    MonteCarloOptions,
    OfflineActorCriticOptions,
    OfflineSoftActorCriticOptions,
    SteeredOptions,
    StepPreferenceOptions,
)

_CLONING = "loss      L = -(1/N) sum_(i,k) log pi(token_k),  N = sampled tokens of the update"


def cloning_equations(config: ConfigOf[CloningOptions]) -> list[str]:
    """What is cloned of stored runs."""
    return [_draws(config.algorithm), _CLONING, _update(config)]


def monte_carlo_equations(config: ConfigOf[MonteCarloOptions]) -> list[str]:
    """What is cloned of stored runs, and the critic that steers the clone."""
    options = config.algorithm
    target = f"critic    + (1/N) sum_k sum_j (Q_j(s_k, token_k) - G_k)^2 / 2,  G_k = r_k + {options.discount:g} G_k+1"
    return [_draws(options), _CLONING, target, *_steering(options), _update(config)]


def ilql_equations(config: ConfigOf[IlqlOptions]) -> list[str]:
    """What is cloned of stored runs, and the critic that steers the clone."""
    options = config.algorithm
    return [
        _draws(options),
        _CLONING,
        f"critic    + (1/N) sum_k sum_j (Q_j(s_k, token_k) - y_k)^2 / 2,  y_k = r_k + {options.discount:g} V(s_k+1)",
        f"          + (1/N) sum_k |{options.expectile:g} - 1[u < 0]| u^2 / 2,  u = min_j Q'_j - V(s_k),  Q' "
        f"following Q by {options.polyak:g}",
        *_steering(options),
        _update(config),
    ]


def a_lol_equations(config: ConfigOf[AlolOptions]) -> list[str]:
    """V of the starting policy, and the messages that beat it."""
    options = config.algorithm
    ratio = {
        "turn": "r = pi / pi_0 of the whole message",
        "token": "r = pi / pi_0 of the token",
        "none": "r = 1",
    }[options.ratio]
    low, high = 1 - options.clip, 1 + options.clip
    return [
        _draws(options),
        f"value     V_0(s) fitted to G_t = r_t + {options.discount:g} G_t+1 on hidden states of pi_0,",
        "          the policy at the start;",
        f"          alone for the first {options.warmup} iterations",
        "loss      L = -sum_n p_n A_n sum_(k in n) sg(clip(r, "
        f"{low:g}, {high:g})) log pi(a_k | s, a_<k),  A = G - V_0(s),",
        f"          p_n = max(A_n, 0) / sum_m max(A_m, 0) over the turns of the update;  {ratio}",
        _update(config),
    ]


def step_preference_equations(config: ConfigOf[StepPreferenceOptions]) -> list[str]:
    """An expert's message beside the policy's own."""
    return [
        _draws(config.algorithm),
        "inspect   in each state s of the expert's episodes, b ~ pi(.|s) beside the expert's a",
        f"loss      L = -mean_s log sigmoid({config.algorithm.beta:g} "
        "[log pi(a|s)/pi_0(a|s) - log pi(b|s)/pi_0(b|s)]),",
        "          log pi the sum over the tokens of a message, pi_0 the policy at the start",
        _update(config),
    ]


def offline_actor_critic_equations(config: ConfigOf[OfflineActorCriticOptions]) -> list[str]:
    """What is drawn of stored runs, how the critic learns, and the policy."""
    return turn_critic_equations(config, f" from {', '.join(config.algorithm.runs)}")


def offline_soft_actor_critic_equations(config: ConfigOf[OfflineSoftActorCriticOptions]) -> list[str]:
    """The same of a policy that picks among listed actions."""
    return soft_critic_equations(config, f" from {', '.join(config.algorithm.runs)}")


def _draws(options: EpisodeOptions) -> str:
    quantile = options.least_quantile
    which = f"whose return reaches the quantile {quantile:g} of all" if quantile else "all alike"
    return f"draw      {options.batch} episodes of {', '.join(options.runs)} for each update, {which}"


def _steering(options: SteeredOptions) -> list[str]:
    return [
        f"          + {options.cql_weight:g} (1/N) sum_k sum_j CE(Q_j(s_k, .), token_k)",
        f"policy    steered: logits + {options.beta:g} min_j Q_j(s, .); it is what is validated, tested, exported",
    ]


def _update(config: ConfigOf[EpisodeOptions]) -> str:
    optimiser, updates = config.optimiser, config.algorithm.updates
    return f"update    AdamW, lr {optimiser.learning_rate:g}, decay {optimiser.decay}; {updates} an iteration"
