"""Templates that ask a question: what was agreed in the end, who comes, how much, when, and facts over several apps."""

from __future__ import annotations

import random
import sqlite3
from datetime import date, timedelta

from agentgym_web.sites.core.drafts import Answer, Draft, Template
from agentgym_web.sites.core.draws import pick, require, rows
from agentgym_web.sites.phone.data import CALENDARS
from agentgym_web.sites.phone.dialogues import TODAY
from agentgym_web.sites.phone.tasks.draws import (
    USER,
    Steps,
    app,
    find_events,
    open_chat,
    open_contact,
    said_day,
    stories,
    tell,
)


def agreed_dinner(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """When or where a dinner takes place after it was changed."""
    story = tell(db, rng, "dinner")
    asks_time = rng.random() < 0.5
    answer = story.facts["time"] if asks_time else story.facts["place"]
    day = said_day(story.facts["day"])
    asked = (
        "at what time do we meet in the end? Answer as HH:MM." if asks_time else "in which place do we eat in the end?"
    )
    return Draft(
        instruction=rng.choice(
            (
                f"I am having dinner with {story.name} on {day}. According to our chat, {asked}",
                f"Look into my chat with {story.name}: about our dinner on {day}, {asked}",
            )
        ),
        user=USER,
        answer=Answer("text", answer),
        walkthrough=[*open_chat(story.title), ["answer", answer]],
    )


def who_comes(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Who of a group said yes to a day."""
    story = tell(db, rng, "poll")
    names = {row["id"]: row["name"] for row in rows(db, "SELECT id, name FROM contacts")}
    coming = sorted(names[person] for person in story.facts["coming"])
    require(1 < len(coming) < 6)
    days = [other.facts["day"] for other in stories(db, "poll") if other.chat == story.chat]
    require(len(set(days)) == len(days))
    day = said_day(story.facts["day"])
    return Draft(
        instruction=f"In the group {story.title}, {story.name} asked about {day}. Who of the others said that they "
        "come? Answer with their full names, separated by commas; leave out the person who asked.",
        user=USER,
        answer=Answer("list", coming),
        walkthrough=[*open_chat(story.title), ["answer", ", ".join(coming)]],
    )


def total_debt(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """How much several people owe altogether."""
    told = rng.sample(stories(db, "debt"), rng.choice((2, 3)))
    total = sum(story.facts["amount"] for story in told)
    names = [story.name for story in told]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    steps = [step for story in told for step in open_chat(story.title)]
    return Draft(
        instruction=f"I paid things for {listed} lately; each of them wrote me how many euros they owe me. How many "
        "euros is that altogether?",
        user=USER,
        answer=Answer("number", total),
        walkthrough=[*steps, ["answer", str(total)]],
    )


def detail_of_critic(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """A detail of the contact who praised a film in a group."""
    story = tell(db, rng, "film")
    film = story.facts["film"]
    told = [other for other in stories(db, "film") if other.chat == story.chat and other.facts["film"] == film]
    require(len(told) == 1)
    contact = rows(db, "SELECT * FROM contacts WHERE id = ?", story.contact)[0]
    column, asked = rng.choice(
        (
            ("birthday", "When is that person's birthday? Give the full date as YYYY-MM-DD."),
            ("phone", "What is that person's phone number?"),
            ("address", "What is that person's address?"),
        )
    )
    return Draft(
        instruction=f"Somebody in the group {story.title} was enthusiastic about the film “{film}”. {asked}",
        user=USER,
        answer=Answer("text", contact[column]),
        walkthrough=[*open_chat(story.title), *open_contact(story.name), ["answer", contact[column]]],
    )


def count_events(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """How many events of a title there are in a month."""
    title = pick(db, rng, "SELECT title FROM events ORDER BY id")["title"]
    first, last, said = rng.choice(
        (("2026-03-01", "2026-03-31", "March 2026"), ("2026-03-02", "2026-04-11", "all days from today on"))
    )
    count = rows(db, "SELECT count(*) FROM events WHERE title = ? AND day BETWEEN ? AND ?", title, first, last)[0][0]
    require(count > 1)
    return Draft(
        instruction=f"How many events called “{title}” does my calendar have in {said}? Answer with the number."
        if said.startswith("March")
        else f"Counting {said} (today, 2 March 2026, included), how many events called “{title}” are in my calendar? "
        "Answer with the number.",
        user=USER,
        answer=Answer("number", count),
        walkthrough=[*find_events(title), ["answer", str(count)]],
    )


def busiest_day(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Which day of a week has most events, or most of a calendar."""
    monday = TODAY + timedelta(days=7 * rng.randint(0, 4))
    days = [(monday + timedelta(days=shift)).isoformat() for shift in range(7)]
    counts = {day: rows(db, "SELECT count(*) FROM events WHERE day = ?", day)[0][0] for day in days}
    ranked = sorted(days, key=lambda day: -counts[day])
    require(counts[ranked[0]] > counts[ranked[1]])
    top = ranked[0]
    return Draft(
        instruction=f"In the week from Monday, {monday.day} {monday:%B} to Sunday, {date.fromisoformat(days[-1]).day} "
        f"{date.fromisoformat(days[-1]):%B}, on which day do I have the most events? Answer with the weekday.",
        user=USER,
        answer=Answer("text", f"{date.fromisoformat(top):%A}", also=[top, said_day(top)]),
        walkthrough=[*app("Calendar"), ["answer", f"{date.fromisoformat(top):%A}"]],
    )


def end_of_calendar_day(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """When the last event of a calendar on a day is over."""
    name = rng.choice(CALENDARS[:3])
    found = pick(
        db,
        rng,
        """SELECT day, max(end) AS last FROM events JOIN calendars ON calendars.id = calendar_id
           WHERE name = ? AND day BETWEEN '2026-03-03' AND '2026-03-31'
           GROUP BY day HAVING count(*) > 1 ORDER BY day""",
        name,
    )
    day = date.fromisoformat(found["day"])
    count = rows(db, "SELECT count(*) FROM events WHERE day = ?", found["day"])[0][0]
    return Draft(
        instruction=f"At what time is the last event of my {name} calendar over on {said_day(found['day'])}? Answer as "
        "HH:MM.",
        user=USER,
        answer=Answer("text", found["last"]),
        walkthrough=[
            *app("Calendar"),
            ["tap", "link", f"{day.day} March 2026, {count} event{'s' if count > 1 else ''}"],
            ["select", "combobox", "Show calendar", name],
            ["tap", "button", "Show"],
            ["answer", found["last"]],
        ],
    )


def late_news(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """What a message says that has to be fetched first."""
    story = tell(db, rng, "stop")
    asks_time = rng.random() < 0.5
    answer = story.facts["time"] if asks_time else story.facts["street"]
    asked = "At what time (HH:MM)" if asks_time else "On which street is the bus stop where"
    return Draft(
        instruction=f"{story.name} wanted to write where we meet today; pull the list of chats down to fetch new "
        f"messages. {asked} do we meet?",
        user=USER,
        answer=Answer("text", answer),
        walkthrough=[
            *app("Chats"),
            ["swipe", "note", "Pull down for new messages", "down"],
            *open_chat(story.title),
            ["answer", answer],
        ],
    )


def shared_groups(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Which groups two people are both in."""
    found = rows(
        db,
        """SELECT a.contact_id AS first, b.contact_id AS second, count(*) AS number FROM members AS a
           JOIN members AS b ON a.chat_id = b.chat_id AND a.contact_id < b.contact_id
           JOIN chats ON chats.id = a.chat_id WHERE is_group GROUP BY 1, 2 HAVING number > 1 ORDER BY 1, 2""",
    )
    require(bool(found))
    pair = rng.choice(found)
    names = [rows(db, "SELECT name FROM contacts WHERE id = ?", pair[key])[0]["name"] for key in ("first", "second")]
    groups = [
        row["title"]
        for row in rows(
            db,
            """SELECT title FROM chats JOIN members AS a ON a.chat_id = chats.id JOIN members AS b
               ON b.chat_id = chats.id WHERE is_group AND a.contact_id = ? AND b.contact_id = ? ORDER BY title""",
            pair["first"],
            pair["second"],
        )
    ]
    steps: Steps = [step for name in names for step in open_contact(name)]
    return Draft(
        instruction=f"Which of my groups are both {names[0]} and {names[1]} in? Answer with the names of the groups, "
        "separated by commas.",
        user=USER,
        answer=Answer("list", groups),
        walkthrough=[*steps, ["answer", ", ".join(groups)]],
    )


TEMPLATES = (
    Template("agreed_dinner", "seen", agreed_dinner),
    Template("who_comes", "seen", who_comes),
    Template("total_debt", "unseen", total_debt),
    Template("detail_of_critic", "seen", detail_of_critic),
    Template("count_events", "seen", count_events),
    Template("busiest_day", "seen", busiest_day),
    Template("end_of_calendar_day", "seen", end_of_calendar_day),
    Template("late_news", "seen", late_news),
    Template("shared_groups", "unseen", shared_groups),
)
