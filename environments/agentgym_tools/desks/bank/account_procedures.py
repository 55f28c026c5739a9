"""Procedures for accounts: consents, holds, fees, cheques, overdrafts, deposits, closing; only documents name them."""

from __future__ import annotations

from typing import Any

from agentgym.wording import counted
from agentgym_tools.desks.bank.changes import BankChanges
from agentgym_tools.desks.bank.reckoning import TERMS, cheque_of, running_orders
from agentgym_tools.desks.bank.shown import require
from agentgym_tools.desks.setting.days import TODAY, dated
from agentgym_tools.worlds.toolbox import ToolFailure, reads, unlisted, writes


class AccountProcedures(BankChanges):
    """Look into accounts and change them."""

    @unlisted
    @reads
    def read_consents(self, account_id: str) -> Any:
        """List what the second holder of an account has consented to, and when.

        Args:
            account_id: The account.
        """
        account = self.account(account_id)
        self.show("consents", account["id"])
        rows = self.world.rows("SELECT * FROM consents WHERE account_id = ? ORDER BY matter", account["id"])
        return [{"matter": row["matter"], **dated("consent", row["given"])} for row in rows]

    @unlisted
    @reads
    def read_hold(self, account_id: str) -> Any:
        """Read the hold on an account: its kind and day.

        Args:
            account_id: The account.
        """
        account = self.account(account_id)
        self.show("holds", account["id"])
        row = self.world.row("SELECT * FROM holds WHERE account_id = ?", account["id"])
        return {"hold": None} if row is None else {"hold": row["kind"], **dated("hold", row["placed"])}

    @unlisted
    @reads
    def read_fee_history(self, account_id: str) -> Any:
        """List all fees of an account, and what of them was given back when.

        Args:
            account_id: The account.
        """
        account = self.account(account_id)
        self.show("fees of", account["id"])
        rows = self.world.rows("SELECT * FROM fees WHERE account_id = ? ORDER BY id", account["id"])
        return [
            {"fee_id": row["id"], "kind": row["kind"], "given_back_cents": row["refund"]}
            | dated("charge", row["charged"])
            | dated("giving_back", row["refunded"])
            for row in rows
        ]

    @unlisted
    @reads
    def read_cheque(self, account_id: str, cheque_number: int) -> Any:
        """Read a cheque: its amount, state and day.

        Args:
            account_id: The account that it is drawn on.
            cheque_number: Its number.
        """
        row = self.cheque(account_id, cheque_number)
        self.show("cheques", f"{row['account_id']} {row['number']}")
        return {"state": row["state"], "amount_cents": row["amount"], **dated("writing", row["written"])}

    @unlisted
    @writes
    def stop_cheque(self, account_id: str, cheque_number: int, fee_cents: int) -> Any:
        """Stop a cheque that has not been cashed.

        Args:
            account_id: The account that it is drawn on.
            cheque_number: Its number.
            fee_cents: What that costs, in cents.
        """
        row = self.cheque(account_id, cheque_number)
        require("fee_cents", fee_cents, 0)
        if row["state"] != "open":
            raise ToolFailure(f"The cheque {row['number']} is {row['state']}.")
        sql = "UPDATE cheques SET state = 'stopped' WHERE account_id = ? AND number = ?"
        self.world.write(sql, row["account_id"], row["number"])
        self.book(row["account_id"], f"cheque {row['number']}", fee_cents)
        return f"The cheque {row['number']} is stopped."

    @unlisted
    @writes
    def order_cheque_book(self, account_id: str, sheets: int) -> Any:
        """Order a book of cheques for an account.

        Args:
            account_id: The account.
            sheets: How many cheques it has.
        """
        account = self.account_in(account_id, "open")
        require("sheets", sheets, 1)
        self.book(account["id"], f"book of {sheets} cheques", 0)
        return f"A book of {sheets} cheques is on its way."

    @unlisted
    @writes
    def give_fee_back(self, fee_id: int, amount_cents: int) -> Any:
        """Give a fee back, or a part of it.

        Args:
            fee_id: The fee.
            amount_cents: What is given back, in cents.
        """
        fee = self.one("fees", fee_id)
        require("amount_cents", amount_cents, 1)
        if fee["refund"] or amount_cents > fee["amount"]:
            raise ToolFailure(f"Of the fee {fee['id']} of {fee['amount']} cents, {fee['refund']} were given back.")
        self.world.write("UPDATE fees SET refund = ?, refunded = ? WHERE id = ?", amount_cents, TODAY, fee["id"])
        return f"{amount_cents} cents of the fee {fee['id']} are given back."

    @unlisted
    @writes
    def lift_hold(self, account_id: str) -> Any:
        """Lift the hold on an account, which is open again then.

        Args:
            account_id: The account.
        """
        account = self.account_in(account_id, "held")
        self.world.write("DELETE FROM holds WHERE account_id = ?", account["id"])
        self.world.write("UPDATE accounts SET state = 'open' WHERE id = ?", account["id"])
        return f"Account {account['id']} is open."

    @unlisted
    @writes
    def set_overdraft(self, account_id: str, overdraft_cents: int) -> Any:
        """Set how far a checking account may be overdrawn.

        Args:
            account_id: The account.
            overdraft_cents: The new overdraft, in cents; 0 for none.
        """
        account = self.account_in(account_id, "open")
        require("overdraft_cents", overdraft_cents, 0)
        if account["product"] != "checking":
            raise ToolFailure(f"{account['id']} is a {account['product']} account.")
        self.world.write("UPDATE accounts SET overdraft = ? WHERE id = ?", overdraft_cents, account["id"])
        return f"Account {account['id']} has an overdraft of {overdraft_cents} cents."

    @unlisted
    @writes
    def open_fixed_deposit(self, account_id: str, amount_cents: int, months: int, rate: int) -> Any:
        """Put money of a savings account on a fixed deposit.

        Args:
            account_id: The savings account.
            amount_cents: The amount, in cents.
            months: 6, 12 or 24.
            rate: The interest, in hundredths of a percent a year.
        """
        account = self.account_in(account_id, "open")
        require("amount_cents", amount_cents, 1)
        require("rate", rate, 0)
        if account["product"] != "savings" or months not in TERMS:
            raise ToolFailure(f"This takes a savings account and 6, 12 or 24 months; got {counted(months, 'month')}.")
        if self.world.row("SELECT 1 FROM deposits WHERE account_id = ? AND months = ?", account["id"], months):
            raise ToolFailure(f"{account['id']} has a deposit for {counted(months, 'month')}.")
        self.pay_from(account, amount_cents)
        self.world.write("INSERT INTO deposits VALUES (?, ?, ?)", account["id"], months, amount_cents)
        self.book(account["id"], f"deposit for {counted(months, 'month')}", rate)
        return f"{amount_cents} cents are fixed for {counted(months, 'month')}."

    @unlisted
    @writes
    def close_account(self, account_id: str, fee_cents: int) -> Any:
        """Close an account; what is on it is paid out.

        Args:
            account_id: The account.
            fee_cents: What that costs, in cents; 0 if nothing.
        """
        account = self.account_in(account_id, "open")
        require("fee_cents", fee_cents, 0)
        if account["balance"] < 0 or running_orders(self.world, account["id"]):
            raise ToolFailure(f"Account {account['id']} is overdrawn, or has standing orders.")
        self.world.write("UPDATE accounts SET state = 'closed', balance = 0 WHERE id = ?", account["id"])
        self.book(account["id"], "closing", fee_cents)
        return f"Account {account['id']} is closed."

    @unlisted
    @writes
    def rename_account(self, account_id: str, label: str) -> Any:
        """Give an account another name for the customer's own use.

        Args:
            account_id: The account.
            label: The new name.
        """
        account = self.account(account_id)
        self.world.write("UPDATE accounts SET label = ? WHERE id = ?", label.strip()[:60], account["id"])
        return f"Account {account['id']} is called {label.strip()[:60]}."

    @unlisted
    @writes
    def set_statement_rhythm(self, account_id: str, rhythm: str) -> Any:
        """Set how often statements of an account are sent.

        Args:
            account_id: The account.
            rhythm: weekly, monthly or yearly.
        """
        account = self.account(account_id)
        if rhythm not in ("weekly", "monthly", "yearly"):
            raise ToolFailure(f"rhythm must be weekly, monthly or yearly, got {rhythm[:40]!r}.")
        self.world.write("INSERT OR REPLACE INTO settings VALUES (?, 'statements', ?)", account["id"], rhythm)
        return f"Statements of {account['id']} are {rhythm}."

    def cheque(self, account_id: str, number: int) -> Any:
        """A cheque that there is."""
        account = self.account(account_id)
        row = cheque_of(self.world, account["id"], number)
        if row is None:
            raise ToolFailure(f"There is no cheque {str(number)[:20]} of {account['id']}.")
        return row
