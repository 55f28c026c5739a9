from __future__ import annotations

import pytest

from agentgym.suite import register_suites
from agentgym_rl.run.config import load_config
from agentgym_rl.run.describe import describe
from agentgym_rl.run.learners import PRESETS
from tests.trainers.rl.needs import overrides_of
from tests.trainers.rl.toys import install

SAID = {
    "loop": ["A_i = R_i - mean_{j != i} R_j", "clip(r, 0.8, 1.28)", "at most 3 |A| where A < 0", "N = sampled tokens"],
    "rloo": ["A_i = R_i - mean_{j != i} R_j", "l = -A logp_theta", "L = (1/S) sum_i sum_k l_{i,k}"],
    "grpo": ["A_i = (R_i - mean_j R_j) / (std_j R_j + 0.0001)", "clip(r, 0.8, 1.2) A)", "(1/n_i) sum_k"],
    "dr_grpo": ["A_i = R_i - mean_j R_j", "L = (1/(S * 77)) sum_i sum_k"],
    "dapo": ["std_j R_j", "clip(r, 0.8, 1.28) A)", "over all ranks"],
    "gspo": ["mean over the episode of (logp_theta - logp_prox)", "clip(r, 0.9997, 1.0004)"],
    "reinforce_pp": ["A_k = sum_(k' >= k) 1^(k'-k) r_k'", "whitened"],
    "reinforce_pp_baseline": ["A_i = R_i - mean_j R_j", "whitened"],
    "lite_ppo": ["(R_i - mean_j R_j) / (std_batch R + 0.0001)"],
    "gigpo": ["A_t = episode_groups+anchors", "G_t minus the mean G", "R_i minus the mean return of its group"],
    "mt_grpo": ["A_t = turn_groups", "(gamma lambda)^(t'-t) (r_t' - b_t') + A^O"],
    "arpo": ["gets one of the last 8 of its task", "W = min(exp(logp_prox - logp_mu), 2)", "logp_mu as recorded"],
    "spear": [
        "A' = (R - median(means of the last 10240 groups))",
        "L = L_fresh + 1 L_replayed, times (1 - cos(pi min(i / 100, 1))) / 2",
        "0.02 of the replayed tokens with 2 < cov < 60",
        "0.02 of the fresh ones with 1 < cov < 40",
        "of the last 100000 turns, 10 iterations",
    ],
    "her": ["played again at what they reached", "L += 1 mean_k(-logp_theta,k) over 32 of them; no ratio"],
    "archer": [
        "y_j = r + 0.95 V'_j(s')",
        "L_V = mean sum_j (V_j(s) - Q'_j(s, b))^2,  b ~ pi(.|s)",
        "A = min_j Q_j(s, b) - min_j V_j(s)",
        "L = -mean sum_k A log pi(b_k | s, b_<k)",
        "copy' <- 0.9 copy' + 0.1 critic; alone for the first 20 iterations",
    ],
    "archer_in_sample": ["L = -mean sum_k sg(W) A log pi(a_k | s, a_<k)", "W = seq_tis", "|0.5 - 1[u < 0]|"],
    "archer_awr": ["|0.9 - 1[u < 0]|", "w = min(exp(A / (0.5 mean |A|)), 20)", "what came since the last message"],
    "archer_offline": ["collect   nothing", "|0.9 - 1[u < 0]|", "w = min(exp(A / 1), 20)", "uniform from runs/stored"],
    "bc": ["collect   nothing", "32 episodes of runs/stored for each update, all alike", "log pi(token_k)"],
    "filtered_bc": ["whose return reaches the quantile 0.9 of all"],
    "mc_returns": ["G_k = r_k + 0.99 G_k+1", "steered: logits + 4 min_j Q_j(s, .)"],
    "a_lol": ["A = G - V_0(s)", "clip(r, 0.1, 1.9)", "alone for the first 2 iterations", "of the whole message"],
    "ilql": ["y_k = r_k + 0.99 V(s_k+1)", "|0.8 - 1[u < 0]| u^2 / 2", "steered: logits + 4 min_j Q_j(s, .)"],
    "discrete_sac": [
        "y = r + 0.95 sum_a' pi(a'|s') (min_j Q'_j(s', a') - alpha log pi(a'|s'))",
        "L = mean_s sum_a pi(a|s) (alpha log pi(a|s) - min_j Q_j(s, a))",
    ],
    "step_agent": [
        "b ~ pi(.|s) beside the expert's a",
        "log sigmoid(0.1 [log pi(a|s)/pi_0(a|s) - log pi(b|s)/pi_0(b|s)])",
    ],
    "step_agent_inverse": ["r_t = expert", "step t = one turn"],
    "ppo": ["step t = one turn", "V(final observation) if truncated", "0.5 (V - target)^2"],
    "ppo_token": ["step t = one sampled token", "V(final observation) if truncated"],
}


