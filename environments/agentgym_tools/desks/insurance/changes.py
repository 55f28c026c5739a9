"""The insurance company's tools: those that write, and with them all that read."""

from __future__ import annotations

from typing import Any

from agentgym_tools.desks.insurance.reckoning import MAX_NUMBER, documents_of
from agentgym_tools.desks.insurance.tools import InsuranceReads
from agentgym_tools.desks.insurance.world import DOCUMENTS, event_of
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.worlds.toolbox import ToolFailure, writes


class InsuranceTools(InsuranceReads):
    """Read everything; file and settle claims; change contracts, addresses and accounts."""

    @writes
    def file_claim(self, contract_id: str, peril: str, days_ago: int, amount_cents: int) -> Any:
        """File a claim for a loss.

        Args:
            contract_id: The contract that is to pay for it.
            peril: What caused the loss, such as theft.
            days_ago: How many days ago it happened; 0 is today.
            amount_cents: The amount that the customer claims, in cents.
        """
        contract = self.contract(contract_id)
        found = self.known_peril(contract["line"], peril)
        _require("days_ago", days_ago, 0)
        _require("amount_cents", amount_cents, 1)
        key, day = self.world.new_id("claims"), TODAY - days_ago
        claim = (key, contract["id"], event_of(found, day), found, day, TODAY, amount_cents, "open", None)
        self.world.write("INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *claim)
        return f"Claim {key} is filed on contract {contract['id']}."

    @writes
    def add_document(self, claim_id: int, document: str) -> Any:
        """Take in a document that the customer hands in for a claim.

        Args:
            claim_id: The claim.
            document: What it is: photo, bill, police report or expert opinion.
        """
        claim = self.claim(claim_id)
        kind = document.strip().lower()
        if kind not in DOCUMENTS:
            raise ToolFailure(f"document must be one of {', '.join(DOCUMENTS)}, got {document[:40]!r}.")
        if kind in documents_of(self.world, claim["id"]):
            raise ToolFailure(f"Claim {claim['id']} has a {kind} already.")
        self.world.write("INSERT INTO documents VALUES (?, ?, ?)", claim["id"], kind, TODAY)
        return f"The {kind} is with claim {claim['id']}."

    @writes
    def withdraw_claim(self, claim_id: int) -> Any:
        """Withdraw an open claim on the customer's wish.

        Args:
            claim_id: The claim.
        """
        claim = self._claim_in(claim_id, "open")
        self._settle(claim["id"], "withdrawn")
        return f"Claim {claim['id']} is withdrawn."

    @writes
    def reopen_claim(self, claim_id: int) -> Any:
        """Open a rejected claim again.

        Args:
            claim_id: The claim.
        """
        claim = self._claim_in(claim_id, "rejected")
        self.world.write("UPDATE claims SET state = 'open', settled = NULL WHERE id = ?", claim["id"])
        return f"Claim {claim['id']} is open again."

    @writes
    def pay_claim(self, claim_id: int, amount_cents: int, account: str) -> Any:
        """Pay an open claim; that settles it.

        Args:
            claim_id: The claim.
            amount_cents: What is paid, in cents.
            account: The bank account that gets it.
        """
        claim = self._claim_in(claim_id, "open")
        _require("amount_cents", amount_cents, 1)
        self._settle(claim["id"], "paid")
        self.world.write("INSERT INTO payouts VALUES (?, ?, ?)", claim["id"], account.strip().upper(), amount_cents)
        return f"{amount_cents} cents are paid for claim {claim['id']}."

    @writes
    def cancel_contract(self, contract_id: str, reason: str, refund_cents: int) -> Any:
        """Cancel a contract from today on.

        Args:
            contract_id: The contract.
            reason: Why: insured thing sold, moving abroad, insured elsewhere or too expensive.
            refund_cents: What goes back to the customer, in cents; 0 if nothing does.
        """
        contract = self._contract_in(contract_id, "active")
        _require("refund_cents", refund_cents, 0)
        self.world.write("UPDATE contracts SET state = 'cancelled' WHERE id = ?", contract["id"])
        self._book(contract["id"], f"cancelled: {reason.strip().lower()[:80]}", -refund_cents)
        return f"Contract {contract['id']} is cancelled."

    @writes
    def change_tariff(self, contract_id: str, tariff_id: str) -> Any:
        """Put a contract on another tariff of its line.

        Args:
            contract_id: The contract.
            tariff_id: The new tariff.
        """
        contract, tariff = self._contract_in(contract_id, "active"), self.tariff(tariff_id)
        if contract["line"] != tariff["line"] or contract["tariff_id"] == tariff["id"]:
            raise ToolFailure(f"{contract['id']} needs another tariff of the line {contract['line']}.")
        self.world.write("UPDATE contracts SET tariff_id = ? WHERE id = ?", tariff["id"], contract["id"])
        return f"Contract {contract['id']} has the tariff {tariff['id']}."

    @writes
    def add_driver(self, contract_id: str, driver: str, driver_age: int, surcharge_cents: int) -> Any:
        """Let a further person drive an insured car.

        Args:
            contract_id: The car's contract.
            driver: First and last name of the person.
            driver_age: The age in years.
            surcharge_cents: What it costs more, in cents; 0 if nothing.
        """
        contract = self._contract_in(contract_id, "active")
        _require("driver_age", driver_age, 1)
        _require("surcharge_cents", surcharge_cents, 0)
        if contract["line"] != "car":
            raise ToolFailure(f"{contract['id']} insures no car.")
        name = driver.strip()
        if self.world.row("SELECT 1 FROM drivers WHERE contract_id = ? AND name = ?", contract["id"], name):
            raise ToolFailure(f"{name[:40]} drives it already.")
        self.world.write("INSERT INTO drivers VALUES (?, ?, ?, ?)", contract["id"], name, driver_age, surcharge_cents)
        return f"{name[:40]} may drive under contract {contract['id']}."

    @writes
    def grant_bonus(self, contract_id: str, percent: int) -> Any:
        """Give a contract its bonus for running without claims.

        Args:
            contract_id: The contract.
            percent: The bonus in percent of the premium.
        """
        contract = self._contract_in(contract_id, "active")
        if contract["bonus"] or not 0 < percent < 100:
            raise ToolFailure(f"{contract['id']} has a bonus of {contract['bonus']} percent; got {percent}.")
        self.world.write("UPDATE contracts SET bonus = ? WHERE id = ?", percent, contract["id"])
        return f"Contract {contract['id']} has a bonus of {percent} percent."

    @writes
    def defer_premium(self, contract_id: str, days: int) -> Any:
        """Let the customer pay later what is due on a contract.

        Args:
            contract_id: The contract.
            days: By how many days it is deferred.
        """
        contract = self.contract(contract_id)
        _require("days", days, 1)
        if not contract["due"]:
            raise ToolFailure(f"Nothing is due on {contract['id']}.")
        self.world.write("UPDATE contracts SET deferred = deferred + ? WHERE id = ?", days, contract["id"])
        return f"What is due on {contract['id']} is deferred by {days} days."

    @writes
    def extend_trip(self, contract_id: str, days: int, price_cents: int) -> Any:
        """Extend the cover of a trip.

        Args:
            contract_id: The trip's contract.
            days: By how many days.
            price_cents: What that costs in all, in cents.
        """
        contract = self._contract_in(contract_id, "active")
        _require("days", days, 1)
        _require("price_cents", price_cents, 0)
        if contract["line"] != "travel" or contract["ends"] < TODAY:
            raise ToolFailure(f"{contract['id']} is no trip that lasts until today or longer.")
        self._book(contract["id"], "extended", price_cents)
        self.world.write("UPDATE contracts SET ends = ends + ? WHERE id = ?", days, contract["id"])
        return f"Contract {contract['id']} lasts {days} days longer."

    @writes
    def reinstate_contract(self, contract_id: str, fee_cents: int) -> Any:
        """Bring a lapsed contract into force again.

        Args:
            contract_id: The contract.
            fee_cents: The fee, in cents; 0 if there is none.
        """
        contract = self._contract_in(contract_id, "lapsed")
        _require("fee_cents", fee_cents, 0)
        self.world.write("UPDATE contracts SET state = 'active', lapsed = NULL WHERE id = ?", contract["id"])
        self._book(contract["id"], "reinstated", fee_cents)
        return f"Contract {contract['id']} is active again."

    @writes
    def change_address(self, customer_id: str, new_street: str, new_town: str, new_zip: str) -> Any:
        """Change a customer's address.

        Args:
            customer_id: The customer.
            new_street: House number and street.
            new_town: The town.
            new_zip: The zip code.
        """
        customer, address = self.account(customer_id)["customer_id"], (new_street, new_town, new_zip)
        self.world.write("UPDATE customers SET street = ?, town = ?, zip = ? WHERE id = ?", *address, customer)
        return f"{customer} lives at {new_street}, {new_zip} {new_town}."

    @writes
    def change_account(self, customer_id: str, new_account: str) -> Any:
        """Change the bank account to which a customer's payouts go.

        Args:
            customer_id: The customer.
            new_account: The number of the new account.
        """
        customer, account = self.account(customer_id)["customer_id"], new_account.strip().upper()
        self.world.write("UPDATE accounts SET account = ?, changed = ? WHERE customer_id = ?", account, TODAY, customer)
        return f"Payouts of {customer} go to {account}."

    def _claim_in(self, claim_id: int, state: str) -> Any:
        claim = self.claim(claim_id)
        if claim["state"] != state:
            raise ToolFailure(f"Claim {claim['id']} is {claim['state']}; this takes one that is {state}.")
        return claim

    def _contract_in(self, contract_id: str, state: str) -> Any:
        contract = self.contract(contract_id)
        if contract["state"] != state:
            raise ToolFailure(f"Contract {contract['id']} is {contract['state']}; this takes one that is {state}.")
        return contract

    def _settle(self, claim_id: int, state: str) -> None:
        self.world.write("UPDATE claims SET state = ?, settled = ? WHERE id = ?", state, TODAY, claim_id)

    def _book(self, contract_id: str, what: str, amount: int) -> None:
        if self.world.row("SELECT 1 FROM bookings WHERE contract_id = ? AND what = ?", contract_id, what):
            raise ToolFailure(f"Contract {contract_id} was {what} before.")
        self.world.write("INSERT INTO bookings VALUES (?, ?, ?)", contract_id, what, amount)


def _require(what: str, value: int, least: int) -> None:
    if not least <= value <= MAX_NUMBER:
        raise ToolFailure(f"{what} must be from {least} to {MAX_NUMBER}, got {str(value)[:20]}.")
