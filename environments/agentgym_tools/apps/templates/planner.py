"""Tasks with the calendar alone, or with todo lists alone."""

from __future__ import annotations

import sqlite3

from agentgym_tools.apps.base import words
from agentgym_tools.apps.calendar_days import TODAY, clock, date_of
from agentgym_tools.apps.drafts import Draft, Draw, all_pages, do, seen, template

MINE = "(owner = ? OR id IN (SELECT event_id FROM guests WHERE person_id = ? AND response = 'accepted'))"
"""The events in a person's calendar."""


def events_of(draw: Draw, first: int, last: int) -> list[sqlite3.Row]:
    """The events in the person's calendar on these days."""
    sql = f"SELECT * FROM events WHERE {MINE} AND day BETWEEN ? AND ? ORDER BY day, start, id"
    return draw.rows(sql, draw.user, draw.user, first, last)


def busy_day(draw: Draw) -> int:
    """A day ahead on which the person has several events."""
    sql = f"SELECT day FROM events WHERE {MINE} AND day > ? GROUP BY day HAVING count(*) > 1 ORDER BY day"
    day: int = draw.one(sql, draw.user, draw.user, TODAY)["day"]
    return day


def day_with_own(draw: Draw) -> tuple[int, list[sqlite3.Row]]:
    """A day ahead on which the person has events, all of its own."""
    day = busy_day(draw)
    rows = events_of(draw, day, day)
    draw.need(bool(rows) and all(row["owner"] == draw.user for row in rows))
    return day, rows


@template("calendar")
def count_events(draw: Draw) -> Draft:
    first = TODAY + draw.rng.randint(0, 8)
    last = first + draw.rng.randint(4, 10)
    rows = events_of(draw, first, last)
    draw.need(len(rows) > 2)
    days = {"first_day": date_of(first), "last_day": date_of(last)}
    text = f"How many events are in my calendar from {date_of(first)} to {date_of(last)}?"
    reads = all_pages("calendar.list_between", len(rows), **days)
    return Draft(text, reads, answers=(len(rows),), evidence=(seen("events", rows),))


@template("calendar")
def first_event_of_day(draw: Draw) -> Draft:
    day = busy_day(draw)
    rows = events_of(draw, day, day)
    draw.need(len(rows) > 1 and rows[0]["start"] != rows[1]["start"])
    text = f"What is the title of my first event on {date_of(day)}?"
    reads = [do("calendar.list_events", day=date_of(day))]
    return Draft(text, reads, answers=(rows[0]["title"],), evidence=(seen("events", rows[:1]),))


@template("calendar")
def minutes_of_title(draw: Draw) -> Draft:
    title = draw.one("SELECT * FROM events WHERE owner = ? GROUP BY title HAVING count(*) > 1", draw.user)["title"]
    rows = draw.rows("SELECT * FROM events WHERE owner = ? AND title = ?", draw.user, title)
    found = "SELECT * FROM events WHERE owner = ? AND instr(lower(title || ' ' || place), ?)"
    draw.need(len(draw.rows(found, draw.user, title.lower())) < 20)
    text = f"How many minutes do all my own events with the title {title!r} take together, past ones too?"
    reads = [do("calendar.search_events", query=title, limit=20)]
    return Draft(text, reads, answers=(sum(row["minutes"] for row in rows),), evidence=(seen("events", rows),))


@template("calendar")
def earliest_free_time(draw: Draw) -> Draft:
    day, length = busy_day(draw), draw.rng.choice((60, 90, 120))
    rows, free = events_of(draw, day, day), 8 * 60
    for row in rows:
        if row["start"] - free >= length:
            break
        free = max(free, row["start"] + row["minutes"])
    draw.need(8 * 60 < free <= 20 * 60 - length)
    text = (
        f"From when on {date_of(day)} do I have {length} free minutes, at the earliest, from 08:00 on? Answer as 14:30."
    )
    evidence = (frozenset({("free times", str(day))}), seen("events", rows))
    reads = [do("calendar.list_free_times", day=date_of(day), minutes=length)]
    return Draft(text, reads, answers=(clock(free),), evidence=evidence)


@template("calendar")
def guests_of_event(draw: Draw) -> Draft:
    sql = (
        "SELECT events.* FROM events JOIN guests ON event_id = events.id WHERE owner = ? AND day > ? GROUP BY events.id "
        "HAVING count(*) > 1"
    )
    row = draw.one(sql, draw.user, TODAY)
    draw.need(_is_alone(draw, row))
    sql = "SELECT name FROM guests JOIN people ON people.id = person_id WHERE event_id = ?"
    names = [each["name"] for each in draw.rows(sql, row["id"])]
    text = f"Who is invited to my {row['title']} on {date_of(row['day'])}? List the full names."
    reads = [do("calendar.list_events", day=date_of(row["day"])), do("calendar.get_event", event_id=row["id"])]
    return Draft(text, reads, answers=(names,), evidence=(seen("event guests", [row]),))


