"""Records surfaces: `python -m agentgym_swe.tuning.record [LOAD…] [--again]`.

Each takes a minute or two. The start is measured again with each handful of configurations, in several rounds as for
a verdict; the share of CPU time is the median of the rounds, because a busy machine takes more of it for the same
work. What a surface answers is said in `surface`.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from agentgym.errors import UnknownNameError
from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.lender import lender_of
from agentgym_swe.tuning.measuring import SPEC, ask, put_programs, request
from agentgym_swe.tuning.scoring import per_operation
from agentgym_swe.tuning.servers.catalogue import LOADS, start_config
from agentgym_swe.tuning.servers.load import Durability, Load
from agentgym_swe.tuning.surface import GUARDED, LOCKED, combinations, configs_of, folder, to_line

SEED = 1
HANDFUL = 6
ROUNDS = 3
NICE = 10
RECORDING = dataclasses.replace(SPEC, limits=dataclasses.replace(SPEC.limits, exec_s=1200.0, wall_s=None))
LEVELS: Mapping[Durability, tuple[Durability, ...]] = {"": (), "process": ("process",), "power": ("process", "power")}


def record(load: Load, sandbox: Sandbox) -> Iterator[dict[str, Any]]:
    """The lines of a load's surface.

    Args:
        load: The load.
        sandbox: With the programs.
    """
    yield {"load": load.name, "seed": SEED, "levels": {name: list(levels) for name, levels in load.levels.items()}}
    starts: list[dict[str, Any]] = []
    found: list[tuple[tuple[int, ...], list[dict[str, Any]], list[float]]] = []
    configs = list(configs_of(load))
    for first in range(0, len(configs), HANDFUL):
        handful = configs[first : first + HANDFUL]
        each = [start_config(load), *(config for _, config in handful)]
        answers = ask(sandbox, [request(load, config, SEED, "measure") for config in each * ROUNDS], nice=NICE)
        rounds = [_counters(load, answers[at : at + len(each)]) for at in range(0, len(answers), len(each))]
        starts += [one[0] for one in rounds]
        for number, (cell, _) in enumerate(handful, start=1):
            shares = [one[number]["cpu_s"] / one[0]["cpu_s"] for one in rounds]
            found.append((cell, [one[number] for one in rounds], shares))
    usual = median(each["cpu_s"] for each in starts)
    for cell, rows, shares in found:
        middle = {name: median(row[name] for row in rows) for name in rows[0] if rows[0][name] is not None}
        middle["cpu_s"] = usual * median(shares)
        counts = [_rounded(value) for value in per_operation(load, middle).values()]
        line = {"at": list(cell), "counts": counts, "wall_s": round(middle["wall_s"], 2)}
        yield line | {name: worst for name in ("errors", "lost") if (worst := max(row[name] for row in rows))}
    yield from _guards(load, sandbox)


def _counters(load: Load, answers: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    if failed := [answer for answer in answers if "counters" not in answer]:
        raise SystemExit(f"{load.name}: {failed[0]}")
    return [answer["counters"] for answer in answers]


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


def main(argv: Sequence[str] | None = None) -> None:
    """Record the loads that are named, or all; those with a file only with --again."""
    parser = argparse.ArgumentParser(
        prog="python -m agentgym_swe.tuning.record", description="Measure loads on servers in a container of Docker."
    )
    parser.add_argument("loads", nargs="*", metavar="LOAD", help=f"one of {', '.join(LOADS)}; all by default")
    parser.add_argument("--again", action="store_true", help="also record loads that have a file")
    own = parser.parse_args(argv)
    for name in own.loads:
        if name not in LOADS:
            parser.error(str(UnknownNameError("load", name, LOADS)))
    folder().mkdir(parents=True, exist_ok=True)
    for name in own.loads or LOADS:
        path = folder() / f"{name}.jsonl"
        if path.exists() and not own.again:
            continue
        began = time.monotonic()
        with lender_of("docker").lease(RECORDING) as sandbox:
            put_programs(sandbox)
            lines = list(record(LOADS[name], sandbox))
        path.write_text("".join(map(to_line, lines)), encoding="utf-8", newline="\n")
        sys.stdout.write(f"{name}: {len(lines)} lines, {time.monotonic() - began:.0f} s\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
