"""What outcomes are worth."""

import pytest

from agentgym_swe.foreign.changes import Patch
from agentgym_swe.foreign.formats import FORMATS
from agentgym_swe.foreign.records import Outcome
from agentgym_swe.foreign.verdict import Ran, weigh
from tests.environments.foreign.bench import FAILING, FIX, KEPT, rows

INSTANCE = FORMATS["swegym"](rows("x:1")["swegym"], "")
PASSED: dict[str, Outcome] = dict.fromkeys([*FAILING, *KEPT], "passed")


def ran(outcomes: dict[str, Outcome], exit_code: int = 1, num_records: int = 9) -> Ran:
    has_failures = any(each in ("failed", "error") for each in outcomes.values())
    return Ran(outcomes, "ended", exit_code, num_records, has_failures)


@pytest.mark.parametrize("outcome", ["failed", "error", "skipped", "xfailed", "missing"])
def test_only_what_passed_is_passed(outcome: Outcome) -> None:
    for name in (FAILING[0], KEPT[0]):
        found = weigh(INSTANCE, Patch(FIX), ran({**PASSED, name: outcome}))
        assert (found.kind, found.reasons) == ("failed", (f"{name}: {outcome}",))
    exit_code = 1 if outcome in ("failed", "error") else 0
    assert weigh(INSTANCE, Patch(FIX), ran({**PASSED, KEPT[0]: outcome}, exit_code), [KEPT[0]]).is_solved


def test_records_that_the_exit_code_contradicts_do_not_count() -> None:
    assert weigh(INSTANCE, Patch(FIX), ran(PASSED, exit_code=0)).is_solved
    assert weigh(INSTANCE, Patch(FIX), ran(PASSED, exit_code=1)).kind == "inconsistent"
    other_fails = Ran(PASSED, "ended", 0, 9, has_failures=True)
    assert weigh(INSTANCE, Patch(FIX), other_fails).kind == "inconsistent"
    other_fails = Ran(PASSED, "ended", 1, 9, has_failures=True)
    assert weigh(INSTANCE, Patch(FIX), other_fails).is_solved  # a test that the row does not name


def test_run_without_records_and_run_that_was_ended_have_kinds_of_their_own() -> None:
    missing: dict[str, Outcome] = dict.fromkeys(PASSED, "missing")
    assert weigh(INSTANCE, Patch(FIX), ran(missing, num_records=0)).kind == "unrecorded"
    assert weigh(INSTANCE, Patch(FIX), Ran(missing, "hung", -1, 0, has_failures=False)).kind == "hung"