@pytest.fixture(autouse=True, scope="module")
def _suite(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The one that is described: it decides what a critic reads."""
    root = tmp_path_factory.mktemp("suites")
    install(root, "bandit")
    register_suites(root)


def text(*overrides: str) -> str:
    return describe(load_config(None, ["run.suite=toys/bandit", "run.iterations=1", *overrides]))


@pytest.mark.parametrize("preset", PRESETS)
def test_each_preset_is_described_by_its_formulas(preset: str) -> None:
    said = describe(load_config(None, overrides_of(preset)))
    for formula in SAID[preset]:
        assert formula in said
    assert said.startswith(f"preset {preset}, suite toys/bandit")
    assert max(map(len, said.splitlines())) <= 120


@pytest.mark.parametrize(
    ("overrides", "formula"),
    [
        (["algorithm.loss.kl_coefficient=0.25"], "+ 0.25 KL(pi_theta || pi_ref), estimator k2"),
        (["algorithm.preset=ppo", "algorithm.credit.kl_in_reward=0.125"], "minus 0.125 (logp_prox - logp_ref)"),
        (["algorithm.loss.entropy_coefficient=0.5"], "- 0.5 entropy"),
        (["algorithm.loss.surrogate=cispo", "algorithm.loss.max_ratio=6.0"], "l = -sg(min(r, 6)) A logp_theta"),
        (["algorithm.loss.surrogate=dppo"], "+ 0.001 (log r)^2"),
        (["algorithm.loss.surrogate=unclipped"], "l = -r A"),
        (
            ["algorithm.prox=recompute", "algorithm.importance.mode=token_tis"],
            "W = token_tis of exp(logp_prox - logp_mu)",
        ),
        (["algorithm.prox=recompute"], "logp_prox by the trainer at the start of the batch"),
        (["algorithm.max_episode_tokens=50", "algorithm.overlong_buffer=10"], "over the last 10 of 50 tokens"),
        (["group.staleness=2", "algorithm.prox=recompute"], "staleness at most 2"),
        (["algorithm.loss.ratio_level=turn"], "mean over the turn of (logp_theta - logp_prox)"),
        (["algorithm.epochs=3", "algorithm.minibatches=5"], "3 passes x 5 mini-batches"),
        (["algorithm.replay.kind=return_weighted"], "32 episodes by probability ~ exp(g / 0.1)"),
        (
            ["algorithm.preset=archer", "algorithm.critic.warmup=0", "algorithm.replay.kind=return_weighted"],
            "drawn by turn: probability ~ exp(g / 0.1)",
        ),
        (
            ["algorithm.preset=archer", "algorithm.critic.warmup=0", "algorithm.replay.kind=prioritised"],
            "P(i) = p_i^0.6 / sum_j p_j^0.6,  p = |TD error|",
        ),
        (["algorithm.preset=spear", 'algorithm.replay.runs=["runs/a"]'], "and of runs/a: 50% of each draw"),
        (["algorithm.preset=arpo", 'algorithm.replay.runs=["runs/a"]'], "and of runs/a: where this run has none"),
        (["algorithm.preset=arpo", "algorithm.replay.weight_level=sequence"], "per episode, a product over its tokens"),
        (["algorithm.replay.hindsight.strategy=future"], "up to 4 goals that they reached"),
        (["algorithm.credit.estimator=maxrl"], "A_i = (R_i - mean_j R_j) / mean_j R_j"),
    ],
)
def test_options_that_are_on_are_said(overrides: list[str], formula: str) -> None:
    assert formula in text(*overrides)
    assert formula not in text()


def test_an_actor_critic_is_not_told_of_losses_that_groups_alone_have() -> None:
    said = text(
        "algorithm.preset=archer",
        "algorithm.critic.warmup=0",
        "algorithm.replay.kind=return_weighted",
        "algorithm.replay.hindsight.strategy=future",
    )
    assert "L_replayed" not in said
    assert "-logp_theta,k" not in said
    assert "are drawn like everything else" in said


def test_a_critic_that_reads_what_the_suite_decides_says_what_that_is() -> None:
    preset = "algorithm.preset=archer_awr", "run.iterations=30"
    seen = describe(load_config(None, ["run.suite=dialogue/tic-tac-toe", *preset]))
    assert "s = what came since the last message, mean over its tokens" in seen
    assert '(reads = "auto": dialogue/tic-tac-toe declares is_fully_observed, so "observation")' in seen
    partial = text(*preset)
    assert '(reads = "auto": toys/bandit does not declare is_fully_observed, so "all")' in partial
    assert '"auto"' not in text(*preset, "algorithm.critic.network.reads=all")


def test_one_episode_is_no_plural() -> None:
    start = "algorithm.start.better_episodes=1", "algorithm.start.critic_updates=2"
    said = text("algorithm.preset=archer_awr", "run.iterations=30", *start)
    assert "at least 1 episode above the worst, 2 further updates of the critic" in said
