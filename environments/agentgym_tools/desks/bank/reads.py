"""The bank's tools that read: customers, accounts, cards, payments, standing orders, loans, fees and beneficiaries.

Those that write are in `changes` and in the procedures, those that find documents in `tools`.
"""

from __future__ import annotations

from typing import Any

from agentgym_tools.desks.bank.reckoning import MAX_NUMBER, account_of, row_of
from agentgym_tools.desks.setting.days import date_of, dated
from agentgym_tools.worlds.toolbox import Toolbox, ToolFailure, reads


class BankReads(Toolbox):
    """Find customers and what they have."""

    @reads
    def find_customer_by_name(self, name: str, birth_date: str) -> Any:
        """Find a customer by name and date of birth.

        Args:
            name: First and last name.
            birth_date: The date, such as 1980-12-31.
        """
        rows = self.world.rows("SELECT * FROM customers WHERE name = ? ORDER BY id", name.strip())
        return self._customer([row for row in rows if date_of(row["born"]) == birth_date.strip()])

    @reads
    def find_customer_by_phone(self, phone: str, birth_date: str) -> Any:
        """Find a customer by phone number and date of birth.

        Args:
            phone: The phone number.
            birth_date: The date, such as 1980-12-31.
        """
        rows = self.world.rows("SELECT * FROM customers WHERE phone = ? ORDER BY id", phone.strip())
        return self._customer([row for row in rows if date_of(row["born"]) == birth_date.strip()])

    @reads
    def find_customer_by_email(self, email: str, zip_code: str) -> Any:
        """Find a customer by e-mail address and zip code.

        Args:
            email: The whole address.
            zip_code: Zip code of the customer's address.
        """
        sql = "SELECT * FROM customers WHERE email = ? AND zip = ?"
        return self._customer(self.world.rows(sql, email.strip().lower(), zip_code.strip()))

    @reads
    def list_accounts(self, customer_id: str) -> Any:
        """List a customer's accounts with their states and balances.

        Args:
            customer_id: The customer.
        """
        key = self.customer(customer_id)["id"]
        self.show("accounts of", key)
        rows = self.world.rows("SELECT * FROM accounts WHERE customer_id = ? ORDER BY id", key)
        return [self._shown_account(row) for row in rows]

    @reads
    def get_account(self, account_id: str) -> Any:
        """Read an account: its holders, state, balance and overdraft.

        Args:
            account_id: The account.
        """
        return self._shown_account(self.account(account_id))

    @reads
    def find_account(self, customer_id: str, account: str) -> Any:
        """Read a customer's account whose number nobody knows, by what the customer calls it.

        Args:
            customer_id: The customer.
            account: Its name, such as salary account.
        """
        sql = "SELECT * FROM accounts WHERE customer_id = ? AND label = ?"
        return self._shown_account(self._named(sql, customer_id, account, "account"))

    @reads
    def list_cards(self, account_id: str) -> Any:
        """List the cards of an account.

        Args:
            account_id: The account.
        """
        key = self.account(account_id)["id"]
        self.show("cards of", key)
        return [
            self._shown_card(row)
            for row in self.world.rows("SELECT * FROM cards WHERE account_id = ? ORDER BY id", key)
        ]

    @reads
    def get_card(self, card_id: str) -> Any:
        """Read a card: its kind, state, limit and days.

        Args:
            card_id: The card.
        """
        return self._shown_card(self.one("cards", card_id))

    @reads
    def find_card(self, customer_id: str, card: str) -> Any:
        """Read a customer's card whose number nobody knows, by what the customer calls it.

        Args:
            customer_id: The customer.
            card: Its name, such as blue debit card.
        """
        sql = "SELECT cards.* FROM accounts JOIN cards ON account_id = accounts.id WHERE customer_id = ?"
        return self._shown_card(self._named(f"{sql} AND cards.label = ?", customer_id, card, "card"))

    @reads
    def list_payments(self, account_id: str) -> Any:
        """List the payments of an account.

        Args:
            account_id: The account.
        """
        key = self.account(account_id)["id"]
        rows = self.world.rows("SELECT * FROM payments WHERE account_id = ? ORDER BY id", key)
        return [self._shown_payment(row) for row in rows]

    @reads
    def get_payment(self, payment_id: int) -> Any:
        """Read a payment by card or a transfer: its payee, amount, day and state.

        Args:
            payment_id: The payment.
        """
        return self._shown_payment(self.one("payments", payment_id))

    @reads
    def find_payment(self, customer_id: str, payment: str) -> Any:
        """Read a customer's payment whose number nobody knows, by payee and month.

        Args:
            customer_id: The customer.
            payment: The payee and the month, such as Cafe Miro in May.
        """
        sql = "SELECT payments.* FROM accounts JOIN payments ON account_id = accounts.id WHERE customer_id = ?"
        return self._shown_payment(self._named(f"{sql} AND called = ?", customer_id, payment, "payment"))

    @reads
    def list_standing_orders(self, account_id: str) -> Any:
        """List the standing orders of an account, in whichever state.

        Args:
            account_id: The account.
        """
        key = self.account(account_id)["id"]
        self.show("orders of", key)
        rows = self.world.rows("SELECT * FROM orders WHERE account_id = ? ORDER BY id", key)
        return [self._shown_order(row) for row in rows]

    @reads
    def get_standing_order(self, order_id: int) -> Any:
        """Read a standing order: its payee, amount, next day and state.

        Args:
            order_id: The standing order.
        """
        return self._shown_order(self.one("orders", order_id))

    @reads
    def find_standing_order(self, customer_id: str, payee: str) -> Any:
        """Read a customer's standing order whose number nobody knows, by its payee.

        Args:
            customer_id: The customer.
            payee: Who gets the money.
        """
        sql = "SELECT orders.* FROM accounts JOIN orders ON account_id = accounts.id WHERE customer_id = ? AND payee = ?"
        return self._shown_order(self._named(sql, customer_id, payee, "standing order"))

    @reads
    def list_loans(self, account_id: str) -> Any:
        """List the loans that are paid from an account.

        Args:
            account_id: The account.
        """
        key = self.account(account_id)["id"]
        self.show("loans of", key)
        return [
            self._shown_loan(row)
            for row in self.world.rows("SELECT * FROM loans WHERE account_id = ? ORDER BY id", key)
        ]

    @reads
    def get_loan(self, loan_id: str) -> Any:
        """Read a loan: what remains, its instalment, start and deferrals.

        Args:
            loan_id: The loan.
        """
        return self._shown_loan(self.one("loans", loan_id))

    @reads
    def find_loan(self, customer_id: str, loan: str) -> Any:
        """Read a customer's loan whose number nobody knows, by what it is for.

        Args:
            customer_id: The customer.
            loan: What it is called, such as car loan.
        """
        sql = "SELECT loans.* FROM accounts JOIN loans ON account_id = accounts.id WHERE customer_id = ? AND purpose = ?"
        return self._shown_loan(self._named(sql, customer_id, loan, "loan"))

    @reads
    def get_fee(self, fee_id: int) -> Any:
        """Read a fee that was charged: its kind, amount and day.

        Args:
            fee_id: The fee.
        """
        return self._shown_fee(self.one("fees", fee_id))

    @reads
    def find_fee(self, customer_id: str, fee: str) -> Any:
        """Read a fee of a customer whose number nobody knows, by its kind and month.

        Args:
            customer_id: The customer.
            fee: Its kind and the month, such as card fee in May.
        """
        sql = "SELECT fees.* FROM accounts JOIN fees ON account_id = accounts.id WHERE customer_id = ? AND called = ?"
        return self._shown_fee(self._named(sql, customer_id, fee, "fee"))

    @reads
    def list_beneficiaries(self, customer_id: str) -> Any:
        """List a customer's beneficiaries with their accounts.

        Args:
            customer_id: The customer.
        """
        key = self.customer(customer_id)["id"]
        self.show("beneficiaries of", key)
        rows = self.world.rows("SELECT * FROM beneficiaries WHERE customer_id = ? ORDER BY name", key)
        return [{"name": row["name"], "account": row["account"], **dated("addition", row["added"])} for row in rows]

    def customer(self, customer_id: str) -> Any:
        """A customer that there is."""
        return self.one("customers", customer_id)

    def account(self, account_id: str) -> Any:
        """An account that there is."""
        return self.one("accounts", account_id)

    def one(self, table: str, key: str | int) -> Any:
        """A row that there is, by its key."""
        row = row_of(self.world, table, key.strip() if isinstance(key, str) else key)
        if row is None:
            raise ToolFailure(f"There is no {str(key)[:40]!r} among the {table}.")
        return row

    def _named(self, sql: str, customer_id: str, name: str, what: str) -> Any:
        row = self.world.row(sql, self.customer(customer_id)["id"], name.strip())
        if row is None:
            raise ToolFailure(f"{customer_id[:40]} has no {what} called {name[:40]!r}.")
        return row

    def _customer(self, rows: list[Any]) -> Any:
        if not rows:
            raise ToolFailure("There is no such customer.")
        row = rows[0]
        self.show("customers", row["id"])
        told = ("name", "email", "phone", "street", "town", "zip")
        return {"customer_id": row["id"], **{name: row[name] for name in told}, **dated("move", row["moved"])}

    def _shown_account(self, row: Any) -> dict[str, Any]:
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

    def _shown_card(self, row: Any) -> dict[str, Any]:
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

    def _shown_payment(self, row: Any) -> dict[str, Any]:
        self.show("payments", row["id"])
        told = {name: row[name] for name in ("account_id", "kind", "payee", "state")}
        return {"payment_id": row["id"], **told, "amount_cents": row["amount"], **dated("payment", row["day"])}

    def _shown_order(self, row: Any) -> dict[str, Any]:
        self.show("orders", row["id"])
        return {
            "order_id": row["id"],
            **{name: row[name] for name in ("account_id", "payee", "state")},
            "amount_cents": row["amount"],
            **dated("due", row["due"]),
            "months_paused_this_year": row["paused"],
        }

    def _shown_loan(self, row: Any) -> dict[str, Any]:
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

    def _shown_fee(self, row: Any) -> dict[str, Any]:
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
