"""What each wanted test came to, by the records of a run: missing, skipped and expected to fail are not passed.

Names that a data set cut are met by every test that begins with them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from agentgym_swe.foreign.instance import Instance
from agentgym_swe.foreign.records import Outcome, Record, junit_name

_WORST: Sequence[Outcome] = ("error", "failed", "xfailed", "skipped", "passed")


def is_cut(name: str) -> bool:
    """Whether a name ends within its parameters, such as "test_a.py::test[some"."""
    return "[" in name and not name.endswith("]")


class Outcomes:
    """The records of one run, by name.

    Args:
        records: The records.
        is_junit: Whether they are of a junit file.
    """

    def __init__(self, records: Iterable[Record], *, is_junit: bool) -> None:
        self._is_junit = is_junit
        self._by_name: dict[str, list[Outcome]] = defaultdict(list)
        self._by_end: dict[str, list[str]] = defaultdict(list)
        for name, outcome in records:
            if name not in self._by_name:
                for end in _ends(name):
                    self._by_end[end].append(name)
            self._by_name[name].append(outcome)

    def __len__(self) -> int:
        return len(self._by_name)

    @property
    def has_failures(self) -> bool:
        """Whether any test failed or could not be run."""
        return any(outcome in ("failed", "error") for each in self._by_name.values() for outcome in each)

    def of(self, name: str, *, is_short: bool = False) -> Outcome:
        """What a wanted test came to; the worst of all records that the name stands for.

        Args:
            name: As the data set has it.
            is_short: Whether it lacks the file.
        """
        met = self._met(name, is_short)
        came = {outcome for each in met for outcome in self._by_name[each]}
        return next((outcome for outcome in _WORST if outcome in came), "missing")

    def _met(self, name: str, is_short: bool) -> list[str]:
        if is_short:
            return self._by_end.get(name, [])
        key = junit_name(name) if self._is_junit else name
        if key in self._by_name:
            return [key]
        return [each for each in self._by_name if each.startswith(key)] if is_cut(name) else []


def _ends(name: str) -> list[str]:
    """What a test may be called without its file: "test", "Class.test", and so on."""
    address, bracket, parameters = name.partition("[")
    place, _, last = address.rpartition("::")
    parts = place.replace("/", ".").replace("::", ".").split(".") if place else []
    test = f"{last}{bracket}{parameters}"
    return [".".join([*parts[len(parts) - count :], test]) for count in range(min(len(parts), 3) + 1)]


def wanted_outcomes(instance: Instance, found: Outcomes) -> Mapping[str, Outcome]:
    """What each test of an instance came to."""
    return {name: found.of(name, is_short=instance.short_names) for name in (*instance.failing, *instance.kept)}
