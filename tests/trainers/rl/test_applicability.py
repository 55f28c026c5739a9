from __future__ import annotations

from pathlib import Path

import pytest

from agentgym.errors import ConfigError
from agentgym_rl.applicability import _RULES
from agentgym_rl.config import load_config

SUITE = ("run.suite=toys/bandit", "run.iterations=1")
REFUSED = {
    "algorithm.advantage.estimator=leave_one_out": "algorithm.preset=ppo",
    "algorithm.advantage.spread_tolerance=0.1": "algorithm.preset=gigpo",
    "algorithm.advantage.truncated=exclude": "algorithm.preset=ppo",
    "algorithm.advantage.std_eps=0.1": "algorithm.preset=loop",
    "algorithm.gae.trace=0.9": "algorithm.preset=reinforce_pp",
    "algorithm.gae.discount=0.9": "algorithm.preset=loop",
    "algorithm.value.coefficient=1.0": "algorithm.preset=loop",
    "algorithm.loss.eps_low=0.1": "algorithm.preset=rloo",
    "algorithm.loss.eps_high=0.1": "algorithm.preset=rloo",
    "algorithm.loss.dual_clip=3.0": "algorithm.preset=rloo",
    "algorithm.loss.cispo_max_ratio=3.0": "algorithm.preset=loop",
    "algorithm.loss.dppo_max_shift=0.1": "algorithm.preset=loop",
    "algorithm.loss.dppo_penalty=0.1": "algorithm.preset=loop",
    "algorithm.loss.kl_estimator=k2": "algorithm.preset=loop",
    "algorithm.loss.use_kl_ratio=true": "algorithm.preset=loop",
    "algorithm.kl_in_reward=0.1": "algorithm.preset=loop",
    "algorithm.importance.min_weight=0.1": "algorithm.preset=loop",
    "algorithm.importance.max_weight=2.0": "algorithm.preset=loop",
    "algorithm.importance.min_gate=0.5": "algorithm.preset=loop",
    "algorithm.importance.max_gate=2.0": "algorithm.preset=loop",
    "algorithm.overlong_buffer=10": "algorithm.preset=loop",
    "algorithm.attribution.method=uniform": "algorithm.preset=loop",
    "rollout.record_anchors=false": "algorithm.preset=gigpo",
    "rollout.record_progress=false": "algorithm.preset=gigpo",
    "watch.proxy.patience=3": "algorithm.preset=loop",
    "watch.proxy.patience=2": "algorithm.preset=gigpo",
    "algorithm.replay.capacity=10": "algorithm.preset=loop",
    "algorithm.replay.max_age=3": "algorithm.preset=loop",
    "algorithm.replay.max_lag=3": "algorithm.preset=loop",
    "algorithm.replay.max_lag=2": "algorithm.preset=her",
    "algorithm.replay.max_age=2": "algorithm.preset=archer_offline",
    "algorithm.replay.kind=prioritised": "algorithm.preset=bc",
    "algorithm.replay.hindsight.strategy=final": "algorithm.preset=archer_offline",
    "algorithm.replay.unit=episode": "algorithm.preset=ilql",
    "algorithm.replay.episodes=3": "algorithm.preset=arpo",
    "algorithm.replay.coefficient=0.5": "algorithm.preset=arpo",
    "algorithm.replay.ramp=3": "algorithm.preset=her",
    "algorithm.replay.weight_level=turn": "algorithm.preset=her",
    "algorithm.replay.max_weight=3.0": "algorithm.preset=loop",
    "algorithm.replay.unit=turn": "algorithm.preset=spear",
    "algorithm.replay.per_task=3": "algorithm.preset=spear",
    "algorithm.replay.temperature=0.5": "algorithm.preset=spear",
    "algorithm.replay.priority.alpha=0.5": "algorithm.preset=spear",
    "algorithm.replay.imitation.history=5": "algorithm.preset=arpo",
    "algorithm.replay.covariance.share=0.1": "algorithm.preset=arpo",
    "algorithm.replay.fresh_covariance.share=0.1": "algorithm.preset=arpo",
    'algorithm.replay.runs=["runs/old"]': "algorithm.preset=her",
    "algorithm.replay.runs_share=0.1": "algorithm.preset=spear",
    "algorithm.replay.hindsight.goals=2": "algorithm.preset=her",
    "algorithm.replay.hindsight.episodes=2": "algorithm.preset=archer",
    "algorithm.replay.hindsight.coefficient=0.5": "algorithm.preset=archer",
    "algorithm.credit=episode": "algorithm.preset=archer",
    "algorithm.critic.lora_rank=4": "algorithm.preset=archer",
    "algorithm.is_whitened=true": "algorithm.preset=archer",
    "algorithm.prox=recompute": "algorithm.preset=archer",
    "algorithm.aggregation=token_mean": "algorithm.preset=archer",
    "algorithm.max_episode_tokens=9": "algorithm.preset=archer",
    "algorithm.epochs=2": "algorithm.preset=archer",
    "algorithm.minibatches=2": "algorithm.preset=archer",
    "group.dynamic_sampling=keep": "algorithm.preset=archer",
    "group.tasks=4": "algorithm.preset=bc",
    "algorithm.critic.batch=4": "algorithm.preset=loop",
    "algorithm.critic.expectile=0.7": "algorithm.preset=archer",
    "algorithm.actor.batch=4": "algorithm.preset=ilql",
    "algorithm.actor.has_token_baseline=true": "algorithm.preset=archer_in_sample",
    "algorithm.actor.importance.max_weight=3.0": "algorithm.preset=archer",
    "algorithm.actor.importance.min_weight=0.4": "algorithm.preset=archer_in_sample",
    "algorithm.actor.importance.min_gate=0.4": "algorithm.preset=archer_in_sample",
    "algorithm.actor.importance.max_gate=3.0": "algorithm.preset=archer_in_sample",
    "algorithm.actor.importance.max_weight=4": "algorithm.preset=archer_in_sample algorithm.actor.importance.mode=none",
    "algorithm.importance.min_weight=0.3": "algorithm.prox=recompute algorithm.importance.mode=token_tis",
    "algorithm.offline.a_lol.eps=0.3": "algorithm.preset=a_lol algorithm.offline.a_lol.ratio=none",
    "watch.max_value_ratio=3.0": "algorithm.preset=loop",
    "algorithm.actor.awr.temperature=0.5": "algorithm.preset=archer",
    "algorithm.actor.entropy.alpha=0.5": "algorithm.preset=archer",
    "algorithm.actor.entropy.learning_rate=0.1": "algorithm.preset=discrete_sac",
    "algorithm.critic.network.value_range=[0.0, 1.0]": "algorithm.preset=discrete_sac",
    "algorithm.offline.preference.beta=0.5": "algorithm.preset=bc",
    "algorithm.offline.updates=3": "algorithm.preset=archer_offline",
    "algorithm.offline.batch=3": "algorithm.preset=archer",
    "algorithm.offline.quantile=0.5": "algorithm.preset=ilql",
    "algorithm.offline.discount=0.5": "algorithm.preset=bc",
    "algorithm.offline.strength=0.5": "algorithm.preset=filtered_bc",
    "algorithm.offline.width=9": "algorithm.preset=bc",
    "algorithm.offline.polyak=0.5": "algorithm.preset=mc_returns",
    "algorithm.offline.ilql.conservatism=0.5": "algorithm.preset=bc",
    "algorithm.offline.ilql.expectile=0.5": "algorithm.preset=mc_returns",
    "algorithm.offline.warmup=3": "algorithm.preset=ilql",
    "algorithm.offline.value_learning_rate=0.1": "algorithm.preset=bc",
    "algorithm.offline.a_lol.eps=0.5": "algorithm.preset=bc",
    "group.max_refills=2": "group.dynamic_sampling=drop",
    "model.size=1M": "model.path=/somewhere",
    "model.trust_remote_code=true": "algorithm.preset=loop",
    "model.lora_alpha=4": "algorithm.preset=loop",
}


