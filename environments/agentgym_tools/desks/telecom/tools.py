"""The desk's tools: those of `records`, which read, and those that change lines and settle bills."""

from __future__ import annotations

from typing import Any, Literal

from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.desks.telecom.records import TelecomRecords
from agentgym_tools.worlds.toolbox import ToolFailure, writes


class TelecomTools(TelecomRecords):
    """Find customers, lines, bills and charges; change lines, settle bills."""

    @writes
    def change_plan(self, line: str, plan: str) -> Any:
        """Give a line another plan.

        Args:
            line: The number.
            plan: Name of the new plan.
        """
        row, new = self._active(line), self.row("plans", plan)
        if row["plan_id"] == new["id"]:
            raise ToolFailure(f"{row['id']} has the plan {new['id']} already.")
        self._set(row, plan_id=new["id"], plan_since=TODAY)
        return f"{row['id']} has the plan {new['id']} now."

    @writes
    def add_data_pack(self, line: str, gigabytes: int, price_cents: int) -> Any:
        """Add data to a line for this month.

        Args:
            line: The number.
            gigabytes: How many, of 1000 MB each.
            price_cents: What the whole pack costs, in cents.
        """
        row = self._active(line)
        if not 1 <= gigabytes <= 100:
            raise ToolFailure(f"gigabytes must be from 1 to 100, got {gigabytes}.")
        self._charge(row, f"data pack {row['packs'] + 1}", price_cents)
        self._set(row, packs=row["packs"] + 1, pack_mb=row["pack_mb"] + 1000 * gigabytes)
        return f"{row['id']} has {gigabytes} GB more."

    @writes
    def enable_roaming(self, line: str) -> Any:
        """Let a line be used abroad.

        Args:
            line: The number.
        """
        return self._switch(self._active(line), 1)

    @writes
    def disable_roaming(self, line: str) -> Any:
        """Let a line no longer be used abroad.

        Args:
            line: The number.
        """
        return self._switch(self._active(line), 0)

    @writes
    def lift_barring(self, line: str) -> Any:
        """Take the bar of calls from a line.

        Args:
            line: The number.
        """
        row = self.row("lines", line)
        if not row["barred"]:
            raise ToolFailure(f"The calls of {row['id']} are not barred.")
        self._set(row, barred="")
        return f"The calls of {row['id']} are no longer barred."

    @writes
    def bar_calls(self, line: str, reason: Literal["request", "spending cap", "fraud"]) -> Any:
        """Bar the calls of a line.

        Args:
            line: The number.
            reason: Why.
        """
        row = self._active(line)
        self._set(row, barred=reason)
        return f"The calls of {row['id']} are barred."

    @writes
    def block_line(self, line: str) -> Any:
        """Block a line whose phone is lost.

        Args:
            line: The number.
        """
        row = self._active(line)
        self._set(row, state="blocked")
        return f"{row['id']} is blocked."

    @writes
    def resume_line(self, line: str, fee_cents: int) -> Any:
        """Switch a suspended line on again.

        Args:
            line: The number.
            fee_cents: What that costs, in cents.
        """
        row = self.row("lines", line)
        if row["state"] != "suspended":
            raise ToolFailure(f"{row['id']} is {row['state']}, not suspended.")
        self._charge(row, "resumption", fee_cents)
        self._set(row, state="active")
        return f"{row['id']} is active."

    @writes
    def replace_sim(self, line: str, kind: Literal["card", "eSIM"], fee_cents: int) -> Any:
        """Send a new SIM for a line; the present one stops to work.

        Args:
            line: The number.
            kind: The kind of the new one.
            fee_cents: What it costs, in cents.
        """
        row = self.row("lines", line)
        if row["state"] == "moved":
            raise ToolFailure(f"{row['id']} has moved to another carrier.")
        self._charge(row, "SIM", fee_cents)
        self.world.write(
            "UPDATE sims SET serial = serial + 1, kind = ?, since = ? WHERE line_id = ?", kind, TODAY, row["id"]
        )
        return f"A new SIM is sent for {row['id']}."

    @writes
    def move_out(self, line: str, carrier: Literal["Northtel", "Redwave", "Skylink", "Unifone"], fee_cents: int) -> Any:
        """Let the number of a line move to another carrier.

        Args:
            line: The number.
            carrier: The other carrier.
            fee_cents: What leaving the contract costs, in cents.
        """
        row = self._active(line)
        self._charge(row, "exit", fee_cents)
        self._set(row, state="moved", moved_to=carrier)
        return f"{row['id']} moves to {carrier}."

    @writes
    def pay_bill(self, bill: str, payment_id: str, late_fee_cents: int) -> Any:
        """Pay an open bill.

        Args:
            bill: The bill.
            payment_id: How, one of the customer's ways to pay.
            late_fee_cents: What is added for lateness, in cents; 0 for nothing.
        """
        row, payment = self.row("bills", bill), self.row("payments", payment_id)
        if row["paid_by"]:
            raise ToolFailure(f"{row['id']} is paid.")
        if payment["customer_id"] != row["customer_id"]:
            raise ToolFailure(f"{payment['id']} is not one of this customer's ways to pay.")
        if not 0 <= late_fee_cents <= 100_000:
            raise ToolFailure(f"late_fee_cents must be from 0 to 100000, got {late_fee_cents}.")
        self.world.write(
            "UPDATE bills SET paid_by = ?, late_fee = ? WHERE id = ?", payment["id"], late_fee_cents, row["id"]
        )
        return f"{row['id']} is paid: {row['amount'] + late_fee_cents} cents."

    @writes
    def refund_charge(self, charge: str) -> Any:
        """Pay back a charge.

        Args:
            charge: The charge.
        """
        row = self.row("charges", charge)
        if row["refunded"]:
            raise ToolFailure(f"{row['id']} was refunded before.")
        self.world.write("UPDATE charges SET refunded = 1 WHERE id = ?", row["id"])
        return f"{row['amount']} cents are paid back for {row['id']}."

    def _active(self, line: str) -> Any:
        row = self.row("lines", line)
        if row["state"] != "active":
            raise ToolFailure(f"{row['id']} is {row['state']}; this takes an active line.")
        return row

    def _set(self, row: Any, **columns: int | str) -> None:
        names = ", ".join(f"{name} = ?" for name in columns)
        self.world.write(f"UPDATE lines SET {names} WHERE id = ?", *columns.values(), row["id"])  # noqa: S608

    def _charge(self, row: Any, what: str, amount: int) -> None:
        if not 0 <= amount <= 100_000:
            raise ToolFailure(f"An amount must be from 0 to 100000 cents, got {amount}.")
        self.world.write(
            "INSERT INTO fees VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount",
            *(row["id"], what, amount),
        )

    def _switch(self, row: Any, roaming: int) -> str:
        if row["roaming"] == roaming:
            raise ToolFailure(f"Roaming of {row['id']} is {'enabled' if roaming else 'disabled'} already.")
        self._set(row, roaming=roaming)
        return f"Roaming of {row['id']} is {'enabled' if roaming else 'disabled'} now."
