"""Tasks in which a mailbox is put in order: moving, labels, rules, contacts and settings."""

# ruff: noqa: S608 - a check is a query with its values written into it

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence

from agentgym_web.sites.core.drafts import Check, Draft, Step, Template, UnsuitableDraw
from agentgym_web.sites.core.draws import literal, rows
from agentgym_web.sites.core.row_checks import row_comes
from agentgym_web.sites.mail import drawing, phrases
from agentgym_web.sites.mail.data import OWN_FOLDERS


def _letter_search(name: str, sender: str, before: str = "", sort: str = "") -> list[Step]:
    """Steps that list the issues of a newsletter in the inbox."""
    day: list[Step] = [["fill", "textbox", "Before", before]] if before else []
    order: list[Step] = [["select", "combobox", "Sort by", sort]] if sort else []
    return [
        *drawing.search_steps(name),
        ["fill", "textbox", "From", sender],
        *day,
        ["select", "combobox", "Folder", "Inbox"],
        *order,
        ["click", "button", "Search again"],
    ]


def _moved(messages: Sequence[sqlite3.Row], folder: int) -> list[Check]:
    """A check that messages lie in a folder, and milestones on the way."""
    where = f"FROM message WHERE id IN ({drawing.numbers(messages)}) AND folder_id = {folder}"
    return [
        Check(f"SELECT count(*) {where}", [[len(messages)]], "all of them are there"),
        drawing.counted(where, 1, "one of them is there"),
        drawing.counted(where, (len(messages) + 1) // 2, "half of them are there"),
    ]


def move_letters(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Move all issues of a newsletter out of the inbox."""
    login = drawing.owner(db, rng)
    letter = drawing.letters(db, rng, login)
    name, folder = letter["sender_name"], rng.choice(OWN_FOLDERS)
    found = drawing.from_sender(db, login, name)
    return Draft(
        rng.choice(
            (
                f"Move all issues of “{name}” from my inbox to the folder {folder}.",
                f"My inbox is full of “{name}”. Put all of them into the folder {folder}.",
            )
        ),
        user=login,
        checks=_moved(found, drawing.folder(db, login, folder)),
        touched={"message": [0, len(found), 0]},
        walkthrough=[
            *_letter_search(name, letter["sender"]),
            *drawing.tick_steps(found),
            ["select", "combobox", "Folder to move to", folder],
            ["click", "button", "Move"],
        ],
    )


def archive_old(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Archive the older issues of a newsletter."""
    login = drawing.owner(db, rng)
    letter = drawing.letters(db, rng, login)
    before, said = rng.choice((("2026-02-01", "1 February 2026"), ("2026-01-15", "15 January 2026")))
    found = drawing.from_sender(db, login, letter["sender_name"], f"m.sent < '{before}'")
    if not 2 <= len(found) < letter["count"]:
        raise UnsuitableDraw("none or all")
    return Draft(
        f"Archive all issues of “{letter['sender_name']}” in my inbox that are older than {said}. Newer ones stay.",
        user=login,
        checks=_moved(found, drawing.folder(db, login, "Archive")),
        touched={"message": [0, len(found), 0]},
        walkthrough=[
            *_letter_search(letter["sender_name"], letter["sender"], before),
            *drawing.tick_steps(found),
            ["click", "button", "Archive"],
        ],
    )


def label_invoices(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Put a label on all invoices of a vendor, in whatever folder."""
    login = drawing.owner(db, rng)
    vendor = drawing.story(db, rng, "invoice", login).facts["vendor"]
    found = [one.message for one in drawing.stories(db, "invoice", login) if one.facts["vendor"] == vendor]
    messages = [drawing.message(db, number) for number in found]
    label = rng.choice(rows(db, "SELECT * FROM label WHERE login = ?", login))
    where = f"FROM message_label WHERE label_id = {label['id']} AND message_id IN ({drawing.numbers(messages)})"
    return Draft(
        f"Put the label “{label['name']}” on all invoices from {vendor}, in whatever folder they are.",
        user=login,
        checks=[
            Check(f"SELECT count(*) {where}", [[len(found)]], "all of them have it"),
            drawing.counted(where, 1, "one of them has it"),
            drawing.counted(where, (len(found) + 1) // 2, "half of them have it"),
        ],
        touched={"message_label": [len(found), 0, 0]},
        walkthrough=[
            *drawing.search_steps(f"invoice {vendor}"),
            *drawing.tick_steps(messages),
            ["select", "combobox", "Label", label["name"]],
            ["click", "button", "Add label"],
        ],
    )


def star_costs(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Star the messages with the costs of the projects, or mark them as unread."""
    login = drawing.owner(db, rng)
    chosen = rng.sample(drawing.stories(db, "costs", login), rng.randrange(2, 5))
    messages = [drawing.message(db, one.message) for one in chosen]
    if any(row["is_starred"] for row in messages):
        raise UnsuitableDraw("starred already")
    projects = [f"the {one.facts['project']}" for one in chosen]
    said = f"{', '.join(projects[:-1])} and {projects[-1]}"
    where = f"FROM message WHERE is_starred AND id IN ({drawing.numbers(messages)})"
    steps: list[Step] = []
    for row in messages:
        steps += [*drawing.open_steps(db, row["id"]), ["click", "button", "Star"]]
    return Draft(
        f"Star the messages with the files that list the costs of {said}.",
        user=login,
        checks=[
            Check(f"SELECT count(*) {where}", [[len(messages)]], "all of them are starred"),
            drawing.counted(where, 1, "one of them is starred"),
            drawing.counted(where, (len(messages) + 1) // 2, "half of them are starred"),
        ],
        touched={"message": [0, len(messages), 0]},
        walkthrough=steps,
    )


def mark_unread(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Mark the newest issues of a newsletter as unread."""
    login = drawing.owner(db, rng)
    letter = drawing.letters(db, rng, login)
    count = rng.randrange(2, 5)
    found = drawing.from_sender(db, login, letter["sender_name"])[::-1]
    newest, rest = found[:count], found[count:]
    if not rest:
        raise UnsuitableDraw("too few")
    numbers = drawing.numbers(found)
    where = f"FROM message m WHERE id IN ({drawing.numbers(newest)}) AND NOT EXISTS (SELECT 1 FROM reading r WHERE"
    where += " r.message_id = m.id)"
    still = f"SELECT count(*) FROM reading WHERE message_id IN ({drawing.numbers(rest)})"
    return Draft(
        f"I have not really read the {count} newest issues of “{letter['sender_name']}” in my inbox. Mark just these as"
        " unread.",
        user=login,
        plants=[[f"INSERT OR IGNORE INTO reading SELECT id FROM message WHERE id IN ({numbers})", []]],
        checks=[
            Check(f"SELECT count(*) {where}", [[count]], "they are unread"),
            Check(still, [[len(rest)]], "the others are read"),
            drawing.counted(where, 1, "one of them is unread"),
        ],
        walkthrough=[
            *_letter_search(letter["sender_name"], letter["sender"]),
            *drawing.tick_steps(newest),
            ["click", "button", "Mark as unread"],
        ],
    )


def new_folder(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Make a folder for a project and move its messages there."""
    login = drawing.owner(db, rng)
    project = drawing.story(db, rng, "meeting", login).facts["project"]
    found = rows(
        db,
        "SELECT m.* FROM message m JOIN folder f ON f.id = m.folder_id WHERE m.login = ? AND f.kind = 'inbox'"
        " AND lower(m.subject) LIKE ? ORDER BY m.sent DESC, m.id DESC",
        login,
        f"%{project}%",
    )
    if not 4 <= len(found) <= drawing.MAX_FOUND:
        raise UnsuitableDraw("too few or too many")
    name = project.capitalize()
    added = f"FROM folder WHERE login = {literal(login)} AND name = {literal(name)}"
    where = f"FROM message WHERE id IN ({drawing.numbers(found)}) AND folder_id = (SELECT id {added})"
    return Draft(
        f"Make a folder called “{name}” and move all messages of my inbox into it that have"
        f" “{project}” in the subject.",
        user=login,
        checks=[
            Check(f"SELECT count(*) {where}", [[len(found)]], "all of them are there"),
            Check(f"SELECT count(*) {added}", [[1]], "the folder exists", True),
            drawing.counted(where, 1, "one of them is there"),
            drawing.counted(where, (len(found) + 1) // 2, "half of them are there"),
        ],
        touched={"folder": [1, 0, 0], "message": [0, len(found), 0]},
        walkthrough=[
            ["click", "link", "Folders and labels"],
            ["fill", "textbox", "New folder", name],
            ["click", "button", "Add folder"],
            *drawing.search_steps(project),
            ["fill", "textbox", "Subject", project],
            ["select", "combobox", "Folder", "Inbox"],
            ["click", "button", "Search again"],
            *drawing.tick_steps(found),
            ["select", "combobox", "Folder to move to", name],
            ["click", "button", "Move"],
        ],
    )


def empty_trash(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Save one message from the trash, and delete the rest of it and all spam for good."""
    login = drawing.owner(db, rng)
    trash, spam = (drawing.folder(db, login, name) for name in ("Trash", "Spam"))
    sql = "SELECT * FROM message WHERE folder_id = ? ORDER BY id"
    thrown, bad = rows(db, sql, trash), rows(db, sql, spam)
    kept = rng.choice(thrown)
    if [row["sender_name"] for row in thrown].count(kept["sender_name"]) > 1:
        raise UnsuitableDraw("two from one sender")
    gone = [row for row in [*thrown, *bad] if row["id"] != kept["id"]]
    inbox = drawing.folder(db, login, "Inbox")
    return Draft(
        f"Move the message from {kept['sender_name']} that is in the trash back to the inbox. Then"
        " empty the trash and the"
        " spam folder for good.",
        user=login,
        checks=[
            Check(f"SELECT folder_id FROM message WHERE id = {kept['id']}", [[inbox]], "the message is saved"),
            Check(f"SELECT count(*) FROM message WHERE folder_id IN ({trash}, {spam})", [[0]], "both are empty"),
            Check(f"SELECT folder_id FROM message WHERE id = {kept['id']}", [[inbox]], "the message is back", True),
            Check(f"SELECT count(*) FROM message WHERE folder_id = {trash}", [[0]], "the trash is empty", True),
            Check(f"SELECT count(*) FROM message WHERE folder_id = {spam}", [[0]], "the spam is gone", True),
        ],
        touched={"message": [0, 1, len(gone)]},
        walkthrough=[
            ["click", "link", "Trash"],
            *drawing.tick_steps([kept]),
            ["select", "combobox", "Folder to move to", "Inbox"],
            ["click", "button", "Move"],
            ["click", "button", "Empty this folder"],
            ["click", "link", "Spam"],
            ["click", "button", "Empty this folder"],
        ],
    )


def add_rule(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Add a rule for a newsletter and carry it out at once."""
    login = drawing.owner(db, rng)
    letter = drawing.letters(db, rng, login)
    found = drawing.from_sender(db, login, letter["sender_name"])
    folder = rng.choice(OWN_FOLDERS)
    sql = f"SELECT field, words, act, target, is_active FROM rule WHERE id > {drawing.last(db, 'rule')}"
    expected = ["Sender", letter["sender"], "Move to folder", folder, 1]
    moved = _moved(found, drawing.folder(db, login, folder))
    return Draft(
        f"From now on, whatever comes from the sender {letter['sender']} shall be moved to the folder"
        f" {folder}. Add a rule for"
        " that (with the full address) and have it carried out on my inbox right away.",
        user=login,
        checks=[
            Check(sql, [expected], "the rule is there"),
            moved[0],
            Check(sql.replace("field, words, act, target, is_active", "count(*)"), [[1]], "a rule is added", True),
            moved[1],
        ],
        touched={"rule": [1, 0, 0], "message": [0, len(found), 0]},
        walkthrough=[
            ["click", "link", "Rules"],
            ["fill", "textbox", "Contains", letter["sender"]],
            ["select", "combobox", "Folder or label", f"Folder: {folder}"],
            ["click", "checkbox", "Carry it out on the inbox now"],
            ["click", "button", "Add rule"],
        ],
    )


def fix_rules(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Switch one rule and delete another."""
    login = drawing.owner(db, rng)
    first, second = rng.sample(rows(db, "SELECT * FROM rule WHERE login = ?", login), 2)
    switch = "off" if first["is_active"] else "on"
    one, other = (f"the one for “{rule['words']}” in the {rule['field'].lower()}" for rule in (first, second))
    state = f"SELECT is_active FROM rule WHERE id = {first['id']}"
    return Draft(
        f"Two of my rules are wrong: switch {switch} {one}, and delete {other}.",
        user=login,
        checks=[
            Check(state, [[int(not first["is_active"])]], "the rule is switched"),
            Check(f"SELECT count(*) FROM rule WHERE id = {second['id']}", [[0]], "the rule is deleted"),
            Check(state, [[int(not first["is_active"])]], "the first is right", True),
            Check(f"SELECT count(*) FROM rule WHERE id = {second['id']}", [[0]], "the second is gone", True),
        ],
        touched={"rule": [0, 1, 1]},
        walkthrough=[
            ["click", "link", "Rules"],
            ["click", "button", f"Switch {switch}", {"within": first["words"]}],
            ["click", "button", "Delete rule", {"within": second["words"]}],
        ],
    )


def add_contact(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Put somebody who wrote for the first time into the contacts."""
    one = drawing.story(db, rng, "stranger")
    circle = rng.choice(("", *phrases.CIRCLES))
    sql = f"SELECT name, email, phone, circle FROM contact WHERE id > {drawing.last(db, 'contact')}"
    more = f", in the circle “{circle}”" if circle else ""
    step: list[Step] = [["fill", "textbox", "Circle", circle]] if circle else []
    facts = one.facts
    return Draft(
        f"{facts['name']} wrote to me after the fair. Add {facts['name'].split(' ')[0]} to my"
        " contacts with full name, e-mail"
        f" address and the telephone number in the message{more}.",
        user=one.login,
        plants=[drawing.unread_plant(one.message)],
        checks=[
            Check(sql, [[facts["name"], facts["email"], facts["phone"], circle]], "the contact is there"),
            drawing.was_opened(one.message),
            Check(sql.replace("name, email, phone, circle", "count(*)"), [[1]], "a contact is added", True),
        ],
        touched={"contact": [1, 0, 0]},
        walkthrough=[
            *drawing.open_steps(db, one.message),
            ["click", "link", "Add sender to contacts"],
            ["fill", "textbox", "Phone", facts["phone"]],
            *step,
            ["click", "button", "Save contact"],
        ],
    )


def update_number(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Change the telephone numbers of contacts after what they wrote."""
    login = drawing.owner(db, rng)
    found = drawing.stories(db, "number", login)
    steps: list[Step] = []
    checks: list[Check] = []
    for one in found:
        sql = "SELECT * FROM contact WHERE login = ? AND name = ?"
        contact = rows(db, sql, login, one.facts["name"])[0]
        state = f"SELECT name, email, phone, circle, note FROM contact WHERE id = {contact['id']}"
        after = [contact["name"], contact["email"], one.facts["phone"], contact["circle"], contact["note"]]
        checks += [Check(state, [after], "the number is new"), Check(state, [after], "one number is new", True)]
        steps += [
            *drawing.open_steps(db, one.message),
            ["click", "link", "Contacts"],
            ["click", "link", one.facts["name"]],
            ["fill", "textbox", "Phone", one.facts["phone"]],
            ["click", "button", "Save contact"],
        ]
    names = [one.facts["name"] for one in found]
    if len(set(names)) < len(names):
        raise UnsuitableDraw("one person twice")
    return Draft(
        f"{', '.join(names[:-1])} and {names[-1]} have written to me that they have new telephone"
        " numbers. Change the numbers"
        " in my contacts.",
        user=login,
        checks=checks,
        touched={"contact": [0, len(found), 0]},
        walkthrough=steps,
    )


def update_one_number(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Change the telephone number of one contact, and note it."""
    one = drawing.story(db, rng, "number")
    contact = rows(db, "SELECT * FROM contact WHERE login = ? AND name = ?", one.login, one.facts["name"])[0]
    note = rng.choice(("New number since February", "Number changed", "Ring in the evening"))
    state = f"SELECT name, email, phone, circle, note FROM contact WHERE id = {contact['id']}"
    after = [contact["name"], contact["email"], one.facts["phone"], contact["circle"], note]
    return Draft(
        f"{one.facts['name']} has a new telephone number and wrote to me about it. Change the number"
        " in my contacts, and set"
        f" the note there to “{note}”.",
        user=one.login,
        plants=[drawing.unread_plant(one.message)],
        checks=[Check(state, [after], "the contact is up to date"), drawing.was_opened(one.message)],
        touched={"contact": [0, 1, 0]},
        walkthrough=[
            *drawing.open_steps(db, one.message),
            ["click", "link", "Contacts"],
            ["click", "link", one.facts["name"]],
            ["fill", "textbox", "Phone", one.facts["phone"]],
            ["fill", "textbox", "Note", note],
            ["click", "button", "Save contact"],
        ],
    )


def go_away(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Set up the reply while away."""
    login = drawing.owner(db, rng)
    first = rng.randrange(3, 16)
    until = first + rng.randrange(4, 14)
    text = rng.choice(
        ("I am away and read no mail.", "Back soon. In urgent cases, please ring the office.", "On holiday!")
    )
    start, end = f"2026-04-{first:02}", f"2026-04-{until:02}"
    days = {"away_from": start, "away_until": end}
    wanted = {**days, "away_text": text}
    sql = f"SELECT is_away, away_from, away_until, away_text FROM account WHERE login = {literal(login)}"
    return Draft(
        f"I am on holiday from {first} to {until} April 2026. Switch on the automatic reply for these"
        " days, with the text"
        f" “{text}”",
        user=login,
        checks=[
            Check(sql, [[1, start, end, text]], "the reply is set up"),
            *row_comes("account", {"login": login, "is_away": 1}, wanted, {"days": list(days), "text": ["away_text"]}),
        ],
        touched={"account": [0, 1, 0]},
        walkthrough=[
            ["click", "link", "Settings"],
            ["click", "checkbox", "Reply while I am away"],
            ["fill", "textbox", "First day", start],
            ["fill", "textbox", "Last day", end],
            ["fill", "textbox", "Reply", text],
            ["click", "button", "Save settings"],
        ],
    )


TEMPLATES = (
    Template("move_letters", "seen", move_letters),
    Template("archive_old", "seen", archive_old),
    Template("label_invoices", "seen", label_invoices),
    Template("star_costs", "seen", star_costs),
    Template("mark_unread", "seen", mark_unread),
    Template("new_folder", "unseen", new_folder),
    Template("empty_trash", "seen", empty_trash),
    Template("add_rule", "seen", add_rule),
    Template("fix_rules", "unseen", fix_rules),
    Template("add_contact", "seen", add_contact),
    Template("update_numbers", "unseen", update_number),
    Template("update_number", "seen", update_one_number),
    Template("go_away", "seen", go_away),
)
