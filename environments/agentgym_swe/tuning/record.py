"""Records surfaces: `python -m agentgym_swe.tuning.record [LOAD…] [--again]`.

Each takes some minutes of one core. The start is measured again with each handful of configurations, and CPU time is
brought to that of its median, because a busy machine takes more of it for the same work. What a surface answers is said
in `surface`.
"""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.lender import lender_of
from agentgym_swe.tuning.measuring import SPEC, ask, put_programs, request
from agentgym_swe.tuning.scoring import per_operation
from agentgym_swe.tuning.servers.catalogue import LOADS, start_config
from agentgym_swe.tuning.servers.load import Durability, Load
from agentgym_swe.tuning.surface import GUARDED, LOCKED, combinations, configs_of, folder, to_line

SEED = 1
HANDFUL = 8
NICE = 10
RECORDING = dataclasses.replace(SPEC, limits=dataclasses.replace(SPEC.limits, cpus=1.0, exec_s=1200.0, wall_s=None))
LEVELS: Mapping[Durability, tuple[Durability, ...]] = {"": (), "process": ("process",), "power": ("process", "power")}


def record(load: Load, sandbox: Sandbox) -> Iterator[dict[str, Any]]:
    """The lines of a load's surface.

    Args:
        load: The load.
        sandbox: With the programs.
    """
    yield {"load": load.name, "seed": SEED, "levels": {name: list(levels) for name, levels in load.levels.items()}}
    configs = list(configs_of(load))
    starts: list[dict[str, Any]] = []
    rows: list[tuple[tuple[int, ...], dict[str, Any], int]] = []
    for first in range(0, len(configs), HANDFUL):
        handful = configs[first : first + HANDFUL]
        asked = [request(load, config, SEED, "measure") for config in (start_config(load), *(c for _, c in handful))]
        start, *answers = ask(sandbox, asked, nice=NICE)
        starts.append(start["counters"])
        rows += [(cell, answer, len(starts) - 1) for (cell, _), answer in zip(handful, answers, strict=True)]
    usual = median(each["cpu_s"] for each in starts)
    for cell, answer, number in rows:
        if "counters" not in answer:
            raise SystemExit(f"{load.name} at {cell}: {answer}")
        counters = answer["counters"]
        nearby = median(each["cpu_s"] for each in starts[max(0, number - 1) : number + 2])
        scaled = {**counters, "cpu_s": counters["cpu_s"] * usual / nearby}
        counts = [_rounded(value) for value in per_operation(load, scaled).values()]
        line = {"at": list(cell), "counts": counts, "wall_s": round(counters["wall_s"], 2)}
        yield line | {name: counters[name] for name in ("errors", "lost") if counters[name]}
    yield from _guards(load, sandbox)


def _guards(load: Load, sandbox: Sandbox) -> Iterator[dict[str, Any]]:
    """What is lost under each combination of guarded options, and found under each of locked ones."""
    for level in LEVELS[load.durability]:
        pairs = list(combinations(load, GUARDED[load.server]))
        answers = ask(sandbox, [request(load, config, SEED, "crash", level) for _, config in pairs], nice=NICE)
        for (values, _), answer in zip(pairs, answers, strict=True):
            if told := _short(answer, "lost"):
                yield {"after": level, "values": list(values), "lost": told}
    if load.is_secure:
        pairs = list(combinations(load, LOCKED[load.server]))
        answers = ask(sandbox, [request(load, config, SEED, "probe") for _, config in pairs], nice=NICE)
        for (values, _), answer in zip(pairs, answers, strict=True):
            yield {"values": list(values), "found": _short(answer, "found")}


def _short(answer: Mapping[str, Any], name: str) -> list[str]:
    if answer.get("is_slow"):
        raise SystemExit(f"this machine is too busy to record: {answer['failed']}")
    if "failed" in answer:
        return ["the server did not start"]
    return [text.partition(":")[0] for text in answer[name]]


def _rounded(value: float) -> float:
    return float(f"{value:.5g}")


def main(arguments: Sequence[str]) -> None:
    """Record the loads that are named, or all; those with a file only with --again."""
    names = [name for name in arguments if name != "--again"] or list(LOADS)
    folder().mkdir(parents=True, exist_ok=True)
    for name in names:
        path = folder() / f"{name}.jsonl"
        if path.exists() and "--again" not in arguments:
            continue
        began = time.monotonic()
        with lender_of("docker").lease(RECORDING) as sandbox:
            put_programs(sandbox)
            lines = list(record(LOADS[name], sandbox))
        path.write_text("".join(map(to_line, lines)), encoding="utf-8", newline="\n")
        sys.stdout.write(f"{name}: {len(lines)} lines, {time.monotonic() - began:.0f} s\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
