"""Learning under a critic of turns as equations, a line a step, with the numbers that are in force.

Not here: the lines of other learners, and those on collecting, which all share (agentgym_rl/run/describe.py).
"""

from __future__ import annotations

from dataclasses import replace

from agentgym.suite import Suite, load_suite
from agentgym.wording import counted
from agentgym_rl.core.config.tables import OptimiserConfig
from agentgym_rl.core.config.train import ConfigOf
from agentgym_rl.hierarchical.options import (
    AUTO,
    COPY,
    FROZEN,
    ActorCriticOptions,
    ActorOptions,
    AnyCriticConfig,
    AnyCriticOptions,
    CriticConfig,
    CriticOptions,
    InSampleActor,
    OfflineStart,
    ResampledActor,
    SoftActorCriticOptions,
    SoftActorOptions,
    SoftCriticOptions,
    UnderCritic,
    UnderSoftCritic,
    UnderTurnCritic,
)
from agentgym_rl.replay.description import describe_buffer


def actor_critic_equations(config: ConfigOf[ActorCriticOptions]) -> list[str]:
    """What an actor-critic remembers and draws, how its critic learns, and how the policy learns from it."""
    return [*describe_buffer(config.algorithm.replay), *turn_critic_equations(config)]


def soft_actor_critic_equations(config: ConfigOf[SoftActorCriticOptions]) -> list[str]:
    """The same of a policy that picks among listed actions."""
    return [*describe_buffer(config.algorithm.replay), *soft_critic_equations(config)]


def turn_critic_equations(config: ConfigOf[UnderTurnCritic], source: str = "") -> list[str]:
    """What is drawn, how the critic learns, and how the policy learns from it.

    Args:
        config: The configuration; its suite decides what "auto" reads.
        source: Where from, such as " from runs/a"; "" for the run's own episodes.
    """
    algorithm = config.algorithm
    return [
        *_draws(algorithm, source),
        *_start(algorithm.start),
        *_critic(algorithm.critic, algorithm.actor, config.run.suite),
        *_actor(algorithm.actor),
        _update(algorithm, config.optimiser),
    ]


def soft_critic_equations(config: ConfigOf[UnderSoftCritic], source: str = "") -> list[str]:
    """The same of a policy that picks among listed actions; arguments as those of `turn_critic_equations`."""
    algorithm = config.algorithm
    return [
        *_draws(algorithm, source),
        *_soft_critic(algorithm.critic, algorithm.actor),
        "policy    pi(a|s) = softmax over the legal a of s of sum_k log p(a_k | s, a_<k) / temperature",
        "loss      L = mean_s sum_a pi(a|s) (alpha log pi(a|s) - min_j Q_j(s, a))",
        _update(algorithm, config.optimiser),
    ]


def _draws(algorithm: UnderCritic, source: str) -> list[str]:
    critic, actor, replay = algorithm.critic, algorithm.actor, algorithm.replay
    return [
        f"draw      {critic.batch} {replay.unit}s for each update of the critic, {actor.batch} for each of the actor, "
        f"{replay.kind}{source};",
        "          (s, a, r, s') = prompt, message, reward, next prompt",
    ]


def _update(algorithm: UnderCritic, optimiser: OptimiserConfig) -> str:
    return (
        f"update    policy: AdamW, lr {optimiser.learning_rate:g}, decay {optimiser.decay}, gradient norm at most "
        f"{optimiser.max_grad_norm:g}; {algorithm.actor.updates} an iteration"
    )


def _critic(critic: CriticOptions, actor: ActorOptions, suite: str) -> list[str]:
    span, decided = critic.network, list[str]()
    if span.reads == AUTO:
        span, decided = _decided(span, load_suite(suite))
    lines = [
        f"critic    {_heads(span)}, turn by turn, on {_reads(critic)}",
        f"          s = {_STATES[span.reads]}{_pooled(span)}",
        *decided,
        f"          y_j = r + {critic.discount:g} V'_j(s');  V'(s') = 0 if terminated, V'(final observation) if "
        "truncated",
        f"          L_Q = mean sum_j {_error('Q_j(s, a)', 'y_j', span)}",
    ]
    if isinstance(actor, ResampledActor) and critic.follows == "policy":
        lines.append(f"          L_V = mean sum_j {_error('V_j(s)', 'Q' + chr(39) + '_j(s, b)', span)},  b ~ pi(.|s)")
    else:
        weight = "W " if isinstance(actor, InSampleActor) else ""
        lines += [
            f"          L_V = mean sum_j {weight}|{critic.expectile:g} - 1[u < 0]| {_error('V_j(s)', 'Q', span)},",
            "          u = Q - V_j(s), Q = min_j Q'_j(s, a)",
        ]
    return [*lines, *_critic_steps(critic, span)]


def _soft_critic(critic: SoftCriticOptions, actor: SoftActorOptions) -> list[str]:
    entropy = actor.entropy
    tuned = "" if entropy.target is None else f", tuned to an entropy of {entropy.target:g} log(actions of s)"
    return [
        f"critic    Q_1, Q_2 of (s, a), turn by turn, on {_reads(critic)}",
        f"          y = r + {critic.discount:g} sum_a' pi(a'|s') (min_j Q'_j(s', a') - alpha log pi(a'|s')),",
        "          over the legal a' of s'; no sum if terminated, that of the final observation if truncated",
        f"          alpha = {entropy.alpha:g}{tuned}",
        f"          L_Q = mean sum_j {_error('Q_j(s, a)', 'y', critic.network)}",
        *_critic_steps(critic, critic.network),
    ]


