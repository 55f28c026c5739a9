"""Tasks across two apps: what one of them shows is used in the other."""

from __future__ import annotations

import re
import sqlite3

from agentgym_tools.apps.base import words
from agentgym_tools.apps.calendar_days import TODAY, clock, date_of
from agentgym_tools.apps.drafts import Draft, Draw, all_pages, do, seen, template
from agentgym_tools.apps.templates.goods import library_pages
from agentgym_tools.apps.templates.letters import SENTENCES, cents_in
from agentgym_tools.apps.templates.papers import note_called, reading_note
from agentgym_tools.apps.templates.planner import own_event
from agentgym_tools.worlds.calls import Call

KNOWN_MAIL = "SELECT * FROM mails WHERE owner = ? AND folder IN ('inbox', 'archive') AND body LIKE ?"
"""Mails that say a certain thing."""


def finding(name: str) -> Call:
    """The call that finds a contact."""
    return do("contacts.search_contacts", query=name)


def mail_saying(draw: Draw, pattern: str) -> tuple[sqlite3.Row, list[Call]]:
    """A mail with such a text that its sender and its subject name, and the calls that find and read it."""
    row = draw.one(f"{KNOWN_MAIL} GROUP BY sender, subject HAVING count(*) = 1", draw.user, pattern)
    calls = [do("mail.list_from", email=row["sender"], limit=20), do("mail.get_mail", mail_id=row["id"])]
    return row, calls


def transfer_possible(draw: Draw, cents: int) -> None:
    """Go on only if the wallet has as much."""
    draw.need(draw.count("SELECT balance FROM wallets WHERE owner = ?", draw.user) >= cents)


@template("mail", "contacts")
def mail_to_relation(draw: Draw) -> Draft:
    sql = "SELECT * FROM contacts WHERE owner = ? AND relation NOT IN ('friend', 'colleague', 'service') AND email IS NOT NULL"
    row, topic, body = draw.one(sql, draw.user), draw.pick(words.TOPICS), draw.pick(SENTENCES)
    text = f"Send my {row['relation']} a mail with the subject {topic!r} and the text {body!r}"
    reads = [do("contacts.find_by_relation", relation=row["relation"])]
    return Draft(text, reads, [[do("mail.send_mail", to=[row["email"]], subject=topic, body=body)]])


@template("mail", "contacts")
def mail_to_group(draw: Draw) -> Draft:
    group = draw.one("SELECT * FROM contact_groups WHERE owner = ? ORDER BY id", draw.user)
    sql = "SELECT contacts.* FROM group_members JOIN contacts ON contacts.id = contact_id WHERE group_id = ? ORDER BY name"
    rows, topic, body = draw.rows(sql, group["id"]), draw.pick(words.TOPICS), draw.pick(SENTENCES)
    draw.need(all(row["email"] for row in rows))
    text = f"Send one mail to all members of my group {group['title']!r}: the subject is {topic!r}, the text {body!r}"
    reads = [do("contacts.list_groups"), do("contacts.list_group_members", group_id=group["id"])]
    reads += [do("contacts.get_contact", contact_id=row["id"]) for row in rows]
    return Draft(text, reads, [[do("mail.send_mail", to=[row["email"] for row in rows], subject=topic, body=body)]])


@template("mail", "contacts", copies=True)
def forward_report(draw: Draw) -> Draft:
    row, calls = mail_saying(draw, "The report on %")
    to = draw.contact()
    draw.need(to["email"] != row["sender"])
    text = (
        f"Forward the mail {row['subject']!r} that {row['sender']} sent me to {to['name']}, without a word of your own."
    )
    return Draft(
        text, [*calls, finding(to["name"])], [[do("mail.forward", mail_id=row["id"], to=[to["email"]], body="")]]
    )


