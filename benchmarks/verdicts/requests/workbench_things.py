"""Requests about files, trading, travel and the car: what each kind wants."""

# ruff: noqa: E501 - queries in a line each

from __future__ import annotations

from collections.abc import Iterator, Sequence
from sqlite3 import Row

from agentgym_tools.workbench.rows.travel import code_of
from benchmarks.verdicts.requests.effects import Effect
from benchmarks.verdicts.requests.workbench_requests import BAG, INSURANCE, Wished, wants

Alternatives = Iterator[Sequence[Effect]]


def _parent(path: str) -> str:
    return path.rsplit("/", 1)[0] or "/"


def _name(path: str) -> str:
    return path.rsplit("/", 1)[1]


@wants("make_folder")
def make_folder(wished: Wished) -> Alternatives:
    if not wished.has_folder(wished["folder"]):
        yield [wished.new("nodes", path=wished["folder"], kind="folder", text="")]


@wants("make_file")
def make_file(wished: Wished) -> Alternatives:
    yield [wished.written(wished["path"], wished["text"])]


@wants("write_answer")
def write_answer(wished: Wished) -> Alternatives:
    yield [wished.written(wished["path"], wished.number)]


@wants("append")
def append(wished: Wished) -> Alternatives:
    yield wished.says(wished["path"], lambda text: f"{text}\n{wished['line']}")


@wants("append_to_last")
def append_to_last(wished: Wished) -> Alternatives:
    yield wished.says(wished.just_made("nodes"), lambda text: f"{text}\n{wished['line']}")


@wants("move")
def move(wished: Wished) -> Alternatives:
    if _parent(wished["path"]) != wished["folder"]:
        yield wished.moved(wished["path"], f"{wished['folder']}/{_name(wished['path'])}")


@wants("rename")
def rename(wished: Wished) -> Alternatives:
    yield wished.moved(wished["path"], f"{_parent(wished['path']).rstrip('/')}/{wished['name']}")


@wants("copy")
def copy(wished: Wished) -> Alternatives:
    for row in wished.file(wished["path"]):
        yield [wished.written(f"{wished['folder']}/{_name(wished['path'])}", row["text"])]


@wants("copy_last")
def copy_last(wished: Wished) -> Alternatives:
    path = wished.just_made("nodes")
    for row in wished.file(path):
        yield [wished.written(f"{wished['folder']}/{_name(path)}", row["text"])]


@wants("delete")
def delete(wished: Wished) -> Alternatives:
    yield [wished.gone("nodes", wished.own("nodes", "path = :path"))]


@wants("replace")
def replace(wished: Wished) -> Alternatives:
    if any(wished["old"] in row["text"] for row in wished.file(wished["path"])):
        yield wished.says(wished["path"], lambda text: text.replace(wished["old"], wished["new"]))


@wants("sort")
def sort(wished: Wished) -> Alternatives:
    yield wished.says(wished["path"], lambda text: "\n".join(sorted(text.split("\n"))))


@wants("delete_line")
def delete_line(wished: Wished) -> Alternatives:
    yield wished.says(
        wished["path"], lambda text: "\n".join(each for each in text.split("\n") if each != wished["line"])
    )


@wants("file_invoices")
def file_invoices(wished: Wished) -> Alternatives:
    where = "path LIKE '/invoices/%' AND kind = 'file' AND text LIKE '%client: ' || :client || '%' AND text LIKE '%state: ' || :state || '%'"
    paths = [row["path"] for row in wished.own("nodes", where)]
    yield [effect for path in paths for effect in wished.moved(path, f"{wished['folder']}/{_name(path)}")]


@wants("delete_longest")
def delete_longest(wished: Wished) -> Alternatives:
    files = wished.own("nodes", "path LIKE :folder || '/%' AND kind = 'file'")
    for row in files:
        if len(row["text"]) == max(len(each["text"]) for each in files):
            yield [wished.gone("nodes", [row])]


@wants("buy")
def buy(wished: Wished) -> Alternatives:
    yield wished.traded("buy", wished["symbol"], wished["shares"])


@wants("sell")
def sell(wished: Wished) -> Alternatives:
    held = wished.own("positions", "symbol = :symbol")
    if held and held[0]["shares"] >= wished["shares"]:
        yield wished.traded("sell", wished["symbol"], wished["shares"])