def _critic_steps(critic: AnyCriticOptions, network: AnyCriticConfig) -> list[str]:
    step = critic.optimiser
    return [
        f"          {critic.updates} updates an iteration, AdamW, lr {step.learning_rate:g}, gradient norm of each "
        f"module at most {step.max_grad_norm:g}",
        f"          after each: copy' <- {1 - network.polyak:g} copy' + {network.polyak:g} critic; alone "
        f"for the first {critic.warmup} iterations",
    ]


def _reads(critic: AnyCriticOptions) -> str:
    if not critic.tower:
        return "the policy's last hidden states, detached"
    if critic.tower == FROZEN:
        return "the last hidden states of the policy at the start"
    of = "a copy of the policy's model" if critic.tower == COPY else f"the model {critic.tower}"
    trained = f"whose adapters of rank {critic.lora_rank} are trained" if critic.lora_rank else "trained"
    return f"{of}, {trained} with them"


def _error(output: str, target: str, network: AnyCriticConfig) -> str:
    """The regression of one output to its target."""
    if network.value_range is None:
        return f"({output} - {target})^2"
    low, high = network.value_range
    return f"CE({output}, {target}) on the range {low:g} to {high:g}"


_STATES = {
    "history": "the state behind the whole history",
    "observation": "what came since the last message",
    "both": "the state behind the history, and what came since the last message",
    "opening": "the prompt that the episode began with, and what came since the last message",
    "all": "that prompt, the state behind the history, and what came since the last message",
}


def _decided(network: CriticConfig, suite: Suite) -> tuple[CriticConfig, list[str]]:
    """What is read in place of "auto", and that the suite decides it."""
    chosen = network.reads_on(suite.is_fully_observed)
    does = "declares" if suite.is_fully_observed else "does not declare"
    said = f'          (reads = "auto": {suite.name} {does} is_fully_observed, so "{chosen}")'
    return replace(network, reads=chosen), [said]


def _heads(network: CriticConfig) -> str:
    if network.ensemble == 2:
        return "Q_1, Q_2 of (s, a), V_1, V_2 of s"
    return f"Q_1 to Q_{network.ensemble} of (s, a), V_1 to V_{network.ensemble} of s"


def _pooled(network: CriticConfig) -> str:
    if network.reads == "history":
        return ""
    return ", mean over its tokens" if network.pooling == "mean" else ", mean and attention over its tokens"


def _start(start: OfflineStart) -> list[str]:
    """What comes before the policy's first update."""
    parts = [
        f"at least {counted(start.better_episodes, 'episode')} above the worst" if start.better_episodes else "",
        f"{counted(start.random_episodes, 'episode')} of the random player in the buffer"
        if start.random_episodes
        else "",
        f"{counted(start.critic_updates, 'further update')} of the critic" if start.critic_updates else "",
        f"{counted(start.policy_updates, 'update')} with {_phase(start)}" if start.policy_updates else "",
    ]
    said = [part for part in parts if part]
    return [f"start     before the policy's first update: {', '.join(said)}"] if said else []


def _phase(start: OfflineStart) -> str:
    """The weights of the first phase."""
    if start.phase == "awr":
        return f"w = min(exp(A / beta), {start.awr.max_weight:g})"
    clip = f"clip(pi / pi_start, {1 - start.a_lol.clip:g}, {1 + start.a_lol.clip:g})"
    ratio = "" if start.a_lol.ratio == "none" else f", times {clip} of each {start.a_lol.ratio}"
    return f"w = max(A, 0)^2{ratio}"


def _guards(actor: ActorOptions) -> list[str]:
    """What keeps many updates of the policy from ruining it."""
    lines = []
    if actor.max_kl is not None:
        lines.append(f"          no further update in an iteration once mean (r - 1 - log r) > {actor.max_kl:g} a turn")
    if actor.min_entropy is not None:
        lines.append(f"          - std(A) entropy where that is below {actor.min_entropy:g} nats a token")
    return lines


def _actor(actor: ActorOptions) -> list[str]:
    return [*_actor_loss(actor), *_guards(actor)]


def _actor_loss(actor: ActorOptions) -> list[str]:
    if isinstance(actor, ResampledActor):
        lines = ["actor     A = min_j Q_j(s, b) - min_j V_j(s),  b ~ pi(.|s) sampled now in the stored s"]
        if actor.samples > 1:
            scale = ", divided by how far apart they are" if actor.is_scaled else ""
            lines = [
                "actor     A = min_j Q_j(s, b) - mean of it over the other messages b' of s" + scale,
                f"          {actor.samples} messages b ~ pi(.|s) sampled now in each stored s",
            ]
        gain = "(A - c_k)" if actor.has_token_baseline else "A"
        lines.append(f"loss      L = -mean sum_k {gain} log pi(b_k | s, b_<k)")
        if actor.has_token_baseline:
            lines.append("          c_k = a head on the state before token k, fitted to A by squares")
        return lines
    lines = ["actor     A = min_j Q_j(s, a) - min_j V_j(s),  a the stored message"]
    if isinstance(actor, InSampleActor):
        weights = actor.importance
        cap = "" if weights.mode == "none" else f", at most {weights.max_weight:g}"
        return [
            *lines,
            "loss      L = -mean sum_k sg(W) A log pi(a_k | s, a_<k)",
            f"          W = {weights.mode} of exp(logp - logp_mu) over a turn{cap}",
        ]
    spread = " mean |A|" if actor.awr.unit == "spread" else ""
    beta = f"({actor.awr.temperature:g}{spread})" if spread else f"{actor.awr.temperature:g}"
    weight = f"w = min(exp(A / {beta}), {actor.awr.max_weight:g})"
    return [*lines, f"loss      L = -mean sum_k w log pi(a_k | s, a_<k),  {weight}"]
