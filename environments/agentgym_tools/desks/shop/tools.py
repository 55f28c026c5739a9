"""The shop's tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from agentgym_tools.desks.setting.days import TODAY, date_of, dated
from agentgym_tools.worlds.toolbox import Toolbox, ToolFailure, reads, writes

MAX_FOUND = 20
MAX_CENTS = 100_000


class ShopReads(Toolbox):
    """Find and read customers, orders and products."""

    @reads
    def find_customer_by_email(self, email: str) -> Any:
        """Find a customer by the e-mail address.

        Args:
            email: The whole address.
        """
        return self._customer("SELECT * FROM customers WHERE email = ?", email.strip().lower())

    @reads
    def find_customer_by_name(self, name: str, zip_code: str) -> Any:
        """Find a customer by name and zip code.

        Args:
            name: First and last name.
            zip_code: Zip code of the customer's address.
        """
        return self._customer("SELECT * FROM customers WHERE name = ? AND zip = ?", name.strip(), zip_code.strip())

    @reads
    def find_customer_by_phone(self, phone: str, zip_code: str) -> Any:
        """Find a customer by phone number and zip code.

        Args:
            phone: The phone number.
            zip_code: Zip code of the customer's address.
        """
        return self._customer("SELECT * FROM customers WHERE phone = ? AND zip = ?", phone.strip(), zip_code.strip())

    @reads
    def list_orders(self, customer_id: str) -> Any:
        """List a customer's orders, the newest first.

        Args:
            customer_id: The customer.
        """
        self.show("lists of orders", self._row("customers", customer_id)["id"])
        rows = self.world.rows("SELECT * FROM orders WHERE customer_id = ? ORDER BY placed DESC, id", customer_id)
        return [{"order_id": row["id"], "state": row["state"], **dated("placed", row["placed"])} for row in rows]

    @reads
    def get_order(self, order_id: str) -> Any:
        """Read an order: its state, its days, its address and its items.

        Args:
            order_id: The order.
        """
        order = self._row("orders", order_id)
        self.show("orders", order["id"])
        lines = self.world.rows(
            "SELECT item_id, name, category, colour, lines.price, lines.state FROM lines "
            "JOIN items ON items.id = item_id JOIN products ON products.id = product_id WHERE order_id = ? "
            "ORDER BY item_id",
            order["id"],
        )
        late = (order["delivered"] or TODAY) - order["due"]
        return {
            "order_id": order["id"],
            "customer_id": order["customer_id"],
            "state": order["state"],
            **dated("placed", order["placed"]),
            "due_on": date_of(order["due"]),
            **dated("delivered", order["delivered"]),
            **({"days_late": late} if late > 0 and order["state"] != "cancelled" else {}),
            "street": order["street"],
            "city": order["city"],
            "zip": order["zip"],
            "payment_id": order["payment_id"],
            "total_cents": sum(line["price"] for line in lines),
            "items": [dict(line) for line in lines],
        }

    @reads
    def list_payments(self, customer_id: str) -> Any:
        """List the ways in which a customer can pay.

        Args:
            customer_id: The customer.
        """
        self._row("customers", customer_id)
        self.show("payments", customer_id)
        rows = self.world.rows("SELECT * FROM payments WHERE customer_id = ? ORDER BY id", customer_id)
        return [{"payment_id": row["id"], "kind": row["kind"], "balance_cents": row["balance"]} for row in rows]

    @reads
    def find_products(self, name: str) -> Any:
        """Find products by a part of their name.

        Args:
            name: A part of the name.
        """
        rows = self.world.rows(
            "SELECT * FROM products WHERE instr(lower(name), ?) ORDER BY id LIMIT ?", name.strip().lower(), MAX_FOUND
        )
        for row in rows:
            self.show("product names", row["id"])
        return [{"product_id": row["id"], "name": row["name"], "category": row["category"]} for row in rows]

    @reads
    def get_product(self, product_id: str) -> Any:
        """Read a product: its items with colour, price and stock.

        Args:
            product_id: The product.
        """
        product = self._row("products", product_id)
        self.show("products", product["id"])
        items = self.world.rows("SELECT * FROM items WHERE product_id = ? ORDER BY id", product["id"])
        return {
            "product_id": product["id"],
            "name": product["name"],
            "category": product["category"],
            "items": [
                {"item_id": row["id"], "colour": row["colour"], "price_cents": row["price"], "stock": row["stock"]}
                for row in items
            ],
        }

    @reads
    def get_voucher(self, order_id: str) -> Any:
        """Read the voucher that was given for an order, if there is one.

        Args:
            order_id: The order.
        """
        order = self._row("orders", order_id)
        self.show("vouchers", order["id"])
        row = self.world.row("SELECT * FROM vouchers WHERE order_id = ?", order["id"])
        return {"order_id": order["id"], "voucher_cents": row["amount"] if row else 0}

    def _customer(self, sql: str, *values: str) -> Any:
        row = self.world.row(sql, *values)
        if row is None:
            raise ToolFailure("There is no such customer.")
        self.show("customers", row["id"])
        return {"customer_id": row["id"], **{name: value for name, value in dict(row).items() if name != "id"}}

    def _row(self, table: str, key: str) -> Any:
        row = self.world.row(f"SELECT * FROM {table} WHERE id = ?", key.strip())  # noqa: S608 - from this file
        if row is None:
            raise ToolFailure(f"There is no {key[:40]!r} among the {table}.")
        return row


class ShopTools(ShopReads):
    """Find and read, and change orders and contacts."""

    @writes
    def cancel_order(self, order_id: str, reason: str) -> Any:
        """Cancel an order that is pending, with all its items; what was paid goes back.

        Args:
            order_id: The order.
            reason: Why the customer cancels it, one of: ordered by mistake, no longer needed, found cheaper, too slow.
        """
        order = self._order(order_id, "pending")
        self.world.write("UPDATE orders SET state = 'cancelled', cancel_reason = ? WHERE id = ?", reason, order["id"])
        for line in self._lines(order["id"]):
            self._refund(order, line, order["payment_id"], fee=0, state="cancelled")
        return f"Order {order['id']} is cancelled."

    @writes
    def cancel_items(self, order_id: str, item_ids: list[str]) -> Any:
        """Cancel some items of an order that is pending; what was paid for them goes back.

        Args:
            order_id: The order.
            item_ids: The items.
        """
        order = self._order(order_id, "pending")
        for line in self._chosen(order["id"], item_ids):
            self._refund(order, line, order["payment_id"], fee=0, state="cancelled")
        return f"Cancelled in order {order['id']}: {', '.join(sorted(set(item_ids)))}."

    @writes
    def return_items(self, order_id: str, item_ids: list[str], refund_to: str, fee_cents: int) -> Any:
        """Take back items of an order that was delivered.

        Args:
            order_id: The order.
            item_ids: The items.
            refund_to: The payment_id that gets the money.
            fee_cents: What is kept back for each item, in cents.
        """
        order = self._order(order_id, "delivered")
        payment = self._payment(order, refund_to)
        for line in self._chosen(order["id"], item_ids):
            if not 0 <= fee_cents <= line["price"]:
                raise ToolFailure(f"fee_cents must be from 0 to the price of {line['price']}, got {fee_cents}.")
            self._refund(order, line, payment["id"], fee=fee_cents, state="returned")
        return f"Returned from order {order['id']}: {', '.join(sorted(set(item_ids)))}."

    @writes
    def exchange_item(self, order_id: str, item_id: str, new_item_id: str, payment_id: str) -> Any:
        """Exchange an item of an order that was delivered for another one in stock.

        Args:
            order_id: The order.
            item_id: The item that comes back.
            new_item_id: The item that is sent.
            payment_id: What pays the difference, or gets it.
        """
        order = self._order(order_id, "delivered")
        (line,) = self._chosen(order["id"], [item_id])
        new = self._row("items", new_item_id)
        payment = self._payment(order, payment_id)
        if payment["kind"] == "gift card" and payment["balance"] + line["price"] < new["price"]:
            raise ToolFailure(f"{payment['id']} holds {payment['balance']} cents, too little for the difference.")
        if new["stock"] < 1:
            raise ToolFailure(f"{new['id']} is not in stock.")
        if self.world.row("SELECT 1 FROM lines WHERE order_id = ? AND item_id = ?", order["id"], new["id"]):
            raise ToolFailure(f"{new['id']} is in the order already.")
        self.world.write("UPDATE items SET stock = stock - 1 WHERE id = ?", new["id"])
        self._settle_line(order["id"], line["item_id"], "exchanged")
        self.world.write("INSERT INTO lines VALUES (?, ?, ?, 'ordered')", order["id"], new["id"], new["price"])
        self._book(payment_id, line["price"] - new["price"])
        return f"{line['item_id']} of order {order['id']} is exchanged for {new['id']}."

    @writes
    def change_address(self, order_id: str, street: str, city: str, zip_code: str) -> Any:
        """Send a pending order to another address.

        Args:
            order_id: The order.
            street: House number and street.
            city: The city.
            zip_code: The zip code.
        """
        order = self._order(order_id, "pending")
        self.world.write(
            "UPDATE orders SET street = ?, city = ?, zip = ? WHERE id = ?", street, city, zip_code, order["id"]
        )
        return f"Order {order['id']} goes to {street}, {zip_code} {city}."

    @writes
    def change_payment(self, order_id: str, payment_id: str) -> Any:
        """Pay a pending order in another way.

        Args:
            order_id: The order.
            payment_id: The way to pay, one of the customer's.
        """
        order = self._order(order_id, "pending")
        payment = self._payment(order, payment_id)
        total = sum(line["price"] for line in self._lines(order["id"]))
        if payment["kind"] == "gift card" and payment["balance"] < total:
            raise ToolFailure(f"{payment['id']} holds {payment['balance']} cents, the order costs {total}.")
        self._book(order["payment_id"], total)
        self._book(payment["id"], -total)
        self.world.write("UPDATE orders SET payment_id = ? WHERE id = ?", payment["id"], order["id"])
        return f"Order {order['id']} is paid by {payment['id']}."

    @writes
    def update_contact(self, customer_id: str, field: Literal["email", "phone"], value: str) -> Any:
        """Change a customer's e-mail address or phone number.

        Args:
            customer_id: The customer.
            field: What is changed.
            value: The new value.
        """
        customer = self._row("customers", customer_id)
        column = "email" if field == "email" else "phone"
        self.world.write(f"UPDATE customers SET {column} = ? WHERE id = ?", value, customer["id"])  # noqa: S608
        return f"The {field} of {customer['id']} is {value}."

    @writes
    def issue_voucher(self, order_id: str, amount_cents: int) -> Any:
        """Give the customer a voucher for an order that came late; one for each order.

        Args:
            order_id: The order.
            amount_cents: Its worth in cents.
        """
        order = self._row("orders", order_id)
        if not 0 < amount_cents <= MAX_CENTS:
            raise ToolFailure(f"amount_cents must be from 1 to {MAX_CENTS}, got {amount_cents}.")
        if self.world.row("SELECT 1 FROM vouchers WHERE order_id = ?", order["id"]):
            raise ToolFailure(f"Order {order['id']} has a voucher already.")
        self.world.write("INSERT INTO vouchers VALUES (?, ?, ?)", order["id"], order["customer_id"], amount_cents)
        return f"A voucher of {amount_cents} cents is given for order {order['id']}."

    def _order(self, order_id: str, state: str) -> Any:
        order = self._row("orders", order_id)
        if order["state"] != state:
            raise ToolFailure(f"Order {order['id']} is {order['state']}; this takes a {state} order.")
        return order

    def _payment(self, order: Any, payment_id: str) -> Any:
        payment = self._row("payments", payment_id)
        if payment["customer_id"] != order["customer_id"]:
            raise ToolFailure(f"{payment['id']} is not one of this customer's.")
        return payment

    def _lines(self, order_id: str) -> list[Any]:
        return self.world.rows(
            "SELECT * FROM lines WHERE order_id = ? AND state = 'ordered' ORDER BY item_id", order_id
        )

    def _chosen(self, order_id: str, item_ids: Sequence[str]) -> list[Any]:
        lines = {line["item_id"]: line for line in self._lines(order_id)}
        missing = sorted(set(item_ids) - set(lines))
        if missing or not item_ids:
            raise ToolFailure(f"Order {order_id} has the items {sorted(lines)}, got {missing or 'none'}.")
        return [lines[item] for item in sorted(set(item_ids))]

    def _refund(self, order: Any, line: Any, payment_id: str, fee: int, state: str) -> None:
        self._settle_line(order["id"], line["item_id"], state)
        amount = line["price"] - fee
        refund = (order["id"], line["item_id"], payment_id, amount, fee)
        self.world.write("INSERT INTO refunds VALUES (?, ?, ?, ?, ?)", *refund)
        self._book(payment_id, amount)

    def _settle_line(self, order_id: str, item_id: str, state: str) -> None:
        self.world.write("UPDATE lines SET state = ? WHERE order_id = ? AND item_id = ?", state, order_id, item_id)

    def _book(self, payment_id: str, amount: int) -> None:
        self.world.write(
            "UPDATE payments SET balance = balance + ? WHERE id = ? AND kind = 'gift card'", amount, payment_id
        )