@template("mail", "contacts")
def senders_name(draw: Draw) -> Draft:
    row, _ = mail_saying(draw, "Could you %")
    person = draw.one("SELECT id FROM people WHERE email = ?", row["sender"])["id"]
    contact = draw.contact_of(person)
    reads = [do("mail.search_mails", query=row["body"][:20], limit=20), finding(contact["name"])]
    found = (
        "SELECT * FROM mails WHERE owner = ? AND folder != 'trash' AND instr(lower(sender||' '||subject||' '||body), ?)"
    )
    draw.need(len(draw.rows(found, draw.user, row["body"][:20].lower())) == 1)
    text = f"Somebody asks me for a favour in a mail that begins {row['body'][:20]!r}. What is that person to me, by my contacts?"
    return Draft(
        text, reads, answers=(contact["relation"],), evidence=(seen("contacts", [contact]) | seen("mails", [row]),)
    )


@template("payments", "contacts")
def send_to_relation(draw: Draw) -> Draft:
    sql = "SELECT * FROM contacts WHERE owner = ? AND relation NOT IN ('friend', 'colleague', 'service') AND email IS NOT NULL"
    row, cents, note = draw.one(sql, draw.user), draw.rng.randrange(500, 9000, 25), draw.pick(words.OCCASIONS)
    transfer_possible(draw, cents)
    text = f"Send {cents} cents to my {row['relation']} with the note {note!r}."
    reads = [do("contacts.find_by_relation", relation=row["relation"])]
    return Draft(text, reads, [[do("payments.send_money", email=row["email"], amount_cents=cents, note=note)]])


@template("payments", "contacts")
def split_bill(draw: Draw) -> Draft:
    group = draw.one("SELECT * FROM contact_groups WHERE owner = ? ORDER BY id", draw.user)
    sql = "SELECT contacts.* FROM group_members JOIN contacts ON contacts.id = contact_id WHERE group_id = ? ORDER BY name"
    rows, note = draw.rows(sql, group["id"]), draw.pick(words.OCCASIONS)
    draw.need(all(row["email"] for row in rows))
    each = draw.rng.randrange(300, 4000, 25)
    total = each * (len(rows) + 1)
    text = (
        f"I paid {total} cents for the {note} of my group {group['title']!r}. Ask each of its {len(rows)} members for an "
        f"equal share, counting me too, with the note {note!r}."
    )
    reads = [do("contacts.list_groups"), do("contacts.list_group_members", group_id=group["id"])]
    reads += [do("contacts.get_contact", contact_id=row["id"]) for row in rows]
    writes = [do("payments.request_money", email=row["email"], amount_cents=each, note=note) for row in rows]
    return Draft(text, reads, [writes])


@template("mail", "payments")
def pay_share_of_mail(draw: Draw) -> Draft:
    row, calls = mail_saying(draw, "Your share %")
    cents, note = cents_in(row["body"]), row["subject"].removeprefix("Our ")
    transfer_possible(draw, cents)
    text = f"{row['sender']} wrote me a mail with the subject {row['subject']!r}. Pay my share, with the note {note!r}."
    return Draft(text, calls, [[do("payments.send_money", email=row["sender"], amount_cents=cents, note=note)]])


@template("mail", "payments")
def confirm_last_transfer(draw: Draw) -> Draft:
    sql = "SELECT transfers.*, name, email FROM transfers JOIN people ON people.id = sender WHERE receiver = ? ORDER BY made DESC"
    rows = draw.rows(sql, draw.user)
    draw.need(len(rows) > 1 and rows[0]["made"] != rows[1]["made"])
    body = f"I have got {rows[0]['amount']} cents."
    text = (
        "Send a mail to the person who sent me money last, with the subject 'Thanks' and the text 'I have got N cents.', "
        "where N is the amount."
    )
    reads = [
        do("payments.list_transfers", direction="received", limit=2),
        do("payments.find_person", query=rows[0]["name"]),
    ]
    return Draft(text, reads, [[do("mail.send_mail", to=[rows[0]["email"]], subject="Thanks", body=body)]])


@template("mail", "calendar")
def event_of_mail(draw: Draw) -> Draft:
    row, calls = mail_saying(draw, "Can we meet on %")
    found = re.search(r"on (\S+) at (\S+) at (.+)\?", row["body"])
    assert found is not None
    when = {"day": found[1], "start": found[2]}
    text = (
        f"{row['sender']} proposed a meeting in a mail with the subject {row['subject']!r}. Put it into my calendar: with "
        "the mail's subject as title, the proposed time and place, and 45 minutes."
    )
    call = do("calendar.create_event", title=row["subject"], **when, minutes=45, place=found[3])
    return Draft(text, [*calls, do("calendar.list_events", day=found[1])], [[call]])


