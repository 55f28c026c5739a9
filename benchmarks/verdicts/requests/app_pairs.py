"""Requests across apps, in their words: mails, messages, events, tasks and money that rest on what others say."""

# ruff: noqa: E501 - requests as they are worded

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from sqlite3 import Row

from agentgym_tools.apps.calendar_days import date_of
from benchmarks.verdicts.requests.app_requests import NO_PERSON, Asked, wants
from benchmarks.verdicts.requests.effects import Effect, Named

Alternatives = Iterator[Sequence[Effect]]
SHARE, FAVOUR, MEETING = "Your share %", "Could you %", "Can we meet on %"


def _relation(asked: Asked, relation: str) -> list[Row]:
    assert relation not in NO_PERSON
    return asked.contacts("relation = :told_relation", told_relation=relation)


def _cents(text: str) -> int:
    whole, part = re.findall(r"(\d+)\.(\d\d)", text)[0]
    return int(whole) * 100 + int(part)


def _meeting_in(text: str) -> tuple[str, str, str]:
    day, start, place = re.findall(r"on (\S+) at (\S+) at (.+?)[.?]?$", text)[0]
    return day, start, place


@wants("Send my {relation} a mail with the subject {subject} and the text {body}")
def mail_to_relation(asked: Asked) -> Alternatives:
    for row in _relation(asked, asked["relation"]):
        yield asked.mail([row["email"]], asked["subject"], asked["body"])


@wants("Send one mail to all members of my group {group}: the subject is {subject}, the text {body}")
def mail_to_group(asked: Asked) -> Alternatives:
    yield asked.mail([row["email"] for row in asked.members(asked["group"])], asked["subject"], asked["body"])


@wants("Forward the mail {subject} that {sender} sent me to {name}, without a word of your own.")
def forward_report(asked: Asked) -> Alternatives:
    for row in asked.mails("subject = :subject AND sender = :sender"):
        for to in asked.contacts("name = :name"):
            more = {"thread": row["thread"], "attachment": row["attachment"], "attached": row["attached"]}
            yield asked.mail([to["email"]], f"Fwd: {row['subject']}", row["body"], **more)


@wants("Send {cents} cents to my {relation} with the note {note}.")
def send_to_relation(asked: Asked) -> Alternatives:
    for row in _relation(asked, asked["relation"]):
        yield [asked.payment(row["email"], int(asked["cents"]), asked["note"])]


def _request(asked: Asked, email: str, cents: int, note: str) -> Effect:
    return asked.new("requests", payer=asked.person("email", email)["id"], amount=cents, note=note)


@wants(
    "I paid {cents} cents for the {what} of my group {group}. Ask each of its {number} members for an equal share, counting me too, with the note {note}."
)
def split_bill(asked: Asked) -> Alternatives:
    rows = asked.members(asked["group"])
    share, rest = divmod(int(asked["cents"]), len(rows) + 1)
    assert not rest
    yield [_request(asked, row["email"], share, asked["note"]) for row in rows]


@wants("{sender} wrote me a mail with the subject {subject}. Pay my share, with the note {note}.")
def pay_share_of_mail(asked: Asked) -> Alternatives:
    for row in asked.mails("subject = :subject AND sender = :sender"):
        yield [asked.payment(asked["sender"], _cents(row["body"]), asked["note"])]


@wants(
    "Send a mail to the person who sent me money last, with the subject 'Thanks' and the text 'I have got N cents.', where N is the amount."
)
def confirm_last_transfer(asked: Asked) -> Alternatives:
    sql = "SELECT transfers.*, email FROM transfers JOIN people ON people.id = sender WHERE receiver = :me"
    rows = asked.rows(sql)
    for row in rows:
        if row["made"] == max(each["made"] for each in rows):
            yield asked.mail([row["email"]], "Thanks", f"I have got {row['amount']} cents.")


