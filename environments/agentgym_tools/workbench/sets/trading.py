"""Trading: quotes, an account with positions, orders with limits, a watch list and alerts. Amounts are whole cents."""

from __future__ import annotations

from typing import Any, Literal

from agentgym_tools.workbench.sets.toolbox import LISTED, OwnTools, require, short
from agentgym_tools.worlds.toolbox import reads, writes

Side = Literal["buy", "sell"]


class TradingReading(OwnTools):
    """The tools of trading that read."""

    @reads
    def get_quote(self, symbol: str) -> Any:
        """Show the company, sector and price of a stock.

        Args:
            symbol: The stock's symbol.
        """
        return dict(self._stock(symbol))

    @reads
    def list_stocks(self, sector: str) -> Any:
        """List the stocks of a sector with their prices.

        Args:
            sector: The sector, as list_sectors names it.
        """
        rows = self.world.rows("SELECT * FROM stocks WHERE sector = ? ORDER BY symbol", sector)
        if not rows:
            self.show("missing", sector)
            raise self.not_found(f"there is no sector {short(sector)}.")
        self.show(LISTED, f"stocks {sector}")
        return [self._shown("stocks", row["symbol"], dict(row)) for row in rows]

    @reads
    def list_sectors(self) -> Any:
        """List the sectors."""
        return [row[0] for row in self.world.rows("SELECT DISTINCT sector FROM stocks ORDER BY sector")]

    @reads
    def find_company(self, part: str) -> Any:
        """Find stocks by a part of the company's name.

        Args:
            part: A part of the name.
        """
        rows = self.world.rows("SELECT * FROM stocks WHERE instr(lower(company), lower(?)) ORDER BY symbol", part)
        self.show(LISTED, f"companies {part}")
        return [self._shown("stocks", row["symbol"], dict(row)) for row in rows]

    @reads
    def get_account(self) -> Any:
        """Show the balance of the account in cents."""
        self.show("accounts", self.me)
        return {"balance_cents": self._balance()}

    @reads
    def list_positions(self) -> Any:
        """List the stocks that you hold, with shares and the present price."""
        sql = "SELECT symbol, shares, price FROM positions JOIN stocks USING (symbol) WHERE owner = ? ORDER BY symbol"
        self.show(LISTED, "positions")
        found = []
        for row in self.world.rows(sql, self.me):
            self.show("stocks", row["symbol"])
            found.append(self._shown("positions", row["symbol"], dict(row)))
        return found

    @reads
    def list_orders(self, state: Literal["open", "filled", "cancelled", "any"]) -> Any:
        """List your orders.

        Args:
            state: Their state.
        """
        rows = self.world.rows(
            "SELECT * FROM orders WHERE owner = ? AND ? IN (state, 'any') ORDER BY id", self.me, state
        )
        self.show(LISTED, f"orders {state}")
        return [self._order_shown(row) for row in rows]

    @reads
    def get_order(self, order_id: int) -> Any:
        """Show one of your orders.

        Args:
            order_id: Number of the order.
        """
        return self._order_shown(self._order(order_id))

    @reads
    def list_watched(self) -> Any:
        """List the symbols of your watch list."""
        self.show(LISTED, "watches")
        rows = self.world.rows("SELECT symbol FROM watches WHERE owner = ? ORDER BY symbol", self.me)
        return [self._shown("watches", row[0], row[0]) for row in rows]

    @reads
    def list_alerts(self) -> Any:
        """List your price alerts."""
        self.show(LISTED, "alerts")
        rows = self.world.rows("SELECT * FROM alerts WHERE owner = ? ORDER BY id", self.me)
        return [
            self._shown("alerts", row["id"], {key: row[key] for key in ("id", "symbol", "direction", "price")})
            for row in rows
        ]

    def _shown(self, table: str, key: str | int, value: Any) -> Any:
        self.show(table, key)
        return value

    def _stock(self, symbol: str) -> Any:
        row = self.world.row("SELECT * FROM stocks WHERE symbol = ?", symbol)
        if row is None:
            self.show("missing", symbol)
            raise self.not_found(f"there is no stock {short(symbol)}.")
        self.show("stocks", symbol)
        return row

    def _order(self, order_id: int) -> Any:
        row = self.world.row("SELECT * FROM orders WHERE owner = ? AND id = ?", self.me, order_id)
        if row is None:
            self.show("missing", f"order {order_id}")
            self.is_shown_by("orders any")
            raise self.not_found(f"you have no order {order_id}.")
        self.show("orders", order_id)
        return row

    def _order_shown(self, row: Any) -> dict[str, Any]:
        self.show("orders", row["id"])
        return {
            "order_id": row["id"],
            **{key: row[key] for key in ("side", "symbol", "shares", "limit_cents", "state")},
        }

    def _balance(self) -> int:
        row = self.world.row("SELECT balance FROM accounts WHERE owner = ?", self.me)
        assert row is not None
        return int(row[0])