@template("mail", "calendar")
def tell_guests(draw: Draw) -> Draft:
    row, place = own_event(draw), draw.pick(words.PLACES)
    draw.need(place != row["place"])
    rows = draw.rows("SELECT email FROM guests JOIN people ON people.id = person_id WHERE event_id = ?", row["id"])
    draw.need(bool(rows))
    body = f"New place: {place}"
    text = (
        f"My {row['title']} on {date_of(row['day'])} takes place at {place} instead. Change the event, and send one mail to "
        f"all its guests with the subject {row['title']!r} and the text {body!r}."
    )
    reads = [do("calendar.list_events", day=date_of(row["day"])), do("calendar.get_event", event_id=row["id"])]
    to = [each["email"] for each in rows]
    writes = [do("calendar.set_place", event_id=row["id"], place=place)]
    return Draft(text, reads, [[*writes, do("mail.send_mail", to=to, subject=row["title"], body=body)]])


@template("mail", "todo")
def task_of_favour(draw: Draw) -> Draft:
    row, calls = mail_saying(draw, "Could you %")
    found = re.fullmatch(r"Could you (.+) by (\S+)\?", row["body"])
    assert found is not None
    target = draw.one("SELECT * FROM todo_lists WHERE owner = ? ORDER BY id", draw.user)
    text = (
        f"{row['sender']} asked me for a favour by mail. Add it to my list {target['title']!r} in the words of the mail, such "
        "as 'wash the car', due on the day that the mail names."
    )
    call = do("todo.add_task", list_id=target["id"], title=found[1], due=found[2])
    return Draft(text, [*calls, do("todo.list_lists")], [[call]])


@template("mail", "todo")
def report_done(draw: Draw) -> Draft:
    rows = draw.rows("SELECT * FROM todos WHERE owner = ? AND NOT is_done AND priority = 'high'", draw.user)
    draw.need(1 <= len(rows) < 20)
    to = draw.contact()["email"]
    body = f"Open tasks: {len(rows)}"
    text = f"Count my open tasks of high priority, and send a mail to {to}: subject 'Tasks', text 'Open tasks: N', where N is their number."
    reads = all_pages("todo.list_by_priority", len(rows), priority="high")
    return Draft(text, reads, [[do("mail.send_mail", to=[to], subject="Tasks", body=body)]])


@template("mail", "files")
def keep_attachment(draw: Draw) -> Draft:
    row, calls = mail_saying(draw, "The report on %")
    name = f"from-{row['attachment']}"
    text = (
        f"Save the attachment of the mail {row['subject']!r} by {row['sender']} as {name!r} in my folder /work, with the same "
        "text."
    )
    reads = [*calls, do("mail.get_attachment", mail_id=row["id"])]
    return Draft(text, reads, [[do("files.create_file", folder="/work", name=name, text=row["attached"])]])


@template("mail", "files", copies=True)
def mail_wifi(draw: Draw) -> Draft:
    row, to = draw.one("SELECT * FROM files WHERE owner = ? AND name = 'wifi.txt'", draw.user), draw.contact()["email"]
    text = f"Send a mail to {to} with the subject 'WiFi' and the whole text of my file wifi.txt."
    reads = [do("files.search_files", query="wifi.txt"), do("files.read_file", file_id=row["id"])]
    return Draft(text, reads, [[do("mail.send_mail", to=[to], subject="WiFi", body=row["text"])]])


@template("messages", "todo")
def task_of_message(draw: Draw) -> Draft:
    sql = (
        "SELECT messages.*, name FROM messages JOIN people ON people.id = sender WHERE sender != ? AND chat_id IN (SELECT "
        "chat_id FROM chat_members WHERE person_id = ?) AND text LIKE 'Do not forget to %'"
    )
    row = draw.one(f"{sql} GROUP BY sender HAVING count(*) = 1", draw.user, draw.user)
    errand = row["text"].removeprefix("Do not forget to ").removesuffix(".")
    target = draw.one("SELECT * FROM todo_lists WHERE owner = ? ORDER BY id", draw.user)
    text = f"{row['name']} told me in a message not to forget something. Add it to my list {target['title']!r} in these words."
    number = draw.count(f"SELECT count(*) FROM ({sql.replace('sender != ? AND ', '')})", draw.user)
    reads = [*all_pages("messages.search_messages", number, query="Do not forget"), do("todo.list_lists")]
    return Draft(text, reads, [[do("todo.add_task", list_id=target["id"], title=errand)]])


