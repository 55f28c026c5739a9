"""Learning to point from nothing, from boxes and from two rewards: hits on screens with windows at unseen places.

The runs are those of a shipped configuration, with other modes and seeds. Each mode and seed is a part of its own: what
lies in the folder of parts and was made with the same configuration is not run again. The report is on all such parts.

    agentgym gui render screens --screens 240 --app galculator mousepad --state start --places 40 --fixed-look
    python -m benchmarks.grounding --seeds 0,1,2,3,4 --parts screens/parts --picture docs/images/grounding-pixels.svg

`--quick` trains for seconds, to see that it works; its goals mean nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import agentgym_rl
from agentgym.config import read_tables, tables_of
from agentgym.store import RunStore
from agentgym_rl.core.config.pixels import PixelConfig, pixel_config
from agentgym_rl.pixels.job import CPU_S, DISTANCE, train
from benchmarks.grounding.figures import MODES, figures_of
from benchmarks.grounding.picture import draw
from benchmarks.report import Goal, Report, main, own_options, progress

PACKAGES = ("agentgymnasium", "torch", "numpy")
CONFIG = Path(agentgym_rl.__file__).parent / "configs" / "grounding_pixels.toml"
QUICK_UPDATES = 40
EPISODES = 40
"""Held-out targets that are played as episodes; the looks during a run are at all of them."""
MINUTES = 20.0
"""Longest processor time of a run."""


@dataclass(frozen=True)
class Choice:
    """What is run.

    Attributes:
        targets: File of the rendered targets.
        modes: Ways of learning.
        seeds: Of each.
        parts: Folder of what was found.
        picture: Where the curves are drawn; None: nowhere.
        updates: Of each run; None: as the shipped file says.
    """

    targets: Path
    modes: Sequence[str]
    seeds: Sequence[int]
    parts: Path
    picture: Path | None = None
    updates: int | None = None


def measure(is_quick: bool, own: Choice) -> Report:
    """Train what is not there yet, and report on everything that is."""
    own.parts.mkdir(parents=True, exist_ok=True)
    updates = QUICK_UPDATES if is_quick else own.updates
    for seed in own.seeds:
        for mode in own.modes:
            config = config_of(own.targets, mode, seed, updates)
            file = own.parts / f"{mode}-{seed}-{digest_of(config)}.json"
            if not file.exists():
                progress(f"{mode}, seed {seed}")
                file.write_text(json.dumps(part_of(config)) + "\n", encoding="utf-8")
    found = kept_parts(own.parts, own.targets, updates)
    shipped = config_of(own.targets, MODES[0], 0)
    report = Report(
        setting={"updates": sorted({each["updates"] for each in found}), "held-out screens": shipped.screens.held_out},
        figures={mode: figures_of([each for each in found if each["mode"] == mode]) for mode in MODES},
    )
    for mode, figures in report.figures.items():
        if figures["seeds"] > 1:
            report.goals.append(Goal(f"hits after {mode}, lower end", figures["hits"]["low"], START_BELOW, "at least"))
            minutes = max(figures["cpu_s"]) / 60
            report.goals.append(Goal(f"processor time of {mode}, min", minutes, MINUTES, "at most"))
    if own.picture is not None:
        own.picture.write_text(draw(report.figures), encoding="utf-8")
    return report


START_BELOW = 0.05
"""An untrained policy hits less."""


def config_of(targets: Path, mode: str, seed: int, updates: int | None = None) -> PixelConfig:
    """The shipped configuration with another mode and seed, and perhaps another length."""
    overrides = [f"screens.targets={targets}", f"learning.mode={mode}", f"run.seed={seed}"]
    overrides.append(f"probes.test_targets={EPISODES}")
    overrides += [] if updates is None else [f"run.updates={updates}"]
    return pixel_config(*read_tables(CONFIG, overrides))


def digest_of(config: PixelConfig) -> str:
    """What tells runs with other settings apart."""
    return hashlib.sha256(json.dumps(tables_of(config), sort_keys=True).encode()).hexdigest()[:12]


def kept_parts(folder: Path, targets: Path, updates: int | None) -> list[dict[str, Any]]:
    """The parts of a folder that were made with the configuration as it is now."""
    found = []
    for file in sorted(folder.glob("*-*-*.json")):
        mode, seed, digest = file.stem.split("-")
        if digest == digest_of(config_of(targets, mode, int(seed), updates)):
            found.append(json.loads(file.read_text(encoding="utf-8")))
    return found


def part_of(config: PixelConfig) -> Mapping[str, Any]:
    """A run in a temporary folder: its held-out success at the end, and its curves."""
    with TemporaryDirectory() as folder:
        result = train(config, Path(folder) / "run")
        with RunStore.open(Path(folder) / "run") as store:
            probes, spent = store.metrics(phase="validation"), store.metrics(phase="train")[CPU_S][1]
    curves = {name: probes[key][1].tolist() for name, key in CURVES.items()}
    success = {stage: result.held_out[stage]["success"] for stage in ("untrained", "trained")}
    played, asked = result.held_out["trained"]["num_tasks"], int(probes["success/tasks"][1][-1])
    run = {"mode": config.learning.mode, "seed": config.run.seed, "updates": config.run.updates}
    found = {**run, "targets": asked, "episodes": played, **success}
    return {**found, "cpu_s": round(float(spent[-1]), 1), "curves": _rounded(curves)}


CURVES = {"cpu_s": CPU_S, "hits": "success/mean", "distance": DISTANCE}
"""The curves of a part, by the names of the metrics."""


def _rounded(curves: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    return {name: [round(value, 3) for value in values] for name, values in curves.items()}


def command(argv: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--targets", type=Path, default=Path("screens/targets.json"), help="file of the targets")
    parser.add_argument("--modes", default=",".join(MODES), help="modes, with commas between")
    parser.add_argument("--seeds", default="0", help="seeds, with commas between")
    parser.add_argument("--parts", type=Path, required=True, help="folder of the parts")
    parser.add_argument("--picture", type=Path, help="also draw the curves into this SVG file")
    parser.add_argument("--updates", type=int, help="optimiser steps of a run; the shipped file's by default")
    own, rest = own_options("grounding", parser, argv)
    seeds = [int(each) for each in own.seeds.split(",") if each]
    modes = [each for each in own.modes.split(",") if each]
    choice = Choice(own.targets, modes, seeds, own.parts, own.picture, own.updates)
    return main("grounding", lambda is_quick: measure(is_quick, choice), PACKAGES, rest)


if __name__ == "__main__":
    sys.exit(command())
