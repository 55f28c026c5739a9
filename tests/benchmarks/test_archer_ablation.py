"""What leaving out a part of `archer_awr` comes to."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from agentgym.config import Source
from agentgym_rl.run.config import config_from_tables
from benchmarks.archer_ablation import runs
from benchmarks.archer_ablation.picture import draw
from benchmarks.archer_ablation.runs import METHOD, SETTINGS, TURNS, VARIANTS, mean_of, variants_of
from benchmarks.credit.tables import Piece, digest, run_tables


def row(variant: str, seed: int, scores: list[float]) -> runs.Row:
    probes = [{"turns": 300 * n, "score": score} for n, score in enumerate(scores)]
    ranking = [[100, 0.5], [700, 0.9], [750, 1.0]]
    return {
        "task": "key-door",
        "variant": variant,
        "seed": seed,
        "probes": probes,
        "ranking": ranking,
        "calibration_error": [[100, 0.1]],
        "explained_variance": [[100, 0.5]],
        "cpu_s": 9.0,
    }


ROWS = [row("as it is", 0, [0.0, 0.8, 1.0]), row("as it is", 1, [0.0, 0.4, 0.9]), row("no offline start", 0, [0, 0, 0])]


def test_a_variant_is_the_mean_of_its_own_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "oracle_score", lambda task, places: 1.0)
    found = mean_of(ROWS, "key-door", "as it is")
    assert found["seeds"] == 2
    assert found["last"]["mean"] == pytest.approx(0.95)
    assert found["mean_over_turns"]["mean"] == pytest.approx((0.65 + 0.425) / 2)
    assert found["turns_to_80%"]["reached"] == 2
    assert found["ranking"]["mean"] == pytest.approx(0.9)
    assert mean_of(ROWS, "key-door", "no offline start")["turns_to_80%"]["reached"] == 0


def test_each_variant_is_another_run_that_can_be_made() -> None:
    for task in TURNS:
        changes = [VARIANTS[name] for name in variants_of(task, [*VARIANTS])]
        pieces = [Piece(task, METHOD, 0, {**SETTINGS, **changed}, is_trial=True) for changed in changes]
        assert len({digest(piece) for piece in pieces}) == len(changes) == len(VARIANTS) - 1
        for piece in pieces:
            config_from_tables(run_tables(piece), Source())


def test_the_picture_has_a_line_for_each_variant_that_was_run_in_both_panels() -> None:
    picture = ElementTree.fromstring(draw(ROWS, TURNS, [*VARIANTS]))
    drawn = [path.get("stroke") for path in picture.iter("{http://www.w3.org/2000/svg}path") if path.get("stroke")]
    assert len(drawn) == 2 * 2 + len(VARIANTS), "the score and the ranking of both, and the key of all"
    assert sorted(drawn.count(colour) for colour in set(drawn)) == [1, 1, 1, 1, 3, 3]
