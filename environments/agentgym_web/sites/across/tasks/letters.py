"""Errands that a letter asks for, or that end in one: with the almanac, the console and the phone."""

# ruff: noqa: S608 - a check is a query with its values written into it

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.across.drafts import AcrossDraft, AcrossTemplate, OnSite, Worlds
from agentgym_web.sites.across.tasks import drawing
from agentgym_web.sites.admin.tasks import draws as admin
from agentgym_web.sites.admin.tasks import numbers
from agentgym_web.sites.core.drafts import Answer, Check, Step
from agentgym_web.sites.core.draws import literal, one_row, pick, require
from agentgym_web.sites.core.row_checks import num_rows, row_is
from agentgym_web.sites.mail import drawing as mail
from agentgym_web.sites.phone.data import CALENDARS
from agentgym_web.sites.phone.tasks import draws as phone
from agentgym_web.sites.wiki.tasks import mending

QUESTIONS = (numbers.count_machines, numbers.longest_without_service, numbers.oldest_ticket, numbers.best_location)
"""Questions about the console that one figure or name answers."""
_THANKS = (
    "It is corrected, thank you.",
    "Thank you for the hint, it is done.",
    "Done. Please look at it once more.",
)
_FAULTS = (
    ("Coins fall through", "All coins fall through to the tray.", "payment"),
    ("No network since noon", "It shows no network, the red lamp is on.", "network"),
    ("Door does not close", "The door springs open again.", "damage"),
    ("Water bottles are gone", "There is nothing left but soup.", "stock"),
)
_FILES = ("readings.txt", "keys.txt", "route.txt", "inventory.txt", "measurements.txt", "shift-plan.txt")
MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905