@wants("limit_order")
def limit_order(wished: Wished) -> Alternatives:
    yield [wished.new("orders", **wished.words, state="open")]


def _order(wished: Wished, number: int) -> list[Row]:
    return wished.own("orders", "id = :number AND state = 'open'", number=number)


@wants("cancel_order")
def cancel_order(wished: Wished) -> Alternatives:
    for row in _order(wished, wished["order_id"]):
        yield [wished.put("orders", [row], state="cancelled")]


@wants("cancel_last_order")
def cancel_last_order(wished: Wished) -> Alternatives:
    yield [wished.put("orders", _order(wished, wished.just_made("orders")), state="cancelled")]


@wants("cancel_orders")
def cancel_orders(wished: Wished) -> Alternatives:
    rows = wished.own("orders", "symbol = :symbol AND state = 'open'")
    if rows:
        yield [wished.put("orders", rows, state="cancelled")]


@wants("change_limit")
def change_limit(wished: Wished) -> Alternatives:
    yield [wished.put("orders", _order(wished, wished["order_id"]), limit_cents=wished["limit_cents"])]


@wants("watch")
def watch(wished: Wished) -> Alternatives:
    unwatched = "symbol NOT IN (SELECT symbol FROM watches WHERE owner = :me)"
    for row in wished.rows(f"SELECT symbol FROM stocks WHERE company = :company AND {unwatched}"):
        yield [wished.new("watches", symbol=row["symbol"])]


@wants("unwatch")
def unwatch(wished: Wished) -> Alternatives:
    rows = wished.own("watches", "symbol = :symbol")
    if rows:
        yield [wished.gone("watches", rows)]


@wants("alert")
def alert(wished: Wished) -> Alternatives:
    yield [wished.new("alerts", symbol=wished["symbol"], direction=wished["direction"], price=wished["price_cents"])]


@wants("delete_alert")
def delete_alert(wished: Wished) -> Alternatives:
    for row in wished.own("alerts", "symbol = :symbol"):
        yield [wished.gone("alerts", [row])]


@wants("sell_dearest")
def sell_dearest(wished: Wished) -> Alternatives:
    rows = wished.rows("SELECT symbol, shares, price FROM positions JOIN stocks USING (symbol) WHERE owner = :me")
    for row in rows:
        if row["price"] == max(each["price"] for each in rows):
            yield wished.traded("sell", row["symbol"], row["shares"])


@wants("buy_cheapest")
def buy_cheapest(wished: Wished) -> Alternatives:
    least = "price = (SELECT min(price) FROM stocks WHERE sector = :sector)"
    for row in wished.rows(f"SELECT symbol FROM stocks WHERE sector = :sector AND {least}"):
        yield wished.traded("buy", row["symbol"], wished["shares"])


@wants("deposit")
def deposit(wished: Wished) -> Alternatives:
    yield [wished.account(wished["amount_cents"])]


@wants("withdraw")
def withdraw(wished: Wished) -> Alternatives:
    yield [wished.account(-wished["amount_cents"])]


@wants("book_cheapest")
def book_cheapest(wished: Wished) -> Alternatives:
    way = "origin = :start AND destination = :end AND day = :day AND seats > 0"
    codes = {"start": code_of(wished["origin"]), "end": code_of(wished["destination"])}
    flights = wished.rows(f"SELECT * FROM flights WHERE {way}", **codes)
    for flight in flights:
        if flight["price"] == min(each["price"] for each in flights):
            for card in wished.own("cards", "kind = :kind"):
                yield wished.booked(flight, card)


@wants("cancel_booking")
def cancel_booking(wished: Wished) -> Alternatives:
    yield from _cancelled(wished, wished["booking_id"])


@wants("cancel_last_booking")
def cancel_last_booking(wished: Wished) -> Alternatives:
    yield from _cancelled(wished, wished.just_made("bookings"))


def _cancelled(wished: Wished, number: int) -> Alternatives:
    for row in wished.live(number):
        card = wished.own("cards", "id = :card", card=row["card"])
        back = wished.put("cards", card, balance=card[0]["balance"] + row["paid"])
        yield [wished.put("bookings", [row], state="cancelled"), back]


