from __future__ import annotations

import numpy as np
import pytest

from agentgym.errors import LearningStalledError
from agentgym_rl.core.checkpoint import TrainerState
from agentgym_rl.core.config.tables import WatchConfig
from agentgym_rl.run.watch import Watch, why_not_learning

FLAT = {"groups/zero_variance_share": 1.0, "success/mean": 0.0}
INVALID = {"outcome/invalid": 1.0}
FINE = {"groups/zero_variance_share": 0.5, "outcome/invalid": 0.2, "success/mean": 0.5}


def watched(*rows: dict[str, float], state: TrainerState | None = None) -> TrainerState:
    watch, state = Watch(WatchConfig(max_zero_variance_iterations=3, max_invalid_iterations=2)), state or TrainerState()
    for row in rows:
        watch.count(state, row)
        watch.check(state, row)
    return state


@pytest.mark.parametrize(("row", "times"), [(FLAT, 3), (INVALID, 2)])
def test_a_threshold_is_crossed_by_iterations_in_a_row(row: dict[str, float], times: int) -> None:
    watched(*[row] * (times - 1), FINE, *[row] * (times - 1))
    with pytest.raises(LearningStalledError):
        watched(FINE, *[row] * times)


def test_flat_groups_that_all_succeed_are_no_stall() -> None:
    assert watched(*[{**FLAT, "success/mean": 1.0}] * 9).flat_iterations == 9


@pytest.mark.parametrize("drawn", ["replay/drawn", "hindsight/drawn"])
def test_flat_groups_beside_something_replayed_are_no_stall(drawn: str) -> None:
    assert watched(*[{**FLAT, drawn: 4.0}] * 9).flat_iterations == 0


def test_counts_are_part_of_the_state_that_a_resumed_run_has() -> None:
    state = TrainerState.from_json(watched(FLAT, FLAT).to_json())
    with pytest.raises(LearningStalledError, match="last 3 iterations"):
        watched(FLAT, state=state)


def curves(**values: list[float]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    names = {"success": "success/mean", "flat": "groups/zero_variance_share", "grad": "grad_norm/mean"}
    filled = {"success": [0.3] * 10, "advantage/std": [1.0] * 10, "grad": [1.0] * 10, **values}
    return {names.get(n, n): (np.arange(len(v)), np.array(v, dtype=float)) for n, v in filled.items()}


def test_a_run_that_learns_needs_no_reasons() -> None:
    assert why_not_learning(curves(success=list(np.linspace(0.1, 0.6, 10)))) == []


def test_a_run_that_is_no_better_held_out_says_so() -> None:
    rising = curves(success=list(np.linspace(0.1, 0.6, 10)))
    rates = {"none": (0.0, 0.0, 0.02), "same": (0.2, 0.12, 0.3), "better": (0.4, 0.3, 0.5)}
    told = {name: dict(zip(("mean", "low", "high"), rate, strict=True)) for name, rate in rates.items()}
    results = {name: {"success": rate, "score": rate} for name, rate in told.items()}
    learnt = {"untrained": results["none"], "cloned": results["same"], "trained": results["better"]}
    assert why_not_learning(rising, learnt) == []
    assert why_not_learning(rising, {"cloned": results["same"]}) == []
    text, cause = why_not_learning(rising, learnt | {"trained": results["same"]})
    assert text == "held-out success went from 0.200 to 0.200 [0.120, 0.300], which may be chance"
    assert "no known cause" in cause
    assert why_not_learning(rising, {"untrained": results["none"], "trained": results["same"]}) == []
    nothing = dict.fromkeys(("success", "score"), dict.fromkeys(("mean", "low", "high")))
    assert why_not_learning(rising, learnt | {"trained": nothing}) == []
    draws = {"success": told["same"], "score": told["better"]}
    assert why_not_learning(rising, learnt | {"trained": draws}) == []


def test_a_metric_that_an_algorithm_does_not_have_is_no_cause() -> None:
    without = {name: curve for name, curve in curves().items() if name != "advantage/std"}
    assert "no known cause" in why_not_learning(without)[1]


def test_fewer_than_two_iterations_are_too_few_to_say() -> None:
    assert "too few" in why_not_learning(curves(success=[0.1]))[0]
    assert "too few" in why_not_learning({})[0]


def test_one_iteration_shows_what_stands_in_the_way() -> None:
    one = {name: (steps[:1], values[:1]) for name, (steps, values) in curves(flat=[1.0] * 10).items()}
    [note] = why_not_learning(one)[1:]
    assert note == (
        "100% of the groups have no variance: most tasks are always or never solved, "
        "so choose others, a longer warm start or a larger group.size"
    )


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"success": [0.99] * 10}, "near 1 already"),
        ({"flat": [0.9] * 10}, "90% of the groups have no variance"),
        ({"outcome/invalid": [0.4] * 10}, "40% of the episodes end as invalid"),
        ({"outcome/truncated": [0.6] * 10}, "60% of the episodes are cut"),
        (
            {"policy/cut_share": [0.2] * 10},
            "20% of the messages hit the token limit: raise rollout.sampling.max_tokens",
        ),
        ({"loss/entropy": [2.0, *[0.01] * 9]}, "entropy fell under a twentieth"),
        ({"mismatch/k3": [0.01] * 10}, "sampling and training disagree"),
        ({"loss/clip_high": [0.4] * 10, "loss/clip_low": [0.3] * 10}, "most tokens are clipped"),
        ({"grad": [1e-6] * 10}, "gradients are tiny"),
        ({"outcome/infrastructure": [0.2] * 10}, "20% of the episodes broke"),
        ({"advantage/std": [0.0] * 10}, "all advantages are zero"),
        ({}, "no known cause stands out"),
    ],
)
def test_each_cause_is_named_and_no_other(values: dict[str, list[float]], reason: str) -> None:
    reasons = why_not_learning(curves(**values))
    assert len(reasons) == 2
    assert reasons[0].startswith("success in training went from")
    assert reason in reasons[1]


def test_unknown_words_are_named_beside_other_causes() -> None:
    told = "the tokenizer does not know 60.0% of the words"
    assert why_not_learning(curves(flat=[0.9] * 10), None, told)[2:] == [told]
    assert why_not_learning(curves(), None, told)[1:] == [told]
    assert why_not_learning({}, None, told)[1:] == [told]


def test_a_policy_that_has_waited_for_better_episodes_all_along_is_a_reason() -> None:
    waiting = {"start/lacking_episodes": [3.0, 2.0]}
    assert "the policy has made no update" in str(why_not_learning(curves(**waiting)))
    assert "the policy has made no update" not in str(why_not_learning(curves(**waiting, updates=[15.0])))
