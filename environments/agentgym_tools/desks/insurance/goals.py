"""What customers of the insurance company want: for their addresses and accounts, and all kinds of goals together."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from agentgym_tools.desks.goals import Goal, GoalKind
from agentgym_tools.desks.insurance import claim_goals, contract_goals
from agentgym_tools.desks.insurance.bases import Facts, InsuranceGoal
from agentgym_tools.desks.insurance.policy import InsurancePolicy
from agentgym_tools.desks.insurance.world import COUNTRIES
from agentgym_tools.desks.setting.people import STREETS, TOWNS
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value


def _streets(world: World) -> Sequence[Value]:
    return [f"{number} {street}" for number in (4, 17, 52) for street in STREETS]


class ChangeAddress(InsuranceGoal):
    """Move."""

    name, phrase = "change_address", "have the address changed"
    volunteered = ("new_street", "new_town")
    can_change = {"new_street": _streets}
    can_reconsider = ("new_street",)

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """The new address."""
        return {
            "new_street": f"{rng.randint(1, 99)} {rng.choice(STREETS)}",
            "new_town": rng.choice(TOWNS),
            "new_zip": f"{rng.randint(10_000, 99_999)}",
        }

    def all_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The customer's contracts, where the town is one that matters."""
        contracts = Call("list_contracts", {"customer_id": goal.customer})
        return [contracts] if goal.facts["new_town"] in policy.risk_towns else []

    def wanted(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call."""
        address = {name: goal.facts[name] for name in ("new_street", "new_town", "new_zip")}
        return [(Call("change_address", {"customer_id": goal.customer, **address}),)]


class ChangeAccount(InsuranceGoal):
    """Have payouts sent to another account."""

    name, phrase = "change_account", "have the bank account changed"
    volunteered = ("new_account",)
    can_reconsider = ("new_account",)

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """The new account."""
        return {"new_account": f"{rng.choice(COUNTRIES)}{rng.randint(100_000, 999_999)}"}

    def all_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The present account, and the claims where they matter."""
        customer = {"customer_id": goal.customer}
        claims = [Call("list_claims", customer)] if policy.account_waits_for_claims else []
        return [Call("get_account", customer), *claims]

    def wanted(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call."""
        account = {"customer_id": goal.customer, "new_account": goal.facts["new_account"]}
        return [(Call("change_account", account),)]


KINDS: Mapping[str, GoalKind] = {
    kind.name: kind()
    for kind in (
        *(claim_goals.FileClaim, claim_goals.AddDocument, claim_goals.WithdrawClaim, claim_goals.ReopenClaim),
        *(claim_goals.PayClaim, contract_goals.CancelContract, contract_goals.ChangeTariff, contract_goals.AddDriver),
        *(contract_goals.GetBonus, contract_goals.DeferPremium, contract_goals.ExtendTrip),
        *(contract_goals.ReinstateContract, ChangeAddress, ChangeAccount),
        *(claim_goals.AskClaimState, claim_goals.AskPayout, claim_goals.AskMissing),
        *(contract_goals.AskCover, contract_goals.AskWaiting, contract_goals.AskRefund),
    )
}
"""Its kinds of goals by name."""
