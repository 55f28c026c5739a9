"""Probes of values: what code computes where no tests are, compared outside with what the original computes.

A probe counts if the original gives the same value in two processes with different hash seeds. Changed inputs count if
the original and the broken package differ on them. What is asked is made in `slices` and `recording`.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym.errors import SandboxError
from agentgym.sandbox.base import Sandbox
from agentgym_swe.repair.ground import PYTHON, program
from agentgym_swe.repair.link import RunLimits, WarmGoneError, WarmLink, read_lines
from agentgym_swe.repair.verdict.recording import Tape, groups_of
from agentgym_swe.repair.verdict.slices import group_of
from agentgym_swe.repair.verdict.test_source import TestFunction, functions_of, parsed
from agentgym_swe.repair.verdict.tree import Tree
from agentgym_swe.repositories.layer import Layer

MAX_FUNCTIONS = 12
_MAX_OUTPUT = 4 << 20
_WALL_S, _IDLE_S = 240.0, 90.0
"""Seconds of a prober in all, and those in which it does not work: more than its two slow cases may take."""
_PROBER = (*PYTHON, "-c", program("prober"))
_CPU_S = 20
_VOID = ("slow", "unwritable", "SlowError", "NameError", "ModuleNotFoundError", "MemoryError")


@dataclass(frozen=True)
class Asked:
    """What a prober is asked.

    Attributes:
        groups: Statements of each group.
        names: By "group/case" the function of the tests that it is made of.
    """

    groups: tuple[tuple[str, ...], ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Probed:
    """What a prober said.

    Attributes:
        uncompiled: Sources that do not compile, with the reason.
        unimported: Modules that cannot be imported, with the reason.
        values: By key.
        is_done: Whether it came to its end.
        timed_out: Whether its wall time ended it, which a busy machine may do.
        cpu_s: Seconds it took.
    """

    uncompiled: Mapping[str, str]
    unimported: Mapping[str, str]
    values: Mapping[str, Any]
    is_done: bool
    timed_out: bool = False
    cpu_s: float = 0.0


@dataclass(frozen=True)
class Probes:
    """Probes of a task, and what the original computes.

    Attributes:
        asked: What is asked.
        expected: Values of the original, by key.
        telling: Keys on which the broken package differs.
        cpu_s: Seconds the original took.
    """

    asked: Asked
    expected: Mapping[str, Any]
    telling: frozenset[str]
    cpu_s: float

    def source_of(self, key: str) -> str:
        """The name of the test that a probe is made of."""
        return self.asked.names.get(key.rpartition("/")[0], "a test")

    def misses(self, probed: Probed) -> list[str]:
        """Keys on which what was probed differs from the original."""
        return [key for key, value in self.expected.items() if not _has(probed, key, value)]


def asked_of(
    layer: Layer, failing: Sequence[str], others: Sequence[str], tapes: Mapping[str, Tape], seed: int
) -> Asked:
    """Probes of what failing tests test, and of what some others do.

    Args:
        layer: The package.
        failing: Ids of tests that fail on the broken package.
        others: Ids of tests that pass on it.
        tapes: By test what was recorded of it.
        seed: Of the changed inputs.
    """
    rng = random.Random(seed)
    first = list(functions_of(failing))
    rest = [function for function in functions_of(others) if function not in first]
    chosen = first[:MAX_FUNCTIONS]
    chosen += rng.sample(rest, min(len(rest), max(0, MAX_FUNCTIONS // 2 - len(chosen))))
    by_file: dict[str, list[TestFunction]] = {}
    for function in chosen:
        by_file.setdefault(function.file, []).append(function)
    made = groups_of(layer, tapes, rng)
    for path, functions in by_file.items():
        file = parsed(layer, path)
        if file is not None:
            made.append(group_of(file, functions, rng))
    made = [(statements, cases) for statements, cases in made if cases]
    names = {f"{number}/{key}": name for number, (_, cases) in enumerate(made) for key, name in cases.items()}
    return Asked(tuple(tuple(statements) for statements, _ in made), names)


def probe(
    link: WarmLink, root: str, layer: Layer, asked: Asked, sources: Sequence[str], *, tree: Tree, cpu_s: int = _CPU_S
) -> Probed:
    """Compute values in a fork of the warm process of a sandbox in which no tests are.

    Args:
        link: To the warm process.
        root: The folder that the package is written to.
        layer: The package.
        asked: What is asked.
        sources: Paths of the sources that are compiled, and whose modules are imported.
        tree: The package's files.
        cpu_s: Processor time.

    Raises:
        WarmGoneError: The warm process ended, or does not answer, or the prober could not begin.
    """
    limits = RunLimits(cpu_s=cpu_s, idle_s=_IDLE_S, wall_s=_WALL_S)
    request = _request(layer, asked, sources)
    records, why, took = link.probe(root, layer.python_path, request, tree=tree, limits=limits)
    found = _probed(records, took, timed_out=why == "wall")
    if found is None:
        raise WarmGoneError("the prober did not begin")
    return found


def probe_afresh(
    sandbox: Sandbox, root: str, layer: Layer, asked: Asked, sources: Sequence[str], hash_seed: int
) -> Probed:
    """Compute values in a new process with another hash seed.

    Args:
        sandbox: The sandbox; the package is there, and no tests are.
        root: The folder with the package.
        layer: The package.
        asked: What is asked.
        sources: As for `probe`.
        hash_seed: PYTHONHASHSEED.

    Raises:
        SandboxError: No program can be started, or the sandbox is gone.
    """
    request = {"root": root, "path": list(layer.python_path), "cpu_s": _CPU_S, **_request(layer, asked, sources)}
    ended = sandbox.exec(
        _PROBER,
        stdin=json.dumps(request).encode(),
        env={"PYTHONHASHSEED": str(hash_seed)},
        timeout_s=_WALL_S,
        max_output_bytes=_MAX_OUTPUT,
    )
    found = _probed(read_lines(ended.stdout.splitlines()), ended.duration_s, timed_out=ended.timed_out)
    if found is None:
        raise SandboxError(f"the prober could not be run in sandbox {sandbox.id}: {ended.text()[-300:]!r}")
    return found


def settled(asked: Asked, original: Probed, again: Probed, broken: Probed) -> Probes:
    """The probes that can be relied on.

    Args:
        asked: What was asked.
        original: What the original gave.
        again: What it gave with another hash seed.
        broken: What the broken package gave.
    """
    expected, telling = {}, set()
    for key, value in original.values.items():
        if not _has(again, key, value) or _is_void(value):
            continue
        differs = not _has(broken, key, value)
        if key.rpartition("/")[0].endswith("+") and (not differs or _is_raised(value)):
            continue
        expected[key] = value
        if differs:
            telling.add(key)
    return Probes(asked, expected, frozenset(telling), max(original.cpu_s, again.cpu_s))


def kind_of(key: str) -> str:
    """What a key's probe is made of: "calls", "slices", "fresh calls" or "fresh slices"."""
    case = key.split("/")[1]
    return ("fresh " if case.endswith("+") else "") + ("calls" if case.startswith("c") else "slices")


