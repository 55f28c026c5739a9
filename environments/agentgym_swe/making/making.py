"""Makes the tasks of one package: candidates, screening, confirmation from nothing, and the wording of issues.

`workers` runs the tests, `journal` keeps what they said, and `generate` writes the suite.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from agentgym_swe.making.candidates import Candidate, Sources, candidates, doubles
from agentgym_swe.making.coverage_map import CoverageMap, coverage_map
from agentgym_swe.making.history import is_interface_fault, older_functions
from agentgym_swe.making.issue import Issue, word_implementation, word_issue
from agentgym_swe.making.journal import Journal, NotTriedError, Question
from agentgym_swe.making.operators.table import BODY_REMOVED, DOUBLE, HISTORY
from agentgym_swe.making.screening import MAX_FAILING, Cold, Screened
from agentgym_swe.making.workers import CONFIRMING, Workers
from agentgym_swe.repositories.catalogue import package_named
from agentgym_swe.repositories.fetching import Pin, UnreachedError, fetch_sdists
from agentgym_swe.repositories.layer import Layer
from agentgym_swe.repositories.unpacking import read_sdist
from agentgym_swe.room import Wanted

MAX_OF_FUNCTION, MAX_COLD, MAX_EXPLAINED = 3, 40, 6
"""Tasks of a function, where a double fault counts for both; runs from nothing that screen; tests explained."""
KIND_OF = {BODY_REMOVED: "implement", DOUBLE: "double", HISTORY: "history"}
"""Kind of task by operator; all others make the kind "fault"."""
_DRAWN_DOUBLES = 20

Report = Callable[[str], None]


@dataclass(frozen=True)
class Quota:
    """How many tasks of each kind are wanted of a package."""

    fault: int = 16
    implement: int = 4
    double: int = 6
    history: int = 16


@dataclass(frozen=True)
class Made:
    """A confirmed task.

    Attributes:
        candidate: The fault.
        kind: "fault", "implement", "double" or "history".
        failing: Tests that fail, the same in every run.
        relevant: Tests that run the lines at fault.
        issue: What is told.
        screen_s: CPU seconds of the screening.
        suite_s: CPU seconds of the whole suite from nothing.
        was_cold: Whether it was screened in a fresh process.
    """

    candidate: Candidate
    kind: str
    failing: tuple[str, ...]
    relevant: tuple[str, ...]
    issue: Issue
    screen_s: float
    suite_s: float
    was_cold: bool


@dataclass(frozen=True)
class Valid:
    """A candidate that 1 to 40 tests notice.

    Attributes:
        candidate: The fault.
        tests: Tests that run its lines.
        cpu_s: CPU seconds of the screening.
        was_cold: Whether it was screened in a fresh process.
    """

    candidate: Candidate
    tests: tuple[str, ...]
    cpu_s: float
    was_cold: bool


@dataclass
class Yields:
    """What became of the candidates, by operator.

    Attributes:
        of: By operator how many were "same" (as text or tree), "uncovered", "survived", "many" (over 40 failing),
            "hangs", "died", "valid", and of the valid how many runs from nothing did "unconfirmed".
        cpu_s: CPU seconds of the screening, by the way it was done: "fork" or "cold".
        num: How many were tried that way.
    """

    of: dict[str, Counter[str]] = field(default_factory=dict)
    cpu_s: Counter[str] = field(default_factory=Counter)
    num: Counter[str] = field(default_factory=Counter)

    def count(self, operator: str, what: str) -> None:
        """Count one candidate."""
        self.of.setdefault(operator, Counter())[what] += 1


class Maker:
    """Makes the tasks of one package.

    Args:
        layer: The package.
        quota: How many.
        sandbox: Where its code runs, as in `SandboxEnv`.
        journal: What is known of candidates; the default knows nothing.
        report: Told of progress.
    """

    def __init__(
        self,
        layer: Layer,
        quota: Quota,
        sandbox: Wanted = None,
        *,
        journal: Journal | None = None,
        report: Report = lambda line: None,
    ) -> None:
        self.layer, self.quota, self.sandbox, self.report = layer, quota, sandbox, report
        self.journal = journal or Journal()
        self.sources, self.yields = Sources(layer), Yields()
        self.missing_release = ""
        """The older release that could not be fetched, such as "schema 0.7.4", so that no task is of its functions."""
        self._of_function: Counter[str] = Counter()
        self._num_cold = 0

    def make(self) -> list[Made]:
        """All tasks of the package.

        Raises:
            SandboxError: No sandbox can be started, or one was lost.
            FetchError: The older release is another one than the pinned one.
        """
        with Workers(self.layer, self.sandbox) as workers:
            coverage = coverage_map(self.layer, workers.measure)
            valid = list(self._known(coverage, workers))
        self.report(f"{len(valid)} candidates are valid; confirming them")
        with Workers(self.layer, self.sandbox) as workers:
            return list(self._confirmed(valid, workers))

    # Screening.

    def _known(self, coverage: CoverageMap, workers: Workers) -> Iterator[Valid]:
        """Valid candidates, up to the first of which nothing is known where nothing new is to be tried."""
        with suppress(NotTriedError):
            yield from self._screened(coverage, workers)

    def _screened(self, coverage: CoverageMap, workers: Workers) -> Iterator[Valid]:
        singles = []
        wanted = {"fault": self.quota.fault, "implement": self.quota.implement}
        for candidate in self._in_turn(candidates(self.sources, self.layer.digest), wanted):
            found = self._try(candidate, coverage, workers)
            if found is not None:
                wanted[_kind(candidate)] -= 1
                singles.append(candidate)
                yield found
        pairs = doubles(singles, f"{self.layer.digest} doubles", _DRAWN_DOUBLES * self.quota.double)
        for source, count in ((self._older(), self.quota.history), (pairs, self.quota.double)):
            left = count
            for candidate in source:
                if left and self._has_room(candidate):
                    found = self._try(candidate, coverage, workers)
                    left -= found is not None
                    yield from [] if found is None else [found]

    def _in_turn(self, ordered: Iterable[Candidate], wanted: Mapping[str, int]) -> Iterator[Candidate]:
        """Candidates of kinds that are still wanted, of functions that have room."""
        for candidate in ordered:
            if not any(wanted.values()):
                return
            if wanted[_kind(candidate)] > 0 and self._has_room(candidate):
                yield candidate

    def _has_room(self, candidate: Candidate) -> bool:
        return all(self._of_function[function] < MAX_OF_FUNCTION for function in candidate.functions)

    def _try(self, candidate: Candidate, coverage: CoverageMap, workers: Workers) -> Valid | None:
        files = self.sources.changed(candidate.edits)
        if files is None:
            self._count(candidate, "same")
            return None
        covering = self._covering(candidate, coverage)
        tests = tuple(test for test in self.layer.tests if test in covering)
        if candidate.in_function and not tests:
            self._count(candidate, "uncovered")
            return None
        screened = Screened("cold", (), 0.0)
        if candidate.in_function:
            is_early = coverage.is_early(candidate.lines)
            screened = self._ask("screen", candidate, lambda: workers.hot.run(files, tests, is_early=is_early))
        was_cold = screened.how == "cold"
        if was_cold:
            if self._num_cold >= MAX_COLD:
                self._count(candidate, "not_tried")
                return None
            self._num_cold += 1
            screened = self._ask("cold", candidate, lambda: workers.fresh.run(files, limit=MAX_FAILING + 1))
        way = "cold" if was_cold else "fork"
        self.yields.cpu_s[way] += screened.cpu_s  # type: ignore[assignment]
        self.yields.num[way] += 1
        if screened.how != "tried" or not 1 <= len(screened.failing) <= MAX_FAILING:
            what = "survived" if not screened.failing else "many"
            self._count(candidate, what if screened.how == "tried" else screened.how)
            return None
        self._count(candidate, "valid")
        self._of_function.update(set(candidate.functions))
        return Valid(candidate, tests, screened.cpu_s, was_cold)

    def _ask(self, question: Question, candidate: Candidate, run: Callable[[], Screened]) -> Screened:
        answer = self.journal.ask(question, candidate, lambda: dataclasses.asdict(run()))
        return Screened(answer["how"], tuple(answer["failing"]), answer["cpu_s"])

    def _covering(self, candidate: Candidate, coverage: CoverageMap) -> frozenset[str]:
        found = (coverage.tests_of(file, lines) for file, lines in candidate.lines)
        return frozenset(itertools.chain.from_iterable(found))

    def _count(self, candidate: Candidate, what: str) -> None:
        self.yields.count(candidate.operator, what)

    def _older(self) -> Iterator[Candidate]:
        older = package_named(self.layer.name).older
        if older is None or not self.quota.history:
            return
        pin = Pin(self.layer.name, older.version, older.sha256)
        what = f"{pin.name} {pin.version}"
        try:
            sdist = fetch_sdists([pin], self.report)[older.sha256]
        except UnreachedError as error:
            self.missing_release = what
            self.report(
                f"tasks from history are left out: {str(error).partition(';')[0]}, of which they put functions back. "
                "With a network, or a mirror in pip's settings, run it again: the release is fetched once and kept"
            )
            return
        found = older_functions(self.sources, read_sdist(sdist, what))
        yield from filter(self.sources.is_planted, found)

    # Confirmation.

    def _confirmed(self, valid: Sequence[Valid], workers: Workers) -> Iterator[Made]:
        for number, each in enumerate(valid, start=1):
            candidate = each.candidate
            try:
                found = self.journal.ask("confirm", candidate, functools.partial(self._confirm, candidate, workers))
            except NotTriedError:
                return
            failing, failures = tuple(found["failing"]), found["failures"]
            if not failing or (candidate.operator == HISTORY and _is_of_interface(failures)):
                self._count(candidate, "unconfirmed")
                continue
            yield Made(
                candidate=candidate,
                kind=_kind(candidate),
                failing=failing,
                relevant=tuple(test for test in self.layer.tests if test in {*each.tests, *failing}),
                issue=self._issue(candidate, failures),
                screen_s=each.cpu_s,
                suite_s=found["suite_s"],
                was_cold=each.was_cold,
            )
            if number % 10 == 0:
                self.report(f"{number} of {len(valid)} confirmed")

    def _confirm(self, candidate: Candidate, workers: Workers) -> dict[str, Any]:
        """Tests that fail in every run from nothing, what is seen in them, and CPU seconds of the cheapest run."""
        files = self.sources.changed(candidate.edits)
        assert files is not None
        outcomes = self._outcomes(files, workers.confirming)
        agree = len(outcomes) == len(CONFIRMING) and _is_usable(outcomes[-1], outcomes[0])
        failing = outcomes[0].failing if agree else ()
        shown = sorted(failing, key=len)[:MAX_EXPLAINED]
        return {
            "how": outcomes[-1].how,
            "failing": failing,
            "failures": workers.explaining.failures(files, shown) if shown else [],
            "suite_s": min(each.cpu_s for each in outcomes),
        }

    def _outcomes(self, files: Mapping[str, str], runs: Sequence[Cold]) -> list[Screened]:
        """What runs from nothing say, up to one that does not agree, or in which too few or too many tests fail."""
        outcomes: list[Screened] = []
        for run in runs:
            outcomes.append(run.run(files))
            if not _is_usable(outcomes[-1], outcomes[0]):
                break
        return outcomes

    def _issue(self, candidate: Candidate, failures: Sequence[Mapping[str, Any]]) -> Issue:
        inner = "\n".join(self.sources.file(edit.file).text for edit in candidate.edits)
        issue = word_issue(self.layer.name, candidate.functions, failures, inner)
        if candidate.operator != BODY_REMOVED:
            return issue
        return word_implementation(self.layer.name, candidate.functions[0], self._signature(candidate), issue)

    def _signature(self, candidate: Candidate) -> str:
        """The head of the function whose body is gone, on one line."""
        [edit] = candidate.edits
        source = self.sources.file(edit.file)
        inner = [f for f in source.functions if source.span(f)[0] <= edit.start < source.span(f)[1]]
        function = max(inner, key=lambda f: source.span(f)[0])
        start = source.span(function)[0]
        head = source.text[start : source.span(function.body[0])[0]].split('"""')[0]
        return " ".join(head.split()).rstrip(":").rstrip()


def _kind(candidate: Candidate) -> str:
    return KIND_OF.get(candidate.operator, "fault")


def _is_usable(outcome: Screened, first: Screened) -> bool:
    return outcome.how == "tried" and outcome.failing == first.failing and 1 <= len(outcome.failing) <= MAX_FAILING


def _is_of_interface(failures: Sequence[Mapping[str, Any]]) -> bool:
    raised = [each["raised"] for each in failures if each.get("raised")]
    return any(is_interface_fault(each["type"], each["message"]) for each in raised)


def made_to_json(made: Made) -> dict[str, Any]:
    """A task as JSON values, the inverse of `made_from_json`."""
    facts = dataclasses.asdict(made)
    facts["candidate"]["edits"] = [edit.to_json() for edit in made.candidate.edits]
    return facts
