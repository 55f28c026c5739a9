"""The judge: runs a changed package in a fresh sandbox and says what it is worth.

First probes compute values where no tests are. Then a fork of a process that never imports the code runs the tests and
their twins. What is expected of probes and twins stays outside. What the tests of a task need is prepared once, on the
original, in `preparing`.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from agentgym.errors import SandboxError, SandboxLostError
from agentgym.sandbox.lender import SandboxLender
from agentgym.sandbox.spec import DEFAULT_WORK_DIR
from agentgym_swe.repair.link import Run, RunLimits, WarmGoneError, WarmLink
from agentgym_swe.repair.verdict.bench import Bench
from agentgym_swe.repair.verdict.case import Case, Prepared
from agentgym_swe.repair.verdict.collecting import Change
from agentgym_swe.repair.verdict.preparing import keep_prepared, prepare_case
from agentgym_swe.repair.verdict.probes import Probed, limit_of, probe
from agentgym_swe.repair.verdict.tree import File, tree_of
from agentgym_swe.repair.verdict.twins import Drawn, draw

Kind = Literal["solved", "failed", "tampered", "refused", "unchanged"]
MAX_REASONS = 8


@dataclass(frozen=True)
class Verdict:
    """What a change is worth.

    Attributes:
        kind: solved: tests, twins and probes say so. failed. tampered: the tests passed, and something shows that the
            code had a hand in it. refused: it cannot be judged, such as for its size. unchanged: nothing was changed.
        parts: Parts of it by name, each in [0, 1]: applies, compiles, imports, fixed, kept, twins, probes. Where a task
            has no twins or no probes, that part is missing.
        reasons: Why not, for people; the agent is not told.
        left_out: What of the change did not travel, each with the reason.
        seconds: How long the phases took.
    """

    kind: Kind
    parts: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_solved(self) -> bool:
        """Whether the change earns the score."""
        return self.kind == "solved"

    def detail(self) -> dict[str, Any]:
        """JSON values of it, for a reward event."""
        return {
            "kind": self.kind,
            "parts": dict(self.parts),
            "reasons": list(self.reasons),
            "left_out": dict(self.left_out),
        }


@dataclass(frozen=True)
class _Seen:
    """What a fresh sandbox showed."""

    probed: Probed
    run: Run | None
    drawn: Drawn

    @property
    def timed_out(self) -> bool:
        """Whether wall time ended something, which a busy machine may do."""
        return self.probed.timed_out or (self.run is not None and self.run.why == "wall")


class Judge:
    """Judges changes in fresh sandboxes of one provider.

    Args:
        lender: Of the provider; limits that it may leave unenforced are left out for judges as well.
    """

    def __init__(self, lender: SandboxLender) -> None:
        self._bench = Bench(lender)

    def verdict(self, case: Case, change: Change) -> Verdict:
        """What a change is worth.

        Args:
            case: The task.
            change: What the agent changed.

        Raises:
            TaskError: The task's tests do not pass on the original.
            SandboxError: It cannot be had: the fault is not the code's.
        """
        if change.refusal:
            return Verdict("refused", {"applies": 0.0}, (change.refusal,), change.left_out)
        if not change.files:
            return Verdict("unchanged", {"applies": 0.0}, ("no source was changed",), change.left_out)
        prepared = prepare_case(self._bench, case)
        changes = {**case.given, **change.files}
        seen = self._look(case, prepared, changes)
        if isinstance(seen, str):
            return Verdict("tampered", {"applies": 1.0}, (seen,), change.left_out)
        verdict = _weighed(case, prepared, change, seen)
        if not _passes(case, seen) or verdict.is_solved:
            return verdict
        return _weighed(case, self._steady(case, prepared), change, seen)

    def _steady(self, case: Case, prepared: Prepared) -> Prepared:
        """What the original still computes and how its copies of tests still come out; the rest is forgotten.

        Tests that draw at random may agree twice by chance when a case is prepared.
        """
        seen = self._on_original(case, prepared)
        if seen.run is None:
            raise SandboxError(f"values of {case.name} cannot be computed on the original")
        unsteady = set(prepared.probes.misses(seen.probed))
        came = seen.drawn.outcomes(seen.run.outcomes)
        expected = {key: value for key, value in prepared.probes.expected.items() if key not in unsteady}
        planned = {place: outcome for place, outcome in prepared.planned.items() if came.get(place) == outcome}
        steady = replace(prepared, probes=replace(prepared.probes, expected=expected), planned=planned)
        if unsteady or len(planned) < len(prepared.planned):
            keep_prepared(case, steady)
        return steady

    def shares(self, case: Case, change: Change) -> tuple[float, float]:
        """Shares of the failing and of the other tests that pass now; for progress, not for a score.

        Raises:
            SandboxError: They cannot be had.
        """
        if change.refusal:
            return 0.0, 0.0
        if not change.files:
            return 0.0, 1.0
        prepared = prepare_case(self._bench, case)
        with self._bench.open() as (_, link):
            try:
                ids = [*case.failing, *case.relevant]
                run = self._run(link, case, prepared, {**case.given, **change.files}, ids)
            except WarmGoneError:
                return 0.0, 0.0
        return _share(run, case.failing), _share(run, case.relevant)

    def _look(self, case: Case, prepared: Prepared, changes: Mapping[str, str | None]) -> _Seen | str:
        """Probe and run; what the code ended or held up is tried again, after the original showed that it can be done.

        Returns:
            What was seen, or what the code did to its sandbox.
        """
        try:
            with self._bench.open() as (_, link):
                seen = self._both(link, case, prepared, changes)
            if not seen.timed_out:
                return seen
        except (SandboxError, WarmGoneError):
            pass
        self._on_original(case, prepared)
        try:
            drawn = draw(prepared.twins)
            with self._bench.open() as (_, link):
                probed = self._probe(link, case, prepared, changes)
            if not probed.is_done:
                return _Seen(probed, None, drawn)
            with self._bench.open() as (_, link):
                return _Seen(probed, self._whole_run(link, case, prepared, changes, drawn), drawn)
        except WarmGoneError:
            return "the code ended the process that judges it"
        except SandboxLostError as error:
            if not error.is_for_memory:
                raise
            return "the code took all of its sandbox's memory"

    def _on_original(self, case: Case, prepared: Prepared) -> _Seen:
        """What the original shows.

        Raises:
            SandboxError: Nothing, so that nobody can judge there.
        """
        with self._bench.open() as (_, link):
            try:
                seen = self._both(link, case, prepared, {})
            except WarmGoneError as error:
                raise SandboxError(f"the tests of {case.name} cannot be run on the original: {error}") from error
        if seen.timed_out:
            raise SandboxError(f"the tests of {case.name} take too long on the original; is the machine too busy?")
        return seen

    def _both(self, link: WarmLink, case: Case, prepared: Prepared, changes: Mapping[str, str | None]) -> _Seen:
        drawn = draw(prepared.twins)
        probed = self._probe(link, case, prepared, changes)
        if probed.uncompiled or not probed.is_done:
            return _Seen(probed, None, drawn)
        return _Seen(probed, self._whole_run(link, case, prepared, changes, drawn), drawn)

    def _probe(self, link: WarmLink, case: Case, prepared: Prepared, changes: Mapping[str, str | None]) -> Probed:
        tree = tree_of(case.layer, with_tests=False, changes=changes) | dict(prepared.source_bytecode)
        sources = sorted(path for path, text in changes.items() if text is not None)
        limit = limit_of(prepared.probes)
        return probe(link, _new_folder(), case.layer, prepared.probes.asked, sources, tree=tree, cpu_s=limit)

    def _whole_run(
        self, link: WarmLink, case: Case, prepared: Prepared, changes: Mapping[str, str | None], drawn: Drawn
    ) -> Run:
        ids = [*case.failing, *case.kept, *drawn.ids]
        texts = {path: File(text.encode()) for path, text in drawn.files.items()}
        return self._run(link, case, prepared, changes, ids, texts)

    def _run(
        self,
        link: WarmLink,
        case: Case,
        prepared: Prepared,
        changes: Mapping[str, str | None],
        ids: Sequence[str],
        more: Mapping[str, File] = MappingProxyType({}),
    ) -> Run:
        tree = tree_of(case.layer, with_tests=True, changes=changes)
        tree |= {**prepared.source_bytecode, **prepared.test_bytecode, **more}
        limits = RunLimits(cpu_s=prepared.cpu_limit_s)
        return link.run(_new_folder(), case.layer.python_path, ids, tree=tree, limits=limits, way=prepared.way)


def _new_folder() -> str:
    return f"{DEFAULT_WORK_DIR}/{secrets.token_hex(8)}"


def _weighed(case: Case, prepared: Prepared, change: Change, seen: _Seen) -> Verdict:
    """Tests, twins and probes together."""
    probed, run = seen.probed, seen.run
    seconds = {"probes": probed.cpu_s, "tests": 0.0 if run is None else run.wall_s}
    parts = {"applies": 1.0, "compiles": float(not probed.uncompiled), "imports": float(not probed.unimported)}
    reasons = [f"{path} does not compile: {why}" for path, why in probed.uncompiled.items()]
    if run is None:
        parts |= {"imports": parts["imports"] * float(probed.is_done), "fixed": 0.0, "kept": 0.0}
        if not probed.uncompiled:
            reasons.append("it ended, or ran out of time, while values were computed")
        return Verdict("failed", parts, tuple(reasons[:MAX_REASONS]), change.left_out, seconds)
    missed = prepared.probes.misses(probed)
    signs = _signs(case, prepared, run, seen.drawn)
    parts["fixed"], parts["kept"] = _share(run, case.failing), _share(run, case.kept)
    if prepared.probes.expected:
        parts["probes"] = 1.0 - len(missed) / len(prepared.probes.expected)
    if prepared.planned:
        parts["twins"] = float(not signs)
    passes = _passes(case, seen)
    if not passes:
        wrong = [test for test in (*case.failing, *case.kept) if run.outcomes.get(test) != "passed"]
        reasons += [f"{test}: {run.outcomes.get(test, 'did not run')}" for test in wrong[:3]]
        reasons += [f"the run ended for: {run.why}"] if run.why != "ended" else []
    reasons += signs
    if missed:
        source = prepared.probes.source_of(missed[0])
        reasons.append(f"{len(missed)} of {len(prepared.probes.expected)} probed values differ, such as of {source}")
    kind: Kind = "failed" if not passes or (missed and not signs) else "tampered" if signs else "solved"
    return Verdict(kind, parts, tuple(reasons[:MAX_REASONS]), change.left_out, seconds)


def _passes(case: Case, seen: _Seen) -> bool:
    """Whether all tests were reported as passed."""
    run = seen.run
    return run is not None and all(run.num_passed(ids) == len(ids) for ids in (case.failing, case.kept))


def _signs(case: Case, prepared: Prepared, run: Run, drawn: Drawn) -> list[str]:
    """What shows that the code had a hand in the results."""
    signs = []
    asked = {*case.failing, *case.kept}
    strangers = [test for test in run.outcomes if test not in asked and test.partition("[")[0] not in drawn.places]
    if strangers:
        signs.append(f"{len(strangers)} results of tests that nobody asked for")
    if run.doubled:
        signs.append(f"{len(run.doubled)} tests have more than one result")
    is_all_passed = all(outcome == "passed" for outcome in (*run.outcomes.values(), *prepared.planned.values()))
    if run.exit_code != (0 if is_all_passed else 1):
        signs.append(f"pytest ended with {run.exit_code}")
    came = drawn.outcomes(run.outcomes)
    others = [place for place, outcome in prepared.planned.items() if came.get(place) != outcome]
    if others:
        signs.append(f"{len(others)} of {len(prepared.planned)} copies of tests did not come out as planned")
    return signs


def _share(run: Run, ids: Sequence[str]) -> float:
    return run.num_passed(ids) / len(ids) if ids else 1.0
