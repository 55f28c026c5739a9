from __future__ import annotations

from pathlib import Path

import pytest

from agentgym.errors import ConfigError
from agentgym_rl.run.config import load_config
from agentgym_rl.run.learners import KINDS
from agentgym_rl.run.rules import SHARED_KEY_RULES

SUITE = ("run.suite=toys/bandit", "run.iterations=1")
DOES_NOT_APPLY = {
    "algorithm.credit.std_eps=0.1": "algorithm.preset=loop",
    "algorithm.loss.kl_estimator=k2": "algorithm.preset=loop",
    "algorithm.loss.use_kl_ratio=true": "algorithm.preset=loop",
    "algorithm.overlong_buffer=10": "algorithm.preset=loop",
    "rollout.record_anchors=false": "algorithm.preset=gigpo",
    "rollout.record_progress=false": "algorithm.preset=gigpo",
    "watch.proxy.patience=3": "algorithm.preset=loop",
    "watch.proxy.patience=2": "algorithm.preset=gigpo",
    "watch.proxy.patience=4": "algorithm.preset=archer",
    "algorithm.replay.capacity=10": "algorithm.preset=loop",
    "algorithm.replay.max_age=3": "algorithm.preset=loop",
    "algorithm.replay.runs_share=0.1": "algorithm.preset=spear",
    "algorithm.replay.runs_share=0.2": "algorithm.preset=archer",
    "algorithm.replay.runs_share=0.3": "algorithm.preset=discrete_sac",
    "algorithm.replay.hindsight.goals=2": "algorithm.preset=her",
    "algorithm.replay.hindsight.goals=3": "algorithm.preset=archer",
    "algorithm.replay.hindsight.goals=4": "algorithm.preset=discrete_sac",
    "algorithm.critic.lora_rank=4": "algorithm.preset=archer",
    "algorithm.critic.lora_rank=3": "algorithm.preset=discrete_sac",
    "algorithm.critic.lora_rank=2": "algorithm.preset=archer_offline",
    "algorithm.critic.expectile=0.7": "algorithm.preset=archer",
    "algorithm.critic.follows=data": "algorithm.preset=archer_awr",
    "algorithm.start.phase=a_lol": "algorithm.preset=archer",
    "algorithm.start.awr.temperature=0.5": "algorithm.preset=archer_awr",
    "algorithm.start.a_lol.clip=0.5": "algorithm.preset=archer_awr",
    "algorithm.critic.network.pooling=attention": "algorithm.preset=archer algorithm.critic.network.reads=history",
    "algorithm.critic.network.pooling=mean": "algorithm.preset=archer_offline algorithm.critic.network.reads=history",
    "algorithm.critic.ranking.every=2": "algorithm.preset=archer_awr",
    "algorithm.critic.ranking.player=random": "algorithm.preset=archer_awr",
    "algorithm.critic.ranking.continuations=2": "algorithm.preset=archer_awr",
    "algorithm.critic.ranking.states=16": "algorithm.preset=archer_offline",
    "algorithm.critic.expectile=0.6": "algorithm.preset=archer_offline algorithm.actor.kind=resampled",
    "algorithm.actor.entropy.learning_rate=0.1": "algorithm.preset=discrete_sac",
    "algorithm.clip=0.3": "algorithm.preset=a_lol algorithm.ratio=none",
    "group.dynamic_sampling=keep": "algorithm.preset=archer",
    "group.tasks=4": "algorithm.preset=bc",
    "group.max_refills=2": "group.dynamic_sampling=drop",
    "watch.max_value_ratio=3.0": "algorithm.preset=loop",
    "model.size=1M": "model.path=/somewhere",
    "model.trust_remote_code=true": "algorithm.preset=loop",
    "model.lora_alpha=4": "algorithm.preset=loop",
    "model.allow_incomplete=true": "algorithm.preset=loop",
}
UNKNOWN = {
    "algorithm.credit.estimator=leave_one_out": "algorithm.preset=ppo",
    "algorithm.credit.spread_tolerance=0.1": "algorithm.preset=gigpo",
    "algorithm.credit.truncated=exclude": "algorithm.preset=ppo",
    "algorithm.credit.gae.lambda=0.9": "algorithm.preset=reinforce_pp",
    "algorithm.credit.gae.discount=0.9": "algorithm.preset=loop",
    "algorithm.credit.value.coefficient=1.0": "algorithm.preset=loop",
    "algorithm.credit.kl_in_reward=0.1": "algorithm.preset=loop",
    "algorithm.credit.attribution.method=uniform": "algorithm.preset=loop",
    "algorithm.loss.eps_low=0.1": "algorithm.preset=rloo",
    "algorithm.loss.dual_clip=3.0": "algorithm.preset=rloo",
    "algorithm.loss.max_ratio=3.0": "algorithm.preset=loop",
    "algorithm.loss.max_shift=0.1": "algorithm.preset=loop",
    "algorithm.importance.min_weight=0.3": "algorithm.prox=recompute algorithm.importance.mode=token_tis",
    "algorithm.importance.max_weight=2.0": "algorithm.preset=loop",
    "algorithm.importance.min_gate=0.5": "algorithm.preset=loop",
    "algorithm.replay.max_lag=3": "algorithm.preset=her",
    "algorithm.replay.max_age=2": "algorithm.preset=archer_offline",
    "algorithm.replay.kind=prioritised": "algorithm.preset=bc",
    "algorithm.replay.hindsight.strategy=final": "algorithm.preset=archer_offline",
    "algorithm.replay.hindsight.episodes=2": "algorithm.preset=archer",
    "algorithm.replay.unit=episode": "algorithm.preset=ilql",
    "algorithm.replay.episodes=3": "algorithm.preset=arpo",
    "algorithm.replay.ramp=3": "algorithm.preset=her",
    "algorithm.replay.unit=turn": "algorithm.preset=spear",
    "algorithm.replay.per_task=3": "algorithm.preset=spear",
    "algorithm.replay.imitation.history=5": "algorithm.preset=arpo",
    'algorithm.replay.runs=["runs/old"]': "algorithm.preset=her",
    "algorithm.credit.kind=episode": "algorithm.preset=archer",
    "algorithm.minibatches=2": "algorithm.preset=archer",
    "algorithm.critic.batch=4": "algorithm.preset=loop",
    "algorithm.actor.batch=4": "algorithm.preset=ilql",
    "algorithm.actor.has_token_baseline=true": "algorithm.preset=archer_in_sample",
    "algorithm.actor.importance.max_weight=3.0": "algorithm.preset=archer",
    "algorithm.actor.importance.min_weight=0.4": "algorithm.preset=archer_in_sample",
    "algorithm.actor.awr.temperature=0.5": "algorithm.preset=archer",
    "algorithm.actor.entropy.alpha=0.5": "algorithm.preset=archer",
    "algorithm.critic.expectile=0.5": "algorithm.preset=discrete_sac",
    "algorithm.critic.network.value_range=[0.0, 1.0]": "algorithm.preset=discrete_sac",
    "algorithm.beta=0.5": "algorithm.preset=bc",
    "algorithm.updates=3": "algorithm.preset=archer_offline",
    "algorithm.quantile=0.5": "algorithm.preset=ilql",
    "algorithm.polyak=0.5": "algorithm.preset=mc_returns",
    "algorithm.warmup=3": "algorithm.preset=ilql",
    "algorithm.clip=0.5": "algorithm.preset=bc",
}