def mail_corrects_wiki(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Do in the almanac what a letter asks for, and answer it."""
    edit, login = mending.correct_number(worlds["wiki"], rng), mail.owner(worlds["mail"], rng)
    person, text = drawing.contact(worlds["mail"], rng, login), rng.choice(_THANKS)
    sender, subject = (person["name"], person["email"]), "A mistake in the almanac"
    return AcrossDraft(
        f"{person['name']} has written to me about a mistake in the almanac. Read the letter, do in the almanac what "
        f"it asks for, and then reply to the letter with exactly this text: “{text}”",
        sites={
            "mail": drawing.replied_letter(worlds["mail"], login, sender, subject, edit.instruction, text),
            "wiki": drawing.on_site(edit),
        },
        steps=[
            ["click", "link", subject],
            drawing.goto("wiki"),
            *edit.walkthrough,
            drawing.goto("mail"),
            *drawing.reply_steps(subject, text),
        ],
    )


def colleague(db: sqlite3.Connection, rng: random.Random) -> tuple[str, str]:
    """Name and address of somebody who works with the console."""
    row = pick(db, rng, "SELECT name, email FROM people WHERE is_active ORDER BY id")
    return row["name"], row["email"]


def figure_for_colleague(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Answer a colleague's letter with what the console says."""
    question, login = rng.choice(QUESTIONS)(worlds["admin"], rng), mail.owner(worlds["mail"], rng)
    sender, subject = colleague(worlds["admin"], rng), "A question about the machines"
    text = drawing.answer_of(question)
    body = f"Hello,\n\n{question.instruction} You find it in the console.\n\nBest wishes\n{sender[0].split()[0]}"
    return AcrossDraft(
        f"{sender[0]} needs something from the console and has asked me for it by mail. Find it out and reply to that "
        "mail. The text of the reply is the answer alone, without any other word.",
        sites={
            "mail": drawing.replied_letter(worlds["mail"], login, sender, subject, body, text),
            "admin": OnSite(question.user),
        },
        steps=[
            ["click", "link", subject],
            *drawing.in_new_tab("admin"),
            *drawing.acting(question),
            ["tab_focus", 0],
            ["click", "link", "Reply"],
            ["fill", "textbox", "Text", text],
            ["click", "button", "Send"],
        ],
    )


def ticket_from_mail(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Open a ticket for what a letter reports, and answer with its number."""
    console, login = worlds["admin"], mail.owner(worlds["mail"], rng)
    machine = pick(console, rng, "SELECT * FROM machines WHERE status = 'online' ORDER BY id")
    subject, fault, category = rng.choice(_FAULTS)
    priority = rng.choice(("normal", "high", "urgent"))
    person = drawing.contact(worlds["mail"], rng, login)
    sender = (person["name"], person["email"])
    number = str(console.execute("SELECT seq FROM sqlite_sequence WHERE name = 'tickets'").fetchone()[0] + 1)
    body = f"Hello,\n\nmachine {machine['code']} has a fault: {fault} Can you send somebody?\n\n{person['name']}"
    user = admin.user_with(console, rng, (*admin.MANAGERS, "Technician"))
    ticket = {"subject": subject, "body": fault, "category": category, "priority": priority, "state": "open"}
    opened = {"machine_id": machine["id"], "subject": subject}
    return AcrossDraft(
        f"{person['name']} has written to me that one of our machines has a fault. Open a ticket for that machine in "
        f"the console, with the subject “{subject}”, the category {category}, the priority {priority}, and as its "
        "description the sentence of the mail that comes right after “has a fault:”. Then reply to the mail with the "
        "number of the new ticket, the number alone.",
        sites={
            "mail": drawing.replied_letter(worlds["mail"], login, sender, "A machine of yours", body, number),
            "admin": OnSite(
                user["login"],
                checks=[
                    row_is("tickets", opened, ticket, "the ticket is open"),
                    num_rows("tickets", opened, 1, "a ticket is open", milestone=True),
                ],
                touched={"tickets": [1, 0, 0]},
            ),
        },
        steps=[
            ["click", "link", "A machine of yours"],
            drawing.goto("admin"),
            *admin.open_machine(machine["code"]),
            ["click", "link", "Open a ticket"],
            *admin.filled({"Subject": subject, "Description": fault}),
            *admin.selected({"Category": category, "Priority": priority}),
            ["click", "button", "Open ticket"],
            drawing.goto("mail"),
            *drawing.reply_steps("A machine of yours", number),
        ],
    )


def file_to_assignee(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Send a file to whoever has a ticket; the console knows who that is."""
    console, login = worlds["admin"], mail.owner(worlds["mail"], rng)
    sql = f"SELECT tickets.id, assignee_id FROM tickets WHERE {admin.UNRESOLVED} AND assignee_id IS NOT NULL"
    ticket = pick(console, rng, f"{sql} ORDER BY tickets.id")
    person = one_row(console, "SELECT * FROM people WHERE id = ?", ticket["assignee_id"])
    file, subject = rng.choice(_FILES), f"For ticket {ticket['id']}"
    content = f"{file.removesuffix('.txt').capitalize()} for ticket {ticket['id']}\n"
    files = f"SELECT name, CAST(content AS TEXT) FROM attachment WHERE message_id > {mail.last(worlds['mail'])}"
    return AcrossDraft(
        f"Send the file {file} by mail to the person whom ticket {ticket['id']} of the console is assigned to. Their "
        f"e-mail address is on their page in the console. The subject is “{subject}” and the text “As promised.”",
        sites={
            "admin": OnSite(admin.user_with(console, rng, numbers.READERS)["login"]),
            "mail": OnSite(
                login,
                checks=[
                    drawing.sent(
                        worlds["mail"], login, recipients=person["email"], subject=subject, body="As promised."
                    ),
                    Check(files, [[file, content]], "the file is attached"),
                    Check(files, [[file, content]], "the file is uploaded", True),
                    drawing.written(worlds["mail"]),
                ],
                touched={"message": [1, 0, 0], "attachment": [1, 0, 0]},
            ),
        },
        files={file: content},
        steps=[
            *admin.open_ticket(ticket["id"]),
            *admin.open_person(person["name"]),
            drawing.goto("mail"),
            ["click", "link", "Write"],
            ["fill", "textbox", "To", person["email"]],
            ["fill", "textbox", "Subject", subject],
            ["fill", "textbox", "Text", "As promised."],
            ["upload", "button", "Attach files", file],
            ["click", "button", "Send"],
        ],
    )


def meeting_into_calendar(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Enter a meeting that letters speak of in the phone's calendar."""
    one, calendar = mail.story(worlds["mail"], rng, "meeting"), rng.choice(CALENDARS)
    day, title = meeting_day(one), f"Meeting: {one.facts['project']}"
    hour, minute = one.facts["time"].split(":")
    start, end = f"{int(hour):02d}:{minute}", f"{int(hour) + 1:02d}:{minute}"
    event = {"day": day, "start": start, "end": end, "place": one.facts["room"]}
    return AcrossDraft(
        f"Put the meeting about the {one.facts['project']}, of which my mail speaks, into my phone's calendar "
        f"{calendar}: title “{title}”, the day, the time and, as the place, the name of the room alone. It takes one "
        "hour. If the meeting was moved, enter what holds in the end.",
        sites={
            "mail": OnSite(one.login, plants=[mail.unread_plant(one.message)], checks=[mail.was_opened(one.message)]),
            "phone": drawing.entered(title, calendar, event),
        },
        steps=[
            *mail.open_steps(worlds["mail"], one.message),
            *drawing.in_new_tab("phone"),
            *drawing.clicked(phone.app("Calendar")),
            ["click", "link", "New event"],
            *drawing.clicked(
                phone.fill_event(
                    {
                        "Title": title,
                        "Calendar": calendar,
                        "Day": day,
                        "Start": start,
                        "End": end,
                        "Place": one.facts["room"],
                    }
                )
            ),
        ],
    )


def meeting_day(one: mail.Story) -> str:
    """The day of a meeting, such as "2026-03-23"."""
    number, month = one.facts["day"].split()
    return f"2026-{MONTHS.index(month) + 1:02d}-{int(number):02d}"


def first_thing_that_day(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """What the phone's calendar has first on the day of a meeting that letters speak of."""
    one = mail.story(worlds["mail"], rng, "meeting")
    day = meeting_day(one)
    sql = "SELECT title, start FROM events WHERE day = ? ORDER BY start"
    events = worlds["phone"].execute(sql, (day,)).fetchall()
    require(len(events) > 1 and events[0]["start"] != events[1]["start"])
    steps: list[Step] = [["click", "link", "Search events"]]
    return AcrossDraft(
        f"On the day on which the meeting about the {one.facts['project']} takes place (my mail tells which one that "
        "is in the end), what is the first event in my phone's calendar? Answer with its title.",
        sites={
            "mail": OnSite(one.login, plants=[mail.unread_plant(one.message)], checks=[mail.was_opened(one.message)]),
            "phone": OnSite(phone.USER),
        },
        answer=Answer("text", events[0]["title"]),
        steps=[
            *mail.open_steps(worlds["mail"], one.message),
            drawing.goto("phone"),
            *drawing.clicked(phone.app("More")),
            *steps,
            ["fill", "searchbox", "Search events", events[0]["title"]],
            ["click", "button", "Search"],
            ["answer", events[0]["title"]],
        ],
    )


def outing_by_mail(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Write to a contact where and when something takes place that a chat has arranged."""
    story, login = phone.tell(worlds["phone"], rng, "outing"), mail.owner(worlds["mail"], rng)
    person, facts = drawing.contact(worlds["mail"], rng, login), story.facts
    subject, text = facts["what"].capitalize(), f"{facts['day']}, {facts['start']}, {facts['place']}"
    return AcrossDraft(
        f"{story.name} and I arranged {facts['what']} in our chat on the phone. {person['name']} wants to come along: "
        f"write a mail (the address is in my contacts) with the subject “{subject}” and as its text the day, the time "
        "at which it begins and the place, with commas between them, such as “2026-03-31, 18:00, Town Hall”.",
        sites={
            "phone": OnSite(phone.USER),
            "mail": OnSite(
                login,
                checks=[
                    drawing.sent(worlds["mail"], login, recipients=person["email"], subject=subject, body=text),
                    drawing.written(worlds["mail"]),
                    mail.counted(
                        f"FROM message WHERE id > {mail.last(worlds['mail'])} AND"
                        f" instr(body, {literal(facts['place'])})",
                        1,
                        "the place is named",
                    ),
                ],
                touched={"message": [1, 0, 0]},
            ),
        },
        steps=[
            *drawing.clicked(phone.open_chat(story.title)),
            drawing.goto("mail"),
            *mail.write_steps(person, subject, text),
        ],
    )


def new_number(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Change a number among the contacts of the mail service after what a chat says."""
    story, login = phone.tell(worlds["phone"], rng, "new_number"), mail.owner(worlds["mail"], rng)
    db = worlds["mail"]
    number, email = mail.last(db, "contact") + 1, f"{story.name.lower().replace(' ', '.')}@letterbox.test"
    require(story.name.isascii())
    plant = "INSERT INTO contact (id, login, name, email, phone, circle, note) VALUES (?, ?, ?, ?, ?, '', '')"
    row = {"name": story.name, "email": email, "phone": story.facts["phone"], "circle": "", "note": "Has a new number."}
    return AcrossDraft(
        f"{story.name} wrote me a new telephone number in our chat on the phone. Change the number of {story.name} "
        "among the contacts of my mail too, and enter “Has a new number.” as the note there.",
        sites={
            "phone": OnSite(phone.USER),
            "mail": OnSite(
                login,
                plants=[[plant, [number, login, story.name, email, "020 555 0100"]]],
                checks=[
                    row_is("contact", {"id": number}, row, "the contact is up to date"),
                    num_rows("contact", {"id": number, "phone": row["phone"]}, 1, "the number is new", milestone=True),
                ],
                touched={"contact": [0, 1, 0]},
            ),
        },
        steps=[
            *drawing.clicked(phone.open_chat(story.title)),
            drawing.goto("mail"),
            ["click", "link", "Contacts"],
            ["fill", "textbox", "Find", story.name],
            ["click", "button", "Show contacts"],
            ["click", "link", story.name],
            ["fill", "textbox", "Phone", row["phone"]],
            ["fill", "textbox", "Note", row["note"]],
            ["click", "button", "Save contact"],
        ],
    )


TEMPLATES = (
    AcrossTemplate("mail_corrects_wiki", "seen", mail_corrects_wiki),
    AcrossTemplate("figure_for_colleague", "unseen", figure_for_colleague),
    AcrossTemplate("ticket_from_mail", "unseen", ticket_from_mail),
    AcrossTemplate("file_to_assignee", "unseen", file_to_assignee),
    AcrossTemplate("meeting_into_calendar", "seen", meeting_into_calendar),
    AcrossTemplate("first_thing_that_day", "seen", first_thing_that_day),
    AcrossTemplate("outing_by_mail", "seen", outing_by_mail),
    AcrossTemplate("new_number", "unseen", new_number),
)
