"""The shop: products with reviews, a cart, a wish list, and orders that are paid by card."""

from __future__ import annotations

import sqlite3
from typing import Any

from agentgym_tools.apps.api.app import App, change, look, pattern, text, within
from agentgym_tools.apps.calendar_days import date_of
from agentgym_tools.worlds.toolbox import ToolFailure

RETURN_DAYS = 30
"""How long after delivery an order can be returned."""


def _product(row: sqlite3.Row) -> dict[str, Any]:
    fields = {"product_id": row["id"], "name": row["name"], "category": row["category"], "price_cents": row["price"]}
    return {**fields, "stock": row["stock"], "rating": row["rating"] / 10, "seller": row["seller"]}


def _order(row: sqlite3.Row) -> dict[str, Any]:
    delivered = None if row["delivered"] is None else date_of(row["delivered"])
    fields = {"order_id": row["id"], "placed": date_of(row["placed"]), "state": row["state"], "delivered": delivered}
    return {**fields, "total_cents": row["total"]}


def _review(row: sqlite3.Row) -> dict[str, Any]:
    fields = ("name", "product_id", "stars", "text")
    return {"review_id": row["id"], **{name: row[name] for name in fields}}


class Shop(App):
    """The shop app."""

    about = f"products, cart, wish list, reviews, orders; orders can be returned for {RETURN_DAYS} days after delivery"

    @look
    def search_products(self, query: str, page: int = 0, limit: int = 10) -> Any:
        """Find products by a part of the name."""
        sql = "SELECT * FROM products WHERE instr(lower(name), ?) ORDER BY name, id"
        return self.page_of("products", _product, sql, pattern(query), page=page, limit=limit)

    @look
    def list_categories(self) -> Any:
        """List the categories with how many products they have."""
        rows = self.world.rows(
            "SELECT category, count(*) AS products FROM products GROUP BY category ORDER BY category"
        )
        return [dict(row) for row in rows]

    @look
    def list_category(self, category: str, page: int = 0, limit: int = 10) -> Any:
        """List the products of a category by name."""
        sql = "SELECT * FROM products WHERE category = ? ORDER BY name, id"
        return self.page_of("products", _product, sql, pattern(category), page=page, limit=limit)

    @look
    def get_product(self, product_id: int) -> Any:
        """Read a product."""
        return _product(self._known(product_id))

    @look
    def list_reviews(self, product_id: int, page: int = 0, limit: int = 10) -> Any:
        """List the reviews of a product."""
        self._known(product_id)
        sql = (
            "SELECT reviews.*, people.name FROM reviews JOIN people ON people.id = author WHERE "
            "product_id = ? ORDER BY reviews.id"
        )
        return self.page_of("reviews", _review, sql, product_id, page=page, limit=limit)

    @look
    def list_own_reviews(self) -> Any:
        """List the reviews that you wrote, with the names of the products."""
        sql = (
            "SELECT reviews.*, name FROM reviews JOIN products ON products.id = product_id WHERE author "
            "= ? ORDER BY reviews.id"
        )
        return self.page_of("reviews", _review, sql, self.user, page=0, limit=20)

    @change
    def write_review(self, product_id: int, stars: int, text: str) -> Any:
        """Review a product; once a product."""
        self._known(product_id)
        if self.world.row("SELECT 1 FROM reviews WHERE product_id = ? AND author = ?", product_id, self.user):
            raise ToolFailure("You have reviewed that product already.")
        values = {"product_id": product_id, "author": self.user, "stars": within(stars, 1, 5, "stars")}
        return {"review_id": self.add("reviews", **values, text=_kept(text))}

    @change
    def edit_review(self, review_id: int, stars: int, text: str) -> Any:
        """Change a review of yours."""
        self._own_review(review_id)
        self.update("reviews", review_id, stars=within(stars, 1, 5, "stars"), text=_kept(text))
        return "Changed."

    @change
    def delete_review(self, review_id: int) -> Any:
        """Delete a review of yours."""
        self._own_review(review_id)
        self.remove("reviews", review_id)
        return "Deleted."

    @look
    def get_cart(self) -> Any:
        """Read your cart with prices and the total."""
        rows = self._cart()
        for row in rows:
            self.show("cart", row["id"])
        lines = [{**_product(row), "quantity": row["quantity"]} for row in rows]
        return {"items": lines, "total_cents": sum(row["quantity"] * row["price"] for row in rows)}

    @change
    def add_to_cart(self, product_id: int, quantity: int = 1) -> Any:
        """Put a product into your cart, or more of it."""
        row, more = self._known(product_id), within(quantity, 1, 99, "quantity")
        if row["stock"] == 0:
            raise ToolFailure(f"Product {product_id} is out of stock.")
        now = self._in_cart(product_id)
        whole = within(more + now, 1, 99, "quantity")
        self.world.write("REPLACE INTO cart VALUES (?, ?, ?)", self.user, product_id, whole)
        return "Added."

    @change
    def set_quantity(self, product_id: int, quantity: int) -> Any:
        """Change how many of a product are in your cart."""
        if not self._in_cart(product_id):
            raise ToolFailure(f"Product {product_id} is not in your cart.")
        whole = within(quantity, 1, 99, "quantity")
        self.world.write(
            "UPDATE cart SET quantity = ? WHERE owner = ? AND product_id = ?", whole, self.user, product_id
        )
        return "Changed."

    @change
    def remove_from_cart(self, product_id: int) -> Any:
        """Take a product out of your cart."""
        if not self.world.write("DELETE FROM cart WHERE owner = ? AND product_id = ?", self.user, product_id):
            raise ToolFailure(f"Product {product_id} is not in your cart.")
        return "Removed."

    @change
    def clear_cart(self) -> Any:
        """Take everything out of your cart."""
        self.world.write("DELETE FROM cart WHERE owner = ?", self.user)
        return "Cleared."

    @look
    def list_wishlist(self) -> Any:
        """List your wish list."""
        sql = "SELECT products.* FROM wishlist JOIN products ON products.id = product_id WHERE owner = ? ORDER BY name"
        self.show("wishlist", self.user)
        return self.page_of("products", _product, sql, self.user, page=0, limit=20)

    @change
    def add_to_wishlist(self, product_id: int) -> Any:
        """Put a product on your wish list."""
        self._known(product_id)
        if self.world.row("SELECT 1 FROM wishlist WHERE owner = ? AND product_id = ?", self.user, product_id):
            raise ToolFailure("The product is on your wish list already.")
        self.world.write("INSERT INTO wishlist VALUES (?, ?)", self.user, product_id)
        return "Added."

    @change
    def remove_from_wishlist(self, product_id: int) -> Any:
        """Take a product off your wish list."""
        if not self.world.write("DELETE FROM wishlist WHERE owner = ? AND product_id = ?", self.user, product_id):
            raise ToolFailure("The product is not on your wish list.")
        return "Removed."

    @look
    def list_orders(self, page: int = 0, limit: int = 10) -> Any:
        """List your orders, the newest first."""
        sql = "SELECT * FROM orders WHERE owner = ? ORDER BY placed DESC, id"
        return self.page_of("orders", _order, sql, self.user, page=page, limit=limit)

    @look
    def get_order(self, order_id: int) -> Any:
        """Read an order with its products, its address and its card."""
        row = self.own("orders", order_id, "order")
        sql = (
            "SELECT product_id, name, quantity, order_items.price AS price_cents FROM order_items JOIN products ON "
            "products.id = product_id WHERE order_id = ? ORDER BY name"
        )
        items = [dict(each) for each in self.world.rows(sql, order_id)]
        self.show("order items", order_id)
        address = {"street": row["street"], "city": row["city"], "card_id": row["card_id"]}
        return {**_order(row), **address, "items": items}

    @change
    def place_order(self, card_id: int) -> Any:
        """Order what is in your cart, to your own address, paid by a card of the payments app."""
        lines = self._cart()
        if not lines:
            raise ToolFailure("Your cart is empty.")
        return {"order_id": self._order([(row["id"], row["quantity"]) for row in lines], card_id, is_cart=True)}

    @change
    def order_again(self, order_id: int, card_id: int) -> Any:
        """Order the same products as in an earlier order, at today's prices."""
        self.own("orders", order_id, "order")
        rows = self.world.rows(
            "SELECT product_id, quantity FROM order_items WHERE order_id = ? ORDER BY product_id", order_id
        )
        return {"order_id": self._order([(row["product_id"], row["quantity"]) for row in rows], card_id, is_cart=False)}

    @change
    def cancel_order(self, order_id: int) -> Any:
        """Cancel an order that is still being processed; the card gets its money back."""
        row = self.own("orders", order_id, "order")
        if row["state"] != "processing":
            raise ToolFailure(f"Order {order_id} is {row['state']}; only orders in processing can be cancelled.")
        self._give_back(row, "cancelled")
        return "Cancelled."

    @change
    def return_order(self, order_id: int) -> Any:
        """Return an order within 30 days after its delivery; the card gets its money back."""
        row = self.own("orders", order_id, "order")
        if row["state"] != "delivered":
            raise ToolFailure(f"Order {order_id} is {row['state']}; only delivered orders can be returned.")
        if self.today - row["delivered"] > RETURN_DAYS:
            raise ToolFailure(f"Order {order_id} was delivered more than {RETURN_DAYS} days ago.")
        self._give_back(row, "returned")
        return "Returned."

    def _known(self, number: int) -> sqlite3.Row:
        row = self.world.row("SELECT * FROM products WHERE id = ?", number)
        if row is None:
            raise ToolFailure(f"There is no product {number}.")
        self.show("products", number)
        return row

    def _cart(self) -> list[sqlite3.Row]:
        sql = (
            "SELECT products.*, quantity FROM cart JOIN products ON products.id = product_id WHERE owner "
            "= ? ORDER BY name"
        )
        return self.world.rows(sql, self.user)

    def _in_cart(self, number: int) -> int:
        row = self.world.row("SELECT quantity FROM cart WHERE owner = ? AND product_id = ?", self.user, number)
        return 0 if row is None else int(row["quantity"])

    def _own_review(self, number: int) -> None:
        row = self.world.row("SELECT author FROM reviews WHERE id = ?", number)
        if row is None or row["author"] != self.user:
            raise ToolFailure(f"You have no review {number}.")
        self.show("reviews", number)

    def _order(self, lines: list[tuple[int, int]], card_id: int, *, is_cart: bool) -> int:
        card, total, priced = self.own("cards", card_id, "card"), 0, []
        for product, quantity in lines:
            row = self._known(product)
            if row["stock"] < quantity:
                raise ToolFailure(f"Of product {product}, {row['stock']} are in stock, {quantity} were wanted.")
            self.update("products", product, stock=row["stock"] - quantity)
            priced.append((product, quantity, row["price"]))
            total += quantity * row["price"]
        if card["expires"] < date_of(self.today)[:7]:
            raise ToolFailure(f"Card {card_id} has expired.")
        if card["room"] < total:
            raise ToolFailure(f"Card {card_id} has only {card['room']} cents left; {total} are needed.")
        self.update("cards", card_id, room=card["room"] - total)
        me = self.world.row("SELECT street, city FROM people WHERE id = ?", self.user)
        assert me is not None
        values = {"owner": self.user, "placed": self.today, "state": "processing", "delivered": None, "total": total}
        number = self.add("orders", **values, card_id=card_id, street=me["street"], city=me["city"])
        for line in priced:
            self.world.write("INSERT INTO order_items VALUES (?, ?, ?, ?)", number, *line)
        if is_cart:
            self.world.write("DELETE FROM cart WHERE owner = ?", self.user)
        return number

    def _give_back(self, row: sqlite3.Row, state: str) -> None:
        for line in self.world.rows("SELECT product_id, quantity FROM order_items WHERE order_id = ?", row["id"]):
            self.world.write("UPDATE products SET stock = stock + ? WHERE id = ?", line["quantity"], line["product_id"])
        self.world.write("UPDATE cards SET room = room + ? WHERE id = ?", row["total"], row["card_id"])
        self.update("orders", row["id"], state=state)


def _kept(value: str) -> str:
    return text(value, "text")
