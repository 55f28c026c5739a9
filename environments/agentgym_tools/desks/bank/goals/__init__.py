"""What customers of the bank want: all kinds of goals together."""

from __future__ import annotations

from collections.abc import Mapping

from agentgym_tools.desks.bank.goals.accounts import ACCOUNT_GOALS
from agentgym_tools.desks.bank.goals.cards import CARD_GOALS
from agentgym_tools.desks.bank.goals.money import MONEY_GOALS
from agentgym_tools.desks.bank.goals.questions import QUESTIONS
from agentgym_tools.desks.goals import GoalKind

KINDS: Mapping[str, GoalKind] = {kind.name: kind() for kind in (*CARD_GOALS, *ACCOUNT_GOALS, *MONEY_GOALS, *QUESTIONS)}
"""Its kinds of goals by name."""
