"""Tasks in which something is written: replies, forwards, new messages, attachments and drafts."""

# ruff: noqa: S608 - a check is a query with its values written into it

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.core.drafts import Check, Draft, Step, Template, UnsuitableDraw
from agentgym_web.sites.core.draws import literal, rows
from agentgym_web.sites.mail import drawing

_REPLIES = (
    "Thank you, I will be there.",
    "I cannot come, but I will send my notes the day before.",
    "Could we start half an hour later?",
    "That suits me. I will bring the samples.",
    "Please keep me a seat near the door.",
)
_PASSING = (
    "Please pay this one.",
    "For your files.",
    "Is this amount right?",
    "Could you check this for me?",
)
_NEWS = (
    ("Summer party", "We celebrate on 20 June. Please bring a salad."),
    ("New key", "The key now hangs in the shed."),
    ("No meeting in April", "Because of the holidays we do not meet in April."),
    ("Group picture", "Please come ten minutes early next time, we take a picture."),
)
_FILES = ("minutes.txt", "floor-plan.txt", "timetable.txt", "guest-list.txt", "measurements.txt", "programme.txt")
_SUBJECTS = ("A question about Thursday", "Plans for spring", "Second thoughts", "Before I forget", "Short notice")


def reply_meeting(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Answer the invitation to a meeting, to its host alone."""
    one = drawing.story(db, rng, "meeting")
    text = rng.choice(_REPLIES)
    thread = drawing.message(db, one.message)["thread"]
    return Draft(
        f"Reply to the latest message about the meeting on the {one.facts['project']}, only to the"
        " person who wrote it, with"
        f" exactly this text: “{text}”",
        user=one.login,
        plants=[drawing.unread_plant(one.message)],
        checks=[
            drawing.sent_check(
                db, one.login, "Sent", recipients=one.facts["email"], copies="", body=text, thread=thread
            ),
            drawing.was_opened(one.message),
            drawing.counted(f"FROM message WHERE id > {drawing.last(db)}", 1, "something is written"),
        ],
        touched={"message": [1, 0, 0]},
        walkthrough=[
            *drawing.open_steps(db, one.message),
            ["click", "link", "Reply"],
            ["fill", "textbox", "Text", text],
            ["click", "button", "Send"],
        ],
    )


def reply_all(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Answer the invitation to a meeting, to everybody."""
    one = drawing.story(db, rng, "meeting")
    text = rng.choice(_REPLIES)
    others = one.facts["others"]
    row = drawing.message(db, one.message)
    written = f"FROM message WHERE id > {drawing.last(db)} AND folder_id = {drawing.folder(db, one.login, 'Sent')}"
    everybody = " AND ".join(
        f"instr(', ' || recipients || ', ' || copies || ',', {literal(f', {email},')})"
        for email in (one.facts["email"], *others)
    )
    commas = "length(recipients || ',' || copies) - length(replace(recipients || ',' || copies, ',', ''))"
    return Draft(
        "Answer everybody who got the latest message about the meeting on the"
        f" {one.facts['project']}, and its sender, with"
        f" one reply. The text is exactly: “{text}”",
        user=one.login,
        plants=[drawing.unread_plant(one.message)],
        checks=[
            Check(f"SELECT body, thread {written}", [[text, row["thread"]]], "the reply is sent"),
            Check(f"SELECT count(*) {written} AND {everybody}", [[1]], "everybody gets it"),
            Check(f"SELECT {commas} {written}", [[len(others)]], "and nobody else"),
            drawing.was_opened(one.message),
            drawing.counted(written, 1, "something is sent"),
        ],
        touched={"message": [1, 0, 0]},
        walkthrough=[
            *drawing.open_steps(db, one.message),
            ["click", "link", "Reply to all"],
            ["fill", "textbox", "Text", text],
            ["click", "button", "Send"],
        ],
    )


def _contact(db: sqlite3.Connection, rng: random.Random, login: str) -> sqlite3.Row:
    return rng.choice(rows(db, "SELECT * FROM contact WHERE login = ? AND email != ''", login))


def forward_invoice(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Pass an invoice on to a contact."""
    login = drawing.owner(db, rng)
    one = rng.choice(drawing.stories(db, "invoice", login))
    same = [other for other in drawing.stories(db, "invoice", login) if other.facts["vendor"] == one.facts["vendor"]]
    if sum(other.facts["month"] == one.facts["month"] for other in same) > 1:
        raise UnsuitableDraw("two in one month")
    contact, text = _contact(db, rng, login), rng.choice(_PASSING)
    return Draft(
        f"Forward the invoice that {one.facts['vendor']} sent in {one.facts['month']} to"
        f" {contact['name']}, whose address is"
        f" in my contacts, with the text “{text}”",
        user=login,
        plants=[drawing.unread_plant(one.message)],
        checks=[
            drawing.sent_check(
                db, login, "Sent", recipients=contact["email"], copies="", body=text, forwards=one.message
            ),
            drawing.was_opened(one.message),
            drawing.counted(f"FROM message WHERE id > {drawing.last(db)}", 1, "something is written"),
        ],
        touched={"message": [1, 0, 0], "attachment": [1, 0, 0]},
        walkthrough=[
            ["click", "link", "Contacts"],
            ["fill", "textbox", "Find", contact["name"]],
            ["click", "button", "Show contacts"],
            *drawing.open_steps(db, one.message),
            ["click", "link", "Forward"],
            ["fill", "textbox", "To", contact["email"]],
            ["fill", "textbox", "Text", text],
            ["click", "button", "Send"],
        ],
    )


def write_circle(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Write to everybody of a circle at once."""
    login = drawing.owner(db, rng)
    one = rng.choice(drawing.stories(db, "circle", login))
    emails, (subject, text) = one.facts["emails"], rng.choice(_NEWS)
    written = f"FROM message WHERE id > {drawing.last(db)} AND folder_id = {drawing.folder(db, login, 'Sent')}"
    everybody = " AND ".join(f"instr(', ' || recipients || ',', {literal(f', {email},')})" for email in emails)
    commas = "length(recipients) - length(replace(recipients, ',', ''))"
    return Draft(
        f"Send one message to all members of my circle “{one.facts['circle']}”, all of them in the"
        " field To. The subject is"
        f" “{subject}” and the text “{text}”",
        user=login,
        checks=[
            Check(
                f"SELECT subject, body, copies, {commas} {written}",
                [[subject, text, "", len(emails) - 1]],
                "it is sent",
            ),
            Check(f"SELECT count(*) {written} AND {everybody}", [[1]], "everybody gets it"),
            drawing.counted(written, 1, "something is sent"),
            drawing.counted(f"{written} AND subject = {literal(subject)}", 1, "the subject is right"),
        ],
        touched={"message": [1, 0, 0]},
        walkthrough=[
            ["click", "link", "Contacts"],
            ["select", "combobox", "Circle", one.facts["circle"]],
            ["click", "button", "Show contacts"],
            ["click", "link", "Write"],
            ["fill", "textbox", "To", ", ".join(emails)],
            ["fill", "textbox", "Subject", subject],
            ["fill", "textbox", "Text", text],
            ["click", "button", "Send"],
        ],
    )


def attach_file(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Send a file to a contact."""
    login = drawing.owner(db, rng)
    contact, name, subject = _contact(db, rng, login), rng.choice(_FILES), rng.choice(_SUBJECTS)
    files = f"SELECT name, CAST(content AS TEXT) FROM attachment WHERE message_id > {drawing.last(db)}"
    content = f"{name.removesuffix('.txt').capitalize()}\n\n{rng.choice(_REPLIES)}\n"
    return Draft(
        f"Send the file {name} to {contact['name']} (the address is in my contacts) with the subject"
        f" “{subject}” and the text"
        " “Here it is.”",
        user=login,
        checks=[
            drawing.sent_check(
                db, login, "Sent", recipients=contact["email"], copies="", subject=subject, body="Here it is."
            ),
            Check(files, [[name, content]], "the file is attached"),
            Check(files, [[name, content]], "the file is uploaded", True),
            drawing.counted(f"FROM message WHERE id > {drawing.last(db)}", 1, "something is written"),
        ],
        touched={"message": [1, 0, 0], "attachment": [1, 0, 0]},
        files={name: content},
        walkthrough=drawing.write_steps(contact, subject, "Here it is.", name),
    )


def save_draft(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Prepare a message without sending it."""
    login = drawing.owner(db, rng)
    to, copy = rng.sample(rows(db, "SELECT * FROM contact WHERE login = ? AND email != ''", login), 2)
    subject, text = rng.choice(_SUBJECTS), rng.choice(_REPLIES)
    find: list[Step] = []
    for one in (to, copy):
        find += [["fill", "textbox", "Find", one["name"]], ["click", "button", "Show contacts"]]
    return Draft(
        f"Prepare a message to {to['name']} with a copy to {copy['name']}, but do not send it: keep"
        " it as a draft. The subject"
        f" is “{subject}”, the text “{text}”",
        user=login,
        checks=[
            drawing.sent_check(
                db, login, "Drafts", recipients=to["email"], copies=copy["email"], subject=subject, body=text
            ),
            drawing.counted(f"FROM message WHERE id > {drawing.last(db)}", 1, "something is written"),
        ],
        touched={"message": [1, 0, 0]},
        walkthrough=[
            ["click", "link", "Contacts"],
            *find,
            ["click", "link", "Write"],
            ["fill", "textbox", "To", to["email"]],
            ["fill", "textbox", "Copy", copy["email"]],
            ["fill", "textbox", "Subject", subject],
            ["fill", "textbox", "Text", text],
            ["click", "button", "Save draft"],
        ],
    )


def finish_draft(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Change the subject of a draft, add a copy, and send it."""
    one = drawing.story(db, rng, "draft")
    copy, subject = _contact(db, rng, one.login), rng.choice(_SUBJECTS)
    same = [other for other in drawing.stories(db, "draft", one.login) if other.facts["name"] == one.facts["name"]]
    if copy["email"] == one.facts["email"] or len(same) > 1:
        raise UnsuitableDraw("the same person")
    sql = f"SELECT folder_id, recipients, copies, subject, body FROM message WHERE id = {one.message}"
    expected = [drawing.folder(db, one.login, "Sent"), one.facts["email"], copy["email"], subject, one.facts["body"]]
    return Draft(
        f"There is a draft of a message to {one.facts['name']}. Change its subject to “{subject}”,"
        f" put {copy['name']} in copy,"
        " and send it. Leave the text as it is.",
        user=one.login,
        checks=[
            Check(sql, [expected], "the draft is sent as asked"),
            Check(f"SELECT subject FROM message WHERE id = {one.message}", [[subject]], "the subject is changed", True),
            Check(
                f"SELECT folder_id FROM message WHERE id = {one.message}", [[expected[0]]], "the draft is sent", True
            ),
        ],
        touched={"message": [0, 1, 0]},
        walkthrough=[
            ["click", "link", "Contacts"],
            ["fill", "textbox", "Find", copy["name"]],
            ["click", "button", "Show contacts"],
            ["click", "link", "Drafts"],
            ["click", "link", one.facts["subject"], {"within": one.facts["email"]}],
            ["fill", "textbox", "Subject", subject],
            ["fill", "textbox", "Copy", copy["email"]],
            ["click", "button", "Send"],
        ],
    )


TEMPLATES = (
    Template("reply_meeting", "seen", reply_meeting),
    Template("reply_all", "unseen", reply_all),
    Template("forward_invoice", "seen", forward_invoice),
    Template("write_circle", "seen", write_circle),
    Template("attach_file", "seen", attach_file),
    Template("save_draft", "seen", save_draft),
    Template("finish_draft", "seen", finish_draft),
)