@pytest.mark.parametrize(("option", "beside"), DOES_NOT_APPLY.items())
def test_an_option_that_changes_nothing_is_refused(option: str, beside: str) -> None:
    key = option.partition("=")[0]
    with pytest.raises(ConfigError, match=rf"override '{key}' has no effect with(out)? .*; remove it$"):
        load_config(None, [*SUITE, *beside.split(), option])


@pytest.mark.parametrize(("option", "beside"), UNKNOWN.items())
def test_an_option_of_a_choice_that_was_not_made_is_unknown(option: str, beside: str) -> None:
    with pytest.raises(
        ConfigError, match=r"is not a key of [\w.]+ with \w+ = \"\w+\"|is unknown; (known|did you mean)"
    ):
        load_config(None, [*SUITE, *beside.split(), option])


def test_every_rule_has_its_case() -> None:
    rules = [*SHARED_KEY_RULES, *(rule for kind in KINDS for rule in kind.key_rules)]
    for rule in rules:
        assert any(key.startswith(rule.key) for key in DOES_NOT_APPLY), rule.key


def test_the_line_of_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text(
        '[run]\nsuite = "toys/bandit"\niterations = 1\n\n[algorithm]\npreset = "loop"\n\n[algorithm.credit]\n'
        "std_eps = 0.1\n"
    )
    with pytest.raises(
        ConfigError, match=r"run\.toml:9: key 'algorithm\.credit\.std_eps' has no effect without an estimator"
    ):
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
        (["algorithm.preset=ppo", "group.dynamic_sampling=refill"], 'needs algorithm.credit.kind = "episode"'),
        (["algorithm.credit.kind=attribution"], "presets gigpo and mt_grpo set one"),
        (["algorithm.preset=gigpo", "algorithm.credit.attribution.method=uniform"], "yields rewards"),
        (["algorithm.preset=ppo", "algorithm.credit.attribution.method=anchors"], "yields advantages"),
        (["algorithm.preset=gigpo", 'algorithm.credit.attribution.options=["anchors.gama=1"]'], "did you mean gamma"),
        (
            ["algorithm.preset=ppo", "algorithm.credit.attribution.method=potential,corrected"],
            "potential.at_truncation=keep",
        ),
        (
            [
                "algorithm.preset=ppo",
                "algorithm.credit.attribution.method=potential",
                'algorithm.credit.attribution.options=["potential.at_truncation=keep"]',
                "algorithm.credit.gae.discount=0.9",
            ],
            "potential.gamma=0.9",
        ),
        (["algorithm.preset=gigpo", "group.size=1"], "needs at least 2 episodes"),
        (["algorithm.preset=gigpo", "group.dynamic_sampling=refill"], 'needs algorithm.credit.kind = "episode"'),
        (
            ["algorithm.preset=gigpo", "algorithm.max_episode_tokens=9", "algorithm.overlong_buffer=2"],
            "overlong_buffer does not apply",
        ),
        (
            ["algorithm.preset=archer", "algorithm.critic.network.value_range=[1.0, 0.0]"],
            r"'algorithm.critic.network.value_range' is \[1.0, 0.0\]; expected the lesser number first",
        ),
        (
            ["algorithm.preset=archer", "algorithm.critic.network.value_range=[1.0]"],
            r"must be a list of 2, got 1 in \[1.0\]",
        ),
        (["algorithm.replay.kind=uniform"], "expected one of 'none', 'successes', 'imitation', 'return_weighted'"),
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
        (["algorithm.preset=archer", "algorithm.replay.kind=none"], "expected one of 'uniform', 'prioritised'"),
        (["algorithm.preset=archer", "algorithm.replay.kind=successes"], "expected one of 'uniform'"),
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
        (
            [
                *("algorithm.preset=archer", "algorithm.critic.warmup=0", "model.lora_rank=8"),
                *("warm_start.demonstrations=10", "algorithm.start.policy_updates=5", "algorithm.start.phase=a_lol"),
            ],
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