@wants(
    "{sender} proposed a meeting in a mail with the subject {subject}. Put it into my calendar: with the mail's subject as title, the proposed time and place, and 45 minutes."
)
def event_of_mail(asked: Asked) -> Alternatives:
    for row in asked.mails("subject = :subject AND sender = :sender"):
        day, start, place = _meeting_in(row["body"])
        yield [asked.event(row["subject"], day, start, 45, place)]


def _named_event(asked: Asked) -> list[Row]:
    return asked.own("events", "title = :title AND day = :number", number=asked.day(asked["day"]))


def _guests(asked: Asked, event: int) -> set[str]:
    sql = "SELECT email FROM guests JOIN people ON people.id = person_id WHERE event_id = :event"
    return {row["email"] for row in asked.rows(sql, event=event)}


@wants(
    "My {title} on {day} takes place at {place} instead. Change the event, and send one mail to all its guests with the subject {subject} and the text {body}."
)
def tell_guests(asked: Asked) -> Alternatives:
    for row in _named_event(asked):
        told = asked.mail(sorted(_guests(asked, row["id"])), asked["subject"], asked["body"])
        yield [asked.put("events", [row], place=asked["place"]), *told]


@wants(
    "{sender} asked me for a favour by mail. Add it to my list {list} in the words of the mail, such as 'wash the car', due on the day that the mail names."
)
def task_of_favour(asked: Asked) -> Alternatives:
    for row in asked.mails("sender = :sender AND body LIKE :like", like=FAVOUR):
        what, day = re.findall(r"Could you (.+) by (\S+)\?", row["body"])[0]
        for target in asked.own("todo_lists", "title = :list"):
            yield [asked.new("todos", list_id=target["id"], title=what, due=asked.day(day))]


@wants(
    "Count my open tasks of high priority, and send a mail to {to}: subject 'Tasks', text 'Open tasks: N', where N is their number."
)
def report_done(asked: Asked) -> Alternatives:
    number = len(asked.own("todos", "priority = 'high' AND NOT is_done"))
    yield asked.mail([asked["to"]], "Tasks", f"Open tasks: {number}")


@wants("Save the attachment of the mail {subject} by {sender} as {name} in my folder /work, with the same text.")
def keep_attachment(asked: Asked) -> Alternatives:
    for row in asked.mails("subject = :subject AND sender = :sender"):
        yield [asked.new("files", folder="/work", name=asked["name"], text=row["attached"])]


@wants("Send a mail to {to} with the subject 'WiFi' and the whole text of my file wifi.txt.")
def mail_wifi(asked: Asked) -> Alternatives:
    for file in asked.own("files", "name = 'wifi.txt'"):
        yield asked.mail([asked["to"]], "WiFi", file["text"])


@wants("{name} told me in a message not to forget something. Add it to my list {list} in these words.")
def task_of_message(asked: Asked) -> Alternatives:
    for row in asked.told(asked["name"], "Do not forget to %"):
        for target in asked.own("todo_lists", "title = :list"):
            yield [asked.new("todos", list_id=target["id"], title=row["text"][len("Do not forget to ") : -1])]


def _recommended(asked: Asked) -> Iterator[Row]:
    for row in asked.told(asked["name"], "Listen to %"):
        title, _, artist = row["text"].removeprefix("Listen to ").rstrip("!").partition(" by ")
        yield from asked.rows("SELECT * FROM songs WHERE title = :song AND artist = :by", song=title, by=artist)


@wants("{name} recommended a song to me in a message. Put it into my library and like it.")
def song_of_message(asked: Asked) -> Alternatives:
    for song in _recommended(asked):
        yield [asked.new("library", song_id=song["id"], is_liked=1)]


@wants(
    "{name} recommended a song to me in a message. Write a note 'Music' into the notebook 'ideas' with its title and year, such as 'Silver River (2012)'."
)
def song_to_note(asked: Asked) -> Alternatives:
    for song in _recommended(asked):
        yield [asked.new("notes", title="Music", text=f"{song['title']} ({song['year']})", notebook="ideas")]