@template("messages", "music")
def song_of_message(draw: Draw) -> Draft:
    sql = (
        "SELECT messages.*, name FROM messages JOIN people ON people.id = sender WHERE sender != ? AND chat_id IN (SELECT "
        "chat_id FROM chat_members WHERE person_id = ?) AND text LIKE 'Listen to %'"
    )
    row = draw.one(f"{sql} GROUP BY sender HAVING count(*) = 1", draw.user, draw.user)
    title = row["text"].removeprefix("Listen to ").partition(" by ")[0]
    song = draw.one("SELECT * FROM songs WHERE title = ?", title)
    draw.need(not draw.rows("SELECT 1 FROM library WHERE owner = ? AND song_id = ?", draw.user, song["id"]))
    text = f"{row['name']} recommended a song to me in a message. Put it into my library and like it."
    number = draw.count(f"SELECT count(*) FROM ({sql.replace('sender != ? AND ', '')})", draw.user)
    reads = [*all_pages("messages.search_messages", number, query="Listen to"), do("music.search_songs", query=title)]
    return Draft(
        text,
        reads,
        [[do("music.add_to_library", song_id=song["id"]), do("music.like_song", song_id=song["id"], is_liked=True)]],
    )


@template("messages", "calendar")
def event_of_message(draw: Draw) -> Draft:
    sql = (
        "SELECT messages.*, name FROM messages JOIN people ON people.id = sender WHERE sender != ? AND chat_id IN (SELECT "
        "chat_id FROM chat_members WHERE person_id = ?) AND text LIKE 'Let us meet on %'"
    )
    row = draw.one(f"{sql} GROUP BY sender HAVING count(*) = 1", draw.user, draw.user)
    found = re.fullmatch(r"Let us meet on (\S+) at (\S+) at (.+)\.", row["text"])
    assert found is not None
    title = f"Meet {row['name']}"
    text = (
        f"{row['name']} proposed in a message to meet me. Put it into my calendar as {title!r}, at the proposed time and "
        "place, for 60 minutes."
    )
    number = draw.count(f"SELECT count(*) FROM ({sql.replace('sender != ? AND ', '')})", draw.user)
    reads = [
        *all_pages("messages.search_messages", number, query="Let us meet"),
        do("calendar.list_events", day=found[1]),
    ]
    call = do("calendar.create_event", title=title, day=found[1], start=found[2], minutes=60, place=found[3])
    return Draft(text, reads, [[call]])


@template("messages", "contacts")
def message_to_relation(draw: Draw) -> Draft:
    sql = "SELECT * FROM contacts WHERE owner = ? AND relation NOT IN ('friend', 'colleague', 'service') AND email IS NOT NULL"
    row, said = draw.one(sql, draw.user), draw.pick(SENTENCES)
    text = f"Write my {row['relation']} a message: {said!r}"
    reads = [do("contacts.find_by_relation", relation=row["relation"])]
    return Draft(text, reads, [[do("messages.send_to_phone", phone=row["phone"], text=said)]])


@template("messages", "contacts")
def group_chat_of_group(draw: Draw) -> Draft:
    group = draw.one("SELECT * FROM contact_groups WHERE owner = ? ORDER BY id", draw.user)
    sql = "SELECT contacts.* FROM group_members JOIN contacts ON contacts.id = contact_id WHERE group_id = ? ORDER BY name"
    rows = draw.rows(sql, group["id"])
    text = f"Make a group chat {group['title']!r} with the members of my group of contacts of that name."
    reads = [do("contacts.list_groups"), do("contacts.list_group_members", group_id=group["id"])]
    reads += [do("contacts.get_contact", contact_id=row["id"]) for row in rows]
    call = do("messages.create_group_chat", title=group["title"], phones=[row["phone"] for row in rows])
    return Draft(text, reads, [[call]])


