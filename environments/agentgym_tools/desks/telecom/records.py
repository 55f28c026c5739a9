"""What the desk can read; what it can change is in `tools`."""

from __future__ import annotations

from typing import Any

from agentgym_tools.desks.setting.days import TODAY, dated
from agentgym_tools.worlds.toolbox import Toolbox, ToolFailure, reads


class TelecomRecords(Toolbox):
    """Find customers; read lines, plans, SIMs, bills and charges."""

    @reads
    def find_customer_by_email(self, email: str, pin: str) -> Any:
        """Find a customer by the e-mail address and the PIN.

        Args:
            email: The whole address.
            pin: The PIN of the account.
        """
        return self._customer("email = ? AND pin = ?", email.strip().lower(), pin.strip())

    @reads
    def find_customer_by_line(self, line: str, pin: str) -> Any:
        """Find a customer by the number of a line and the PIN.

        Args:
            line: The number.
            pin: The PIN of the account.
        """
        return self._customer(
            "id = (SELECT customer_id FROM lines WHERE id = ?) AND pin = ?", line.strip(), pin.strip()
        )

    @reads
    def find_customer_by_name(self, name: str, born: str) -> Any:
        """Find a customer by name and date of birth.

        Args:
            name: First and last name.
            born: The date of birth, such as 1990-05-21.
        """
        return self._customer("name = ? AND born = ?", name.strip(), born.strip())

    @reads
    def list_lines(self, customer_id: str) -> Any:
        """List a customer's lines.

        Args:
            customer_id: The customer.
        """
        self.row("customers", customer_id)
        self.show("lines of", customer_id)
        rows = self.world.rows("SELECT id, state, plan_id FROM lines WHERE customer_id = ? ORDER BY id", customer_id)
        return [{"line": row["id"], "state": row["state"], "plan": row["plan_id"]} for row in rows]

    @reads
    def get_line(self, line: str) -> Any:
        """Read a line: its state, plan, contract, data used in this month, roaming and bars.

        Args:
            line: The number.
        """
        row = self.row("lines", line)
        self.show("lines", row["id"])
        return {
            "line": row["id"],
            "customer_id": row["customer_id"],
            "state": row["state"],
            "plan": row["plan_id"],
            **dated("start", row["started"]),
            **dated("contract_end", row["contract_end"]),
            **dated("plan_change", row["plan_since"]),
            "used_mb": row["used_mb"],
            "packs_this_month": row["packs"],
            "mb_of_packs": row["pack_mb"],
            "roaming": "enabled" if row["roaming"] else "disabled",
            "calls_barred_for": row["barred"] or "nothing",
        }

    @reads
    def list_plans(self) -> Any:
        """List all plans with their price and data a month."""
        self.show("plans", "all")
        rows = self.world.rows("SELECT * FROM plans ORDER BY price, id")
        return [{"plan": row["id"], "price_cents": row["price"], "data_mb": row["data_mb"]} for row in rows]

    @reads
    def get_plan(self, plan: str) -> Any:
        """Read a plan: its price, its data a month, its access point (APN) and MMS center.

        Args:
            plan: Its name.
        """
        row = self.row("plans", plan)
        self.show("plans", row["id"])
        return {
            "plan": row["id"],
            "price_cents": row["price"],
            "data_mb": row["data_mb"],
            "apn": row["apn"],
            "mms_center": row["mms_center"],
        }

    @reads
    def get_sim(self, line: str) -> Any:
        """Read the SIM of a line: its kind, age and PUK.

        Args:
            line: The number.
        """
        self.row("lines", line)
        row = self.world.row("SELECT * FROM sims WHERE line_id = ?", line.strip())
        assert row is not None
        self.show("sims", row["line_id"])
        return {"line": row["line_id"], "kind": row["kind"], "puk": row["puk"], **dated("issue", row["since"])}

    @reads
    def list_bills(self, customer_id: str) -> Any:
        """List a customer's bills: what is open, and when it is due.

        Args:
            customer_id: The customer.
        """
        self.row("customers", customer_id)
        self.show("bills of", customer_id)
        rows = self.world.rows("SELECT * FROM bills WHERE customer_id = ? ORDER BY due, id", customer_id)
        return [
            {
                "bill": row["id"],
                "amount_cents": row["amount"],
                "state": "paid" if row["paid_by"] else "open",
                **dated("due", row["due"]),
                **({"is_overdue": True} if not row["paid_by"] and row["due"] < TODAY else {}),
            }
            for row in rows
        ]

    @reads
    def list_charges(self, line: str) -> Any:
        """List the single charges of a line in the last months.

        Args:
            line: The number.
        """
        self.row("lines", line)
        self.show("charges of", line.strip())
        rows = self.world.rows("SELECT * FROM charges WHERE line_id = ? ORDER BY day, id", line.strip())
        return [
            {
                "charge": row["id"],
                "kind": row["kind"],
                "amount_cents": row["amount"],
                **dated("charge", row["day"]),
                "state": "refunded" if row["refunded"] else "charged",
            }
            for row in rows
        ]

    @reads
    def list_payments(self, customer_id: str) -> Any:
        """List the ways in which a customer can pay.

        Args:
            customer_id: The customer.
        """
        self.row("customers", customer_id)
        self.show("payments of", customer_id)
        rows = self.world.rows("SELECT * FROM payments WHERE customer_id = ? ORDER BY id", customer_id)
        return [{"payment_id": row["id"], "kind": row["kind"]} for row in rows]

    def _customer(self, condition: str, *values: str) -> Any:
        row = self.world.row(f"SELECT * FROM customers WHERE {condition}", *values)  # noqa: S608 - from this class
        if row is None:
            raise ToolFailure("There is no such customer.")
        self.show("customers", row["id"])
        phone = self.world.row("SELECT line_id FROM phones WHERE customer_id = ?", row["id"])
        assert phone is not None
        known = {name: row[name] for name in ("name", "email", "street", "town")}
        return {"customer_id": row["id"], **known, "line_of_the_phone": phone["line_id"]}

    def row(self, table: str, key: str) -> Any:
        """A row of a table by its key; there has to be one."""
        row = self.world.row(f"SELECT * FROM {table} WHERE id = ?", key.strip())  # noqa: S608 - from this class
        if row is None:
            raise ToolFailure(f"There is no {key[:40]!r} among the {table}.")
        return row
