"""What customers of the insurance company want of claims."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from agentgym_tools.desks.goals import Goal
from agentgym_tools.desks.insurance import reckoning
from agentgym_tools.desks.insurance.bases import ClaimGoal, ContractGoal, Facts
from agentgym_tools.desks.insurance.policy import InsurancePolicy
from agentgym_tools.desks.insurance.world import DOCUMENTS, PERILS
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

Outcomes = list[tuple[Call, ...]]


class FileClaim(ContractGoal):
    """Report a loss; now and then one that has been reported already."""

    name, phrase = "file_claim", "report a loss and claim money for it"
    states = ("active",) * 3 + ("lapsed", "cancelled")
    volunteered = ("contract_id", "insured", "peril", "amount_cents")

    def draw_more(self, rng: random.Random, world: World, contract: Any) -> Facts | None:
        """A peril, a day and an amount."""
        filed = reckoning.claims_on(world, contract["id"])
        if filed and rng.random() < 0.15:
            claim = rng.choice(filed)
            return {
                "peril": claim["peril"],
                "days_ago": TODAY - claim["happened"],
                "amount_cents": claim["amount"],
            }
        perils = [peril for group in PERILS[contract["line"]] for peril in group]
        covered = [peril for peril in perils if reckoning.most_covered(world, contract["tariff_id"], peril)]
        return {
            "peril": rng.choice(covered if rng.random() < 0.8 else perils),
            "days_ago": rng.choice((0, 1, 2, 3, 4, 6, 9, 15, 24, 40)),
            "amount_cents": rng.choice((rng.randrange(5_000, 90_000, 500), rng.randrange(90_000, 600_000, 5_000))),
        }

    def further_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The cover of the peril and the customer's claims."""
        contract = reckoning.contract_of(world, goal.facts["contract_id"])
        return [
            Call("get_cover", {"tariff_id": contract["tariff_id"], "peril": goal.facts["peril"]}),
            Call("list_claims", {"customer_id": goal.customer}),
        ]

    def wanted(self, world: World, goal: Goal, policy: InsurancePolicy) -> Outcomes:  # type: ignore[override]
        """The one call."""
        names = ("contract_id", "peril", "days_ago", "amount_cents")
        return [(Call("file_claim", {name: goal.facts[name] for name in names}),)]


class AddDocument(ClaimGoal):
    """Hand in a document for a claim."""

    name, phrase = "add_document", "hand in a document for a claim"
    states = ("open", "open", "open", "rejected", "paid")
    volunteered = ("claim_id", "event", "document")

    def draw_more(self, rng: random.Random) -> Facts:
        """The document."""
        return {"document": rng.choice(DOCUMENTS)}

    def further_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The documents that are there."""
        return [self.documents(goal)]

    def wanted(self, world: World, goal: Goal, policy: InsurancePolicy) -> Outcomes:  # type: ignore[override]
        """The one call."""
        return [(Call("add_document", {name: goal.facts[name] for name in ("claim_id", "document")}),)]


class WithdrawClaim(ClaimGoal):
    """Withdraw a claim."""

    name, phrase = "withdraw_claim", "withdraw a claim"
    states = ("open", "open", "open", "paid", "rejected")

    def wanted(self, world: World, goal: Goal, policy: InsurancePolicy) -> Outcomes:  # type: ignore[override]
        """The one call."""
        return [(Call("withdraw_claim", {"claim_id": goal.facts["claim_id"]}),)]


class ReopenClaim(ClaimGoal):
    """Have a rejected claim looked at again."""

    name, phrase = "reopen_claim", "have a claim that was turned down looked at again"
    states = ("rejected",) * 4 + ("paid", "withdrawn")

    def further_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The documents, where the rules ask for a new one."""
        return [self.documents(goal)] if policy.reopen_needs_document else []

    def wanted(self, world: World, goal: Goal, policy: InsurancePolicy) -> Outcomes:  # type: ignore[override]
        """The one call."""
        return [(Call("reopen_claim", {"claim_id": goal.facts["claim_id"]}),)]


class PayClaim(ClaimGoal):
    """Get the money for a claim."""

    name, phrase = "pay_claim", "be paid for a claim"
    states = ("open",) * 4 + ("paid", "rejected")

    def further_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The documents, the account, and what the payout is reckoned from."""
        account = Call("get_account", {"customer_id": goal.customer})
        return [self.documents(goal), account, *self.payout_reads(world, goal)]

    def wanted(self, world: World, goal: Goal, policy: InsurancePolicy) -> Outcomes:  # type: ignore[override]
        """The one call, with the amount that the rules make of it and the account on file."""
        claim = reckoning.claim_of(world, int(goal.facts["claim_id"]))
        row = world.row("SELECT account FROM accounts WHERE customer_id = ?", goal.customer)
        assert row is not None
        paid = {"amount_cents": reckoning.payout_of(world, claim, policy), "account": row["account"]}
        return [(Call("pay_claim", {"claim_id": claim["id"], **paid}),)]


class AskClaimState(ClaimGoal):
    """Ask how a claim stands."""

    name, phrase = "ask_claim_state", "know the state of a claim"
    states = ("open", "paid", "rejected", "withdrawn")

    def answers(self, world: World, goal: Goal, policy: InsurancePolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """The state."""
        return {"claim_state": reckoning.claim_of(world, int(goal.facts["claim_id"]))["state"]}


class AskPayout(ClaimGoal):
    """Ask what an open claim will bring."""

    name, phrase = "ask_payout", "know what would be paid for a claim"

    def further_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """What the payout is reckoned from."""
        return self.payout_reads(world, goal)

    def answers(self, world: World, goal: Goal, policy: InsurancePolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """The amount that the rules make of it."""
        claim = reckoning.claim_of(world, int(goal.facts["claim_id"]))
        return {"payout_cents": reckoning.payout_of(world, claim, policy)}


class AskMissing(ClaimGoal):
    """Ask how many documents an open claim still needs."""

    name, phrase = "ask_missing", "know how many documents of a claim are missing"

    def further_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The documents that are there."""
        return [self.documents(goal)]

    def answers(self, world: World, goal: Goal, policy: InsurancePolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """How many of those that the rules want are not there."""
        claim = reckoning.claim_of(world, int(goal.facts["claim_id"]))
        return {"num_missing": len(reckoning.documents_missing(world, claim, policy))}
