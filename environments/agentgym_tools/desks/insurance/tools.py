"""The insurance company's tools that read; those that write are added in `changes`."""

from __future__ import annotations

from typing import Any

from agentgym_tools.desks.insurance.reckoning import (
    claim_of,
    contract_of,
    documents_of,
    months_left,
    most_covered,
    paid_for_term,
    was_extended,
)
from agentgym_tools.desks.insurance.world import PERILS
from agentgym_tools.desks.setting.days import dated
from agentgym_tools.worlds.toolbox import Toolbox, ToolFailure, reads


class InsuranceReads(Toolbox):
    """Find customers, contracts, claims and tariffs."""

    @reads
    def find_customer_by_birth(self, name: str, birth_date: str) -> Any:
        """Find a customer by name and date of birth.

        Args:
            name: First and last name.
            birth_date: The date, such as 1980-12-31.
        """
        return self._customer("name = ? AND born = ?", name, birth_date)

    @reads
    def find_customer_by_phone(self, phone: str, birth_date: str) -> Any:
        """Find a customer by phone number and date of birth.

        Args:
            phone: The phone number.
            birth_date: The date, such as 1980-12-31.
        """
        return self._customer("phone = ? AND born = ?", phone, birth_date)

    @reads
    def find_customer_by_email(self, email: str, zip_code: str) -> Any:
        """Find a customer by e-mail address and zip code.

        Args:
            email: The whole address.
            zip_code: Zip code of the customer's address.
        """
        return self._customer("email = ? AND zip = ?", email.lower(), zip_code)

    @reads
    def get_account(self, customer_id: str) -> Any:
        """Read the bank account to which a customer's payouts go.

        Args:
            customer_id: The customer.
        """
        row = self.account(customer_id)
        self.show("accounts", row["customer_id"])
        return {"account": row["account"], **dated("change", row["changed"])}

    @reads
    def list_contracts(self, customer_id: str) -> Any:
        """List a customer's contracts: what is insured, in which line, and their states.

        Args:
            customer_id: The customer.
        """
        customer = self.account(customer_id)["customer_id"]
        self.show("contracts of", customer)
        rows = self.world.rows(
            "SELECT contracts.id, line, insured, state FROM contracts JOIN tariffs ON tariffs.id = tariff_id "
            "WHERE customer_id = ? ORDER BY contracts.id",
            customer,
        )
        return [
            {"contract_id": row["id"], **{name: row[name] for name in ("line", "insured", "state")}} for row in rows
        ]

    @reads
    def get_contract(self, contract_id: str) -> Any:
        """Read a contract: its tariff, state, days, and what is due on it.

        Args:
            contract_id: The contract.
        """
        return self._shown_contract(self.contract(contract_id))

    @reads
    def find_contract(self, customer_id: str, insured: str) -> Any:
        """Read the contract of a customer whose number nobody knows, by what is insured.

        Args:
            customer_id: The customer.
            insured: What is insured, such as red van, flat in Arden or trip to Peru.
        """
        customer = self.account(customer_id)["customer_id"]
        row = self.world.row(
            "SELECT id FROM contracts WHERE customer_id = ? AND lower(insured) = ?", customer, insured.strip().lower()
        )
        if row is None:
            raise ToolFailure(f"{customer} has no contract for {insured[:40]!r}; list_contracts names what is insured.")
        return self._shown_contract(self.contract(row["id"]))

    @reads
    def list_drivers(self, contract_id: str) -> Any:
        """List the further drivers of a car's contract.

        Args:
            contract_id: The contract.
        """
        contract = self.contract(contract_id)
        self.show("drivers", contract["id"])
        rows = self.world.rows("SELECT * FROM drivers WHERE contract_id = ? ORDER BY name", contract["id"])
        return [{"driver": row["name"], "age": row["age"], "surcharge_cents": row["surcharge"]} for row in rows]

    @reads
    def list_claims(self, customer_id: str) -> Any:
        """List all claims of a customer, on whichever contract.

        Args:
            customer_id: The customer.
        """
        customer = self.account(customer_id)["customer_id"]
        self.show("claims of", customer)
        rows = self.world.rows(
            "SELECT claims.* FROM contracts JOIN claims ON contract_id = contracts.id WHERE customer_id = ? "
            "ORDER BY claims.id",
            customer,
        )
        return [self._shown_claim(row) for row in rows]

    @reads
    def get_claim(self, claim_id: int) -> Any:
        """Read a claim: the loss, its days, the claimed amount and its state.

        Args:
            claim_id: The claim.
        """
        return self._shown_claim(self.claim(claim_id))

    @reads
    def find_claim(self, customer_id: str, event: str) -> Any:
        """Read the claim of a customer whose number nobody knows, by the loss.

        Args:
            customer_id: The customer.
            event: The peril and the month in which it happened, such as theft in March.
        """
        customer = self.account(customer_id)["customer_id"]
        row = self.world.row(
            "SELECT claims.* FROM contracts JOIN claims ON contract_id = contracts.id "
            "WHERE customer_id = ? AND lower(event) = ? ORDER BY claims.id",
            customer,
            event.strip().lower(),
        )
        if row is None:
            raise ToolFailure(f"{customer} has no claim for {event[:40]!r}; list_claims names them.")
        return self._shown_claim(row)

    @reads
    def list_documents(self, claim_id: int) -> Any:
        """List the documents of a claim and when they came.

        Args:
            claim_id: The claim.
        """
        claim = self.claim(claim_id)
        self.show("documents", claim["id"])
        found = documents_of(self.world, claim["id"])
        return [{"document": kind, **dated("receipt", day)} for kind, day in found.items()]

    @reads
    def get_cover(self, tariff_id: str, peril: str) -> Any:
        """Read whether a tariff covers a peril, and how much it pays at most.

        Args:
            tariff_id: The tariff.
            peril: The peril, such as theft.
        """
        tariff = self.tariff(tariff_id)
        found = self.known_peril(tariff["line"], peril)
        self.show("covers", f"{tariff['id']} {found}")
        most = most_covered(self.world, tariff["id"], found)
        return {"tariff_id": tariff["id"], "peril": found, "is_covered": most > 0, "at_most_cents": most}

    @reads
    def find_tariffs(self, line: str, peril: str) -> Any:
        """List the tariffs of a line that cover a peril, with their levels, deductibles and monthly premiums.

        Args:
            line: The line: car, home or travel.
            peril: The peril, such as theft.
        """
        if line not in PERILS:
            raise ToolFailure(f"There is no line {line[:40]!r}; there are {', '.join(PERILS)}.")
        found = self.known_peril(line, peril)
        self.show("tariffs", f"{line} {found}")
        rows = self.world.rows(
            "SELECT tariffs.*, most FROM covers JOIN tariffs ON tariffs.id = tariff_id WHERE peril = ? AND line = ? "
            "ORDER BY premium, tariffs.id",
            found,
            line,
        )
        for row in rows:
            self.show("covers", f"{row['id']} {found}")
        return [
            {
                "tariff_id": row["id"],
                "level": row["level"],
                "premium_cents_a_month": row["premium"],
                "deductible_cents": row["deductible"],
                "at_most_cents": row["most"],
            }
            for row in rows
        ]

    def account(self, customer_id: str) -> Any:
        """The account's row of a customer that there is."""
        row = self.world.row("SELECT * FROM accounts WHERE customer_id = ?", customer_id.strip())
        return self._found(row, "customer", customer_id)

    def contract(self, contract_id: str) -> Any:
        """A contract that there is."""
        return self._found(contract_of(self.world, contract_id.strip()), "contract", contract_id)

    def claim(self, claim_id: int) -> Any:
        """A claim that there is."""
        return self._found(claim_of(self.world, claim_id), "claim", claim_id)

    def tariff(self, tariff_id: str) -> Any:
        """A tariff that there is."""
        return self._found(self.world.row("SELECT * FROM tariffs WHERE id = ?", tariff_id.strip()), "tariff", tariff_id)

    @staticmethod
    def known_peril(line: str, peril: str) -> str:
        """A peril of a line."""
        known = [each for group in PERILS[line] for each in group]
        if peril.strip().lower() not in known:
            raise ToolFailure(f"The perils of the line {line} are {', '.join(known)}, got {peril[:40]!r}.")
        return peril.strip().lower()

    @staticmethod
    def _found(row: Any, what: str, key: object) -> Any:
        if row is None:
            raise ToolFailure(f"There is no {what} {str(key)[:40]!r}.")
        return row

    def _customer(self, where: str, *values: str) -> Any:
        sql = f"SELECT * FROM customers WHERE {where}"  # noqa: S608 - from this file
        row = self.world.row(sql, *(value.strip() for value in values))
        if row is None:
            raise ToolFailure("There is no such customer.")
        self.show("customers", row["id"])
        told = ("name", "email", "phone", "street", "town", "zip")
        return {"customer_id": row["id"], **{name: row[name] for name in told}}

    def _shown_contract(self, contract: Any) -> dict[str, Any]:
        self.show("contracts", contract["id"])
        kept = ("customer_id", "line", "insured", "state", "tariff_id", "level")
        return {
            "contract_id": contract["id"],
            **{name: contract[name] for name in kept},
            "deductible_cents": contract["deductible"],
            "premium_cents_a_month": contract["premium"],
            "paid_for_term_cents": paid_for_term(contract),
            **dated("start", contract["started"]),
            **dated("end", contract["ends"]),
            "whole_months_left": months_left(contract),
            **dated("lapse", contract["lapsed"]),
            "due_cents": contract["due"],
            "deferred_days": contract["deferred"],
            "bonus_percent": contract["bonus"],
            **(self._of_trip(contract) if contract["line"] == "travel" else {}),
        }

    def _of_trip(self, contract: Any) -> dict[str, Any]:
        days = contract["ends"] - contract["started"]
        return {"days_in_all": days, "was_extended": was_extended(self.world, contract["id"])}

    def _shown_claim(self, claim: Any) -> dict[str, Any]:
        self.show("claims", claim["id"])
        kept = ("contract_id", "event", "peril", "state")
        return {
            "claim_id": claim["id"],
            **{name: claim[name] for name in kept},
            "claimed_cents": claim["amount"],
            **dated("loss", claim["happened"]),
            **dated("report", claim["reported"]),
            **dated("settlement", claim["settled"]),
        }
