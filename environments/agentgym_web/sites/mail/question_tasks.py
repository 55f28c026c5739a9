"""Tasks that are answered by looking through a mailbox, and that change nothing."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence

from agentgym_web.sites.core.drafts import Answer, Draft, Step, Template, UnsuitableDraw
from agentgym_web.sites.core.draws import rows
from agentgym_web.sites.mail import drawing
from agentgym_web.sites.mail.drawing import Story


def _invoices(db: sqlite3.Connection, rng: random.Random) -> tuple[str, list[Story]]:
    """A vendor and its invoices in a mailbox, oldest first."""
    login = drawing.owner(db, rng)
    found = drawing.stories(db, "invoice", login)
    vendor = rng.choice(sorted({one.facts["vendor"] for one in found}))
    mine = [one for one in found if one.facts["vendor"] == vendor]
    return login, sorted(mine, key=lambda one: str(drawing.message(db, one.message)["sent"]))


def _open_all(db: sqlite3.Connection, found: Sequence[Story]) -> list[Step]:
    return [step for one in found for step in drawing.open_steps(db, one.message)]


def invoice_total(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The amount of the newest invoice of a vendor."""
    login, found = _invoices(db, rng)
    newest, vendor = found[-1], found[-1].facts["vendor"]
    amount = newest.facts["total"] / 100
    return Draft(
        f"What is the amount of the newest invoice that {vendor} sent me? Answer with the amount in dollars.",
        user=login,
        answer=Answer("number", amount),
        walkthrough=[*drawing.open_steps(db, newest.message), ["answer", f"${amount:,.2f}"]],
    )


