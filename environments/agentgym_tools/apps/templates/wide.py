"""Tasks across three apps and more."""

from __future__ import annotations

import re
import sqlite3

from agentgym_tools.apps.calendar_days import TODAY, date_of
from agentgym_tools.apps.drafts import Draft, Draw, all_pages, do, seen, template
from agentgym_tools.apps.templates.letters import cents_in
from agentgym_tools.apps.templates.pairs import finding, mail_saying, transfer_possible
from agentgym_tools.apps.templates.papers import note_called, reading_note
from agentgym_tools.apps.templates.planner import own_event
from agentgym_tools.worlds.calls import Call

_TOLD = (
    "SELECT messages.*, name, people.id AS person FROM messages JOIN people ON people.id = sender WHERE sender != ? AND "
    "chat_id IN (SELECT chat_id FROM chat_members WHERE person_id = ?) AND text LIKE ?"
)


def message_saying(draw: Draw, start: str) -> tuple[sqlite3.Row, sqlite3.Row, list[Call]]:
    """A message that begins so, the only one of its sender; the contact who sent it; the calls that find it."""
    row = draw.one(f"{_TOLD} GROUP BY sender HAVING count(*) = 1", draw.user, draw.user, f"{start}%")
    sql = (
        "SELECT count(*) FROM messages WHERE chat_id IN (SELECT chat_id FROM chat_members WHERE person_id = ?) AND "
        "instr(lower(text), ?)"
    )
    number = draw.count(sql, draw.user, start.lower())
    return row, draw.contact_of(row["person"]), all_pages("messages.search_messages", number, query=start)


@template("messages", "contacts", "payments")
def pay_debt_of_message(draw: Draw) -> Draft:
    row, contact, reads = message_saying(draw, "I paid for the")
    cents, note = cents_in(row["text"]), row["text"].removeprefix("I paid for the ").partition(",")[0]
    transfer_possible(draw, cents)
    text = f"{row['name']} wrote me a message about what I owe. Pay it, with what it was for as the note, such as 'taxi ride'."
    call = do("payments.send_money", email=contact["email"], amount_cents=cents, note=note)
    return Draft(text, [*reads, finding(row["name"])], [[call]])


@template("messages", "contacts", "calendar")
def invite_who_proposed(draw: Draw) -> Draft:
    row, contact, reads = message_saying(draw, "Let us meet on")
    found = re.fullmatch(r"Let us meet on (\S+) at (\S+) at (.+)\.", row["text"])
    assert found is not None
    number = draw.count("SELECT max(id) + 1 FROM events")
    text = (
        f"{row['name']} proposed in a message to meet me. Make an event 'Meeting' of it, at that time and place, for 60 "
        f"minutes, and invite {row['name']}."
    )
    reads = [*reads, finding(row["name"]), do("calendar.list_events", day=found[1])]
    call = do("calendar.create_event", title="Meeting", day=found[1], start=found[2], minutes=60, place=found[3])
    return Draft(text, reads, [[call, do("calendar.invite", event_id=number, email=contact["email"])]])


@template("notes", "contacts", "messages")
def message_guests(draw: Draw) -> Draft:
    row = note_called(draw, "Guest list")
    names, said = row["text"].split("\n"), "The party begins at eight."
    contacts = [draw.one("SELECT * FROM contacts WHERE owner = ? AND name = ?", draw.user, name) for name in names]
    text = f"Write a message to each person on my note 'Guest list', one by one: {said!r}"
    reads = [*reading_note("Guest list", row["id"]), *(finding(name) for name in names)]
    return Draft(text, reads, [[do("messages.send_to_phone", phone=each["phone"], text=said) for each in contacts]])


@template("notes", "contacts", "calendar")
def invite_guests_of_note(draw: Draw) -> Draft:
    row, event = note_called(draw, "Guest list"), own_event(draw)
    names = row["text"].split("\n")
    sql = "SELECT * FROM contacts WHERE owner = ? AND name = ? AND email IS NOT NULL"
    contacts = [draw.one(sql, draw.user, name) for name in names]
    guests = draw.rows("SELECT email FROM guests JOIN people ON people.id = person_id WHERE event_id = ?", event["id"])
    draw.need(not {each["email"] for each in guests} & {each["email"] for each in contacts})
    text = f"Invite everybody on my note 'Guest list' to my {event['title']} on {date_of(event['day'])}."
    reads = [*reading_note("Guest list", row["id"]), *(finding(name) for name in names)]
    reads.append(do("calendar.list_events", day=date_of(event["day"])))
    return Draft(text, reads, [[do("calendar.invite", event_id=event["id"], email=each["email"]) for each in contacts]])


