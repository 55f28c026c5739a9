"""Tasks that cannot be done; why, can be read, and the agent says so and changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentgym_tools.apps.base import words
from agentgym_tools.apps.calendar_days import TODAY, date_of
from agentgym_tools.apps.drafts import Draft, Draw, Reason, all_pages, do, seen, template
from agentgym_tools.apps.templates.goods import own_playlist, reading_playlist
from agentgym_tools.apps.templates.pairs import finding
from agentgym_tools.desks.setting.people import FIRST_NAMES, LAST_NAMES
from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.toolbox import Seen

_SAID_TOO: Mapping[Reason, Sequence[Reason]] = {"too_late": ("not_allowed",), "already_done": ("not_allowed",)}
"""What is a right reason too where one is."""


def _cannot(text: str, reads: Sequence[Call], reason: Reason, *evidence: frozenset[Seen]) -> Draft:
    return Draft(text, reads, reasons=(reason, *_SAID_TOO.get(reason, ())), evidence=evidence)


@template("payments", infeasible=True)
def send_too_much(draw: Draw) -> Draft:
    balance, to = draw.count("SELECT balance FROM wallets WHERE owner = ?", draw.user), draw.contact()
    cents = balance + draw.rng.randrange(500, 20_000, 50)
    text = f"Send {cents} cents from my wallet to {to['email']}. Do not use my cards."
    return _cannot(text, [do("payments.get_balance")], "not_enough_money", frozenset({("wallets", str(draw.user))}))


@template("payments", infeasible=True)
def pay_large_request(draw: Draw) -> Draft:
    sql = "SELECT requests.*, name FROM requests JOIN people ON people.id = requester WHERE payer = ? AND state = 'pending'"
    rows = draw.rows(sql, draw.user)
    row = draw.pick([each for each in rows if each["amount"] == 75_000])
    draw.need(sum(each["name"] == row["name"] for each in rows) == 1)
    text = f"Pay what {row['name']} has asked me for, from what is in my wallet. Do not use my cards."
    reads = [*all_pages("payments.list_requests", len(rows), state="pending"), do("payments.get_balance")]
    evidence = seen("requests", [row]) | {("wallets", str(draw.user))}
    return _cannot(text, reads, "not_enough_money", evidence)


@template("payments", infeasible=True)
def pay_paid_request(draw: Draw) -> Draft:
    sql = "SELECT requests.*, name FROM requests JOIN people ON people.id = requester WHERE payer = ?"
    rows = draw.rows(sql, draw.user)
    row = draw.pick([each for each in rows if each["state"] == "paid"])
    draw.need(sum(each["name"] == row["name"] for each in rows) == 1)
    pending = sum(each["state"] == "pending" for each in rows)
    text = f"Pay the request for money that {row['name']} sent me."
    reads = [*all_pages("payments.list_requests", pending, state="pending"), do("payments.list_requests", state="paid")]
    return _cannot(text, reads, "already_done", seen("requests", [row]))


@template("shop", infeasible=True)
def buy_sold_out(draw: Draw) -> Draft:
    row = draw.one("SELECT * FROM products WHERE stock = 0 ORDER BY id")
    text = f"Put the {row['name']} into my cart in the shop. No other product will do."
    return _cannot(text, [do("shop.search_products", query=row["name"])], "out_of_stock", seen("products", [row]))


@template("shop", infeasible=True)
def cancel_shipped(draw: Draw) -> Draft:
    rows = draw.rows("SELECT * FROM orders WHERE owner = ? ORDER BY placed DESC, id", draw.user)
    row = draw.pick([each for each in rows if each["state"] == "shipped"])
    text = f"Cancel my order {row['id']}."
    return _cannot(text, [do("shop.get_order", order_id=row["id"])], "too_late", seen("orders", [row]))


@template("shop", infeasible=True)
def return_old(draw: Draw) -> Draft:
    rows = draw.rows("SELECT * FROM orders WHERE owner = ? AND state = 'delivered' ORDER BY id", draw.user)
    row = draw.pick([each for each in rows if TODAY - each["delivered"] > 32])
    text = f"Return my order {row['id']} to the shop."
    return _cannot(text, [do("shop.get_order", order_id=row["id"])], "too_late", seen("orders", [row]))


@template("shop", infeasible=True)
def review_again(draw: Draw) -> Draft:
    sql = "SELECT reviews.*, name FROM reviews JOIN products ON products.id = product_id WHERE author = ? ORDER BY reviews.id"
    row = draw.one(sql, draw.user)
    text = f"Write a further review of the {row['name']}, beside what I have written of it: 3 stars, 'Still fine.'"
    return _cannot(text, [do("shop.list_own_reviews")], "already_done", seen("reviews", [row]))


@template("shop", "notes", infeasible=True)
def buy_sold_out_gift(draw: Draw) -> Draft:
    row = draw.one("SELECT * FROM notes WHERE owner = ? AND title = 'Gift ideas'", draw.user)
    name, _, gift = draw.pick(row["text"].split("\n")).partition(": ")
    product = draw.one("SELECT * FROM products WHERE name = ? AND stock = 0", gift)
    text = f"Put the gift for {name} from my note 'Gift ideas' into my cart in the shop. Nothing else will do."
    reads = [do("notes.search_notes", query="Gift ideas"), do("notes.get_note", note_id=row["id"])]
    reads.append(do("shop.search_products", query=gift))
    return _cannot(text, reads, "out_of_stock", seen("products", [product]) | seen("note texts", [row]))


@template("files", infeasible=True)
def edit_read_only(draw: Draw) -> Draft:
    sql = (
        "SELECT files.*, people.name AS owner_name, can_edit FROM shares JOIN files ON files.id = file_id JOIN people ON "
        "people.id = files.owner WHERE person_id = ? ORDER BY files.id"
    )
    rows = draw.rows(sql, draw.user)
    row = draw.pick([each for each in rows if not each["can_edit"]])
    draw.need(sum(each["owner_name"] == row["owner_name"] and each["name"] == row["name"] for each in rows) == 1)
    text = f"Add the line 'Seen.' to the file {row['name']} itself that {row['owner_name']} shares with me."
    return _cannot(text, all_pages("files.list_shared_with_me", len(rows)), "not_allowed", seen("files", [row]))


@template("files", infeasible=True)
def lock_missing_file(draw: Draw) -> Draft:
    name = f"budget-{draw.rng.randint(2040, 2060)}.txt"
    rows = draw.rows("SELECT * FROM files WHERE owner = ? AND instr(lower(name || ' ' || text), ?)", draw.user, name)
    draw.need(not rows)
    text = f"Lock my file {name}, wherever it is."
    return _cannot(text, [do("files.search_files", query=name)], "not_found", frozenset({("end of", "files")}))


@template("messages", infeasible=True)
def edit_others_message(draw: Draw) -> Draft:
    sql = (
        "SELECT messages.*, name FROM messages JOIN people ON people.id = sender WHERE sender != ? AND chat_id IN (SELECT "
        "chat_id FROM chat_members WHERE person_id = ?) AND text LIKE 'Let us meet on %'"
    )
    row = draw.one(sql, draw.user, draw.user)
    day = row["text"].split()[4]
    draw.need(sum(day in each["text"] for each in draw.rows(sql, draw.user, draw.user)) == 1)
    text = (
        f"Correct the message in which {row['name']} proposes to meet on {day}: it should say 'Let us meet on Sunday.'"
    )
    return _cannot(
        text, [do("messages.search_messages", query=f"meet on {day}")], "not_allowed", seen("messages", [row])
    )


@template("calendar", infeasible=True)
def move_past_event(draw: Draw) -> Draft:
    row = draw.one("SELECT * FROM events WHERE owner = ? AND day < ? ORDER BY id", draw.user, TODAY)
    text = f"Move my {row['title']} of {date_of(row['day'])} to {date_of(TODAY + 3)}. Do not make a new event."
    return _cannot(text, [do("calendar.list_events", day=date_of(row["day"]))], "too_late", seen("events", [row]))


@template("calendar", infeasible=True)
def rename_others_event(draw: Draw) -> Draft:
    sql = (
        "SELECT events.*, name FROM events JOIN guests ON event_id = events.id JOIN people ON people.id = owner WHERE "
        "person_id = ? AND response = 'accepted' AND day > ? ORDER BY events.id"
    )
    row = draw.one(sql, draw.user, TODAY)
    text = (
        f"Rename the {row['title']} of {row['name']} on {date_of(row['day'])}, to which I am going, to 'Short meeting'."
    )
    reads = [do("calendar.list_events", day=date_of(row["day"])), do("calendar.get_event", event_id=row["id"])]
    return _cannot(text, reads, "not_allowed", seen("event guests", [row]))


@template("music", infeasible=True)
def add_song_again(draw: Draw) -> Draft:
    row, songs = own_playlist(draw)
    song = draw.pick(songs)
    text = f"Put {song['title']} into my playlist {row['title']!r} a second time."
    evidence = frozenset({("playlist songs", f"{row['id']} {song['id']}")})
    return _cannot(text, reading_playlist(row["id"], len(songs)), "already_done", evidence)


@template("music", infeasible=True)
def add_unknown_song(draw: Draw) -> Draft:
    name = f"{draw.pick(FIRST_NAMES)} {draw.pick(LAST_NAMES)} Trio"
    text = f"Put a song called '{name} Blues' into my library."
    return _cannot(
        text, [do("music.search_songs", query=f"{name} Blues")], "not_found", frozenset({("end of", "songs")})
    )


@template("contacts", infeasible=True)
def change_unknown(draw: Draw) -> Draft:
    name = f"{draw.pick(FIRST_NAMES)} {draw.pick(LAST_NAMES)}"
    draw.need(not draw.rows("SELECT 1 FROM contacts WHERE owner = ? AND name = ?", draw.user, name))
    text = f"Make {name} in my contacts a favourite."
    return _cannot(text, [finding(name)], "not_found", frozenset({("end of", "contacts")}))


@template("contacts", infeasible=True)
def mail_without_address(draw: Draw) -> Draft:
    sql = "SELECT * FROM contacts WHERE owner = ? AND email IS NULL AND relation != 'service'"
    row, topic = draw.one(sql, draw.user), draw.pick(words.TOPICS)
    text = (
        f"Send a mail with the subject {topic!r} to {row['name']}, at the address in my contacts and at no other one."
    )
    return _cannot(text, [finding(row["name"])], "no_address", seen("contacts", [row]))


@template("contacts", "payments", "messages", infeasible=True)
def pay_unknown_friend(draw: Draw) -> Draft:
    name = f"{draw.pick(FIRST_NAMES)} {draw.pick(LAST_NAMES)}"
    draw.need(not draw.rows("SELECT 1 FROM people WHERE name = ?", name))
    cents = draw.rng.randrange(500, 5000, 50)
    text = f"Send {cents} cents to {name}. The address is in my contacts, in my payments, or in a message."
    reads = [finding(name), do("payments.find_person", query=name), do("messages.search_messages", query=name)]
    return _cannot(text, reads, "not_found", frozenset({("end of", "contacts"), ("end of", "messages")}))


@template("calendar", infeasible=True)
def find_time_on_full_day(draw: Draw) -> Draft:
    day = draw.one(
        "SELECT day FROM events WHERE owner = ? AND day > ? AND start BETWEEN 660 AND 960", draw.user, TODAY
    )["day"]
    rows = draw.rows("SELECT start, minutes FROM events WHERE owner = ? AND day = ? ORDER BY start", draw.user, day)
    gaps, free = [], 8 * 60
    for row in rows:
        gaps.append(row["start"] - free)
        free = max(free, row["start"] + row["minutes"])
    longest = max([*gaps, 20 * 60 - free])
    minutes = (longest // 30 + 1) * 30
    text = (
        f"Put 'Deep work' of {minutes} minutes into my calendar on {date_of(day)} between 08:00 and 20:00, at a time at which I "
        "have nothing else."
    )
    reads = [do("calendar.list_free_times", day=date_of(day), minutes=minutes)]
    sql = "SELECT * FROM events WHERE (owner = ? OR id IN (SELECT event_id FROM guests WHERE person_id = ? AND response = 'accepted')) AND day = ?"
    every = draw.rows(sql, draw.user, draw.user, day)
    return _cannot(text, reads, "no_time", frozenset({("free times", str(day))}), seen("events", every))
