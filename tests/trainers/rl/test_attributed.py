"""Credit of methods of attribution in training."""

from __future__ import annotations

import numpy as np
import pytest

from agentgym.attribution.environment import Environment
from agentgym.errors import ContractError
from agentgym_rl.attributed import AttributionConfig, attribute
from tests.attribution.records import record


def test_credit_that_is_no_number_is_never_learnt_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Environment, "credit", lambda _, steps: np.where(steps.rewards > 0, np.nan, 0.0))
    with pytest.raises(ContractError, match="environment gives turn 1 of episode 'a' the credit nan"):
        attribute([record("a", [0.0, 9.0])], AttributionConfig("environment"))
