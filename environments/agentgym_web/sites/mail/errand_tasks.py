"""Long tasks: several things in one errand, over many pages."""

# ruff: noqa: S608 - a check is a query with its values written into it

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.core.drafts import Check, Draft, Step, Template, UnsuitableDraw
from agentgym_web.sites.core.draws import literal, rows
from agentgym_web.sites.mail import drawing


def _contact(db: sqlite3.Connection, rng: random.Random, login: str) -> sqlite3.Row:
    return rng.choice(rows(db, "SELECT * FROM contact WHERE login = ? AND email != ''", login))


def pay_and_file(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Forward the newest invoice of a vendor, label it, and move it to the receipts."""
    login = drawing.owner(db, rng)
    vendor = drawing.story(db, rng, "invoice", login).facts["vendor"]
    mine = [one for one in drawing.stories(db, "invoice", login) if one.facts["vendor"] == vendor]
    number = max(mine, key=lambda one: str(drawing.message(db, one.message)["sent"])).message
    contact = _contact(db, rng, login)
    label = rows(db, "SELECT * FROM label WHERE login = ? AND name = 'Waiting'", login)[0]["id"]
    receipts = drawing.folder(db, login, "Receipts")
    if drawing.message(db, number)["folder_id"] == receipts:
        raise UnsuitableDraw("filed already")
    labelled = Check(f"SELECT label_id FROM message_label WHERE message_id = {number}", [[label]], "it is labelled")
    filed = Check(f"SELECT folder_id FROM message WHERE id = {number}", [[receipts]], "it is filed")
    sent = drawing.sent_check(db, login, "Sent", recipients=contact["email"], copies="", forwards=number)
    return Draft(
        f"Take the newest invoice from {vendor}: forward it to {contact['name']} (the address is in"
        " my contacts), put the"
        " label “Waiting” on it, and move it to the folder Receipts.",
        user=login,
        plants=[drawing.unread_plant(number)],
        checks=[
            sent,
            labelled,
            filed,
            drawing.counted(f"FROM message WHERE id > {drawing.last(db)}", 1, "it is forwarded"),
            Check(labelled.sql, labelled.rows, labelled.name, True),
            Check(filed.sql, filed.rows, filed.name, True),
        ],
        touched={"message": [1, 1, 0], "attachment": [1, 0, 0], "message_label": [1, 0, 0]},
        walkthrough=[
            ["click", "link", "Contacts"],
            ["fill", "textbox", "Find", contact["name"]],
            ["click", "button", "Show contacts"],
            *drawing.open_steps(db, number),
            ["click", "link", "Forward"],
            ["fill", "textbox", "To", contact["email"]],
            ["click", "button", "Send"],
            *drawing.open_steps(db, number),
            ["select", "combobox", "Label", "Waiting"],
            ["click", "button", "Add label"],
            ["select", "combobox", "Folder to move to", "Receipts"],
            ["click", "button", "Move"],
        ],
    )


def tell_room(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Write to a contact in which room a meeting is now."""
    one = drawing.story(db, rng, "meeting")
    contact = _contact(db, rng, one.login)
    subject = f"Where we meet about the {one.facts['project']}"
    sql = "SELECT folder_id, recipients, copies, subject, lower(trim(body, ' .')) FROM message"
    sql += f" WHERE id > {drawing.last(db)}"
    sent = drawing.folder(db, one.login, "Sent")
    return Draft(
        f"Find out in which room the meeting about the {one.facts['project']} takes place, and let"
        f" {contact['name']} know"
        f" (the address is in my contacts): write a message with the subject “{subject}” whose text"
        " is the name of the room"
        " and nothing else.",
        user=one.login,
        plants=[drawing.unread_plant(one.message)],
        checks=[
            Check(sql, [[sent, contact["email"], "", subject, one.facts["room"].lower()]], "the right room is sent"),
            drawing.was_opened(one.message),
            drawing.counted(f"FROM message WHERE id > {drawing.last(db)}", 1, "something is written"),
        ],
        touched={"message": [1, 0, 0]},
        walkthrough=[
            *drawing.open_steps(db, one.message),
            *drawing.write_steps(contact, subject, one.facts["room"]),
        ],
    )


def welcome_strangers(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Add everybody who wrote after the fair to the contacts, in one circle."""
    login = drawing.owner(db, rng)
    found = drawing.stories(db, "stranger", login)
    if len(found) < 2:
        raise UnsuitableDraw("too few")
    circle = rng.choice(("Spring fair", "Press", "New people", "Printers"))
    sql = f"SELECT name, email, phone FROM contact WHERE circle = {literal(circle)}"
    sql += f" AND login = {literal(login)}"
    steps: list[Step] = []
    for one in found:
        steps += [
            *drawing.open_steps(db, one.message),
            ["click", "link", "Add sender to contacts"],
            ["fill", "textbox", "Phone", one.facts["phone"]],
            ["fill", "textbox", "Circle", circle],
            ["click", "button", "Save contact"],
        ]
    people = [[one.facts["name"], one.facts["email"], one.facts["phone"]] for one in found]
    added = f"FROM contact WHERE id > {drawing.last(db, 'contact')}"
    return Draft(
        "Several people wrote to me for the first time after the fair, with the subject “Nice to"
        " meet you”. Add all of them"
        f" to my contacts, each with full name, e-mail address and telephone number, in the circle “{circle}”.",
        user=login,
        checks=[
            Check(sql, people, "all of them are in the circle"),
            *[drawing.counted(added, index + 1, f"{index + 1} added") for index in range(len(found))],
        ],
        touched={"contact": [len(found), 0, 0]},
        walkthrough=steps,
    )


TEMPLATES = (
    Template("pay_and_file", "seen", pay_and_file),
    Template("tell_room", "seen", tell_room),
    Template("welcome_strangers", "unseen", welcome_strangers),
)
