from __future__ import annotations

import pytest

from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.groups.options import GroupOptions
from agentgym_rl.run.config import load_config
from agentgym_rl.run.learners import PRESETS
from tests.trainers.rl.needs import OF_GROUPS, overrides_of


def of(preset: str) -> TrainConfig:
    return load_config(None, overrides_of(preset))


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_resolve_and_keep_their_name(preset: str) -> None:
    algorithm = of(preset).algorithm
    assert algorithm.preset == preset
    assert not isinstance(algorithm, GroupOptions) or algorithm.loss.kl_coefficient == 0


@pytest.mark.parametrize(
    ("preset", "credit", "estimator", "surrogate", "aggregation", "is_whitened"),
    [
        ("loop", "episode", "leave_one_out", "clipped", "token_mean", False),
        ("rloo", "episode", "leave_one_out", "reinforce", "seq_mean_token_sum", False),
        ("grpo", "episode", "group_normalised", "clipped", "seq_mean_token_mean", False),
        ("dr_grpo", "episode", "mean_centred", "clipped", "dr_grpo", False),
        ("dapo", "episode", "group_normalised", "clipped", "token_mean", False),
        ("gspo", "episode", "group_normalised", "clipped", "seq_mean_token_mean", False),
        ("reinforce_pp", "return_to_go", None, "clipped", "token_mean", True),
        ("reinforce_pp_baseline", "episode", "mean_centred", "clipped", "token_mean", True),
        ("lite_ppo", "episode", "lite_ppo", "clipped", "token_mean", False),
        ("gigpo", "attribution", None, "clipped", "token_mean", False),
        ("mt_grpo", "attribution", None, "clipped", "token_mean", False),
        ("arpo", "episode", "group_normalised", "clipped", "token_mean", False),
        ("spear", "episode", "mean_centred", "clipped", "seq_mean_token_sum", False),
        ("her", "episode", "leave_one_out", "clipped", "token_mean", False),
        ("ppo", "turn_gae", None, "clipped", "token_mean", True),
        ("ppo_token", "token_gae", None, "clipped", "token_mean", True),
        ("step_agent_inverse", "turn_gae", None, "clipped", "token_mean", True),
    ],
)
def test_presets_are_what_their_papers_say(
    preset: str, credit: str, estimator: str | None, surrogate: str, aggregation: str, is_whitened: bool
) -> None:
    algorithm = of(preset).algorithm
    assert (algorithm.credit.kind, algorithm.loss.surrogate, algorithm.aggregation) == (credit, surrogate, aggregation)
    assert algorithm.is_whitened == is_whitened
    if estimator is not None:
        assert algorithm.credit.estimator == estimator


def test_the_table_above_is_whole() -> None:
    assert len(OF_GROUPS) == 17


def test_clip_ranges_follow_their_papers() -> None:
    losses = {name: of(name).algorithm.loss for name in OF_GROUPS if name != "rloo"}
    ranges = {name: (loss.eps_low, loss.eps_high) for name, loss in losses.items()}
    assert ranges["dapo"] == (0.2, 0.28)
    assert ranges["arpo"] == (0.2, 0.3)
    assert ranges["spear"] == (0.2, 0.28)
    assert ranges["gspo"] == (3e-4, 4e-4)
    assert of("gspo").algorithm.loss.ratio_level == "sequence"
    assert {ranges[name] for name in ("grpo", "dr_grpo", "ppo", "lite_ppo", "reinforce_pp")} == {(0.2, 0.2)}


def test_presets_that_replay_say_what() -> None:
    kinds = {name: of(name).algorithm.replay.kind for name in ("loop", "arpo", "spear", "her")}
    assert kinds == {"loop": "none", "arpo": "successes", "spear": "imitation", "her": "none"}
    assert of("arpo").algorithm.replay.per_task == 8
    assert of("spear").algorithm.replay.max_age == 10
    assert of("her").algorithm.replay.hindsight is not None