class TradingTools(TradingReading):
    """The tools of trading."""

    @writes
    def buy_stock(self, symbol: str, shares: int) -> Any:
        """Buy shares at the present price, paid from the account.

        Args:
            symbol: The stock's symbol.
            shares: How many, from 1.
        """
        require(shares >= 1, "shares is from 1.")
        stock = self._stock(symbol)
        cost = stock["price"] * shares
        if cost > self._balance():
            self.show("accounts", self.me)
            raise self.not_possible(f"it costs {cost} cents and the account has {self._balance()}.")
        self._pay(-cost)
        self._hold(symbol, self._held(symbol) + shares)
        return self._new_order("buy", symbol, shares, stock["price"], "filled")

    @writes
    def sell_stock(self, symbol: str, shares: int) -> Any:
        """Sell shares at the present price; the account gets the money.

        Args:
            symbol: The stock's symbol.
            shares: How many, from 1.
        """
        require(shares >= 1, "shares is from 1.")
        stock = self._stock(symbol)
        if self._held(symbol) < shares:
            self.show("positions", symbol)
            self.is_shown_by("positions")
            raise self.not_possible(f"you hold {self._held(symbol)} shares of {symbol}.")
        self._pay(stock["price"] * shares)
        self._hold(symbol, self._held(symbol) - shares)
        return self._new_order("sell", symbol, shares, stock["price"], "filled")

    @writes
    def place_limit_order(self, side: Side, symbol: str, shares: int, limit_cents: int) -> Any:
        """Place an order that waits until the price reaches a limit.

        Args:
            side: Whether to buy or to sell.
            symbol: The stock's symbol.
            shares: How many, from 1.
            limit_cents: The limit in cents a share, from 100.
        """
        require(shares >= 1, "shares is from 1.")
        require(limit_cents >= 100, "limit_cents is from 100.")
        self._stock(symbol)
        return self._new_order(side, symbol, shares, limit_cents, "open")

    @writes
    def cancel_order(self, order_id: int) -> Any:
        """Cancel an open order.

        Args:
            order_id: Number of the order.
        """
        if self._order(order_id)["state"] == "cancelled":
            raise self.is_so_already(f"order {order_id} is cancelled.")
        self._require_open(order_id)
        self.world.write("UPDATE orders SET state = 'cancelled' WHERE id = ?", order_id)
        return f"Cancelled order {order_id}."

    @writes
    def change_order_limit(self, order_id: int, limit_cents: int) -> Any:
        """Change the limit of an open order.

        Args:
            order_id: Number of the order.
            limit_cents: The new limit in cents a share, from 100.
        """
        require(limit_cents >= 100, "limit_cents is from 100.")
        if self._require_open(order_id)["limit_cents"] == limit_cents:
            raise self.is_so_already(f"the limit of order {order_id} is {limit_cents}.")
        self.world.write("UPDATE orders SET limit_cents = ? WHERE id = ?", limit_cents, order_id)
        return f"The limit of order {order_id} is now {limit_cents}."

    @writes
    def add_to_watch_list(self, symbol: str) -> Any:
        """Put a stock on your watch list.

        Args:
            symbol: The stock's symbol.
        """
        self._stock(symbol)
        if self._is_watched(symbol):
            raise self.is_so_already(f"{symbol} is on the watch list.")
        self.world.write("INSERT INTO watches VALUES (?, ?)", self.me, symbol)
        return f"{symbol} is on the watch list now."

    @writes
    def remove_from_watch_list(self, symbol: str) -> Any:
        """Take a stock off your watch list.

        Args:
            symbol: The stock's symbol.
        """
        self._stock(symbol)
        if not self._is_watched(symbol):
            raise self.is_so_already(f"{symbol} is not on the watch list.")
        self.world.write("DELETE FROM watches WHERE owner = ? AND symbol = ?", self.me, symbol)
        return f"{symbol} is off the watch list now."

    @writes
    def set_price_alert(self, symbol: str, direction: Literal["above", "below"], price_cents: int) -> Any:
        """Have yourself told when a price goes above or below a value.

        Args:
            symbol: The stock's symbol.
            direction: Above or below.
            price_cents: The price in cents, from 100.
        """
        require(price_cents >= 100, "price_cents is from 100.")
        self._stock(symbol)
        number = self.world.new_id("alerts")
        self.world.write("INSERT INTO alerts VALUES (?, ?, ?, ?, ?)", number, self.me, symbol, direction, price_cents)
        return {"alert_id": number}

    @writes
    def delete_price_alert(self, alert_id: int) -> Any:
        """Delete one of your price alerts.

        Args:
            alert_id: Number of the alert.
        """
        if self.world.write("DELETE FROM alerts WHERE owner = ? AND id = ?", self.me, alert_id) == 0:
            self.show("missing", f"alert {alert_id}")
            self.is_shown_by("alerts")
            raise self.not_found(f"you have no alert {alert_id}.")
        return f"Deleted alert {alert_id}."

    @writes
    def deposit(self, amount_cents: int) -> Any:
        """Put money into the account.

        Args:
            amount_cents: How much, in cents, from 100.
        """
        require(amount_cents >= 100, "amount_cents is from 100.")
        self._pay(amount_cents)
        return {"balance_cents": self._balance()}

    @writes
    def withdraw(self, amount_cents: int) -> Any:
        """Take money out of the account.

        Args:
            amount_cents: How much, in cents, from 100.
        """
        require(amount_cents >= 100, "amount_cents is from 100.")
        if amount_cents > self._balance():
            self.show("accounts", self.me)
            raise self.not_possible(f"the account has {self._balance()} cents.")
        self._pay(-amount_cents)
        return {"balance_cents": self._balance()}

    def _require_open(self, order_id: int) -> Any:
        row = self._order(order_id)
        if row["state"] != "open":
            raise self.not_possible(f"order {order_id} is {row['state']}.")
        return row

    def _pay(self, cents: int) -> None:
        self.world.write("UPDATE accounts SET balance = balance + ? WHERE owner = ?", cents, self.me)

    def _held(self, symbol: str) -> int:
        row = self.world.row("SELECT shares FROM positions WHERE owner = ? AND symbol = ?", self.me, symbol)
        return 0 if row is None else int(row[0])

    def _hold(self, symbol: str, shares: int) -> None:
        self.world.write("DELETE FROM positions WHERE owner = ? AND symbol = ?", self.me, symbol)
        if shares:
            self.world.write("INSERT INTO positions VALUES (?, ?, ?)", self.me, symbol, shares)

    def _is_watched(self, symbol: str) -> bool:
        self.show("watches", symbol)
        self.is_shown_by("watches")
        return self.world.row("SELECT 1 FROM watches WHERE owner = ? AND symbol = ?", self.me, symbol) is not None

    def _new_order(self, side: str, symbol: str, shares: int, limit_cents: int, state: str) -> dict[str, Any]:
        number = self.world.new_id("orders")
        row = (number, self.me, side, symbol, shares, limit_cents, state)
        self.world.write("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?)", *row)
        return {"order_id": number, "symbol": symbol, "shares": shares, "limit_cents": limit_cents, "state": state}
