"""The telephone company as a desk: who is a customer, whom the policy obliges to what, and what its tasks are like."""

from __future__ import annotations

import random
from typing import Any

from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.personas import PERSONAS
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.desks.telecom import rules
from agentgym_tools.desks.telecom.goals import phone_line
from agentgym_tools.desks.telecom.phone import PhoneTools
from agentgym_tools.desks.telecom.policy import IDENTIFY, TelecomPolicy
from agentgym_tools.desks.telecom.tools import TelecomTools
from agentgym_tools.desks.telecom.trouble_goals import KINDS
from agentgym_tools.desks.telecom.words import SYNONYMS, TOLD
from agentgym_tools.desks.telecom.world import SIZES, customer_key
from agentgym_tools.desks.templates import Template, depending
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

_IDENTITY = {"email": ("email", "pin"), "line": ("line", "pin"), "name": ("name", "born")}


class Telecom(Domain):
    """The desk of a telephone company."""

    name = "telecom"
    title = "the customers of a telephone company"
    toolbox, user_toolbox, policy, kinds, sizes, today = TelecomTools, PhoneTools, TelecomPolicy, KINDS, SIZES, TODAY
    personas = tuple(PERSONAS)
    subjects = ("line", "bill")
    told, synonyms = TOLD, SYNONYMS
    facts = {
        "name": "the name",
        "email": "the e-mail address",
        "pin": "the PIN of the account",
        "born": "the date of birth",
        "own_line": "the number of the phone in the customer's hands",
        "line": "the number of the line",
        "plan": "the plan",
        "gigabytes": "how many gigabytes the customer would buy",
        "sim_kind": "the kind of SIM",
        "carrier": "the other carrier",
        "charge_kind": "the kind of the charge",
        "charged_cents": "the amount of the charge, in cents",
        "bill": "the bill",
        "payment": "the way to pay",
        "needed_mb": "how much data is needed in a month, in MB",
        "data_left_mb": "how much data is left in this month, in MB",
        "exit_fee_cents": "the exit fee, in cents",
        "debt_cents": "what all open bills would cost today, in cents",
    }
    reasons = {
        "changed_lately": "the plan was changed too short a time ago",
        "smaller_plan": "plans with less data are not given",
        "bill_overdue": "a bill is overdue",
        "packs_used_up": "the line has had all packs of this month",
        "pack_too_large": "the pack is too large",
        "plan_without_roaming": "the plan has no roaming",
        "line_too_new": "the line is too new",
        "staff_bar": "the staff lifts such a bar",
        "not_suspended": "the line is not suspended",
        "fraud_bar": "the line is barred for fraud",
        "not_active": "the line is not active",
        "sim_changed_lately": "the SIM is too new",
        "already_paid": "the bill is paid",
        "already_refunded": "the charge was refunded before",
        "charge_stands": "such charges are not refunded",
        "too_late": "it is too late",
        "high_amount": "the amount is too high for this desk",
        "wrong_fee": "the fee or price is another one",
        "wrong_mode": "the network mode is another one",
    }
    templates = (
        *(Template((kind,), "do") for kind in KINDS if not kind.startswith("ask_")),
        *(Template((kind,), "answer") for kind in KINDS if kind.startswith("ask_")),
        *(Template(("change_plan",), "refuse", why) for why in ("changed_lately", "smaller_plan", "bill_overdue")),
        *(Template(("buy_data",), "refuse", why) for why in ("packs_used_up", "pack_too_large", "bill_overdue")),
        *(Template(("fix_slow_data",), "refuse", why) for why in ("packs_used_up", "pack_too_large", "bill_overdue")),
        *(Template(("fix_roaming",), "refuse", why) for why in ("plan_without_roaming", "line_too_new")),
        *(Template(("resume_line",), "refuse", why) for why in ("not_suspended", "bill_overdue")),
        Template(("block_line",), "refuse", "not_active"),
        Template(("replace_sim",), "refuse", "bill_overdue"),
        *(Template(("move_out",), "refuse", why) for why in ("not_active", "bill_overdue")),
        Template(("pay_bill",), "refuse", "already_paid"),
        *(Template(("refund_charge",), "refuse", why) for why in ("charge_stands", "too_late", "already_refunded")),
        Template(("fix_calls",), "transfer", "staff_bar"),
        Template(("resume_line",), "transfer", "fraud_bar"),
        Template(("replace_sim",), "transfer", "sim_changed_lately"),
        Template(("refund_charge",), "transfer", "high_amount"),
        *(Template(("pay_bill", kind), "do") for kind in ("resume_line", "fix_slow_data", "move_out")),
        *(Template(("block_line", kind), "do") for kind in ("fix_mms", "fix_calls")),
        Template(("fix_data", "buy_data", "ask_debt"), "answer"),
        Template(("refund_charge", "ask_debt", "fix_roaming"), "do"),
        Template(("ask_data_left", "block_line", "replace_sim"), "refuse", "bill_overdue"),
        *depending(("buy_data", "change_plan"), "refused", ("line",)),
        *depending(("pay_bill", "resume_line"), "done"),
    )

    def draw_customer(self, rng: random.Random, world: World) -> str:
        """Some customer's key."""
        count = world.row("SELECT count(*) FROM customers")
        assert count is not None
        return customer_key(rng.randrange(count[0]))

    def profile(self, world: World, customer: str) -> dict[str, Value]:
        """Name, e-mail address, PIN, date of birth, and the number of the phone."""
        row = world.row("SELECT * FROM customers WHERE id = ?", customer)
        assert row is not None
        own = {name: row[name] for name in ("name", "email", "pin", "born")}
        return {**own, "own_line": phone_line(world, customer)}

    def identification(self, world: World, customer: str, policy: TelecomPolicy) -> Call:
        """By what the policy says."""
        profile = self.profile(world, customer)
        tool, _ = IDENTIFY[policy.identify_by]
        known = {**profile, "line": profile["own_line"]}
        return Call(tool, {name: known[name] for name in _IDENTITY[policy.identify_by]})

    def objections(self, world: World, call: Call, policy: TelecomPolicy) -> list[str]:
        """What the rules say against a call."""
        return rules.objections(world, call, policy)

    def owner(self, world: World, call: Call) -> str | None:
        """The customer of the line, of the bill, or of the line that was charged."""
        return rules.owner(world, call)

    def needs_yes(self, tool: str, policy: Any) -> bool:
        """Every change at the desk, but for blocking a line where the policy finds it urgent."""
        return tool in self.toolbox.tools and (policy.asks_before_blocking or tool != "block_line")

    def is_for_staff(self, reason: str, policy: Any) -> bool:
        """Bars, new SIMs of late, and high amounts."""
        return reason in rules.STAFF


TELECOM = Telecom()