@wants(
    "{name} proposed in a message to meet me. Put it into my calendar as {title}, at the proposed time and place, for 60 minutes."
)
def event_of_message(asked: Asked) -> Alternatives:
    for row in asked.told(asked["name"], "Let us meet on %"):
        day, start, place = _meeting_in(row["text"])
        yield [asked.event(asked["title"], day, start, 60, place)]


@wants(
    "{name} proposed in a message to meet me. Make an event 'Meeting' of it, at that time and place, for 60 minutes, and invite {again}."
)
def invite_who_proposed(asked: Asked) -> Alternatives:
    for row in asked.told(asked["name"], "Let us meet on %"):
        day, start, place = _meeting_in(row["text"])
        event = asked.event("Meeting", day, start, 60, place, name="event")
        yield [event, *asked.guests(Named("event"), [row["email"]])]


@wants("Write my {relation} a message: {text}")
def message_to_relation(asked: Asked) -> Alternatives:
    for row in _relation(asked, asked["relation"]):
        yield from asked.written(asked.person("phone", row["phone"])["id"], asked["text"])


@wants("Make a group chat {title} with the members of my group of contacts of that name.")
def group_chat_of_group(asked: Asked) -> Alternatives:
    people = [asked.me, *(asked.person("phone", row["phone"])["id"] for row in asked.members(asked["title"]))]
    members = [asked.new("chat_members", chat_id=Named("chat"), person_id=each) for each in people]
    yield [asked.new("chats", "chat", title=asked["title"], is_group=1), *members]


@wants("Make a playlist {title} of the songs in my note of that title.")
def playlist_of_note(asked: Asked) -> Alternatives:
    for note in asked.own("notes", "title = :title"):
        ids = [
            asked.rows("SELECT id FROM songs WHERE title = :song", song=line)[0]["id"]
            for line in note["text"].split("\n")
        ]
        added = [asked.new("playlist_songs", playlist_id=Named("list"), song_id=number) for number in ids]
        yield [asked.new("playlists", "list", title=asked["title"]), *added]


def _most_played(asked: Asked) -> list[Row]:
    most = "plays = (SELECT max(plays) FROM library WHERE owner = :me)"
    return asked.rows(f"SELECT songs.* FROM library JOIN songs ON songs.id = song_id WHERE owner = :me AND {most}")


@wants(
    "Write a note 'Song of the year' into the notebook 'home'; its text is the title of the song that I played most."
)
def note_of_liked(asked: Asked) -> Alternatives:
    for song in _most_played(asked):
        yield [asked.new("notes", title="Song of the year", text=song["title"], notebook="home")]


@wants(
    "Mail {name} which song of my library I have played most: subject 'My song', text in the form 'Silver River by Mira Sol'."
)
def tell_favourite_song(asked: Asked) -> Alternatives:
    for song in _most_played(asked):
        for to in asked.contacts("name = :name"):
            yield asked.mail([to["email"]], "My song", f"{song['title']} by {song['artist']}")


@wants("Add each action of my note {title} to my list {list} as a task, in the note's words.")
def actions_of_minutes(asked: Asked) -> Alternatives:
    for note in asked.own("notes", "title = :title"):
        actions = [line.removeprefix("Action: ") for line in note["text"].split("\n") if line.startswith("Action: ")]
        for target in asked.own("todo_lists", "title = :list"):
            yield [asked.new("todos", list_id=target["id"], title=action) for action in actions]


def _train(asked: Asked) -> Iterator[Effect]:
    for file in asked.own("files", "name = 'trip.txt'"):
        day, start, place = re.findall(r"Train on (\S+) at (\S+) from (.+?)\.", file["text"])[0]
        yield asked.event("Train", day, start, 120, place)


@wants("Put the train of my file trip.txt into my calendar as 'Train': at its time, with its place, for 120 minutes.")
def trip_to_calendar(asked: Asked) -> Alternatives:
    for event in _train(asked):
        yield [event]


