import json
import os

import pytest

from agentgym.errors import ConfigError, UnknownNameError
from benchmarks.credit import chain
from benchmarks.credit.chain import Plan, work
from benchmarks.credit.runs import Places
from benchmarks.credit.tables import TUNING_SEED, Piece
from benchmarks.credit.tuning import conclude, trial_pieces, tuned
from tests.benchmarks.credit.records import keep


@pytest.fixture
def plan(tmp_path):
    return Plan(
        ["key-door"],
        ["loop", "gigpo"],
        [0, 1],
        True,
        Places(tmp_path / "runs", tmp_path / "archive"),
        tmp_path / "tuned",
    )


def keep_trials(plan, method, best):
    for number, piece in enumerate(trial_pieces("key-door", method)):
        keep(piece, plan.places, (0, 0.1), (20_000, 0.9 if number == best else 0.2))


def test_trials_come_first_and_then_all_methods_of_a_seed(plan):
    missing = list(plan.missing())
    assert [(piece.method, piece.is_trial) for piece in missing] == [("loop", True)] * 6 + [("gigpo", True)] * 6
    assert {piece.seed for piece in missing} == {TUNING_SEED}
    for method in plan.methods:
        keep_trials(plan, method, best=4)
    plan.conclude_tuning()
    assert [(piece.seed, piece.method) for piece in plan.missing()] == [
        (0, "loop"),
        (0, "gigpo"),
        (1, "loop"),
        (1, "gigpo"),
    ]


def test_the_best_trial_by_the_mean_over_turns_is_kept_with_the_scores_of_all(plan):
    keep_trials(plan, "loop", best=3)
    late, early = trial_pieces("key-door", "loop")[:2]
    keep(late, plan.places, (0, 0.1), (19_000, 0.1), (20_000, 1.0))
    keep(early, plan.places, (0, 0.1), (1_000, 0.8), (20_000, 0.9))
    found = conclude("key-door", "loop", plan.places, plan.tuned_folder)
    assert found["chosen"] == early.chosen == tuned("key-door", "loop", plan.tuned_folder)
    kept = json.loads((plan.tuned_folder / "key-door-loop.json").read_text())
    assert len(kept["trials"]) == 6
    assert kept["trials"][0]["last"] == 1.0


def test_what_was_tuned_with_other_trials_is_tuned_again(plan, monkeypatch):
    keep_trials(plan, "loop", best=0)
    conclude("key-door", "loop", plan.places, plan.tuned_folder)
    monkeypatch.setattr("benchmarks.credit.tables.NUMERICS", 99)
    assert tuned("key-door", "loop", plan.tuned_folder) is None


def test_what_is_there_is_not_run_again(plan, monkeypatch):
    for method in plan.methods:
        keep_trials(plan, method, best=0)
    started = []
    monkeypatch.setattr(chain, "_started", lambda piece, places: started.append(piece) or Ended(piece, places))
    assert work(plan, workers=2) == 0
    assert [(piece.method, piece.seed) for piece in started] == [("loop", 0), ("gigpo", 0), ("loop", 1), ("gigpo", 1)]
    assert work(plan) == 0
    assert len(started) == 4


def test_a_piece_that_fails_is_tried_once_and_keeps_no_other_away(plan, monkeypatch, capsys):
    for method in plan.methods:
        keep_trials(plan, method, best=0)
    monkeypatch.setattr(chain, "_started", lambda piece, places: Ended(piece, places, has_failed=piece.seed == 0))
    assert work(plan) == 2
    assert [(piece.method, piece.seed) for piece in plan.missing()] == [("loop", 0), ("gigpo", 0)]
    assert "failed" in capsys.readouterr().err


def test_nothing_is_started_after_the_time_is_up(plan, monkeypatch):
    monkeypatch.setattr(chain, "_started", None)
    assert work(plan, seconds=0.0) == 0


def test_a_plan_refuses_names_that_do_not_exist_and_no_workers(plan):
    with pytest.raises(UnknownNameError):
        Plan(["draughts"], ["loop"], [0]).pairs()
    with pytest.raises(UnknownNameError):
        Plan(["maze"], ["alchemy"], [0]).pairs()
    with pytest.raises(ConfigError):
        work(plan, workers=0)


class Ended:
    """A process that has ended, having kept its result or not."""

    def __init__(self, piece: Piece, places: Places, has_failed: bool = False) -> None:
        self.exitcode = int(has_failed)
        self.sentinel, writing = os.pipe()
        os.close(writing)  # the other end is ready at once
        if not has_failed:
            keep(piece, places, (0, 0.1), (20_000, 0.5))