@template("notes", "music")
def playlist_of_note(draw: Draw) -> Draft:
    row = draw.one("SELECT * FROM notes WHERE owner = ? AND title LIKE 'Songs for %'", draw.user)
    titles = row["text"].split("\n")
    songs = [draw.one("SELECT * FROM songs WHERE title = ?", title) for title in titles]
    number = draw.count("SELECT max(id) + 1 FROM playlists")
    text = f"Make a playlist {row['title']!r} of the songs in my note of that title."
    reads = [*reading_note("Songs for", row["id"]), *(do("music.search_songs", query=title) for title in titles)]
    writes = [do("music.create_playlist", title=row["title"])]
    writes += [do("music.add_to_playlist", playlist_id=number, song_id=song["id"]) for song in songs]
    return Draft(text, reads, [writes])


@template("notes", "music")
def note_of_liked(draw: Draw) -> Draft:
    sql = "SELECT songs.* FROM library JOIN songs ON songs.id = song_id WHERE owner = ? ORDER BY plays DESC, title"
    rows = draw.rows(sql, draw.user)
    draw.need(len({row["id"] for row in rows}) > 2)
    plays = [
        row["plays"] for row in draw.rows("SELECT plays FROM library WHERE owner = ? ORDER BY plays DESC", draw.user)
    ]
    draw.need(plays[0] != plays[1])
    text = "Write a note 'Song of the year' into the notebook 'home'; its text is the title of the song that I played most."
    call = do("notes.create_note", title="Song of the year", text=rows[0]["title"], notebook="home")
    return Draft(text, [do("music.list_most_played", limit=2), do("notes.list_notebooks")], [[call]])


@template("notes", "shop")
def shopping_list_to_cart(draw: Draw) -> Draft:
    row = note_called(draw, "Shopping list")
    lines = [line.partition(" x ")[::2] for line in row["text"].split("\n")]
    products = [draw.one("SELECT * FROM products WHERE name = ?", name) for _, name in lines]
    inside = {each["product_id"] for each in draw.rows("SELECT product_id FROM cart WHERE owner = ?", draw.user)}
    draw.need(all(each["stock"] for each in products) and not inside & {each["id"] for each in products})
    text = "Put everything on my note 'Shopping list' into my cart in the shop, beside what is there."
    reads = [*reading_note("Shopping list", row["id"]), *(do("shop.search_products", query=name) for _, name in lines)]
    writes = [
        do("shop.add_to_cart", product_id=each["id"], quantity=int(number))
        for each, (number, _) in zip(products, lines, strict=True)
    ]
    return Draft(text, reads, [writes])


@template("notes", "shop")
def price_of_gift(draw: Draw) -> Draft:
    row = note_called(draw, "Gift ideas")
    name, _, gift = draw.pick(row["text"].split("\n")).partition(": ")
    product = draw.one("SELECT * FROM products WHERE name = ?", gift)
    text = f"How many cents does the gift cost in the shop that I have noted for {name}?"
    reads = [*reading_note("Gift ideas", row["id"]), do("shop.search_products", query=gift)]
    evidence = seen("note texts", [row]) | seen("products", [product])
    return Draft(text, reads, answers=(product["price"],), evidence=(evidence,))


@template("notes", "todo")
def actions_of_minutes(draw: Draw) -> Draft:
    sql = "SELECT * FROM notes WHERE owner = ? AND title LIKE 'Minutes of %' GROUP BY title HAVING count(*) = 1"
    row = draw.one(sql, draw.user)
    draw.need(note_called(draw, row["title"]) is not None)
    actions = re.findall("Action: (.+)", row["text"])
    target = draw.one("SELECT * FROM todo_lists WHERE owner = ? ORDER BY id", draw.user)
    text = f"Add each action of my note {row['title']!r} to my list {target['title']!r} as a task, in the note's words."
    reads = [*reading_note(row["title"], row["id"]), do("todo.list_lists")]
    return Draft(text, reads, [[do("todo.add_task", list_id=target["id"], title=action) for action in actions]])


