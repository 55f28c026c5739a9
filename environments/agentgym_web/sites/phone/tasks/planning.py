"""Templates over the calendar, lists, alarms and settings."""

from __future__ import annotations

import random
import sqlite3
from datetime import date, timedelta

from agentgym_web.sites.core.drafts import Draft, Template
from agentgym_web.sites.core.draws import pick, require, rows
from agentgym_web.sites.core.row_checks import IdOf, as_milestone, num_rows, row_comes, row_is, rows_are
from agentgym_web.sites.phone.data import CALENDARS
from agentgym_web.sites.phone.dialogues import TODAY
from agentgym_web.sites.phone.tasks.draws import (
    USER,
    Steps,
    app,
    at_event,
    fill_event,
    find_events,
    open_chat,
    open_event,
    said_day,
    tell,
)

_COMING = "SELECT * FROM events WHERE day > '2026-03-02' ORDER BY id"
LABELS = ("Airport", "Stretch", "Call the bank", "Take the bread out", "Feed the fish", "Night shift")


def event_from_chat(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Enter what was arranged in a chat as an event."""
    story = tell(db, rng, "outing")
    facts, name = story.facts, rng.choice(CALENDARS)
    title = f"{facts['what'].capitalize()} with {story.name.split()[0]}"
    wanted = {
        "day": facts["day"],
        "start": facts["start"],
        "end": facts["end"],
        "place": facts["place"],
        "calendar_id": CALENDARS.index(name) + 1,
        "remind": 30,
    }
    return Draft(
        instruction=f"{story.name} and I arranged {facts['what']} in our chat. Enter it into my calendar {name}: title "
        f"“{title}”, with the day, times and place that we agreed on, and a reminder 30 minutes before.",
        user=USER,
        checks=[
            row_is("events", {"title": title}, wanted),
            *row_comes(
                "events",
                {"title": title},
                wanted,
                {"day and times": ["day", "start", "end"], "place": ["place"], "calendar": ["calendar_id"]},
            ),
        ],
        touched={"events": [1, 0, 0]},
        walkthrough=[
            *open_chat(story.title),
            *app("Calendar"),
            ["tap", "link", "New event"],
            *fill_event(
                {
                    "Title": title,
                    "Calendar": name,
                    "Day": facts["day"],
                    "Start": facts["start"],
                    "End": facts["end"],
                    "Place": facts["place"],
                    "Reminder": "30 minutes before",
                }
            ),
        ],
    )


def pick_up(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Enter an arrival as an event that starts half an hour earlier, and answer with a message."""
    story = tell(db, rng, "flight")
    facts = story.facts
    hour, minute = int(facts["time"][:2]), int(facts["time"][3:])
    start = f"{hour - (minute < 30):02d}:{(minute + 30) % 60:02d}"
    end = f"{hour + 1:02d}:{minute:02d}"
    title, text = f"Pick up {story.name.split()[0]}", "It is in my calendar, see you there!"
    require(hour < 23)
    wanted = {
        "day": facts["day"],
        "start": start,
        "end": end,
        "place": f"Terminal {facts['terminal']}",
        "notes": facts["number"],
        "calendar_id": 1,
        "remind": 60,
    }
    return Draft(
        instruction=f"I promised to pick {story.name} up from a flight, see our chat. Make an event “{title}” in the "
        "calendar Home on that day: it starts 30 minutes before the landing and ends one hour after it, the place is "
        "“Terminal ” and its number, the notes hold the flight number alone, with a reminder 1 hour before. Then write "
        f"to {story.name}: “{text}”",
        user=USER,
        checks=[
            row_is("events", {"title": title}, wanted, "event"),
            num_rows("messages", {"chat_id": story.chat, "sender_id": None, "text": text}, 1, "message"),
            num_rows("events", {"title": title}, 1, "event exists", milestone=True),
            num_rows("messages", {"chat_id": story.chat, "text": text}, 1, "written", milestone=True),
        ],
        touched={"events": [1, 0, 0], "messages": [1, 0, 0]},
        walkthrough=[
            *open_chat(story.title),
            *app("Calendar"),
            ["tap", "link", "New event"],
            *fill_event(
                {
                    "Title": title,
                    "Calendar": "Home",
                    "Day": facts["day"],
                    "Start": start,
                    "End": end,
                    "Place": f"Terminal {facts['terminal']}",
                    "Reminder": "1 hour before",
                    "Notes": facts["number"],
                }
            ),
            *open_chat(story.title),
            ["fill", "textbox", "Message", text],
            ["tap", "button", "Send"],
        ],
    )


def move_event(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Move an event to another day, time and place."""
    event = pick(db, rng, _COMING)
    day = (TODAY + timedelta(days=rng.randint(3, 39))).isoformat()
    begin = rng.randint(8, 17)
    start, end = f"{begin:02d}:15", f"{begin + 1:02d}:45"
    place = rng.choice(("Room 9", "the back garden", "Café Marlow", "platform 3"))
    require(day != event["day"])
    wanted = {
        "day": day,
        "start": start,
        "end": end,
        "place": place,
        "title": event["title"],
        "notes": event["notes"],
        "remind": event["remind"],
        "calendar_id": event["calendar_id"],
    }
    return Draft(
        instruction=f"“{event['title']}” on {said_day(event['day'])} is moved to {said_day(day)}, from {start} to "
        f"{end}, and the place is now “{place}”. Change the event; the rest stays.",
        user=USER,
        checks=[
            row_is("events", {"id": event["id"]}, wanted),
            *row_comes(
                "events", {"id": event["id"]}, wanted, {"day": ["day"], "times": ["start", "end"], "place": ["place"]}
            ),
        ],
        touched={"events": [0, 1, 0]},
        walkthrough=[
            *open_event(event),
            ["tap", "link", "Edit"],
            *fill_event({"Day": day, "Start": start, "End": end, "Place": place}),
        ],
    )


def delete_events(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Delete all coming events of a title in some days."""
    title = pick(db, rng, _COMING)["title"]
    first = TODAY + timedelta(days=rng.choice((1, 8, 15)))
    last = first + timedelta(days=rng.choice((13, 20)))
    found = rows(
        db,
        "SELECT * FROM events WHERE title = ? AND day BETWEEN ? AND ? ORDER BY day",
        title,
        first.isoformat(),
        last.isoformat(),
    )
    require(1 < len(found) < 5)
    steps: Steps = []
    for event in found:
        steps += [*find_events(title), at_event("swipe", event, "left")]
    return Draft(
        instruction=f"Delete every event called “{title}” from {first} to {last}, both days included. Events of that "
        "name on other days stay.",
        user=USER,
        checks=[
            *(num_rows("events", {"id": event["id"]}, 0, f"event {event['id']} is gone") for event in found),
            num_rows("events", {"id": found[0]["id"]}, 0, "first is gone", milestone=True),
            num_rows("events", {"id": found[-1]["id"]}, 0, "last is gone", milestone=True),
        ],
        touched={"events": [0, 0, len(found)]},
        walkthrough=steps,
    )


def repeat_event(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Copy an event to the following two weeks."""
    event = pick(db, rng, "SELECT * FROM events WHERE day BETWEEN '2026-03-03' AND '2026-03-22' ORDER BY id")
    days = [(date.fromisoformat(event["day"]) + timedelta(days=7 * weeks)).isoformat() for weeks in (1, 2)]
    require(not rows(db, "SELECT 1 FROM events WHERE title = ? AND day IN (?, ?)", event["title"], *days))
    same = {key: event[key] for key in ("title", "calendar_id", "start", "end", "place", "notes", "remind")}
    second = {"day": days[0], "title": event["title"]}
    return Draft(
        instruction=f"“{event['title']}” on {said_day(event['day'])} happens again one week and two weeks later. Copy "
        "it, with the same times, place, calendar, notes and reminder (hold an event for its menu).",
        user=USER,
        checks=[
            *(num_rows("events", {**same, "day": day}, 1, day) for day in days),
            *(num_rows("events", {**same, "day": day}, 1, f"copied to {day}", milestone=True) for day in days),
        ],
        touched={"events": [2, 0, 0]},
        walkthrough=[
            *find_events(event["title"]),
            at_event("long_press", event),
            ["tap", "menuitem", "Copy to next week"],
            *find_events(event["title"]),
            ["long_press", "link", event["title"], {"within": f"{said_day(second['day'])} {second['day'][:4]}"}],
            ["tap", "menuitem", "Copy to next week"],
        ],
    )


def solve_overlap(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Of two events of a day that overlap, delete the one of a calendar."""
    pair = pick(
        db,
        rng,
        """SELECT a.id AS first, b.id AS second, a.day FROM events AS a JOIN events AS b ON a.day = b.day
           AND a.id < b.id AND a.start < b.end AND b.start < a.end AND a.calendar_id != b.calendar_id
           WHERE a.day BETWEEN '2026-03-03' AND '2026-03-31'
           AND (SELECT count(*) FROM events AS c JOIN events AS d ON c.day = d.day AND c.id < d.id AND c.start < d.end
           AND d.start < c.end WHERE c.day = a.day) = 1 ORDER BY a.id""",
    )
    gone = rows(db, "SELECT * FROM events WHERE id = ?", pair[rng.choice(("first", "second"))])[0]
    name = CALENDARS[gone["calendar_id"] - 1]
    return Draft(
        instruction=f"Two of my events on {said_day(pair['day'])} overlap. Delete the one of them that is in the "
        f"calendar {name}, and keep the other.",
        user=USER,
        checks=[
            num_rows("events", {"id": gone["id"]}, 0),
            num_rows("events", {"id": gone["id"]}, 0, "is gone", milestone=True),
        ],
        touched={"events": [0, 0, 1]},
        walkthrough=[*find_events(gone["title"]), at_event("swipe", gone, "left")],
    )


def shop_for(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Put what somebody asked for on the groceries, if it is not there yet."""
    story = tell(db, rng, "shopping")
    known = {row["text"] for row in rows(db, "SELECT text FROM items WHERE list_id = 1")}
    new = [goods for goods in story.facts["goods"] if goods not in known]
    require(len(new) > 0)
    steps = [step for goods in new for step in (["fill", "textbox", "New item", goods], ["tap", "button", "Add"])]
    return Draft(
        instruction=f"{story.name} asked me in our chat to buy some things. Put each of them on my list Groceries, "
        "written as in the message; what is on the list already, checked or not, is not added again.",
        user=USER,
        checks=[
            *(num_rows("items", {"list_id": 1, "text": goods, "is_checked": 0}, 1, goods) for goods in new),
            num_rows("items", {"list_id": 1, "text": new[0]}, 1, "first is added", milestone=True),
            num_rows("items", {"list_id": 1, "text": new[-1]}, 1, "last is added", milestone=True),
        ],
        touched={"items": [len(new), 0, 0]},
        walkthrough=[*open_chat(story.title), *app("Lists"), ["tap", "link", "Groceries"], *steps],
    )


def tidy_list(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Check two items, delete one by a swipe, and flag one."""
    row = pick(db, rng, "SELECT * FROM lists ORDER BY id")
    items = rows(
        db, "SELECT * FROM items WHERE list_id = ? AND NOT is_checked AND NOT is_flagged ORDER BY id", row["id"]
    )
    require(len(items) > 3)
    first, second, gone, flagged = rng.sample(items, 4)
    return Draft(
        instruction=f"On my list {row['title']}: check off “{first['text']}” and “{second['text']}”, delete "
        f"“{gone['text']}” and put a flag on “{flagged['text']}”.",
        user=USER,
        checks=[
            rows_are("items", [first["id"], second["id"]], {"is_checked": 1}, "checked"),
            num_rows("items", {"id": gone["id"]}, 0, "deleted"),
            row_is("items", {"id": flagged["id"]}, {"is_flagged": 1, "is_checked": 0}, "flagged"),
            num_rows("items", {"id": gone["id"]}, 0, "is gone", milestone=True),
            num_rows("items", {"id": flagged["id"], "is_flagged": 1}, 1, "has a flag", milestone=True),
        ],
        touched={"items": [0, 3, 1]},
        walkthrough=[
            *app("Lists"),
            ["tap", "link", row["title"]],
            ["tap", "checkbox", first["text"]],
            ["tap", "checkbox", second["text"]],
            ["swipe", "link", gone["text"], "left"],
            ["swipe", "link", flagged["text"], "right"],
        ],
    )


def move_items(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Move the flagged open items of a list to a new list, and clear the checked ones."""
    row = pick(db, rng, "SELECT * FROM lists ORDER BY id")
    items = rows(db, "SELECT * FROM items WHERE list_id = ? ORDER BY id", row["id"])
    flagged = [item for item in items if item["is_flagged"] and not item["is_checked"]]
    checked = [item for item in items if item["is_checked"]]
    require(0 < len(flagged) < 4 and bool(checked))
    title = rng.choice(("First things", "This week", "Do not forget", "Urgent"))
    new = IdOf("lists", {"title": title})
    steps: Steps = []
    for item in flagged:
        steps += [
            ["long_press", "link", item["text"]],
            ["tap", "menuitem", "Edit or move"],
            ["select", "combobox", "List", title],
            ["tap", "button", "Save item"],
        ]
    return Draft(
        instruction=f"Make a new list “{title}” and move the flagged items of my list {row['title']} that are not "
        f"checked off there. Then clear the checked items of {row['title']}.",
        user=USER,
        checks=[
            num_rows("lists", {"title": title}, 1, "list"),
            rows_are("items", [item["id"] for item in flagged], {"list_id": new, "is_flagged": 1}, "moved"),
            num_rows("items", {"list_id": row["id"], "is_checked": 1}, 0, "cleared"),
            num_rows("lists", {"title": title}, 1, "list exists", milestone=True),
            num_rows("items", {"list_id": row["id"], "is_checked": 1}, 0, "is cleared", milestone=True),
        ],
        touched={"lists": [1, 0, 0], "items": [0, len(flagged), len(checked)]},
        walkthrough=[
            *app("Lists"),
            ["fill", "textbox", "Name of the list", title],
            ["tap", "button", "Add list"],
            *app("Lists"),
            ["tap", "link", row["title"]],
            *steps,
            ["tap", "button", "Clear checked items"],
        ],
    )


def set_alarms(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Set a new alarm, switch one over and delete one."""
    label, days = rng.choice(LABELS), rng.choice(("once", "daily", "weekdays", "weekend"))
    time = f"{rng.randint(4, 21):02d}:{rng.choice(('05', '20', '35', '50'))}"
    switched, gone = rng.sample(rows(db, "SELECT * FROM alarms ORDER BY id"), 2)
    said = "off" if switched["is_on"] else "on"
    return Draft(
        instruction=f"Set an alarm for {time} ({days}) with the label “{label}”, switch the alarm "
        f"“{switched['label']}” {said}, and delete the one at {gone['time']}.",
        user=USER,
        checks=[
            row_is("alarms", {"label": label}, {"time": time, "days": days, "is_on": 1}, "new alarm"),
            row_is("alarms", {"id": switched["id"]}, {"is_on": 1 - switched["is_on"]}, f"switched {said}"),
            num_rows("alarms", {"time": gone["time"], "label": gone["label"]}, 0, "deleted"),
            num_rows("alarms", {"label": label, "time": time}, 1, "is set", milestone=True),
            num_rows("alarms", {"id": gone["id"]}, 0, "is gone", milestone=True),
        ],
        touched={"alarms": [1, 1, 1]},
        walkthrough=[
            *app("More"),
            ["tap", "link", "Alarms"],
            ["tap", "link", "New alarm"],
            ["fill", "textbox", "Time", time],
            ["fill", "textbox", "Label", label],
            ["select", "combobox", "Days", days],
            ["tap", "button", "Save alarm"],
            ["tap", "switch", switched["label"]],
            ["swipe", "link", gone["time"], "left"],
        ],
    )


def change_settings(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Change four settings."""
    choices = {
        "ringtone": ("Ringtone", rng.choice(("Chimes", "Bell tower", "Rain", "Silent"))),
        "text_size": ("Text size", rng.choice(("small", "large", "huge"))),
        "dark": ("Dark mode", "yes"),
        "read_receipts": ("Read receipts", "no"),
        "backup": ("Backup", rng.choice(("never", "daily", "monthly"))),
        "quiet_from": ("Quiet from", rng.choice(("21:30", "23:00", "20:45"))),
        "quiet_to": ("Quiet until", rng.choice(("06:15", "08:00", "06:45"))),
        "volume": ("Ringer volume", str(rng.choice((20, 35, 45, 80, 95)))),
    }
    keys = rng.sample(sorted(choices), 4)
    said = [f"“{choices[key][0]}” to {choices[key][1]}" for key in keys]
    steps: Steps = []
    for key in keys:
        label, value = choices[key]
        if key in ("quiet_from", "quiet_to"):
            steps.append(["fill", "textbox", label, value])
        elif key == "volume":
            steps.append(["fill", "slider", label, value])
        else:
            steps.append(["select", "combobox", label, value])
    checks = [row_is("settings", {"key": key}, {"value": choices[key][1]}, key) for key in keys]
    return Draft(
        instruction=f"Change four settings of my phone: {', '.join(said[:3])} and {said[3]}. All others stay.",
        user=USER,
        checks=[*checks, *map(as_milestone, checks)],
        touched={"settings": [0, 4, 0]},
        walkthrough=[*app("More"), ["tap", "link", "Settings"], *steps, ["tap", "button", "Save settings"]],
    )


def first_free_day(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Enter an event on the first day without any."""
    start_day = TODAY + timedelta(days=rng.randint(1, 25))
    days = [(start_day + timedelta(days=shift)).isoformat() for shift in range(14)]
    free = next((day for day in days if not rows(db, "SELECT 1 FROM events WHERE day = ?", day)), None)
    require(free is not None and free != days[0])
    title = rng.choice(("Spring cleaning", "Day off", "Visit the archive", "Paint the door"))
    name, start = rng.choice(CALENDARS), rng.choice(("09:00", "10:30", "13:00"))
    end = f"{int(start[:2]) + 3:02d}:{start[3:]}"
    wanted = {
        "day": free,
        "start": start,
        "end": end,
        "place": "",
        "notes": "",
        "calendar_id": CALENDARS.index(name) + 1,
        "remind": 0,
    }
    return Draft(
        instruction=f"Find the first day from {said_day(days[0])} on (that day included) on which I have no event at "
        f"all, and enter “{title}” there, from {start} to {end}, in the calendar {name}, without place, notes or "
        "reminder.",
        user=USER,
        checks=[
            row_is("events", {"title": title}, wanted),
            *row_comes("events", {"title": title}, wanted, {"day": ["day"], "times": ["start", "end"]}),
        ],
        touched={"events": [1, 0, 0]},
        walkthrough=[
            *app("Calendar"),
            ["tap", "link", "New event"],
            *fill_event({"Title": title, "Calendar": name, "Day": str(free), "Start": start, "End": end}),
        ],
    )


TEMPLATES = (
    Template("event_from_chat", "seen", event_from_chat),
    Template("pick_up", "unseen", pick_up),
    Template("move_event", "seen", move_event),
    Template("delete_events", "seen", delete_events),
    Template("repeat_event", "seen", repeat_event),
    Template("solve_overlap", "unseen", solve_overlap),
    Template("shop_for", "seen", shop_for),
    Template("tidy_list", "seen", tidy_list),
    Template("move_items", "unseen", move_items),
    Template("set_alarms", "seen", set_alarms),
    Template("change_settings", "seen", change_settings),
    Template("first_free_day", "seen", first_free_day),
)
