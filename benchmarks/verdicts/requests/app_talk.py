"""Requests about mails, messages, events and tasks alone, in their words."""

# ruff: noqa: E501 - requests as they are worded

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentgym_tools.apps.calendar_days import DAY, TODAY, read_time
from benchmarks.verdicts.requests.app_requests import Asked, wants
from benchmarks.verdicts.requests.effects import Effect

Alternatives = Iterator[Sequence[Effect]]
MINE = "(events.owner = :me OR id IN (SELECT event_id FROM guests WHERE person_id = :me AND response = 'accepted'))"
GROUP = "is_group AND title = :chat AND id IN (SELECT chat_id FROM chat_members WHERE person_id = :me)"
MY_CHATS = "chat_id IN (SELECT chat_id FROM chat_members WHERE person_id = :me)"
NAMED_LIST = "list_id IN (SELECT id FROM todo_lists WHERE owner = :me AND title = :list)"


@wants("Archive all mails of my inbox that came from {sender}.")
def archive_sender(asked: Asked) -> Alternatives:
    yield [asked.every("mails", "folder = 'inbox' AND sender = :sender", folder="archive")]


@wants("Star every unread mail of my inbox.")
def star_unread(asked: Asked) -> Alternatives:
    yield [asked.every("mails", "folder = 'inbox' AND NOT is_read", is_starred=1)]


@wants("Take the stars off all my mails.")
def unstar_all(asked: Asked) -> Alternatives:
    yield [asked.every("mails", "1", is_starred=0)]


@wants("Give the label {label} to all mails of my inbox with the subject {subject}.")
def label_subject(asked: Asked) -> Alternatives:
    yield [asked.every("mails", "folder = 'inbox' AND subject = :subject", label=asked["label"])]


@wants("Answer the newest mail that {sender} sent me with these words: {body}")
def answer_newest(asked: Asked) -> Alternatives:
    rows = asked.mails("sender = :sender")
    newest = max(row["sent"] for row in rows)
    for row in rows:
        if row["sent"] == newest:
            subject = row["subject"] if row["subject"].startswith("Re: ") else f"Re: {row['subject']}"
            yield asked.mail([row["sender"]], subject, asked["body"], thread=row["thread"])


@wants("Move all mails of my inbox that were sent before {day} to the trash.")
def trash_old(asked: Asked) -> Alternatives:
    yield [asked.every("mails", f"folder = 'inbox' AND sent < {asked.day(asked['day']) * DAY}", folder="trash")]


@wants("Mark the mails of my inbox that were sent from {first} to {last} as read.")
def read_of_days(asked: Asked) -> Alternatives:
    first, last = asked.day(asked["first"]) * DAY, (asked.day(asked["last"]) + 1) * DAY - 1
    yield [asked.every("mails", f"folder = 'inbox' AND sent BETWEEN {first} AND {last}", is_read=1)]


@wants("Prepare a draft to {to} with the subject {subject} and the text {body}. Do not send it.")
def write_draft(asked: Asked) -> Alternatives:
    yield [asked.mail([asked["to"]], asked["subject"], asked["body"], folder="drafts")[0]]


@wants("Write {text} into the group chat {chat}.")
def write_to_group(asked: Asked) -> Alternatives:
    for chat in asked.own("chats", GROUP):
        yield [asked.new("messages", chat_id=chat["id"], text=asked["text"])]


def _reaction(asked: Asked, chats: str) -> Alternatives:
    sql = (
        f"SELECT messages.* FROM messages JOIN people ON people.id = sender WHERE name = :name AND chat_id IN ({chats})"
    )
    rows = asked.rows(sql)
    newest = max(row["sent"] for row in rows)
    for row in rows:
        if row["sent"] == newest:
            yield [asked.new("reactions", message_id=row["id"], emoji=asked["emoji"])]


@wants("React with {emoji} to the newest message of {name} in {where}.")
def react_to_newest(asked: Asked) -> Alternatives:
    if asked["where"].startswith("the group chat "):
        title = asked["where"].removeprefix("the group chat ").strip("'\"")
        chats = [row["id"] for row in asked.own("chats", GROUP, chat=title)]
    else:
        both = (
            "SELECT id FROM chats WHERE NOT is_group AND id IN (SELECT chat_id FROM chat_members WHERE person_id = :me) AND "
            "id IN (SELECT chat_id FROM chat_members JOIN people ON people.id = person_id WHERE name = :name)"
        )
        chats = [row["id"] for row in asked.rows(both)]
    yield from _reaction(asked, ", ".join(map(str, chats)))


@wants("Mute all my group chats.")
def mute_groups(asked: Asked) -> Alternatives:
    where = "person_id = :me AND chat_id IN (SELECT id FROM chats WHERE is_group)"
    yield [asked.every("chat_members", where, is_muted=1)]


@wants("Delete everything that I wrote in the group chat {chat}.")
def delete_own_messages(asked: Asked) -> Alternatives:
    for chat in asked.own("chats", GROUP):
        yield [asked.gone("messages", asked.own("messages", "sender = :me AND chat_id = :number", number=chat["id"]))]


@wants("Rename the group chat {chat} to {title}.")
def rename_group(asked: Asked) -> Alternatives:
    for chat in asked.own("chats", GROUP):
        yield [asked.put("chats", [chat], title=asked["title"])]