@template("files", "calendar")
def trip_to_calendar(draw: Draw) -> Draft:
    row = draw.one("SELECT * FROM files WHERE owner = ? AND name = 'trip.txt'", draw.user)
    found = re.match(r"Train on (\S+) at (\S+) from (.+)\.", row["text"])
    assert found is not None
    text = (
        "Put the train of my file trip.txt into my calendar as 'Train': at its time, with its place, for 120 minutes."
    )
    reads = [do("files.search_files", query="trip.txt"), do("files.read_file", file_id=row["id"])]
    reads.append(do("calendar.list_events", day=found[1]))
    call = do("calendar.create_event", title="Train", day=found[1], start=found[2], minutes=120, place=found[3])
    return Draft(text, reads, [[call]])


@template("files", "contacts")
def share_with_relation(draw: Draw) -> Draft:
    sql = "SELECT * FROM contacts WHERE owner = ? AND relation NOT IN ('friend', 'colleague', 'service') AND email IS NOT NULL"
    row, file = (
        draw.one(sql, draw.user),
        draw.one("SELECT * FROM files WHERE owner = ? AND folder = '/work'", draw.user),
    )
    shared = draw.rows("SELECT email FROM shares JOIN people ON people.id = person_id WHERE file_id = ?", file["id"])
    draw.need(row["email"] not in [each["email"] for each in shared])
    text = f"Share my file {file['name']} of the folder /work with my {row['relation']}, who may change it."
    reads = [
        do("contacts.find_by_relation", relation=row["relation"]),
        do("files.list_files", folder="/work", limit=20),
    ]
    return Draft(text, reads, [[do("files.share_file", file_id=file["id"], email=row["email"], can_edit=True)]])


@template("files", "todo", copies=True)
def pack_for_trip(draw: Draw) -> Draft:
    row = draw.one("SELECT * FROM files WHERE owner = ? AND name = 'packing.txt'", draw.user)
    number = draw.count("SELECT max(id) + 1 FROM todo_lists")
    text = "Make a new list 'Packing' in the todo app, with a task for each line of my file packing.txt."
    reads = [do("files.search_files", query="packing.txt"), do("files.read_file", file_id=row["id"])]
    writes = [do("todo.create_list", title="Packing")]
    writes += [do("todo.add_task", list_id=number, title=line) for line in row["text"].split("\n")]
    return Draft(text, reads, [writes])


@template("calendar", "contacts")
def invite_group(draw: Draw) -> Draft:
    row, group = own_event(draw), draw.one("SELECT * FROM contact_groups WHERE owner = ? ORDER BY id", draw.user)
    sql = "SELECT contacts.* FROM group_members JOIN contacts ON contacts.id = contact_id WHERE group_id = ? ORDER BY name"
    rows = draw.rows(sql, group["id"])
    guests = draw.rows("SELECT email FROM guests JOIN people ON people.id = person_id WHERE event_id = ?", row["id"])
    new = [each for each in rows if each["email"] not in [guest["email"] for guest in guests]]
    draw.need(bool(new) and all(each["email"] for each in rows))
    text = (
        f"Invite the members of my group {group['title']!r} to my {row['title']} on {date_of(row['day'])}, unless they are "
        "invited already."
    )
    reads = [do("contacts.list_groups"), do("contacts.list_group_members", group_id=group["id"])]
    reads += [do("contacts.get_contact", contact_id=each["id"]) for each in rows]
    reads += [do("calendar.list_events", day=date_of(row["day"])), do("calendar.get_event", event_id=row["id"])]
    return Draft(text, reads, [[do("calendar.invite", event_id=row["id"], email=each["email"]) for each in new]])


@template("calendar", "contacts")
def birthday_to_calendar(draw: Draw) -> Draft:
    row = draw.one("SELECT * FROM contacts WHERE owner = ? AND birthday IS NOT NULL AND birthday > '10-01'", draw.user)
    day, title = f"2031-{row['birthday']}", f"Birthday of {row['name']}"
    text = f"Put the next birthday of {row['name']} into my calendar as {title!r}, at 09:00 for 30 minutes."
    reads = [finding(row["name"]), do("calendar.list_events", day=day)]
    return Draft(text, reads, [[do("calendar.create_event", title=title, day=day, start="09:00", minutes=30)]])