@wants(
    "Put the train of my file trip.txt into my calendar as 'Train', with its time and place, for 120 minutes, and add the task 'pack the bag' to my list {list}, due on that day."
)
def prepare_trip(asked: Asked) -> Alternatives:
    for event in _train(asked):
        for target in asked.own("todo_lists", "title = :list"):
            assert hasattr(event, "values")
            yield [event, asked.new("todos", list_id=target["id"], title="pack the bag", due=event.values["day"])]


@wants("Share my file {file} of the folder /work with my {relation}, who may change it.")
def share_with_relation(asked: Asked) -> Alternatives:
    for file in asked.own("files", "name = :file AND folder = '/work'"):
        for row in _relation(asked, asked["relation"]):
            yield [
                asked.new("shares", file_id=file["id"], person_id=asked.person("email", row["email"])["id"], can_edit=1)
            ]


@wants("Make a new list 'Packing' in the todo app, with a task for each line of my file packing.txt.")
def pack_for_trip(asked: Asked) -> Alternatives:
    for file in asked.own("files", "name = 'packing.txt'"):
        tasks = [asked.new("todos", list_id=Named("list"), title=line) for line in file["text"].split("\n")]
        yield [asked.new("todo_lists", "list", title="Packing"), *tasks]


@wants("Invite the members of my group {group} to my {title} on {day}, unless they are invited already.")
def invite_group(asked: Asked) -> Alternatives:
    for row in _named_event(asked):
        new = {each["email"] for each in asked.members(asked["group"])} - _guests(asked, row["id"])
        yield asked.guests(row["id"], sorted(new))


@wants("Put the next birthday of {name} into my calendar as {title}, at 09:00 for 30 minutes.")
def birthday_to_calendar(asked: Asked) -> Alternatives:
    for row in asked.contacts("name = :name"):
        yield [asked.event(asked["title"], f"2031-{row['birthday']}", "09:00", 30)]


@wants("Put my task {title} into my calendar under its title: on the day on which it is due, at {start}, 60 minutes.")
def time_for_task(asked: Asked) -> Alternatives:
    for task in asked.own("todos", "title = :title"):
        yield [asked.event(task["title"], date_of(task["due"]), asked["start"], 60)]


def _expenses(asked: Asked, what: str) -> list[int]:
    file = asked.own("files", "name = :file")[0]
    lines = [line.split(",") for line in file["text"].split("\n")[1:]]
    return [int(cents) for _, kind, cents in lines if what in ("", kind)]


@wants("Ask {to} for the sum of all expenses of my file {file}, with the note {note}.")
def expenses_to_request(asked: Asked) -> Alternatives:
    yield [_request(asked, asked["to"], sum(_expenses(asked, "")), asked["note"])]


@wants("Ask {name} for half of what I spent on {what} by my file {file}, with the note {note}.")
def share_costs(asked: Asked) -> Alternatives:
    for to in asked.contacts("name = :name"):
        half, rest = divmod(sum(_expenses(asked, asked["what"])), 2)
        assert not rest
        yield [_request(asked, to["email"], half, asked["note"])]


@wants("{name} wrote me a message about what I owe. Pay it, with what it was for as the note, such as 'taxi ride'.")
def pay_debt_of_message(asked: Asked) -> Alternatives:
    for row in asked.told(asked["name"], "I paid for the %, you owe me %"):
        what = re.findall("I paid for the (.+?), you owe me", row["text"])[0]
        yield [asked.payment(row["email"], _cents(row["text"]), what)]


@wants("Write a message to each person on my note 'Guest list', one by one: {text}")
def message_guests(asked: Asked) -> Alternatives:
    for note in asked.own("notes", "title = 'Guest list'"):
        effects: list[Effect] = []
        for name in note["text"].split("\n"):
            effects += next(asked.written(asked.person("name", name)["id"], asked["text"]))
        yield effects


