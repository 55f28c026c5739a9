"""Requests about trading."""

from __future__ import annotations

from agentgym_tools.workbench.cases import Case, View, do, either, leave, rows, tell
from agentgym_tools.workbench.sets.toolbox import LISTED
from agentgym_tools.workbench.template import Facts, Pick, Template, UndrawableError, direct
from agentgym_tools.worlds.calls import Call

_SYMBOLS = "SELECT symbol FROM stocks ORDER BY symbol"
_HELD = "SELECT symbol, shares, price FROM positions JOIN stocks USING (symbol) WHERE owner = ? ORDER BY symbol"
_ORDERS = "SELECT * FROM orders WHERE owner = ? ORDER BY id"
_MAX_ACTED_ON = 4


def _symbol(pick: Pick) -> str:
    return str(pick.value(_SYMBOLS))


def _shares(pick: Pick) -> Facts:
    return {"symbol": _symbol(pick), "shares": pick.number(1, 12)}


def _too_many(pick: Pick) -> Facts:
    return {"symbol": _symbol(pick), "shares": pick.number(2000, 9000, 100)}


def _sale(pick: Pick) -> Facts:
    row = pick.row(_HELD, pick.me)
    return {"symbol": row["symbol"], "shares": pick.number(1, row["shares"])}


def _oversale(pick: Pick) -> Facts:
    row = pick.row(_HELD, pick.me)
    return {"symbol": row["symbol"], "shares": row["shares"] + pick.number(1, 20)}


def _limit(pick: Pick) -> Facts:
    return {"side": pick.one(("buy", "sell")), **_shares(pick), "limit_cents": pick.number(1000, 30000, 50)}


def _open_order(pick: Pick) -> Facts:
    return {"order_id": pick.row(f"{_ORDERS.split(' ORDER')[0]} AND state = 'open'", pick.me)["id"]}


def _dead_order(pick: Pick) -> Facts:
    return {"order_id": pick.row(f"{_ORDERS.split(' ORDER')[0]} AND state <> 'open'", pick.me)["id"]}


def _new_limit(pick: Pick) -> Facts:
    return {**_open_order(pick), "limit_cents": pick.number(1000, 30000, 50)}


def _company(pick: Pick) -> Facts:
    return {"company": pick.value("SELECT company FROM stocks ORDER BY symbol")}


def _watched(pick: Pick) -> Facts:
    return {"symbol": pick.value("SELECT symbol FROM watches WHERE owner = ? ORDER BY symbol", pick.me)}


def _watch(view: View, facts: Facts) -> Case:
    symbol = view.value("SELECT symbol FROM stocks WHERE company = ?", facts["company"])
    return do(Call("add_to_watch_list", {"symbol": symbol}), reads=[Call("find_company", {"part": facts["company"]})])


def _alert(pick: Pick) -> Facts:
    return {
        "symbol": _symbol(pick),
        "direction": pick.one(("above", "below")),
        "price_cents": pick.number(1000, 30000, 50),
    }


def _sell_dearest(view: View, facts: Facts) -> Case:
    held = view.rows(_HELD, view.me)
    dearest = max(row["price"] for row in held)
    outcomes = [
        [Call("sell_stock", {"symbol": row["symbol"], "shares": row["shares"]})]
        for row in held
        if row["price"] == dearest
    ]
    seen = [(table, row["symbol"]) for table in ("positions", "stocks") for row in held]
    return either(outcomes, [Call("list_positions")], seen)


def _some_orders(pick: Pick) -> Facts:
    row = pick.row(_ORDERS, pick.me)
    return {"symbol": row["symbol"], "state": row["state"]}


def _matching(view: View, symbol: str, state: str) -> list[int]:
    sql = "SELECT id FROM orders WHERE owner = ? AND symbol = ? AND state = ? ORDER BY id"
    return [row["id"] for row in view.rows(sql, view.me, symbol, state)]


def _count_orders(view: View, facts: Facts) -> Case:
    found = _matching(view, facts["symbol"], facts["state"])
    listed = [[(LISTED, f"orders {state}")] for state in (facts["state"], "any")]
    return tell(len(found), [Call("list_orders", {"state": facts["state"]})], *listed)


def _cancel_all(view: View, facts: Facts) -> Case:
    found = _matching(view, facts["symbol"], "open")
    reads = [Call("list_orders", {"state": "open"})]
    if not found:
        return leave("already_so", reads, [(LISTED, "orders open")], [(LISTED, "orders any")])
    if len(found) > _MAX_ACTED_ON:
        raise UndrawableError
    return do(*(Call("cancel_order", {"order_id": number}) for number in found), reads=reads)


