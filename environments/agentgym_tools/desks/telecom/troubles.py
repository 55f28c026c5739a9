"""The troubles with phones: what has to be looked at, what proves that one is gone, and what it is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Trouble(NamedTuple):
    """A trouble.

    Attributes:
        words: What it is called in the rules.
        phrase: What a customer says it wants.
        symptom: What is lacking, as `network.cures` takes it.
        reads: Tools of the phone that show its causes.
        check: The tool of the phone that shows whether it is gone.
    """

    words: str
    phrase: str
    symptom: str
    reads: tuple[str, ...]
    check: str


_STATUS, _NETWORK, _ACCESS = "check_status_bar", "check_network_settings", "check_access_point"

TROUBLES: Mapping[str, Trouble] = {
    "fix_service": Trouble("No service", "have service again", "service", (_STATUS,), _STATUS),
    "fix_data": Trouble(
        "No data at home", "have mobile data again", "data", (_STATUS, _NETWORK, _ACCESS), "run_speed_test"
    ),
    "fix_slow_data": Trouble("Slow data", "have fast data again", "fast data", (_STATUS, _NETWORK), "run_speed_test"),
    "fix_calls": Trouble(
        "No calls", "make and get calls again", "calls", (_STATUS, "check_call_settings"), "make_test_call"
    ),
    "fix_mms": Trouble(
        *("No picture messages", "send picture messages again", "mms"),
        (_STATUS, _NETWORK, _ACCESS, "check_permissions"),
        "send_test_mms",
    ),
    "fix_roaming": Trouble(
        "No data abroad", "have data abroad", "data", (_STATUS, _NETWORK, _ACCESS), "run_speed_test"
    ),
}
"""The troubles by the kind of the goal."""
