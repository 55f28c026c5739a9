"""The verdict on a request: its net changes against every right way, and what was answered or declined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from agentgym_tools.workbench.aims import Aim
from agentgym_tools.workbench.cases import Answer
from agentgym_tools.worlds.calls import as_text
from agentgym_tools.worlds.changes import contains_all

MAX_NUMBER_TEXT = 40


@dataclass(frozen=True)
class Ending:
    """How an agent ended a request.

    Attributes:
        answer: What it answered; None for nothing.
        reason: Why it declined; "" if it did not.
    """

    answer: Any = None
    reason: str = ""


class Verdict(NamedTuple):
    """What a request came to.

    Attributes:
        is_state_right: Whether what had to change has changed, whatever else did.
        is_untouched: Whether nothing else changed.
        is_communicated: Whether the right thing was said, after it was read, and nothing needless was asked.
    """

    is_state_right: bool
    is_untouched: bool
    is_communicated: bool

    @property
    def is_right(self) -> bool:
        """Whether all is right."""
        return self.is_state_right and self.is_untouched and self.is_communicated


def judge(aim: Aim, now: Sequence[str], ending: Ending, *, has_evidence: bool, is_badly_asked: bool) -> Verdict:
    """The verdict on a request as it stands.

    Args:
        aim: What was to be reached.
        now: The contents of the net changes since the request.
        ending: How it was ended.
        has_evidence: Whether what it rests on was seen.
        is_badly_asked: Whether a missing value was not asked for, or something needless was.
    """
    matching = [wanted for wanted in aim.expected if contains_all(now, wanted)]
    if matching:
        is_untouched = any(len(wanted) == len(now) for wanted in matching)
    else:
        is_untouched = any(contains_all(wanted, now) for wanted in aim.expected)
    case = aim.case
    if case.reason or ending.reason:
        said = ending.reason == case.reason
    else:
        said = case.answer is None or is_answer(ending.answer, case.answer)
    return Verdict(bool(matching), is_untouched, said and has_evidence and not is_badly_asked)


def is_answer(given: Any, wanted: Answer) -> bool:
    """Whether what was given is the answer: numbers as numbers, texts whatever the case, names in any order."""
    if isinstance(wanted, tuple):
        return isinstance(given, list) and sorted(map(as_text, given)) == sorted(map(as_text, wanted))
    if isinstance(given, list):
        return len(given) == 1 and is_answer(given[0], wanted)
    number, right = _number(given), _number(wanted)
    if right is not None:
        return number == right
    return isinstance(given, str) and as_text(given) == as_text(wanted)


def _number(value: Any) -> Fraction | None:
    if isinstance(value, bool) or len(text := str(value).strip()) > MAX_NUMBER_TEXT:
        return None
    try:
        return Fraction(text) if "e" not in text.lower() and "/" not in text else None
    except (ValueError, ZeroDivisionError):
        return None
