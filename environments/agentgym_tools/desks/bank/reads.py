"""The bank's tools that read: customers, accounts, cards, payments, standing orders, loans, fees and beneficiaries.

Those that write are in `changes` and in the procedures, those that find documents in `tools`.
"""

from __future__ import annotations

from typing import Any

from agentgym_tools.desks.bank.shown import Shown
from agentgym_tools.desks.setting.days import date_of, dated
from agentgym_tools.worlds.toolbox import reads


class BankReads(Shown):
    """Find customers and what they have."""

    @reads
    def find_customer_by_name(self, name: str, birth_date: str) -> Any:
        """Find a customer by name and date of birth.

        Args:
            name: First and last name.
            birth_date: The date, such as 1980-12-31.
        """
        rows = self.world.rows("SELECT * FROM customers WHERE name = ? ORDER BY id", name.strip())
        return self.only_customer([row for row in rows if date_of(row["born"]) == birth_date.strip()])

    @reads
    def find_customer_by_phone(self, phone: str, birth_date: str) -> Any:
        """Find a customer by phone number and date of birth.

        Args:
            phone: The phone number.
            birth_date: The date, such as 1980-12-31.
        """
        rows = self.world.rows("SELECT * FROM customers WHERE phone = ? ORDER BY id", phone.strip())
        return self.only_customer([row for row in rows if date_of(row["born"]) == birth_date.strip()])

    @reads
    def find_customer_by_email(self, email: str, zip_code: str) -> Any:
        """Find a customer by e-mail address and zip code.

        Args:
            email: The whole address.
            zip_code: Zip code of the customer's address.
        """
        sql = "SELECT * FROM customers WHERE email = ? AND zip = ?"
        return self.only_customer(self.world.rows(sql, email.strip().lower(), zip_code.strip()))

    @reads
    def list_accounts(self, customer_id: str) -> Any:
        """List a customer's accounts with their states and balances.

        Args:
            customer_id: The customer.
        """
        key = self.customer(customer_id)["id"]
        self.show("accounts of", key)
        rows = self.world.rows("SELECT * FROM accounts WHERE customer_id = ? ORDER BY id", key)
        return [self.shown_account(row) for row in rows]

    @reads
    def get_account(self, account_id: str) -> Any:
        """Read an account: its holders, state, balance and overdraft.

        Args:
            account_id: The account.
        """
        return self.shown_account(self.account(account_id))

    @reads
    def find_account(self, customer_id: str, account: str) -> Any:
        """Read a customer's account whose number nobody knows, by what the customer calls it.

        Args:
            customer_id: The customer.
            account: Its name, such as salary account.
        """
        sql = "SELECT * FROM accounts WHERE customer_id = ? AND label = ?"
        return self.shown_account(self.named(sql, customer_id, account, "account"))

    @reads
    def list_cards(self, account_id: str) -> Any:
        """List the cards of an account.

        Args:
            account_id: The account.
        """
        key = self.account(account_id)["id"]
        self.show("cards of", key)
        return [
            self.shown_card(row) for row in self.world.rows("SELECT * FROM cards WHERE account_id = ? ORDER BY id", key)
        ]

    @reads
    def get_card(self, card_id: str) -> Any:
        """Read a card: its kind, state, limit and days.

        Args:
            card_id: The card.
        """
        return self.shown_card(self.one("cards", card_id))

    @reads
    def find_card(self, customer_id: str, card: str) -> Any:
        """Read a customer's card whose number nobody knows, by what the customer calls it.

        Args:
            customer_id: The customer.
            card: Its name, such as blue debit card.
        """
        sql = "SELECT cards.* FROM accounts JOIN cards ON account_id = accounts.id WHERE customer_id = ?"
        return self.shown_card(self.named(f"{sql} AND cards.label = ?", customer_id, card, "card"))

    @reads
    def list_payments(self, account_id: str) -> Any:
        """List the payments of an account.

        Args:
            account_id: The account.
        """
        key = self.account(account_id)["id"]
        rows = self.world.rows("SELECT * FROM payments WHERE account_id = ? ORDER BY id", key)
        return [self.shown_payment(row) for row in rows]

    @reads
    def get_payment(self, payment_id: int) -> Any:
        """Read a payment by card or a transfer: its payee, amount, day and state.

        Args:
            payment_id: The payment.
        """
        return self.shown_payment(self.one("payments", payment_id))

    @reads
    def find_payment(self, customer_id: str, payment: str) -> Any:
        """Read a customer's payment whose number nobody knows, by payee and month.

        Args:
            customer_id: The customer.
            payment: The payee and the month, such as Cafe Miro in May.
        """
        sql = "SELECT payments.* FROM accounts JOIN payments ON account_id = accounts.id WHERE customer_id = ?"
        return self.shown_payment(self.named(f"{sql} AND called = ?", customer_id, payment, "payment"))

    @reads
    def list_standing_orders(self, account_id: str) -> Any:
        """List the standing orders of an account, in whichever state.

        Args:
            account_id: The account.
        """
        key = self.account(account_id)["id"]
        self.show("orders of", key)
        rows = self.world.rows("SELECT * FROM orders WHERE account_id = ? ORDER BY id", key)
        return [self.shown_order(row) for row in rows]

    @reads
    def get_standing_order(self, order_id: int) -> Any:
        """Read a standing order: its payee, amount, next day and state.

        Args:
            order_id: The standing order.
        """
        return self.shown_order(self.one("orders", order_id))

    @reads
    def find_standing_order(self, customer_id: str, payee: str) -> Any:
        """Read a customer's standing order whose number nobody knows, by its payee.

        Args:
            customer_id: The customer.
            payee: Who gets the money.
        """
        sql = (
            "SELECT orders.* FROM accounts JOIN orders ON account_id = accounts.id WHERE customer_id = ? AND payee = ?"
        )
        return self.shown_order(self.named(sql, customer_id, payee, "standing order"))

    @reads
    def list_loans(self, account_id: str) -> Any:
        """List the loans that are paid from an account.

        Args:
            account_id: The account.
        """
        key = self.account(account_id)["id"]
        self.show("loans of", key)
        return [
            self.shown_loan(row) for row in self.world.rows("SELECT * FROM loans WHERE account_id = ? ORDER BY id", key)
        ]

    @reads
    def get_loan(self, loan_id: str) -> Any:
        """Read a loan: what remains, its instalment, start and deferrals.

        Args:
            loan_id: The loan.
        """
        return self.shown_loan(self.one("loans", loan_id))

    @reads
    def find_loan(self, customer_id: str, loan: str) -> Any:
        """Read a customer's loan whose number nobody knows, by what it is for.

        Args:
            customer_id: The customer.
            loan: What it is called, such as car loan.
        """
        sql = (
            "SELECT loans.* FROM accounts JOIN loans ON account_id = accounts.id WHERE customer_id = ? AND purpose = ?"
        )
        return self.shown_loan(self.named(sql, customer_id, loan, "loan"))

    @reads
    def get_fee(self, fee_id: int) -> Any:
        """Read a fee that was charged: its kind, amount and day.

        Args:
            fee_id: The fee.
        """
        return self.shown_fee(self.one("fees", fee_id))

    @reads
    def find_fee(self, customer_id: str, fee: str) -> Any:
        """Read a fee of a customer whose number nobody knows, by its kind and month.

        Args:
            customer_id: The customer.
            fee: Its kind and the month, such as card fee in May.
        """
        sql = "SELECT fees.* FROM accounts JOIN fees ON account_id = accounts.id WHERE customer_id = ? AND called = ?"
        return self.shown_fee(self.named(sql, customer_id, fee, "fee"))

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