def _is_alone(draw: Draw, row: sqlite3.Row) -> bool:
    """Whether no other event in the calendar has this title on this day."""
    return [each["title"] for each in events_of(draw, row["day"], row["day"])].count(row["title"]) == 1


def own_event(draw: Draw) -> sqlite3.Row:
    """An event of the person's own, ahead, whose title and day name it."""
    row = draw.one("SELECT * FROM events WHERE owner = ? AND day > ? ORDER BY id", draw.user, TODAY)
    draw.need(_is_alone(draw, row))
    return row


@template("calendar")
def make_event(draw: Draw) -> Draft:
    title, place = draw.pick(words.MEETINGS), draw.pick(words.PLACES)
    when = {"day": date_of(TODAY + draw.rng.randint(1, 30)), "start": clock(draw.rng.randrange(540, 1140, 15))}
    minutes = draw.rng.choice((30, 45, 60, 90))
    text = f"Put {title!r} into my calendar: on {when['day']} at {when['start']}, {minutes} minutes, at {place}."
    reads = [do("calendar.list_events", day=when["day"])]
    return Draft(text, reads, [[do("calendar.create_event", title=title, **when, minutes=minutes, place=place)]])


@template("calendar")
def move_event(draw: Draw) -> Draft:
    row = own_event(draw)
    when = {"day": date_of(TODAY + draw.rng.randint(1, 30)), "start": clock(draw.rng.randrange(545, 1140, 30))}
    text = f"Move my {row['title']} on {date_of(row['day'])} to {when['day']} at {when['start']}."
    reads = [do("calendar.list_events", day=date_of(row["day"]))]
    return Draft(text, reads, [[do("calendar.move_event", event_id=row["id"], **when)]])


@template("calendar")
def shorten_events(draw: Draw) -> Draft:
    day, rows = day_with_own(draw)
    long = [row for row in rows if row["minutes"] > 30]
    draw.need(len(long) > 0 and len(rows) > 1)
    writes = [do("calendar.set_length", event_id=row["id"], minutes=30) for row in long]
    text = f"Shorten all events of {date_of(day)} that take longer than 30 minutes to 30 minutes."
    return Draft(text, [do("calendar.list_events", day=date_of(day))], [writes])


@template("calendar")
def clear_day(draw: Draw) -> Draft:
    day, rows = day_with_own(draw)
    draw.need(len(rows) > 1)
    writes = [do("calendar.delete_event", event_id=row["id"]) for row in rows]
    return Draft(
        f"I am ill on {date_of(day)}. Delete all my events of that day.",
        [do("calendar.list_events", day=date_of(day))],
        [writes],
    )


@template("calendar")
def remind_of_day(draw: Draw) -> Draft:
    day, rows = day_with_own(draw)
    before = draw.rng.choice((15, 20, 45))
    writes = [do("calendar.set_reminder", event_id=row["id"], minutes_before=before) for row in rows]
    text = f"Remind me {before} minutes before each event of {date_of(day)}."
    return Draft(text, [do("calendar.list_events", day=date_of(day))], [writes])


@template("calendar")
def answer_invitations(draw: Draw) -> Draft:
    sql = (
        "SELECT events.*, name FROM events JOIN guests ON event_id = events.id JOIN people ON people.id = owner WHERE "
        "person_id = ? AND response = 'pending' ORDER BY events.id"
    )
    rows = draw.rows(sql, draw.user)
    name = draw.pick(sorted({row["name"] for row in rows}))
    draw.need(len(rows) < 20)
    answer, verb = draw.pick((("accepted", "Accept"), ("declined", "Decline")))
    wanted = [row for row in rows if row["name"] == name]
    writes = [do("calendar.respond", event_id=row["id"], response=answer) for row in wanted]
    return Draft(
        f"{verb} all invitations by {name} that I have not answered yet.", [do("calendar.list_invitations")], [writes]
    )


_TODOS = "SELECT todos.*, todo_lists.title AS list_title FROM todos JOIN todo_lists ON todo_lists.id = list_id WHERE todos.owner = ?"


@template("todo")
def count_open_tasks(draw: Draw) -> Draft:
    day = TODAY + draw.rng.randint(8, 20)
    rows = draw.rows(f"{_TODOS} AND due BETWEEN ? AND ?", draw.user, TODAY, day)
    still = [row for row in rows if not row["is_done"]]
    draw.need(len(still) > 1)
    days = {"first_day": date_of(TODAY), "last_day": date_of(day)}
    text = f"How many of my tasks that are due from {days['first_day']} to {days['last_day']} are not done yet?"
    reads = all_pages("todo.list_due", len(rows), **days)
    return Draft(text, reads, answers=(len(still),), evidence=(seen("todos", still),))


