"""Procedures for standing orders, loans, beneficiaries and appointments; only documents name them."""

from __future__ import annotations

from typing import Any

from agentgym.wording import counted
from agentgym_tools.desks.bank.changes import BankChanges
from agentgym_tools.desks.bank.reckoning import account_of, beneficiary_of, free_appointments
from agentgym_tools.desks.bank.shown import require
from agentgym_tools.desks.bank.world import TOPICS
from agentgym_tools.desks.setting.days import TODAY, dated
from agentgym_tools.desks.setting.people import TOWNS
from agentgym_tools.worlds.toolbox import ToolFailure, reads, unlisted, writes


class MoneyProcedures(BankChanges):
    """Arrange payments, loans, beneficiaries and appointments."""

    @unlisted
    @writes
    def change_order_amount(self, order_id: int, new_amount_cents: int) -> Any:
        """Change the amount of a standing order.

        Args:
            order_id: The standing order.
            new_amount_cents: The new amount, in cents.
        """
        order = self.order_in(order_id, "active")
        require("new_amount_cents", new_amount_cents, 1)
        self.world.write("UPDATE orders SET amount = ? WHERE id = ?", new_amount_cents, order["id"])
        return f"Standing order {order['id']} is of {new_amount_cents} cents."

    @unlisted
    @writes
    def pause_order(self, order_id: int, months: int) -> Any:
        """Pause a standing order.

        Args:
            order_id: The standing order.
            months: For how many months.
        """
        order = self.order_in(order_id, "active")
        require("months", months, 1)
        sql = "UPDATE orders SET state = 'paused', paused = paused + ? WHERE id = ?"
        self.world.write(sql, months, order["id"])
        return f"Standing order {order['id']} is paused for {counted(months, 'month')}."

    @unlisted
    @writes
    def cancel_order_for_good(self, order_id: int) -> Any:
        """Cancel a standing order.

        Args:
            order_id: The standing order.
        """
        order = self.order_in(order_id, "active", "paused")
        self.world.write("UPDATE orders SET state = 'cancelled' WHERE id = ?", order["id"])
        return f"Standing order {order['id']} is cancelled."

    @unlisted
    @writes
    def set_up_order(self, account_id: str, payee: str, amount_cents: int, in_days: int) -> Any:
        """Set up a standing order, which is paid once a month.

        Args:
            account_id: The account that pays.
            payee: Who gets the money.
            amount_cents: The amount, in cents.
            in_days: In how many days it is paid first.
        """
        account = self.account_in(account_id, "open")
        require("amount_cents", amount_cents, 1)
        require("in_days", in_days, 1)
        key = self.world.new_id("orders")
        row = (key, account["id"], payee.strip()[:60], amount_cents, TODAY + in_days)
        self.world.write("INSERT INTO orders VALUES (?, ?, ?, ?, ?, 'active', 0)", *row)
        return f"Standing order {key} to {payee.strip()[:60]} is set up."

    @unlisted
    @writes
    def repay_loan(self, loan_id: str, fee_cents: int) -> Any:
        """Repay in whole what remains of a loan, from the account of the loan.

        Args:
            loan_id: The loan.
            fee_cents: What that costs, in cents.
        """
        loan = self.loan_in(loan_id, "running")
        require("fee_cents", fee_cents, 0)
        self.pay_from(account_of(self.world, loan["account_id"]), loan["remaining"] + fee_cents)
        self.world.write("UPDATE loans SET state = 'repaid', remaining = 0 WHERE id = ?", loan["id"])
        return f"Loan {loan['id']} is repaid."

    @unlisted
    @writes
    def defer_instalments(self, loan_id: str, months: int) -> Any:
        """Let instalments of a loan be paid later.

        Args:
            loan_id: The loan.
            months: By how many months.
        """
        loan = self.loan_in(loan_id, "running")
        require("months", months, 1)
        sql = "UPDATE loans SET deferrals = deferrals + 1, deferred_months = deferred_months + ? WHERE id = ?"
        self.world.write(sql, months, loan["id"])
        return f"Instalments of {loan['id']} are deferred by {counted(months, 'month')}."

    @unlisted
    @writes
    def set_instalment_day(self, loan_id: str, day_of_month: int) -> Any:
        """Set the day of the month on which instalments of a loan are paid.

        Args:
            loan_id: The loan.
            day_of_month: The day, from 1 to 28.
        """
        loan = self.loan_in(loan_id, "running")
        if not 1 <= day_of_month <= 28:
            raise ToolFailure(f"day_of_month must be from 1 to 28, got {str(day_of_month)[:20]}.")
        self.world.write("UPDATE loans SET day_of_month = ? WHERE id = ?", day_of_month, loan["id"])
        return f"Instalments of {loan['id']} are paid on day {day_of_month}."

    @unlisted
    @writes
    def send_abroad(self, account_id: str, beneficiary: str, amount_cents: int, charge_cents: int) -> Any:
        """Send money abroad to a beneficiary of the customer.

        Args:
            account_id: The account that pays.
            beneficiary: Name of the beneficiary.
            amount_cents: The amount, in cents.
            charge_cents: What that costs, in cents.
        """
        account = self.account_in(account_id, "open")
        require("amount_cents", amount_cents, 1)
        require("charge_cents", charge_cents, 0)
        row = beneficiary_of(self.world, account["customer_id"], beneficiary.strip())
        if row is None:
            raise ToolFailure(f"{account['customer_id']} has no beneficiary {beneficiary[:40]!r}.")
        self.pay_from(account, amount_cents + charge_cents)
        key, called = self.world.new_id("payments"), f"{row['name']} today"
        paid = (key, account["id"], "abroad", row["name"], called, amount_cents, TODAY, "booked")
        self.world.write("INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *paid)
        return f"{amount_cents} cents are on their way to {row['name']}."

    @unlisted
    @writes
    def add_beneficiary(self, customer_id: str, name: str, account: str) -> Any:
        """Put a beneficiary on a customer's list.

        Args:
            customer_id: The customer.
            name: Name of the beneficiary.
            account: Number of the beneficiary's account, which begins with its country.
        """
        customer, who = self.customer(customer_id)["id"], name.strip()[:60]
        if beneficiary_of(self.world, customer, who) is not None:
            raise ToolFailure(f"{who[:40]} is on the list already.")
        row = (customer, who, account.strip().upper()[:40], TODAY)
        self.world.write("INSERT INTO beneficiaries VALUES (?, ?, ?, ?)", *row)
        return f"{who} is on the list of {customer}."

    @unlisted
    @writes
    def remove_beneficiary(self, customer_id: str, name: str) -> Any:
        """Take a beneficiary off a customer's list.

        Args:
            customer_id: The customer.
            name: Name of the beneficiary.
        """
        customer, who = self.customer(customer_id)["id"], name.strip()
        if not self.world.write("DELETE FROM beneficiaries WHERE customer_id = ? AND name = ?", customer, who):
            raise ToolFailure(f"{customer} has no beneficiary {who[:40]!r}.")
        return f"{who} is no longer on the list of {customer}."

    @unlisted
    @reads
    def read_calendar(self, town: str, topic: str) -> Any:
        """List the free appointments with advisers on a topic in a town, the earliest first.

        Args:
            town: The town of the branch.
            topic: house loan, pension, shares or will.
        """
        if town not in TOWNS or topic not in TOPICS:
            raise ToolFailure(f"There is no branch {town[:40]!r} with advisers on {topic[:40]!r}.")
        self.show("calendar", f"{town} {topic}")
        rows = free_appointments(self.world, town, topic)
        return [
            {"appointment_id": row["id"], "adviser": row["adviser"], **dated("appointment", row["day"])} for row in rows
        ]

    @unlisted
    @reads
    def read_appointments(self, customer_id: str) -> Any:
        """List the appointments of a customer.

        Args:
            customer_id: The customer.
        """
        customer = self.customer(customer_id)["id"]
        self.show("appointments of", customer)
        rows = self.world.rows("SELECT * FROM appointments WHERE customer_id = ? ORDER BY id", customer)
        return [
            {"appointment_id": row["id"], **{name: row[name] for name in ("town", "topic", "adviser")}}
            | dated("appointment", row["day"])
            for row in rows
        ]

    @unlisted
    @writes
    def book_appointment(self, customer_id: str, appointment_id: str) -> Any:
        """Give a customer a free appointment.

        Args:
            customer_id: The customer.
            appointment_id: The appointment.
        """
        customer, slot = self.customer(customer_id)["id"], self.one("appointments", appointment_id)
        if slot["customer_id"] is not None:
            raise ToolFailure(f"The appointment {slot['id']} is taken.")
        self.world.write("UPDATE appointments SET customer_id = ? WHERE id = ?", customer, slot["id"])
        return f"{customer} has the appointment {slot['id']}."

    @unlisted
    @writes
    def cancel_appointment(self, customer_id: str, appointment_id: str) -> Any:
        """Give up an appointment of a customer.

        Args:
            customer_id: The customer.
            appointment_id: The appointment.
        """
        customer, slot = self.customer(customer_id)["id"], self.one("appointments", appointment_id)
        if slot["customer_id"] != customer:
            raise ToolFailure(f"{customer} has no appointment {slot['id']}.")
        self.world.write("UPDATE appointments SET customer_id = NULL WHERE id = ?", slot["id"])
        return f"The appointment {slot['id']} is free again."