def _cancel_all_facts(pick: Pick) -> Facts:
    return {"symbol": pick.row(f"{_ORDERS.split(' ORDER')[0]} AND state = 'open'", pick.me)["symbol"]}


def _position(pick: Pick) -> Facts:
    return {"symbol": pick.row(_HELD, pick.me)["symbol"]}


def _worth(view: View, facts: Facts) -> Case:
    row = next(row for row in view.rows(_HELD, view.me) if row["symbol"] == facts["symbol"])
    value = row["shares"] * row["price"]
    reads = [Call("list_positions"), Call("multiply", {"a": row["shares"], "b": row["price"]})]
    seen = [("positions", row["symbol"]), ("stocks", row["symbol"]), ("result", str(value))]
    return tell(value, reads, seen)


def _cheapest(view: View, facts: Facts) -> Case:
    sql = "SELECT symbol, price FROM stocks WHERE sector = ? ORDER BY symbol"
    found = view.rows(sql, facts["sector"])
    lowest = min(row["price"] for row in found)
    outcomes = [
        [Call("buy_stock", {"symbol": row["symbol"], "shares": facts["shares"]})]
        for row in found
        if row["price"] == lowest
    ]
    seen = rows("stocks", [row["symbol"] for row in found])
    return either(outcomes, [Call("list_stocks", {"sector": facts["sector"]})], seen)


def _sector(pick: Pick) -> Facts:
    return {"sector": pick.value("SELECT DISTINCT sector FROM stocks ORDER BY sector"), "shares": pick.number(1, 9)}


def _cancel_last(view: View, facts: Facts) -> Case:
    order = view.added("orders")
    if view.value("SELECT state FROM orders WHERE id = ?", order) != "open":
        raise UndrawableError
    return do(Call("cancel_order", {"order_id": order}))


def _balance(view: View, facts: Facts) -> Case:
    balance = view.value("SELECT balance FROM accounts WHERE owner = ?", view.me)
    return tell(balance, [Call("get_account")], rows("accounts", [view.me]))


def _delete_alert(view: View, facts: Facts) -> Case:
    found = view.rows("SELECT id FROM alerts WHERE owner = ? AND symbol = ?", view.me, facts["symbol"])
    if len(found) != 1:
        raise UndrawableError
    return do(Call("delete_price_alert", {"alert_id": found[0]["id"]}), reads=[Call("list_alerts")])


def _alerted(pick: Pick) -> Facts:
    return {"symbol": pick.value("SELECT symbol FROM alerts WHERE owner = ? ORDER BY id", pick.me)}


def _money(pick: Pick) -> Facts:
    return {"amount_cents": pick.number(1000, 40000, 100)}


def _too_much(pick: Pick) -> Facts:
    return {"amount_cents": pick.number(2_000_000, 4_000_000, 1000)}


def _share_of_balance(view: View, facts: Facts) -> Case:
    balance = view.value("SELECT balance FROM accounts WHERE owner = ?", view.me)
    cents, rest = divmod(balance * facts["percent"], 100)
    if rest:
        raise UndrawableError
    reads = [Call("get_account"), Call("percent_of", {"percent": facts["percent"], "number": balance})]
    return tell(cents, reads, [("accounts", view.me), ("result", str(cents))])


