from __future__ import annotations

import json

from agentgym_rl.curricula.ladder import Ladder


def test_a_rung_is_climbed_by_the_mean_of_a_full_window() -> None:
    ladder = Ladder(3, 0.5, 2)
    ladder.record(0, 1.0)
    assert ladder.rung == 0
    ladder.record(0, 0.0)
    assert (ladder.rung, ladder.success) == (1, 0.0)
    for success in (0.25, 0.5, 0.25):
        ladder.record(1, success)
    assert ladder.rung == 1
    ladder.record(1, 0.75)
    assert ladder.rung == 2
    for _ in range(5):
        ladder.record(2, 1.0)
    assert ladder.rung == 2


def test_results_of_earlier_rungs_and_unknown_ones_do_not_count() -> None:
    ladder = Ladder(3, 0.5, 1)
    ladder.record(0, 1.0)
    ladder.record(0, 1.0)
    ladder.record(1, None)
    assert ladder.rung == 1


def test_a_ladder_survives_json() -> None:
    ladder, again = Ladder(4, 0.9, 3), Ladder(4, 0.9, 3)
    for success in (1.0, 1.0, 1.0, 0.5):
        ladder.record(ladder.rung, success)
    again.restore(json.loads(json.dumps(ladder.to_json())))
    for each in (ladder, again):
        each.record(1, 1.0)
        each.record(1, 1.0)
    assert again.to_json() == ladder.to_json()