@template("todo")
def titles_of_priority(draw: Draw) -> Draft:
    priority = draw.pick(words.PRIORITIES)
    rows = draw.rows(f"{_TODOS} AND priority = ? AND NOT is_done", draw.user, priority)
    draw.need(2 <= len(rows) <= 5)
    text = f"Which tasks of {priority} priority are not done? List their titles."
    reads = all_pages("todo.list_by_priority", len(rows), priority=priority)
    return Draft(text, reads, answers=([row["title"] for row in rows],), evidence=(seen("todos", rows),))


@template("todo")
def complete_overdue(draw: Draw) -> Draft:
    rows = draw.rows(f"{_TODOS} AND due < ? AND NOT is_done", draw.user, TODAY)
    draw.need(2 <= len(rows) <= 8)
    writes = [do("todo.complete_task", task_id=row["id"]) for row in rows]
    return Draft("Mark all overdue tasks as done.", all_pages("todo.list_overdue", len(rows)), [writes])


@template("todo")
def postpone_overdue(draw: Draw) -> Draft:
    rows, day = draw.rows(f"{_TODOS} AND due < ? AND NOT is_done", draw.user, TODAY), TODAY + draw.rng.randint(2, 30)
    draw.need(2 <= len(rows) <= 8)
    writes = [do("todo.set_due", task_id=row["id"], day=date_of(day)) for row in rows]
    return Draft(
        f"Make all overdue tasks due on {date_of(day)} instead.", all_pages("todo.list_overdue", len(rows)), [writes]
    )


@template("todo")
def delete_done(draw: Draw) -> Draft:
    row = draw.one("SELECT * FROM todo_lists WHERE owner = ? ORDER BY id", draw.user)
    rows = draw.rows("SELECT * FROM todos WHERE list_id = ? ORDER BY id", row["id"])
    done = [each for each in rows if each["is_done"]]
    draw.need(len(done) >= 1)
    writes = [do("todo.delete_task", task_id=each["id"]) for each in done]
    reads = [do("todo.list_lists"), *all_pages("todo.list_tasks", len(rows), list_id=row["id"])]
    return Draft(f"Delete the tasks of my list {row['title']!r} that are done.", reads, [writes])


@template("todo")
def move_between_lists(draw: Draw) -> Draft:
    source, target = draw.some(draw.rows("SELECT * FROM todo_lists WHERE owner = ? ORDER BY id", draw.user), 2)
    rows = draw.rows("SELECT * FROM todos WHERE list_id = ? ORDER BY id", source["id"])
    high = [each for each in rows if each["priority"] == "high" and not each["is_done"]]
    draw.need(len(high) >= 1)
    writes = [do("todo.move_task", task_id=each["id"], list_id=target["id"]) for each in high]
    reads = [do("todo.list_lists"), *all_pages("todo.list_tasks", len(rows), list_id=source["id"])]
    text = f"Move the open tasks of high priority from my list {source['title']!r} to {target['title']!r}."
    return Draft(text, reads, [writes])


@template("todo")
def add_task(draw: Draw) -> Draft:
    row = draw.one("SELECT * FROM todo_lists WHERE owner = ? ORDER BY id", draw.user)
    title, day, priority = draw.pick(words.ERRANDS), TODAY + draw.rng.randint(1, 30), draw.pick(("low", "high"))
    text = f"Add the task {title!r} to my list {row['title']!r}, due on {date_of(day)}, with {priority} priority."
    call = do("todo.add_task", list_id=row["id"], title=title, due=date_of(day), priority=priority)
    return Draft(text, [do("todo.list_lists")], [[call]])


@template("todo")
def finish_steps(draw: Draw) -> Draft:
    sql = (
        f"{_TODOS} AND (SELECT count(*) FROM steps WHERE todo_id = todos.id AND NOT is_done) > 0 AND NOT EXISTS (SELECT 1 "
        "FROM todos AS other WHERE other.owner = todos.owner AND other.title = todos.title AND other.id != todos.id)"
    )
    row = draw.one(sql, draw.user)
    steps = draw.rows("SELECT * FROM steps WHERE todo_id = ? AND NOT is_done", row["id"])
    writes = [do("todo.complete_step", step_id=step["id"]) for step in steps]
    reads = [do("todo.search_tasks", query=row["title"]), do("todo.get_task", task_id=row["id"])]
    return Draft(f"Mark all steps of the task {row['title']!r} as done, but not the task itself.", reads, [writes])


@template("todo")
def raise_priority(draw: Draw) -> Draft:
    row = draw.one("SELECT * FROM todo_lists WHERE owner = ? ORDER BY id", draw.user)
    rows = draw.rows("SELECT * FROM todos WHERE list_id = ? ORDER BY id", row["id"])
    low = [each for each in rows if each["priority"] == "low"]
    draw.need(len(low) >= 1)
    writes = [do("todo.set_priority", task_id=each["id"], priority="normal") for each in low]
    reads = [do("todo.list_lists"), *all_pages("todo.list_tasks", len(rows), list_id=row["id"])]
    return Draft(f"Give all tasks of low priority in my list {row['title']!r} normal priority.", reads, [writes])
