"""Learning to point from nothing, from boxes and from two rewards: hits on screens with windows at unseen places.

The screens are those of `agentgym gui render` on the calculator and the editor. The first part of them is trained on,
with windows moved about; the last part is held out. Each way and seed is a part of its own: what lies in the folder of
parts is not run again, and the report is on all parts that are there.

    agentgym gui render FOLDER --screens 240 --app galculator mousepad --state start --places 40 --fixed-look
    python -m benchmarks.grounding --screens FOLDER --ways hit --seeds 0,1 --parts FOLDER/parts --out FILE

`--quick` trains for seconds, to see that it works; its goals mean nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch

from agentgym.evaluation import mean_interval
from benchmarks.grounding.learning import WAYS, Settings, as_json, learn
from benchmarks.grounding.screens import names_of, read_screens
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "torch", "numpy")
CPU_S: Mapping[str, float] = {"supervised": 20.0, "hit": 45.0, "dense": 45.0}
"""Processor time of each way."""
QUICK_S = 5.0
NUM_TEST = 60
"""How many screens, the last ones, are held out."""


def measure(quick: bool, *, folder: Path, ways: Sequence[str], seeds: Sequence[int], parts: Path) -> Report:
    """Train what is not there yet, and report on everything that is."""
    torch.set_num_threads(1)
    screens = read_screens(folder, ("galculator", "mousepad"))
    train, test = screens[:-NUM_TEST], screens[-NUM_TEST:]
    parts.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        for way in ways:
            file = parts / f"{way}-{seed}.json"
            if not file.exists() or quick:
                progress(f"{way}, seed {seed}")
                settings = Settings(way, seed, QUICK_S if quick else CPU_S[way])
                curve = learn(settings, train, test, folder)
                file.write_text(json.dumps({"way": way, "seed": seed, **as_json(curve)}) + "\n", encoding="utf-8")
    found = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(parts.glob("*.json"))]
    report = Report(
        setting={"screens": [len(train), len(test)], "names": len(names_of(train)), "CPU s": dict(CPU_S)},
        figures={way: figures_of([each for each in found if each["way"] == way]) for way in WAYS},
    )
    for way in WAYS:
        hits = report.figures[way].get("hits, interval")
        if hits is not None:
            report.goals.append(Goal(f"hits after {way}, lower end", hits[0], START_BELOW, "at least"))
    return report


START_BELOW = 0.05
"""An untrained policy hits less."""


def figures_of(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What came of one way: each seed's last hits and distance, their mean with its interval, and the curves."""
    if not parts:
        return {"seeds": 0}
    hits = [part["hits"][-1] for part in parts]
    figures: dict[str, Any] = {
        "seeds": len(parts),
        "hits": hits,
        "distance, px": [part["distance, px"][-1] for part in parts],
        "curves": {str(part["seed"]): [part["cpu_s"], part["hits"], part["distance, px"]] for part in parts},
    }
    if len(parts) > 1:
        interval = mean_interval(hits)
        figures["hits, mean"] = round(sum(hits) / len(hits), 4)
        figures["hits, interval"] = [round(interval.low, 4), round(interval.high, 4)]
    return figures


def command(argv: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grounding", add_help=False)
    parser.add_argument("--screens", type=Path, required=True)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--parts", type=Path, required=True)
    own, rest = parser.parse_known_args(argv)
    seeds = [int(each) for each in own.seeds.split(",") if each]
    ways = [each for each in own.ways.split(",") if each]
    chosen = partial(measure, folder=own.screens, ways=ways, seeds=seeds, parts=own.parts)
    return main("grounding", chosen, PACKAGES, rest)


if __name__ == "__main__":
    sys.exit(command())
