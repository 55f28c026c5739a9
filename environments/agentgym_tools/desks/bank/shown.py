"""How the bank's tools find rows and what they tell of them."""

from __future__ import annotations

from typing import Any

from agentgym_tools.desks.bank.reckoning import MAX_NUMBER, account_of, row_of
from agentgym_tools.desks.setting.days import dated
from agentgym_tools.worlds.toolbox import Toolbox, ToolFailure


class Shown(Toolbox):
    """Rows as agents see them."""

    def customer(self, customer_id: str) -> Any:
        """A customer that there is."""
        return self.one("customers", customer_id)

    def account(self, account_id: str) -> Any:
        """An account that there is."""
        return self.one("accounts", account_id)

    def one(self, table: str, key: str | int) -> Any:
        """A row that there is, by its key."""
        row = row_of(self.world, table, key)
        if row is None:
            raise ToolFailure(f"There is no {str(key)[:40]!r} among the {table}.")
        return row

    def named(self, sql: str, customer_id: str, name: str, what: str) -> Any:
        """The row of a customer that a query finds by a name."""
        row = self.world.row(sql, self.customer(customer_id)["id"], name.strip())
        if row is None:
            raise ToolFailure(f"{customer_id[:40]} has no {what} called {name[:40]!r}.")
        return row

    def only_customer(self, rows: list[Any]) -> Any:
        """The first of the customers that a query found."""
        if not rows:
            raise ToolFailure("There is no such customer.")
        row = rows[0]
        self.show("customers", row["id"])
        told = ("name", "email", "phone", "street", "town", "zip")
        return {"customer_id": row["id"], **{name: row[name] for name in told}, **dated("move", row["moved"])}

    def shown_account(self, row: Any) -> dict[str, Any]:
        """What is told of an account."""
        self.show("accounts", row["id"])
        return {
            "account_id": row["id"],
            "account": row["label"],
            **{name: row[name] for name in ("customer_id", "product", "state")},
            "second_holder": row["joint_with"],
            "balance_cents": row["balance"],
            "overdraft_cents": row["overdraft"],
            **dated("opening", row["opened"]),
        }

    def shown_card(self, row: Any) -> dict[str, Any]:
        """What is told of a card."""
        self.show("cards", row["id"])
        return {
            "card_id": row["id"],
            "card": row["label"],
            **{name: row[name] for name in ("account_id", "kind", "state")},
            **({} if row["block_reason"] is None else {"blocked_as": row["block_reason"]}),
            **dated("block", row["blocked"]),
            "limit_cents": row["most"],
            **dated("issue", row["issued"]),
            "times_replaced_in_last_year": row["replaced"],
        }

    def shown_payment(self, row: Any) -> dict[str, Any]:
        """What is told of a payment."""
        self.show("payments", row["id"])
        told = {name: row[name] for name in ("account_id", "kind", "payee", "state")}
        return {"payment_id": row["id"], **told, "amount_cents": row["amount"], **dated("payment", row["day"])}

    def shown_order(self, row: Any) -> dict[str, Any]:
        """What is told of a standing order."""
        self.show("orders", row["id"])
        return {
            "order_id": row["id"],
            **{name: row[name] for name in ("account_id", "payee", "state")},
            "amount_cents": row["amount"],
            **dated("due", row["due"]),
            "months_paused_this_year": row["paused"],
        }

    def shown_loan(self, row: Any) -> dict[str, Any]:
        """What is told of a loan."""
        self.show("loans", row["id"])
        account = account_of(self.world, row["account_id"])
        return {
            "loan_id": row["id"],
            "loan": row["purpose"],
            **{name: row[name] for name in ("account_id", "state", "deferrals", "day_of_month")},
            "remaining_cents": row["remaining"],
            "instalment_cents": row["instalment"],
            **dated("start", row["started"]),
            "balance_of_account_cents": account["balance"],
        }

    def shown_fee(self, row: Any) -> dict[str, Any]:
        """What is told of a fee."""
        self.show("fees", row["id"])
        return {
            "fee_id": row["id"],
            **{name: row[name] for name in ("account_id", "kind")},
            "amount_cents": row["amount"],
            **dated("charge", row["charged"]),
            "given_back_cents": row["refund"],
        }


def require(what: str, value: int, least: int) -> None:
    """Refuse numbers that cannot be."""
    if not least <= value <= MAX_NUMBER:
        raise ToolFailure(f"{what} must be from {least} to {MAX_NUMBER}, got {str(value)[:20]}.")
