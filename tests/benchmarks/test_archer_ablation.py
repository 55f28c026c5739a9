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
from benchmarks.pictures.curves import GREY, WIDTH


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


def strokes(picture: str) -> list[tuple[str, list[float]]]:
    """Colour and end of each line, in the order in which they are drawn; keys have lines too."""
    tree = ElementTree.fromstring(picture)
    paths = [path for path in tree.iter("{http://www.w3.org/2000/svg}path") if path.get("stroke")]
    return [
        (path.attrib["stroke"], [float(number) for number in path.attrib["d"].rpartition("L")[2].split()])
        for path in paths
        if "L" in path.attrib["d"]
    ]


def test_the_picture_has_a_line_for_each_variant_that_was_run_in_both_panels() -> None:
    picture = draw(ROWS, TURNS, [*VARIANTS])
    colours = [colour for colour, _ in strokes(picture)]
    assert len(colours) == 2 * 2, "the score and the ranking of both"
    assert colours[1] == colours[3] == GREY != colours[0] == colours[2], "what is as it is lies on top"


def test_the_picture_names_the_lines_of_a_task_alone() -> None:
    names = [text.text for text in ElementTree.fromstring(draw(ROWS, TURNS, [*VARIANTS])).iter() if text.text]
    assert {"as it is", "no offline start"} <= {*names}
    assert "no hindsight" not in names


def test_lines_end_where_the_longest_run_does_at_the_mean_of_the_last_scores() -> None:
    longer = row("as it is", 2, [0.0, 0.5, 0.8, 0.2])
    lines = strokes(draw([*ROWS, longer], TURNS, ["as it is"]))
    (_, (right, score)), (_, (also, ranking)) = lines
    width = (WIDTH - 250 - 40 - 50) / 2
    assert right == also == width, "the runs of 600 turns too"
    top, height = 20, float(190 - 20 - 20 - 24)
    assert score == pytest.approx(top + (1 - (1.0 + 0.9 + 0.2) / 3) * height, abs=6)
    assert ranking == pytest.approx(top, abs=1)