@template("notes", "shop", "payments")
def order_gift(draw: Draw) -> Draft:
    row = note_called(draw, "Gift ideas")
    name, _, gift = draw.pick(row["text"].split("\n")).partition(": ")
    product = draw.one("SELECT * FROM products WHERE name = ? AND stock > 0", gift)
    card = draw.one("SELECT * FROM cards WHERE owner = ? AND is_default", draw.user)
    draw.need(card["expires"] >= date_of(TODAY)[:7] and card["room"] >= product["price"])
    text = (
        f"Order the gift for {name} from my note 'Gift ideas', one piece and nothing else: clear my cart first. Pay with my "
        "default card."
    )
    reads = [*reading_note("Gift ideas", row["id"]), do("shop.search_products", query=gift), do("payments.list_cards")]
    writes = [
        do("shop.clear_cart"),
        do("shop.add_to_cart", product_id=product["id"]),
        do("shop.place_order", card_id=card["id"]),
    ]
    return Draft(text, reads, [writes])


@template("mail", "payments", "todo")
def pay_and_note(draw: Draw) -> Draft:
    row, calls = mail_saying(draw, "Your share %")
    cents, note = cents_in(row["body"]), row["subject"].removeprefix("Our ")
    transfer_possible(draw, cents)
    target = draw.one("SELECT * FROM todo_lists WHERE owner = ? ORDER BY id", draw.user)
    title = f"ask about the {note}"
    text = (
        f"Pay my share as in the mail {row['subject']!r} by {row['sender']}, with the note {note!r}. Then add the task "
        f"{title!r} to my list {target['title']!r}."
    )
    writes = [do("payments.send_money", email=row["sender"], amount_cents=cents, note=note)]
    return Draft(
        text, [*calls, do("todo.list_lists")], [[*writes, do("todo.add_task", list_id=target["id"], title=title)]]
    )


@template("mail", "calendar", "contacts")
def meeting_with_third(draw: Draw) -> Draft:
    row, calls = mail_saying(draw, "Can we meet on %")
    found = re.search(r"on (\S+) at (\S+) at (.+)\?", row["body"])
    assert found is not None
    third, number = draw.contact(), draw.count("SELECT max(id) + 1 FROM events")
    draw.need(third["email"] != row["sender"])
    text = (
        f"Put the meeting that {row['sender']} proposed in the mail {row['subject']!r} into my calendar: its subject as "
        f"title, its time and place, 30 minutes. Invite {row['sender']} and {third['name']}."
    )
    event = do("calendar.create_event", title=row["subject"], day=found[1], start=found[2], minutes=30, place=found[3])
    writes = [event, *(do("calendar.invite", event_id=number, email=each) for each in (row["sender"], third["email"]))]
    return Draft(text, [*calls, finding(third["name"]), do("calendar.list_events", day=found[1])], [writes])


@template("files", "contacts", "mail")
def send_costs(draw: Draw) -> Draft:
    row = draw.one("SELECT * FROM files WHERE owner = ? AND text LIKE 'Draft on %'", draw.user)
    sql = "SELECT * FROM contacts WHERE owner = ? AND relation = 'boss' AND email IS NOT NULL"
    boss, costs = draw.one(sql, draw.user), re.search(r"Costs: (\d+)", row["text"])
    assert costs is not None
    body = f"It costs {costs[1]}."
    text = f"Mail my boss the costs in my file {row['name']}: subject 'Costs', text 'It costs N.', where N is the number there."
    reads = [do("files.search_files", query=row["name"]), do("files.read_file", file_id=row["id"])]
    reads.append(do("contacts.find_by_relation", relation="boss"))
    return Draft(text, reads, [[do("mail.send_mail", to=[boss["email"]], subject="Costs", body=body)]])