@pytest.mark.parametrize(("option", "beside"), REFUSED.items())
def test_an_option_that_changes_nothing_is_refused(option: str, beside: str) -> None:
    key = option.partition("=")[0]
    with pytest.raises(ConfigError, match=rf"override '{key}' does not apply here: it needs .*; remove it"):
        load_config(None, [*SUITE, *beside.split(), option])


def test_every_rule_has_its_case() -> None:
    keys = {option.partition("=")[0] for option in REFUSED}
    for prefix, _, _ in _RULES:
        assert any(key == prefix or key.startswith(f"{prefix}.") for key in keys), prefix


def test_the_line_of_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text(
        '[run]\nsuite = "toys/bandit"\niterations = 1\n\n[algorithm]\npreset = "ppo"\n\n[algorithm.advantage]\n'
        'estimator = "leave_one_out"\n'
    )
    with pytest.raises(ConfigError, match=r"run\.toml:9: key 'algorithm\.advantage\.estimator' does not apply here"):
        load_config(path)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["group.size=1"], "needs at least 2 episodes"),
        (["algorithm.preset=dr_grpo"], "needs algorithm.max_episode_tokens"),
        (["algorithm.importance.mode=token_tis"], 'needs algorithm.prox = "recompute"'),
        (["algorithm.preset=rloo", "group.staleness=1"], "corrects no stale samples"),
        (["algorithm.preset=rloo", "algorithm.minibatches=2"], "corrects no stale samples"),
        (["algorithm.preset=rloo", "algorithm.epochs=2"], "corrects no stale samples"),
        (["algorithm.preset=ppo", "group.dynamic_sampling=refill"], 'needs credit "episode"'),
        (["algorithm.credit=attribution"], "presets gigpo and mt_grpo set one"),
        (["algorithm.preset=gigpo", "algorithm.attribution.method=uniform"], "yields rewards"),
        (["algorithm.preset=ppo", "algorithm.attribution.method=anchors"], "yields advantages"),
        (["algorithm.preset=gigpo", 'algorithm.attribution.options=["anchors.gama=1"]'], "did you mean gamma"),
        (["algorithm.preset=ppo", "algorithm.attribution.method=potential,corrected"], "potential.at_truncation=keep"),
        (
            [
                "algorithm.preset=ppo",
                "algorithm.attribution.method=potential",
                'algorithm.attribution.options=["potential.at_truncation=keep"]',
                "algorithm.gae.discount=0.9",
            ],
            "potential.gamma=0.9",
        ),
        (["algorithm.preset=gigpo", "group.size=1"], "needs at least 2 episodes"),
        (["algorithm.preset=gigpo", "group.dynamic_sampling=refill"], 'needs credit "episode"'),
        (
            ["algorithm.preset=gigpo", "algorithm.max_episode_tokens=9", "algorithm.overlong_buffer=2"],
            "overlong_buffer does not apply",
        ),
        (["algorithm.replay.kind=uniform"], "learning from groups replays successes, imitation, return_weighted"),
        (["algorithm.preset=ppo", "algorithm.replay.kind=successes"], 'credit "turn_gae" has no baseline of groups'),
        (["algorithm.preset=arpo", "group.dynamic_sampling=refill"], 'replay.kind "successes" cannot do without'),
        (["algorithm.preset=spear", "group.dynamic_sampling=refill"], 'replay.kind "imitation" cannot do without'),
        (["algorithm.preset=her", "group.dynamic_sampling=refill"], "replay.hindsight cannot do without"),
        (
            ["algorithm.preset=arpo", "algorithm.prox=recompute", "algorithm.importance.mode=token_tis"],
            "would weigh replayed tokens twice",
        ),
        (
            ["algorithm.preset=gigpo", "algorithm.replay.kind=successes", 'algorithm.replay.runs=["runs/old"]'],
            "need not have recorded what the method compares",
        ),
        (["algorithm.preset=rloo", "algorithm.replay.kind=imitation"], "of any age without a clip"),
        (["algorithm.preset=rloo", "algorithm.replay.kind=successes"], "of any age without a clip"),
        (["algorithm.preset=arpo", "curriculum.starts.stages=4"], "begins episodes in the middle"),
        (["algorithm.preset=her", "curriculum.starts.stages=4"], "begins episodes in the middle"),
        (
            [
                "algorithm.preset=archer_in_sample",
                "algorithm.critic.warmup=0",
                "algorithm.replay.hindsight.strategy=final",
            ],
            'which algorithm.actor.kind "in_sample" needs for its weights',
        ),
        (["algorithm.preset=spear", "algorithm.replay.hindsight.strategy=last"], "expected one of 'final', 'future'"),
        (["algorithm.preset=archer", "algorithm.replay.kind=none"], "draws from a buffer of kind"),
        (["algorithm.preset=archer", "algorithm.replay.kind=successes"], "draws from a buffer of kind"),
        (
            [
                "algorithm.preset=discrete_sac",
                "algorithm.replay.kind=prioritised",
                "algorithm.replay.priority.by=advantage",
            ],
            "which takes a V of its own",
        ),
        (["algorithm.preset=archer"], "the policy would never learn"),
        (["algorithm.preset=archer", "algorithm.critic.tower=frozen", "model.lora_rank=4"], "from under the frozen"),
        (["algorithm.preset=a_lol", 'algorithm.replay.runs=["runs/old"]'], "the policy would never learn"),
        (["algorithm.preset=bc"], "name their folders in algorithm.replay.runs"),
        (
            ["algorithm.preset=ilql", 'algorithm.replay.runs=["runs/old"]', "model.lora_rank=4"],
            "trains all weights",
        ),
        (
            ["model.lora_rank=4", "warm_start.demonstrations=8", "algorithm.loss.kl_coefficient=0.1"],
            "a resumed run could load",
        ),
    ],
)
def test_combinations_that_cannot_work_are_refused(overrides: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(None, [*SUITE, *overrides])


@pytest.mark.parametrize("preset", ["ppo", "ppo_token", "reinforce_pp", "reinforce_pp_baseline"])
def test_a_group_of_one_is_enough_without_a_group_baseline(preset: str) -> None:
    assert load_config(None, [*SUITE, f"algorithm.preset={preset}", "group.size=1"]).group.size == 1