def _meeting(asked: Asked, **values: object) -> Alternatives:
    for row in asked.told(asked["name"], f"Let us meet on {asked['day']}%"):
        message = asked.rows("SELECT * FROM messages WHERE id = :number", number=row["id"])
        yield [asked.put("messages", message, **values)]


@wants("{name} proposed in a message to meet on {day}. Pin that message.")
def pin_meeting(asked: Asked) -> Alternatives:
    yield from _meeting(asked, is_pinned=1)


@wants("Correct the message in which {name} proposes to meet on {day}: it should say 'Let us meet on Sunday.'")
def edit_others_message(asked: Asked) -> Alternatives:
    yield from _meeting(asked, text="Let us meet on Sunday.")


@wants("Put {title} into my calendar: on {day} at {start}, {minutes} minutes, at {place}.")
def make_event(asked: Asked) -> Alternatives:
    yield [asked.event(asked["title"], asked["day"], asked["start"], int(asked["minutes"]), asked["place"])]


@wants("Move my {title} on {day} to {new} at {start}.")
def move_event(asked: Asked) -> Alternatives:
    for row in asked.own("events", "title = :title AND day = :number", number=asked.day(asked["day"])):
        yield [asked.put("events", [row], day=asked.day(asked["new"]), start=read_time(asked["start"]))]


@wants("Shorten all events of {day} that take longer than 30 minutes to 30 minutes.")
def shorten_events(asked: Asked) -> Alternatives:
    yield [asked.every("events", f"day = {asked.day(asked['day'])} AND minutes > 30", minutes=30)]


@wants("I am ill on {day}. Delete all my events of that day.")
def clear_day(asked: Asked) -> Alternatives:
    yield [asked.gone("events", asked.own("events", f"day = {asked.day(asked['day'])}"))]


@wants("Remind me {minutes} minutes before each event of {day}.")
def remind_of_day(asked: Asked) -> Alternatives:
    yield [asked.every("events", f"day = {asked.day(asked['day'])}", reminder=int(asked["minutes"]))]


@wants("{verb} all invitations by {name} that I have not answered yet.")
def answer_invitations(asked: Asked) -> Alternatives:
    by = "SELECT events.id FROM events JOIN people ON people.id = owner WHERE name = :name"
    answer = {"Accept": "accepted", "Decline": "declined"}[asked["verb"]]
    where = f"person_id = :me AND response = 'pending' AND event_id IN ({by})"
    yield [asked.every("guests", where, response=answer)]


@wants("Mark all overdue tasks as done.")
def complete_overdue(asked: Asked) -> Alternatives:
    yield [asked.every("todos", f"due < {TODAY}", is_done=1)]


@wants("Make all overdue tasks due on {day} instead.")
def postpone_overdue(asked: Asked) -> Alternatives:
    yield [asked.every("todos", f"due < {TODAY} AND NOT is_done", due=asked.day(asked["day"]))]


@wants("Delete the tasks of my list {list} that are done.")
def delete_done(asked: Asked) -> Alternatives:
    yield [asked.gone("todos", asked.own("todos", f"is_done AND {NAMED_LIST}"))]


@wants("Move the open tasks of high priority from my list {list} to {target}.")
def move_between_lists(asked: Asked) -> Alternatives:
    for target in asked.own("todo_lists", "title = :target"):
        yield [asked.every("todos", f"NOT is_done AND priority = 'high' AND {NAMED_LIST}", list_id=target["id"])]


@wants("Add the task {title} to my list {list}, due on {day}, with {priority} priority.")
def add_task(asked: Asked) -> Alternatives:
    for target in asked.own("todo_lists", "title = :list"):
        when = {"due": asked.day(asked["day"]), "priority": asked["priority"]}
        yield [asked.new("todos", list_id=target["id"], title=asked["title"], **when)]


@wants("Mark all steps of the task {title} as done, but not the task itself.")
def finish_steps(asked: Asked) -> Alternatives:
    for task in asked.own("todos", "title = :title"):
        yield [asked.put("steps", asked.own("steps", "todo_id = :task", task=task["id"]), is_done=1)]


@wants("Give all tasks of low priority in my list {list} normal priority.")
def raise_priority(asked: Asked) -> Alternatives:
    yield [asked.every("todos", f"priority = 'low' AND {NAMED_LIST}", priority="normal")]


@wants("Rename the {title} of {name} on {day}, to which I am going, to 'Short meeting'.")
def rename_others_event(asked: Asked) -> Alternatives:
    sql = "SELECT events.* FROM events JOIN people ON people.id = owner WHERE title = :title AND name = :name AND day = :number"
    for row in asked.rows(sql, number=asked.day(asked["day"])):
        yield [asked.put("events", [row], title="Short meeting")]


@wants(
    "Put 'Deep work' of {minutes} minutes into my calendar on {day} between 08:00 and 20:00, at a time at which I have nothing else."
)
def find_time_on_full_day(asked: Asked) -> Alternatives:
    minutes, day = int(asked["minutes"]), asked.day(asked["day"])
    taken = asked.rows(f"SELECT start, minutes FROM events WHERE {MINE} AND day = {day}")
    for start in range(8 * 60, 20 * 60 - minutes + 1, 5):
        if all(row["start"] + row["minutes"] <= start or start + minutes <= row["start"] for row in taken):
            yield [asked.new("events", title="Deep work", day=day, start=start, minutes=minutes)]