@template("files", "calendar", "todo")
def prepare_trip(draw: Draw) -> Draft:
    row = draw.one("SELECT * FROM files WHERE owner = ? AND name = 'trip.txt'", draw.user)
    found = re.match(r"Train on (\S+) at (\S+) from (.+)\.", row["text"])
    assert found is not None
    target = draw.one("SELECT * FROM todo_lists WHERE owner = ? ORDER BY id", draw.user)
    text = (
        "Put the train of my file trip.txt into my calendar as 'Train', with its time and place, for 120 minutes, and add the "
        f"task 'pack the bag' to my list {target['title']!r}, due on that day."
    )
    reads = [do("files.search_files", query="trip.txt"), do("files.read_file", file_id=row["id"])]
    reads += [do("calendar.list_events", day=found[1]), do("todo.list_lists")]
    writes = [do("calendar.create_event", title="Train", day=found[1], start=found[2], minutes=120, place=found[3])]
    return Draft(
        text, reads, [[*writes, do("todo.add_task", list_id=target["id"], title="pack the bag", due=found[1])]]
    )


@template("messages", "music", "notes")
def song_to_note(draw: Draw) -> Draft:
    row = draw.one(f"{_TOLD} GROUP BY sender HAVING count(*) = 1", draw.user, draw.user, "Listen to %")
    title = row["text"].removeprefix("Listen to ").partition(" by ")[0]
    song = draw.one("SELECT * FROM songs WHERE title = ?", title)
    sql = (
        "SELECT count(*) FROM messages WHERE chat_id IN (SELECT chat_id FROM chat_members WHERE person_id = ?) AND "
        "instr(lower(text), 'listen to')"
    )
    line = f"{title} ({song['year']})"
    text = (
        f"{row['name']} recommended a song to me in a message. Write a note 'Music' into the notebook 'ideas' with its title "
        "and year, such as 'Silver River (2012)'."
    )
    reads = [*all_pages("messages.search_messages", draw.count(sql, draw.user), query="Listen to")]
    reads += [do("music.search_songs", query=title), do("notes.list_notebooks")]
    return Draft(text, reads, [[do("notes.create_note", title="Music", text=line, notebook="ideas")]])


@template("music", "contacts", "mail")
def tell_favourite_song(draw: Draw) -> Draft:
    sql = "SELECT songs.*, plays FROM library JOIN songs ON songs.id = song_id WHERE owner = ? ORDER BY plays DESC"
    rows, to = draw.rows(sql, draw.user), draw.contact()
    draw.need(rows[0]["plays"] != rows[1]["plays"])
    body = f"{rows[0]['title']} by {rows[0]['artist']}"
    text = (
        f"Mail {to['name']} which song of my library I have played most: subject 'My song', text in the form 'Silver River by "
        "Mira Sol'."
    )
    reads = [do("music.list_most_played", limit=2), finding(to["name"])]
    return Draft(text, reads, [[do("mail.send_mail", to=[to["email"]], subject="My song", body=body)]])


@template("shop", "contacts", "messages", "calendar")
def plan_pick_up(draw: Draw) -> Draft:
    rows, friend = draw.rows("SELECT * FROM orders WHERE owner = ? ORDER BY placed DESC", draw.user), draw.contact()
    shipped = [row for row in rows if row["state"] == "shipped"]
    draw.need(len(shipped) > 0 and (len(shipped) == 1 or shipped[0]["placed"] != shipped[1]["placed"]))
    number, day = shipped[0]["id"], date_of(TODAY + draw.rng.randint(2, 12))
    title, said = f"Order {number}", f"Order {number} comes on {day}."
    text = (
        f"The newest of my orders that are shipped comes on {day}. Write {friend['name']} a message 'Order N comes on {day}.' "
        "with its number for N, and put 'Order N' into my calendar on that day at 10:00 for 30 minutes."
    )
    reads = [*all_pages("shop.list_orders", len(rows)), finding(friend["name"]), do("calendar.list_events", day=day)]
    writes = [do("messages.send_to_phone", phone=friend["phone"], text=said)]
    return Draft(text, reads, [[*writes, do("calendar.create_event", title=title, day=day, start="10:00", minutes=30)]])


