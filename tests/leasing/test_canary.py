"""The canary tells what a reset left, and waits for what is on its way out."""

import itertools

from agentgym.leasing.canary import leftovers

PRISTINE = {"pages": "0", "cookies": "0"}


def test_only_the_named_values_count_and_a_missing_one_is_a_leftover() -> None:
    assert leftovers(lambda: {"pages": "0", "cookies": "0", "uptime": "9"}, PRISTINE) == {}
    assert leftovers(lambda: {"pages": "2"}, PRISTINE) == {"pages": "2", "cookies": "missing"}


def test_what_disappears_in_time_is_no_leftover() -> None:
    numbers = itertools.chain(["2", "1"], itertools.repeat("0"))
    assert leftovers(lambda: {"pages": next(numbers), "cookies": "0"}, PRISTINE, patience_s=5.0) == {}