@wants("Invite everybody on my note 'Guest list' to my {title} on {day}.")
def invite_guests_of_note(asked: Asked) -> Alternatives:
    for note in asked.own("notes", "title = 'Guest list'"):
        for row in _named_event(asked):
            emails = [asked.person("name", name)["email"] for name in note["text"].split("\n")]
            yield asked.guests(row["id"], emails)


@wants(
    "Pay my share as in the mail {subject} by {sender}, with the note {note}. Then add the task {title} to my list {list}."
)
def pay_and_note(asked: Asked) -> Alternatives:
    for row in asked.mails("subject = :subject AND sender = :sender"):
        for target in asked.own("todo_lists", "title = :list"):
            paid = asked.payment(asked["sender"], _cents(row["body"]), asked["note"])
            yield [paid, asked.new("todos", list_id=target["id"], title=asked["title"])]


@wants(
    "Put the meeting that {sender} proposed in the mail {subject} into my calendar: its subject as title, its time and place, 30 minutes. Invite {again} and {name}."
)
def meeting_with_third(asked: Asked) -> Alternatives:
    for row in asked.mails("subject = :subject AND sender = :sender"):
        for third in asked.contacts("name = :name"):
            day, start, place = _meeting_in(row["body"])
            event = asked.event(row["subject"], day, start, 30, place, name="event")
            yield [event, *asked.guests(Named("event"), [asked["sender"], third["email"]])]


@wants("Mail my boss the costs in my file {file}: subject 'Costs', text 'It costs N.', where N is the number there.")
def send_costs(asked: Asked) -> Alternatives:
    for file in asked.own("files", "name = :file"):
        costs = re.findall(r"Costs: (\d+)", file["text"])[0]
        for boss in _relation(asked, "boss"):
            yield asked.mail([boss["email"]], "Costs", f"It costs {costs}.")


@wants(
    "The newest of my orders that are shipped comes on {day}. Write {name} a message {said} with its number for N, and put 'Order N' into my calendar on that day at 10:00 for 30 minutes."
)
def plan_pick_up(asked: Asked) -> Alternatives:
    orders = asked.own("orders", "state = 'shipped'")
    for order in orders:
        if order["placed"] == max(each["placed"] for each in orders):
            event = asked.event(f"Order {order['id']}", asked["day"], "10:00", 30)
            friend = asked.person("name", asked["name"])["id"]
            for message in asked.written(friend, asked["said"].replace("Order N ", f"Order {order['id']} ")):
                yield [event, *message]


@wants(
    "Who of those whom I have asked for money and who have not paid yet owes me most? Write a note 'Debts' into the notebook 'home' whose text is that person's phone number."
)
def debts_note(asked: Asked) -> Alternatives:
    rows = asked.rows("SELECT * FROM requests WHERE requester = :me AND state = 'pending'")
    owed = {row["payer"]: sum(each["amount"] for each in rows if each["payer"] == row["payer"]) for row in rows}
    for payer, amount in owed.items():
        if amount == max(owed.values()):
            yield [asked.new("notes", title="Debts", text=asked.person("id", payer)["phone"], notebook="home")]


@wants(
    "{name} takes over my task {title}. Send a mail with the subject 'Task' and the text {body}, with the day on which it is due, such as 2031-09-28; then delete the task."
)
def delegate_task(asked: Asked) -> Alternatives:
    for task in asked.own("todos", "title = :title AND NOT is_done"):
        for to in asked.contacts("name = :name"):
            body = asked["body"].replace("DAY", date_of(task["due"]))
            yield [*asked.mail([to["email"]], "Task", body), asked.gone("todos", [task])]


@wants("Send a mail with the subject {subject} to {name}, at the address in my contacts and at no other one.")
def mail_without_address(asked: Asked) -> Alternatives:
    for row in asked.contacts("name = :name AND email IS NOT NULL"):
        yield asked.mail([row["email"]], asked["subject"], asked["subject"])