@template("payments", "notes", "contacts")
def debts_note(draw: Draw) -> Draft:
    sql = "SELECT requests.*, name, people.id AS person FROM requests JOIN people ON people.id = payer WHERE requester = ? AND state = 'pending'"
    rows = draw.rows(sql, draw.user)
    draw.need(2 <= len(rows) <= 6 and len({row["amount"] for row in rows}) == len(rows))
    most = max(rows, key=lambda row: row["amount"])
    contact = draw.contact_of(most["person"])
    text = (
        "Who of those whom I have asked for money and who have not paid yet owes me most? Write a note 'Debts' into the "
        "notebook 'home' whose text is that person's phone number."
    )
    reads = [*all_pages("payments.list_own_requests", len(rows), state="pending"), finding(most["name"])]
    return Draft(text, reads, [[do("notes.create_note", title="Debts", text=contact["phone"], notebook="home")]])


@template("files", "payments", "contacts")
def share_costs(draw: Draw) -> Draft:
    row, to = draw.one("SELECT * FROM files WHERE owner = ? AND name LIKE 'expenses-%'", draw.user), draw.contact()
    lines = [line.split(",") for line in row["text"].split("\n")[1:]]
    what = draw.pick(sorted({line[1] for line in lines}))
    total = sum(int(line[2]) for line in lines if line[1] == what)
    draw.need(total % 2 == 0)
    text = f"Ask {to['name']} for half of what I spent on {what} by my file {row['name']}, with the note {what!r}."
    reads = [do("files.search_files", query=row["name"]), do("files.read_file", file_id=row["id"]), finding(to["name"])]
    return Draft(text, reads, [[do("payments.request_money", email=to["email"], amount_cents=total // 2, note=what)]])


@template("todo", "contacts", "mail")
def delegate_task(draw: Draw) -> Draft:
    sql = (
        "SELECT * FROM todos WHERE owner = ? AND NOT is_done AND due IS NOT NULL AND title NOT IN (SELECT title FROM todos AS "
        "other WHERE other.owner = todos.owner AND other.id != todos.id)"
    )
    row, to = draw.one(sql, draw.user), draw.contact()
    body = f"Please {row['title']} by {date_of(row['due'])}."
    text = (
        f"{to['name']} takes over my task {row['title']!r}. Send a mail with the subject 'Task' and the text 'Please "
        f"{row['title']} by DAY.', with the day on which it is due, such as 2031-09-28; then delete the task."
    )
    reads = [do("todo.search_tasks", query=row["title"]), finding(to["name"])]
    writes = [
        do("mail.send_mail", to=[to["email"]], subject="Task", body=body),
        do("todo.delete_task", task_id=row["id"]),
    ]
    return Draft(text, reads, [writes])


@template("mail", "contacts", "payments")
def balance_with_sender(draw: Draw) -> Draft:
    row, calls = mail_saying(draw, "Your share %")
    person = draw.one("SELECT id, name FROM people WHERE email = ?", row["sender"])
    contact = draw.contact_of(person["id"])
    sql = "SELECT * FROM transfers WHERE (sender = ? AND receiver = ?) OR (sender = ? AND receiver = ?)"
    rows = draw.rows(sql, draw.user, person["id"], person["id"], draw.user)
    noted = "SELECT count(*) FROM transfers JOIN people ON people.id = IIF(sender = ?, receiver, sender) WHERE ? IN (sender, receiver) AND instr(lower(name || ' ' || note), ?)"
    draw.need(1 <= len(rows) == draw.count(noted, draw.user, draw.user, person["name"].lower()))
    answer = cents_in(row["body"]) + sum(
        each["amount"] if each["sender"] == person["id"] else -each["amount"] for each in rows
    )
    text = (
        f"My {contact['relation']} {contact['name']} wrote me the mail {row['subject']!r} about my share. Add to that share all "
        f"that {contact['name']} has ever sent me by the payments app, and take off all that I sent back. How many cents is it?"
    )
    reads = [finding(contact["name"]), *calls, do("payments.search_transfers", query=contact["name"], limit=20)]
    return Draft(text, reads, answers=(answer,), evidence=(seen("mail texts", [row]) | seen("transfers", rows),))