TRADING = "trading"
TEMPLATES = (
    direct(
        *("buy", TRADING, "buy_stock"),
        (
            "Buy {shares} shares of {symbol} at the present price.",
            "I want {shares} more shares of {symbol}, bought now.",
        ),
        _shares,
        idle=_too_many,
        missing="shares",
        vague=("Buy some shares of {symbol} at the present price.", "I want more shares of {symbol}, bought now."),
    ),
    direct(
        *("sell", TRADING, "sell_stock"),
        ("Sell {shares} shares of {symbol} at the present price.", "Part with {shares} of my shares of {symbol} now."),
        _sale,
        idle=_oversale,
        missing="shares",
        vague=("Sell some of my shares of {symbol} at the present price.",),
    ),
    direct(
        *("limit_order", TRADING, "place_limit_order"),
        (
            "Place an order to {side} {shares} shares of {symbol} with a limit of {limit_cents} cents.",
            "I want to {side} {shares} shares of {symbol} at a limit of {limit_cents} cents: place the order.",
        ),
        _limit,
        missing="limit_cents",
        vague=("Place an order to {side} {shares} shares of {symbol} with a limit.",),
    ),
    direct(
        *("cancel_order", TRADING, "cancel_order"),
        ("Cancel order {order_id}.", "I no longer want order {order_id}; cancel it."),
        _open_order,
        idle=_dead_order,
    ),
    direct(
        *("change_limit", TRADING, "change_order_limit"),
        (
            "Change the limit of order {order_id} to {limit_cents} cents.",
            "Order {order_id} shall have a limit of {limit_cents} cents.",
        ),
        _new_limit,
        missing="limit_cents",
        vague=("Change the limit of order {order_id}.", "Order {order_id} shall have another limit."),
    ),
    Template(
        *("watch", TRADING),
        ("Put the stock of {company} on my watch list.", "I want to watch {company}; add it to the list."),
        _company,
        _watch,
        key_tool="add_to_watch_list",
        idle=_company,
    ),
    direct(
        *("unwatch", TRADING, "remove_from_watch_list"),
        ("Take {symbol} off my watch list.", "I do not want to watch {symbol} any more."),
        _watched,
        idle=lambda pick: {"symbol": _symbol(pick)},
    ),
    direct(
        *("alert", TRADING, "set_price_alert"),
        (
            "Alert me when {symbol} goes {direction} {price_cents} cents.",
            "I want to be told when the price of {symbol} is {direction} {price_cents} cents; set an alert.",
        ),
        _alert,
        missing="price_cents",
        vague=("Set an alert for when {symbol} goes {direction} a certain price.",),
    ),
    Template(
        *("sell_dearest", TRADING),
        (
            "Of the stocks that I hold, sell all shares of the one with the highest price a share.",
            "Find my position with the highest price a share, and sell it whole.",
        ),
        lambda pick: {},
        _sell_dearest,
        key_tool="sell_stock",
    ),
    Template(
        *("count_orders", TRADING),
        ("How many of my orders for {symbol} are {state}?", "Count my orders for {symbol} in the state {state}."),
        _some_orders,
        _count_orders,
        is_long=True,
    ),
    Template(
        *("cancel_orders", TRADING),
        ("Cancel all my open orders for {symbol}.", "I want no open orders for {symbol}; cancel each of them."),
        _cancel_all_facts,
        _cancel_all,
        idle=lambda pick: {"symbol": _symbol(pick)},
        key_tool="cancel_order",
        is_long=True,
    ),
    Template(
        *("worth", TRADING),
        (
            "What are my shares of {symbol} worth in cents at the present price?",
            "How many cents would all my {symbol} bring?",
        ),
        _position,
        _worth,
        more_sets=("calculator",),
    ),
    Template(
        *("buy_cheapest", TRADING),
        (
            "Buy {shares} shares of the cheapest stock of the sector {sector}.",
            "Which stock of the sector {sector} has the lowest price? Buy {shares} shares of it.",
        ),
        _sector,
        _cheapest,
        key_tool="buy_stock",
    ),
    Template(
        *("cancel_last_order", TRADING),
        (
            "I have changed my mind: cancel the order that you have just placed.",
            "The order that you have just placed was a mistake; cancel it.",
        ),
        lambda pick: {},
        _cancel_last,
        key_tool="cancel_order",
        after="orders",
    ),
    Template(
        *("balance", TRADING),
        ("How many cents are on my trading account?", "What is the balance of my trading account in cents?"),
        lambda pick: {},
        _balance,
    ),
    Template(
        *("share_of_balance", TRADING),
        ("What is {percent} percent of the balance of my trading account, in cents?",),
        lambda pick: {"percent": pick.one((10, 20, 30, 40, 50, 70))},
        _share_of_balance,
        more_sets=("calculator",),
    ),
    Template(
        *("delete_alert", TRADING),
        ("Delete my price alert for {symbol}.", "I need no alert for {symbol} any more."),
        _alerted,
        _delete_alert,
        key_tool="delete_price_alert",
    ),
    direct(
        *("deposit", TRADING, "deposit"),
        ("Put {amount_cents} cents into my trading account.", "Deposit {amount_cents} cents for trading."),
        _money,
        missing="amount_cents",
        vague=("Put some money into my trading account.", "Deposit money for trading."),
    ),
    direct(
        *("withdraw", TRADING, "withdraw"),
        (
            "Take {amount_cents} cents out of my trading account.",
            "Withdraw {amount_cents} cents from what I have for trading.",
        ),
        _money,
        idle=_too_much,
        missing="amount_cents",
        vague=("Take some money out of my trading account.",),
    ),
)
"""All requests about trading."""