def limit_of(probes: Probes) -> int:
    """Processor time that others get for the same."""
    return max(_CPU_S, math.ceil(10 * probes.cpu_s))


def module_of(layer: Layer, path: str) -> str:
    """The module that a source is; "" where it is none that can be imported by name."""
    for entry in sorted(layer.python_path, key=len, reverse=True):
        inner = path if entry in (".", "") else path.removeprefix(f"{entry}/") if path.startswith(f"{entry}/") else ""
        parts = inner.removesuffix(".py").split("/")
        if inner and all(part.isidentifier() for part in parts):
            return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return ""


def _is_raised(value: Any) -> bool:
    return isinstance(value, list) and value[:1] == ["raised"]


def _is_void(value: Any) -> bool:
    return isinstance(value, list) and any(each in _VOID for each in value[:2] if isinstance(each, str))


def _request(layer: Layer, asked: Asked, sources: Sequence[str]) -> dict[str, Any]:
    return {
        "sources": list(sources),
        "modules": [name for path in sources if (name := module_of(layer, path))],
        "groups": [list(group) for group in asked.groups],
    }


def _probed(records: Sequence[Any], cpu_s: float, *, timed_out: bool) -> Probed | None:
    """The first value of each key; what else the code wrote is passed over. None where the prober wrote nothing."""
    found: dict[str, Any] = {}
    for record in records:
        if isinstance(record, list) and len(record) == 2 and isinstance(record[0], str):
            found.setdefault(*record)
    if found.pop("begun", None) is None:
        return None
    uncompiled, unimported = (_reasons(found.pop(key, None)) for key in ("compiled", "imported"))
    is_done = found.pop("done", False) is True
    return Probed(uncompiled, unimported, found, is_done, timed_out, cpu_s)


def _has(probed: Probed, key: str, value: Any) -> bool:
    """Whether a key has this very value: true is not 1."""
    found = probed.values.get(key)
    return key in probed.values and bool(found == value) and json.dumps(found) == json.dumps(value)


def _reasons(found: Any) -> dict[str, str]:
    return {str(name): str(why) for name, why in found.items()} if isinstance(found, dict) else {}
