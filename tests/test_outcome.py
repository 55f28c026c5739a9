from __future__ import annotations

import pytest

from agentgym.errors import ContractError
from agentgym.outcome import KINDS, Outcome


def test_outcome_reads_as_kind_and_cause():
    assert str(Outcome("truncated", "tokens")) == "truncated:tokens"
    assert str(Outcome("invalid")) == "invalid"


@pytest.mark.parametrize("kind", KINDS)
def test_outcome_is_either_graded_or_without_reward(kind):
    outcome = Outcome(kind, "time" if kind == "truncated" else "")
    assert outcome.is_graded == (kind in ("terminated", "truncated", "invalid"))
    assert outcome.is_retryable == (kind in ("infrastructure", "partner_fault"))


@pytest.mark.parametrize(("kind", "cause"), [("finished", ""), ("truncated", ""), ("truncated", "boredom")])
def test_outcome_refuses_what_does_not_exist(kind, cause):
    with pytest.raises(ContractError, match="expected one of"):
        Outcome(kind, cause)