@template("calendar", "todo")
def time_for_task(draw: Draw) -> Draft:
    sql = (
        "SELECT * FROM todos WHERE owner = ? AND NOT is_done AND due > ? AND title NOT IN (SELECT title FROM todos AS other "
        "WHERE other.owner = todos.owner AND other.id != todos.id)"
    )
    row, start = draw.one(sql, draw.user, TODAY), clock(draw.rng.randrange(540, 1140, 30))
    text = f"Put my task {row['title']!r} into my calendar under its title: on the day on which it is due, at {start}, 60 minutes."
    reads = [do("todo.search_tasks", query=row["title"]), do("calendar.list_events", day=date_of(row["due"]))]
    call = do("calendar.create_event", title=row["title"], day=date_of(row["due"]), start=start, minutes=60)
    return Draft(text, reads, [[call]])


@template("shop", "payments")
def order_cart_by_card(draw: Draw) -> Draft:
    rows = draw.rows(
        "SELECT cart.quantity, products.* FROM cart JOIN products ON products.id = product_id WHERE owner = ?",
        draw.user,
    )
    total = sum(row["quantity"] * row["price"] for row in rows)
    draw.need(bool(rows) and all(row["stock"] >= row["quantity"] for row in rows))
    cards = draw.rows("SELECT * FROM cards WHERE owner = ? ORDER BY room DESC", draw.user)
    draw.need(
        cards[0]["room"] >= total and cards[0]["expires"] >= date_of(TODAY)[:7] and cards[0]["room"] != cards[1]["room"]
    )
    text = "Order what is in my cart. Pay with the card on which most money is left."
    reads = [do("shop.get_cart"), do("payments.list_cards")]
    return Draft(text, reads, [[do("shop.place_order", card_id=cards[0]["id"])]])


@template("shop", "music")
def stars_of_songs(draw: Draw) -> Draft:
    sql = "SELECT title FROM library JOIN songs ON songs.id = song_id WHERE owner = ? AND rating = 5"
    titles = [row["title"] for row in draw.rows(sql, draw.user)]
    reviewed = draw.rows("SELECT product_id FROM reviews WHERE author = ?", draw.user)
    row = draw.one("SELECT * FROM products WHERE category = 'toys' ORDER BY id")
    draw.need(1 <= len(titles) <= 5 and row["id"] not in [each["product_id"] for each in reviewed])
    stars = len(titles)
    text = (
        f"I bet that I would give the {row['name']} in the shop as many stars as my library has songs that I rated with 5. "
        "Write that review, with the text 'A bet.'"
    )
    reads = [*library_pages(draw), do("shop.search_products", query=row["name"])]
    return Draft(text, reads, [[do("shop.write_review", product_id=row["id"], stars=stars, text="A bet.")]])


@template("shop", "todo")
def task_for_return(draw: Draw) -> Draft:
    rows = draw.rows("SELECT * FROM orders WHERE owner = ? ORDER BY placed DESC", draw.user)
    row = draw.pick([each for each in rows if each["state"] == "shipped"])
    target = draw.one("SELECT * FROM todo_lists WHERE owner = ? ORDER BY id", draw.user)
    titles = [f"Wait for order {each['id']}" for each in rows if each["state"] == "shipped"]
    text = (
        f"Add a task for each order of mine that is shipped but not delivered to my list {target['title']!r}: 'Wait for "
        "order N', where N is its number."
    )
    draw.need(row is not None and len(titles) <= 5)
    reads = [*all_pages("shop.list_orders", len(rows)), do("todo.list_lists")]
    return Draft(text, reads, [[do("todo.add_task", list_id=target["id"], title=title) for title in titles]])


@template("files", "payments")
def expenses_to_request(draw: Draw) -> Draft:
    row, to = draw.one("SELECT * FROM files WHERE owner = ? AND name LIKE 'expenses-%'", draw.user), draw.contact()
    total = sum(int(line.split(",")[2]) for line in row["text"].split("\n")[1:])
    note = row["name"].removesuffix(".csv")
    text = f"Ask {to['email']} for the sum of all expenses of my file {row['name']}, with the note {note!r}."
    reads = [do("files.search_files", query=row["name"]), do("files.read_file", file_id=row["id"])]
    return Draft(text, reads, [[do("payments.request_money", email=to["email"], amount_cents=total, note=note)]])
