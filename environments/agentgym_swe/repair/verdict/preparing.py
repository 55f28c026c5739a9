"""Finds out on the original what a task's tests, their twins and probes come to; once for a task in a process.

Nothing that an agent wrote runs here.
"""

from __future__ import annotations

import contextlib
import io
import math
import random
import secrets
import tarfile
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from agentgym.errors import SandboxError, TaskError
from agentgym.sandbox.base import Sandbox
from agentgym_swe.repair.link import WarmGoneError, WarmLink, Way
from agentgym_swe.repair.verdict.bench import Bench
from agentgym_swe.repair.verdict.case import Case, Prepared
from agentgym_swe.repair.verdict.probes import Probes, asked_of, probe, probe_afresh, settled
from agentgym_swe.repair.verdict.recording import chosen, recorded
from agentgym_swe.repair.verdict.tree import FIXED_TIME, File, tree_of
from agentgym_swe.repair.verdict.twins import TwinFile, draw, twin_files
from agentgym_swe.repositories.layer import Layer

MAX_CASES = 512
MIN_CPU_S = 20
WAYS = (Way(whole=True, plain=True, direct=True), Way(whole=True, plain=True))
"""Tests run directly if all of them pass so on the original. They are taken as they are: rewriting what they assert
takes longer than running most of them.
"""
CPU_FACTOR = 20
"""Times the processor time that the original takes."""

_prepared: OrderedDict[str, Prepared] = OrderedDict()
_lock = threading.Lock()


def prepare_case(bench: Bench, case: Case) -> Prepared:
    """What the judge must know of a case; kept for the next time.

    Raises:
        TaskError: The tests do not pass on the original.
        SandboxError: It cannot be found out.
    """
    with _lock:
        if case.key in _prepared:
            _prepared.move_to_end(case.key)
            return _prepared[case.key]
    made = _find_out(bench, case)
    keep_prepared(case, made)
    return made


def keep_prepared(case: Case, prepared: Prepared) -> None:
    """Keep what was found out about a case for the next time."""
    with _lock:
        _prepared[case.key] = prepared
        while len(_prepared) > MAX_CASES:
            _prepared.popitem(last=False)


def _find_out(bench: Bench, case: Case) -> Prepared:
    seed = secrets.randbits(48)
    with bench.open() as (sandbox, link):
        try:
            probes = _probes(sandbox, link, case, seed)
            twins = tuple(twin_files(case.layer, case.failing, case.relevant, seed))
            return _with_tests(sandbox, link, case, probes, twins)
        except WarmGoneError as error:
            raise SandboxError(f"the tests of {case.name} could not be tried on the original: {error}") from error


def _probes(sandbox: Sandbox, link: WarmLink, case: Case, seed: int) -> Probes:
    layer = case.layer
    tapes = recorded(sandbox, link, layer, chosen(case.failing, case.relevant, random.Random(seed)))
    asked = asked_of(layer, case.failing, case.relevant, tapes, seed)
    root, broken = (f"{sandbox.spec.work_dir}/{secrets.token_hex(8)}" for _ in range(2))
    sources, tree = sorted(case.given), tree_of(layer, with_tests=False)
    original = probe(link, root, layer, asked, sources, tree=tree)
    again = probe_afresh(sandbox, root, layer, asked, sources, hash_seed=1)
    tree = tree_of(layer, with_tests=False, changes=case.given)
    return settled(asked, original, again, probe(link, broken, layer, asked, sources, tree=tree))


def _with_tests(sandbox: Sandbox, link: WarmLink, case: Case, probes: Probes, twins: tuple[TwinFile, ...]) -> Prepared:
    """Run the tests with all files of twins, or else with those that make no test fail on the original.

    A file of twins may keep pytest from running anything, or register something a second time.
    """
    try:
        return _tried(sandbox, link, case, probes, twins)
    except TaskError:
        if not twins:
            raise
    prepared = _tried(sandbox, link, case, probes, ())
    for twin in twins if len(twins) > 1 else ():
        with contextlib.suppress(TaskError):
            prepared = _tried(sandbox, link, case, probes, (*prepared.twins, twin))
    return prepared


def _tried(
    sandbox: Sandbox,
    link: WarmLink,
    case: Case,
    probes: Probes,
    twins: tuple[TwinFile, ...],
    ways: Sequence[Way] = WAYS,
) -> Prepared:
    """Run the tests and their twins on the original in the first way that will do, and keep the byte code of it."""
    way, *others = ways
    drawn = draw(twins)
    root = f"{sandbox.spec.work_dir}/{secrets.token_hex(8)}"
    tree = tree_of(case.layer, with_tests=True)
    tree |= {path: File(text.encode()) for path, text in drawn.files.items()}
    own = [*case.failing, *case.kept]
    run = link.run(
        root,
        case.layer.python_path,
        [*own, *drawn.ids],
        tree=tree,
        text=500,
        way=replace(way, writes_bytecode=True),
    )
    wrong = [test for test in own if run.outcomes.get(test) != "passed"]
    if wrong and others:
        return _tried(sandbox, link, case, probes, twins, others)
    if wrong:
        shown = "; ".join(f"{test}: {run.outcomes.get(test, 'missing')}" for test in wrong[:3])
        raise TaskError(f"{len(wrong)} tests of {case.name} do not pass on the original: {shown}"[:1000])
    limit = max(MIN_CPU_S, math.ceil(CPU_FACTOR * run.cpu_s))
    planned = _meant(drawn.outcomes(run.outcomes))
    of_tests, of_sources = _bytecode(sandbox, root, case.layer, {*drawn.files, *case.given})
    return Prepared(probes, twins, planned, of_tests, of_sources, limit, way)


def _meant(outcomes: Mapping[str, str]) -> dict[str, str]:
    """The twins that do on the original what they are meant to do; the others are run and not looked at."""
    return {
        place: outcome
        for place, outcome in outcomes.items()
        if outcome == ("passed" if place.partition("[")[0].endswith("_true") else "failed")
    }


def _bytecode(sandbox: Sandbox, root: str, layer: Layer, hidden: Set[str]) -> tuple[dict[str, File], dict[str, File]]:
    """Byte code of tests and sources, without that of hidden files: the one of a broken source would tell the fix."""
    command = "find . -name '*.pyc' | LC_ALL=C sort | tar -cf - -T -"
    packed = sandbox.exec(["sh", "-c", command], cwd=root, max_output_bytes=64 << 20)
    of_tests: dict[str, File] = {}
    of_sources: dict[str, File] = {}
    if not packed.is_ok:
        return of_tests, of_sources
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        for member in archive:
            path = member.name.removeprefix("./")
            folder, _, name = path.rpartition("__pycache__/")
            source = f"{folder}{name.partition('.')[0]}.py"
            content = archive.extractfile(member)
            if content is None or "__pycache__/" not in path or source in hidden:
                continue
            if layer.is_test(source) or source in layer.sources:
                found = of_tests if layer.is_test(source) else of_sources
                found[path] = File(content.read(), FIXED_TIME)
    return of_tests, of_sources