@wants("add_bags", "bags_of_last")
def add_bags(wished: Wished) -> Alternatives:
    number = wished["booking_id"] if "booking_id" in wished.words else wished.just_made("bookings")
    for row in wished.live(number):
        yield wished.charged(row, BAG * wished["bags"], bags=row["bags"] + wished["bags"])


@wants("insure", "insure_last")
def insure(wished: Wished) -> Alternatives:
    number = wished["booking_id"] if "booking_id" in wished.words else wished.just_made("bookings")
    for row in wished.live(number):
        if not row["insured"]:
            yield wished.charged(row, INSURANCE, insured=1)


@wants("card_state")
def card_state(wished: Wished) -> Alternatives:
    for card in wished.own("cards", "kind = :kind AND state <> :state"):
        yield [wished.put("cards", [card], state=wished["state"])]


@wants("move_money")
def move_money(wished: Wished) -> Alternatives:
    cents = wished["amount_cents"]
    for card in wished.own("cards", "kind = :kind"):
        for other in wished.own("cards", "kind <> :kind"):
            gives = wished.put("cards", [card], balance=card["balance"] - cents)
            yield [gives, wished.put("cards", [other], balance=other["balance"] + cents)]


@wants("other_day")
def other_day(wished: Wished) -> Alternatives:
    for row in wished.live(wished["booking_id"]):
        old = wished.rows("SELECT * FROM flights WHERE id = :flight", flight=row["flight"])[0]
        way = {"origin": old["origin"], "destination": old["destination"]}
        new = wished.rows(
            "SELECT * FROM flights WHERE origin = :origin AND destination = :destination AND day = :day", **way
        )
        for flight in new:
            if flight["departs"] == min(each["departs"] for each in new):
                yield wished.charged(row, flight["price"] - old["price"], flight=flight["id"])


def _doors(wished: Wished, where: str, state: str) -> list[Effect]:
    rows = wished.own("doors", where)
    return [wished.put("doors", rows, state=state)] if rows else []


@wants("lock_all")
def lock_all(wished: Wished) -> Alternatives:
    yield _doors(wished, "state <> 'locked'", "locked")


@wants("unlock")
def unlock(wished: Wished) -> Alternatives:
    yield _doors(wished, "door = :door AND state <> 'unlocked'", "unlocked")


@wants("start")
def start(wished: Wished) -> Alternatives:
    if wished.own("cars", "engine = 'off'"):
        yield [*wished.car(engine="on", brake="set"), *_doors(wished, "state <> 'locked'", "locked")]


@wants("stop")
def stop(wished: Wished) -> Alternatives:
    if wished.own("cars", "engine = 'on'"):
        yield wished.car(engine="off")


@wants("fill")
def fill(wished: Wished) -> Alternatives:
    car = wished.own("cars")[0]
    if car["fuel"] + wished["litres"] <= car["tank"]:
        yield wished.car(fuel=car["fuel"] + wished["litres"])


@wants("fill_up")
def fill_up(wished: Wished) -> Alternatives:
    yield wished.car(fuel=wished.own("cars")[0]["tank"])


@wants("tyres")
def tyres(wished: Wished) -> Alternatives:
    rows = wished.own("tyres", "kpa < wanted_kpa")
    yield [wished.put("tyres", [row], kpa=row["wanted_kpa"]) for row in rows]


@wants("nearest")
def nearest(wished: Wished) -> Alternatives:
    rows = wished.rows("SELECT * FROM places WHERE kind = :kind")
    for row in rows:
        if row["km"] == min(each["km"] for each in rows):
            yield wished.car(destination=row["name"])


def _setting(column: str, fact: str) -> None:
    """Add the statement of a kind that sets one value of the car, which is called after its fact or column."""

    def says(wished: Wished) -> Alternatives:
        if not wished.own("cars", f"{column} = :{fact}"):
            yield wished.car(**{column: wished[fact]})

    kind = {"celsius": "temperature", "cruise_kmh": "cruise", "destination": "navigate"}.get(column, column)
    wants(kind)(says)


for _column, _fact in {"fan": "speed", "cruise_kmh": "kmh", "destination": "place"}.items():
    _setting(_column, _fact)
for _column in ("celsius", "lights", "mode", "brake"):
    _setting(_column, _column)


@wants("stop_navigation")
def stop_navigation(wished: Wished) -> Alternatives:
    if wished.own("cars", "destination <> ''"):
        yield wished.car(destination="")
