"""How far counters of Tuning-v0 repeat, and whether live servers agree with what was recorded of them.

- spread: start and another configuration are measured in turn, round by round, in one sandbox; for each counter the
  largest distance of a round's share from the median share, and of the start's counter from its median, in per cent.
- rounds: how far the cost by the median of three rounds lies from that of all rounds, at even weights.
- agreement: the recorded cost of drawn configurations, at even weights, beside the median of the live rounds.
- clock: the same spread of operations a second, which does not count.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from itertools import combinations
from statistics import median
from typing import Any

from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.lender import lender_of
from agentgym_swe.tuning.measuring import SPEC, ask, put_programs, request
from agentgym_swe.tuning.scoring import cost, median_shares, per_operation, shares
from agentgym_swe.tuning.servers.catalogue import LOADS, start_config
from agentgym_swe.tuning.servers.load import Load
from agentgym_swe.tuning.surface import configs_of, folder, load_surface
from benchmarks.measure import significant
from benchmarks.report import Goal, Report, main, progress

SEED = 77
ROUNDS, CONFIGS = 5, 3
QUICK_ROUNDS, QUICK_CONFIGS = 4, 2
Rounds = list[tuple[dict[Any, float], dict[Any, float]]]


def measure(quick: bool) -> Report:
    """The figures; `quick` takes one load of each server, with fewer rounds and configurations."""
    num_rounds, num_configs = (QUICK_ROUNDS, QUICK_CONFIGS) if quick else (ROUNDS, CONFIGS)
    names = [name for name in LOADS if (folder() / f"{name}.jsonl").exists()]
    if quick:
        names = [name for name in ("sessions", "pages", "lookups") if name in names]
    report = Report(setting={"loads": names, "rounds": num_rounds, "configurations": num_configs})
    gaps, off = [], []
    with lender_of("docker").lease(SPEC) as sandbox:
        put_programs(sandbox)
        for name in names:
            progress(name)
            found = of_load(LOADS[name], sandbox, num_rounds, num_configs)
            report.figures[name] = found
            gaps += [abs(recorded - live) for recorded, live in found["costs, recorded and live"]]
            off.append(found["cost by three rounds, largest distance"])
    report.goals += [
        Goal("cost by three rounds, largest distance from that of all, median of loads", median(off), 0.05, "at most"),
        Goal("cost, recorded against live, median distance", median(gaps), 0.05, "at most"),
        Goal("cost, recorded against live, largest distance", max(gaps), 0.2, "at most"),
    ]
    return report


def of_load(load: Load, sandbox: Sandbox, num_rounds: int, num_configs: int) -> dict[str, Any]:
    """The figures of one load."""
    surface, start = load_surface(load.name), start_config(load)
    cells = [cell for cell, _ in configs_of(load) if not surface.cells[cell].errors]
    chosen = random.Random(f"{SEED} {load.name}").sample(cells, num_configs)
    configs = dict(configs_of(load))
    weights = dict.fromkeys(load.counts, 1 / len(load.counts))
    base = surface.at(start).counts
    costs, distances, spreads, rates = [], [], list[dict[str, float]](), list[float]()
    for cell in chosen:
        asked = [request(load, config, SEED, "measure") for config in (start, configs[cell])] * num_rounds
        raw = [answer["counters"] for answer in ask(sandbox, asked)]
        counts = [per_operation(load, each) for each in raw]
        rounds: Rounds = list(zip(counts[::2], counts[1::2], strict=True))
        live = cost(median_shares(rounds), weights)
        recorded = cost(shares(surface.cells[cell].counts, base), weights)
        costs.append([significant(recorded), significant(live)])
        distances += [abs(cost(median_shares(three), weights) - live) for three in combinations(rounds, 3)]
        spreads.append({name: spread([one[name] for one in counts[::2]]) for name in load.counts})
        spreads[-1] |= {f"{name}, share": spread([shares(b, a)[name] for a, b in rounds]) for name in load.counts}
        rates.append(spread([load.operations / each["wall_s"] for each in raw[::2]]))
    return {
        "spread of counters, per cent": {name: significant(max(each[name] for each in spreads)) for name in spreads[0]},
        "spread by the clock, per cent": significant(max(rates)),
        "cost by three rounds, largest distance": significant(max(distances)),
        "costs, recorded and live": costs,
    }


def spread(values: Sequence[float]) -> float:
    """The largest distance from the median, in per cent of it."""
    middle = median(values)
    return 100 * max(abs(value - middle) for value in values) / middle if middle else 0.0


if __name__ == "__main__":
    sys.exit(main("verdicts.tuning_spread", measure, ("agentgymnasium",)))
