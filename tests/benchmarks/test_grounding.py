"""What the runs that learn to point come to, and their picture."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.grounding.__main__ import config_of, digest_of, kept_parts
from benchmarks.grounding.figures import MODES, figures_of
from benchmarks.grounding.picture import draw

PATH = "{http://www.w3.org/2000/svg}path"


def part(mode: str, seed: int, hits: list[float]) -> dict[str, object]:
    curves = {"cpu_s": [5.0 * n + 5 for n in range(len(hits))], "hits": hits, "distance": [90.0, 30.0, 10.0 + seed]}
    success = {"mean": hits[-1], "low": hits[-1] - 0.1, "high": hits[-1]}
    own = {"mode": mode, "seed": seed, "targets": 890, "episodes": 300, "cpu_s": 15.0, "curves": curves}
    return {**own, "trained": success, "untrained": {"mean": 0.0, "low": 0.0, "high": 0.01}}


PARTS = [part("hit", 1, [0.1, 0.4, 0.6]), part("hit", 0, [0.3, 0.5, 0.8])]


def test_figures_are_means_over_seeds_with_intervals() -> None:
    found = figures_of(PARTS)
    assert found["seeds"] == 2
    assert found["hits"]["mean"] == pytest.approx(0.7)
    assert found["hits"]["each"] == [0.8, 0.6]
    assert found["hits"]["low"] < 0.7 < found["hits"]["high"]
    assert found["hits, mean over the run"]["mean"] == pytest.approx((1.6 / 3 + 1.1 / 3) / 2, abs=1e-4)
    assert found["distance"]["mean"] == 10.5
    assert "low" not in figures_of(PARTS[:1])["hits"]
    assert figures_of([]) == {"seeds": 0}


def test_the_picture_has_a_thin_line_for_each_seed_and_a_thick_one_for_the_mean() -> None:
    figures = {mode: figures_of(PARTS if mode == "hit" else []) for mode in MODES}
    lines = [line.get("stroke-width") for line in ElementTree.fromstring(draw(figures)).iter(PATH)]
    assert lines.count("0.6") == 2 * 2
    assert lines.count("2.4") == 2 + 1, "the means, and the key"


def test_runs_are_the_shipped_one_with_another_mode_and_seed(tmp_path: Path) -> None:
    targets = tmp_path / "targets.json"
    targets.write_text("[]")
    configs = [config_of(targets, mode, 3) for mode in MODES]
    assert [config.learning.mode for config in configs] == list(MODES)
    assert {config.run.seed for config in configs} == {3}
    assert {config.run.updates for config in configs} == {1000}
    assert config_of(targets, "hit", 0, 7).run.updates == 7


def test_parts_of_other_settings_are_left_out(tmp_path: Path) -> None:
    targets, parts = tmp_path / "targets.json", tmp_path / "parts"
    targets.write_text("[]")
    parts.mkdir()
    for updates in (7, 8):
        digest = digest_of(config_of(targets, "hit", 0, updates))
        (parts / f"hit-0-{digest}.json").write_text(json.dumps({"updates": updates}))
    assert kept_parts(parts, targets, 8) == [{"updates": 8}]
    assert kept_parts(parts, targets, None) == []