def invoice_tax(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The tax of an invoice, which only its attachment says."""
    login, found = _invoices(db, rng)
    if len({one.facts["month"] for one in found}) < len(found):
        raise UnsuitableDraw("two invoices in one month")
    one = rng.choice(found)
    tax = one.facts["tax"] / 100
    return Draft(
        f"How much tax is in the invoice from {one.facts['vendor']} that came in {one.facts['month']}? Answer with the"
        " amount in dollars.",
        user=login,
        answer=Answer("number", tax),
        walkthrough=[
            *drawing.open_steps(db, one.message),
            ["click", "link", f"invoice-{one.facts['number']}.txt"],
            ["answer", f"{tax:.2f}"],
        ],
    )


def invoice_sum(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The sum of a vendor's invoices since a month."""
    login, found = _invoices(db, rng)
    since = rng.choice(("2025-11-01", "2025-12-01", "2026-01-01"))
    counted = [one for one in found if drawing.message(db, one.message)["sent"] >= since]
    if not 2 <= len(counted) <= 5:
        raise UnsuitableDraw("too few or too many")
    total = sum(one.facts["total"] for one in counted) / 100
    said = {"2025-11-01": "1 November 2025", "2025-12-01": "1 December 2025", "2026-01-01": "1 January 2026"}[since]
    return Draft(
        f"Add up all invoices that {found[0].facts['vendor']} has sent me since {said}, whatever"
        " folder they are in. What is"
        " the sum? Answer with the amount in dollars.",
        user=login,
        answer=Answer("number", total),
        walkthrough=[*_open_all(db, counted), ["answer", f"{total:.2f}"]],
    )


def invoice_due(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Which of the newest invoices of all vendors is due first."""
    login = drawing.owner(db, rng)
    newest: dict[str, Story] = {}
    for one in drawing.stories(db, "invoice", login):
        held = newest.get(one.facts["vendor"])
        if not held or drawing.message(db, held.message)["sent"] < drawing.message(db, one.message)["sent"]:
            newest[one.facts["vendor"]] = one
    chosen = rng.sample(sorted(newest.values(), key=lambda one: one.message), 3)
    ordered = sorted(chosen, key=lambda one: str(one.facts["due"]))
    if ordered[0].facts["due"] == ordered[1].facts["due"]:
        raise UnsuitableDraw("due on one day")
    vendors = [one.facts["vendor"] for one in chosen]
    return Draft(
        f"Look at the newest invoice of each of {vendors[0]}, {vendors[1]} and {vendors[2]}. Which of"
        " the three must be paid"
        " first? Answer with the number of the invoice.",
        user=login,
        answer=Answer("text", ordered[0].facts["number"], [f"Invoice {ordered[0].facts['number']}"]),
        walkthrough=[*_open_all(db, chosen), ["answer", ordered[0].facts["number"]]],
    )


def meeting_room(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The room or the time of a meeting, which may have been moved."""
    one = drawing.story(db, rng, "meeting")
    asked = rng.choice(("room", "time"))
    question = {"room": "In which room is", "time": "At what time does"}[asked]
    ending = {"room": "? Answer with the name of the room.", "time": " start? Answer with the time, such as 14:00."}[
        asked
    ]
    answer = one.facts[asked]
    also = [f"Room {answer}"] if asked == "room" else [f"{answer:0>5}", f"{answer} o'clock"]
    return Draft(
        f"{question} the meeting about the {one.facts['project']}{ending}",
        user=one.login,
        answer=Answer("text", answer, also),
        walkthrough=[*drawing.open_steps(db, one.message), ["answer", answer]],
    )


def host_phone(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The telephone number in the contacts of whoever invites to a meeting."""
    one = drawing.story(db, rng, "meeting")
    name = one.facts["host"]
    found = rows(db, "SELECT phone FROM contact WHERE login = ? AND name = ?", one.login, name)
    phone = found[0]["phone"]
    if any(other.facts["name"] == name for other in drawing.stories(db, "number", one.login)):
        raise UnsuitableDraw("has a new number")
    return Draft(
        f"I want to ring whoever invites me to the meeting about the {one.facts['project']}. Which"
        " telephone number do my"
        " contacts have? Answer with the number.",
        user=one.login,
        answer=Answer("text", phone, [phone.replace(" ", "")]),
        walkthrough=[
            *drawing.open_steps(db, one.message),
            ["click", "link", "Contacts"],
            ["fill", "textbox", "Find", name],
            ["click", "button", "Show contacts"],
            ["answer", phone],
        ],
    )


def costs_of(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """An item, or the dearest item, of a list of costs."""
    one = drawing.story(db, rng, "costs")
    amounts = one.facts["amounts"]
    if rng.random() < 0.5:
        item = rng.choice(sorted(amounts))
        asked = f"how much is spent on {item}? Answer with the amount."
        answer = Answer("number", amounts[item])
    else:
        dearest = sorted(amounts, key=amounts.__getitem__)
        if amounts[dearest[-1]] == amounts[dearest[-2]]:
            raise UnsuitableDraw("no single dearest")
        asked, answer = "which item costs most? Answer with the item.", Answer("text", dearest[-1])
    return Draft(
        f"{one.facts['sender']} sent me a file with the costs of the {one.facts['project']}. According to it, {asked}",
        user=one.login,
        answer=answer,
        walkthrough=[
            *drawing.open_steps(db, one.message),
            ["click", "link", one.facts["file"]],
            ["answer", str(answer.value)],
        ],
    )


def costs_total(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The sum of two lists of costs."""
    login = drawing.owner(db, rng)
    two = rng.sample(drawing.stories(db, "costs", login), 2)
    total = sum(sum(one.facts["amounts"].values()) for one in two)
    steps: list[Step] = []
    for one in two:
        steps += [*drawing.open_steps(db, one.message), ["click", "link", one.facts["file"]]]
    return Draft(
        f"I was sent files with the costs of the {two[0].facts['project']} and of the"
        f" {two[1].facts['project']}. What do"
        " both cost together, all items added up? Answer with the number.",
        user=login,
        answer=Answer("number", total),
        walkthrough=[*steps, ["answer", str(total)]],
    )


def booking(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The code of a booking, where it is, or its price for a night."""
    one = drawing.story(db, rng, "booking")
    kind = rng.choice(("code", "hotel", "night"))
    night = one.facts["price"] / one.facts["nights"]
    asked, answer = {
        "code": ("What is my booking code", Answer("text", one.facts["code"])),
        "hotel": ("What is the place called where I stay", Answer("text", one.facts["hotel"])),
        "night": ("How many dollars do I pay for one night", Answer("number", night)),
    }[kind]
    return Draft(
        f"{asked} for my trip to {one.facts['city']}?",
        user=one.login,
        answer=answer,
        walkthrough=[*drawing.open_steps(db, one.message), ["answer", str(answer.value)]],
    )


def count_letters(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """How many issues of a newsletter lie in the inbox since a day."""
    login = drawing.owner(db, rng)
    letter = drawing.letters(db, rng, login)
    since, said = rng.choice(
        (("2026-01-01", "1 January 2026"), ("2026-02-01", "1 February 2026"), ("2025-01-01", "ever"))
    )
    found = drawing.from_sender(db, login, letter["sender_name"], f"m.sent >= '{since}'")
    if len(found) < 2:
        raise UnsuitableDraw("too few")
    when = "are in my inbox" if said == "ever" else f"are in my inbox that came on {said} or later"
    day: list[Step] = [] if said == "ever" else [["fill", "textbox", "Not before", since]]
    return Draft(
        f"How many issues of “{letter['sender_name']}” {when}? Answer with the number.",
        user=login,
        answer=Answer("number", len(found)),
        walkthrough=[
            *drawing.search_steps(letter["sender_name"]),
            ["fill", "textbox", "From", letter["sender"]],
            *day,
            ["select", "combobox", "Folder", "Inbox"],
            ["click", "button", "Search again"],
            ["answer", str(len(found))],
        ],
    )


def project_senders(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Who has written about a project since a day."""
    login = drawing.owner(db, rng)
    project = drawing.story(db, rng, "meeting", login).facts["project"]
    found = rows(
        db,
        "SELECT DISTINCT m.sender_name FROM message m JOIN folder f ON f.id = m.folder_id WHERE"
        " m.login = ? AND f.kind ="
        " 'inbox' AND lower(m.subject) LIKE ? AND m.sent >= '2026-02-01'",
        login,
        f"%{project}%",
    )
    if not 2 <= len(found) <= 5:
        raise UnsuitableDraw("too few or too many")
    names = sorted(row[0] for row in found)
    return Draft(
        f"Who has written to me about the {project} since 1 February 2026? Count the messages in my"
        " inbox that have it in"
        " the subject. Answer with the full names, separated by commas.",
        user=login,
        answer=Answer("list", names),
        walkthrough=[
            *drawing.search_steps(project),
            ["fill", "textbox", "Subject", project],
            ["fill", "textbox", "Not before", "2026-02-01"],
            ["select", "combobox", "Folder", "Inbox"],
            ["click", "button", "Search again"],
            ["answer", ", ".join(names)],
        ],
    )


def circle_without(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Who of a circle has not written."""
    login = drawing.owner(db, rng)
    one = rng.choice(drawing.stories(db, "circle", login))
    circle = one.facts["circle"]
    sql = (
        "SELECT name FROM contact WHERE login = ? AND circle = ? AND email NOT IN (SELECT sender"
        " FROM message WHERE login = ?"
    )
    silent = rows(db, f"{sql} AND subject LIKE ?)", login, circle, login, f"{circle}:%")
    names = sorted(row[0] for row in silent)
    if not 1 <= len(names) <= 4:
        raise UnsuitableDraw("nobody, or all")
    return Draft(
        f"Which members of my circle “{circle}” have never sent me a message whose subject begins"
        f" with “{circle}:”? Answer"
        " with their full names, separated by commas.",
        user=login,
        answer=Answer("list", names),
        walkthrough=[
            ["click", "link", "Contacts"],
            ["select", "combobox", "Circle", circle],
            ["click", "button", "Show contacts"],
            *drawing.search_steps(f"{circle}:"),
            ["answer", ", ".join(names)],
        ],
    )


TEMPLATES = (
    Template("invoice_total", "seen", invoice_total),
    Template("invoice_tax", "seen", invoice_tax),
    Template("invoice_sum", "unseen", invoice_sum),
    Template("invoice_due", "seen", invoice_due),
    Template("meeting_room", "seen", meeting_room),
    Template("host_phone", "seen", host_phone),
    Template("costs_of", "seen", costs_of),
    Template("costs_total", "unseen", costs_total),
    Template("booking", "seen", booking),
    Template("count_letters", "seen", count_letters),
    Template("project_senders", "seen", project_senders),
    Template("circle_without", "unseen", circle_without),
)
