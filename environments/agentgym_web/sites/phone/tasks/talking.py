"""Templates over chats and contacts: sorting chats, writing, forwarding, groups, and keeping contacts right."""

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.core.drafts import Draft, Template
from agentgym_web.sites.core.draws import pick, require, rows
from agentgym_web.sites.core.row_checks import IdOf, as_milestone, num_rows, row_is, rows_are
from agentgym_web.sites.phone.data import FIRST_NAMES, LAST_NAMES, PIN
from agentgym_web.sites.phone.dialogues import STREETS, TOWNS
from agentgym_web.sites.phone.tasks.draws import (
    USER,
    Steps,
    app,
    find_chat,
    open_chat,
    open_contact,
    send_text,
    stories,
    tell,
)

TEXTS = (
    "Running ten minutes late, sorry!",
    "Can you bring the blue folder tomorrow?",
    "Thank you for the lovely evening.",
    "Shall we take the early train?",
    "I left my scarf at your place.",
    "Please water the plants on Friday.",
    "The keys are under the third pot.",
    "Call me when you are home.",
)
_CHATS = "SELECT * FROM chats WHERE NOT is_archived AND NOT is_group ORDER BY id"


def archive_chats(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Archive three chats."""
    chosen = rng.sample(rows(db, _CHATS), 3)
    ids = [chat["id"] for chat in chosen]
    steps: Steps = []
    for chat in chosen:
        steps += [*find_chat(chat["title"]), ["swipe", "link", chat["title"], "left"]]
    names = [chat["title"] for chat in chosen]
    return Draft(
        instruction=f"Tidy up my chats: archive those with {names[0]}, {names[1]} and {names[2]} (swipe a chat to the "
        "left). Delete nothing.",
        user=USER,
        checks=[
            rows_are("chats", ids, {"is_archived": 1}),
            num_rows("chats", {"id": ids[0], "is_archived": 1}, 1, "first", milestone=True),
            num_rows("chats", {"id": ids[1], "is_archived": 1}, 1, "second", milestone=True),
        ],
        touched={"chats": [0, 3, 0]},
        walkthrough=steps,
    )


def pin_and_mute(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Pin a chat, mute a group, and restore an archived chat."""
    pinned = pick(db, rng, "SELECT * FROM chats WHERE NOT is_archived AND NOT is_group AND NOT is_pinned ORDER BY id")
    muted = pick(db, rng, "SELECT * FROM chats WHERE NOT is_archived AND is_group AND NOT is_muted ORDER BY id")
    restored = pick(db, rng, "SELECT * FROM chats WHERE is_archived ORDER BY id")
    return Draft(
        instruction=f"Pin the chat with {pinned['title']}, mute the group {muted['title']}, and bring the chat "
        f"{restored['title']} back from the archive.",
        user=USER,
        checks=[
            row_is("chats", {"id": pinned["id"]}, {"is_pinned": 1, "is_muted": pinned["is_muted"]}, "pinned"),
            row_is("chats", {"id": muted["id"]}, {"is_muted": 1, "is_pinned": muted["is_pinned"]}, "muted"),
            row_is("chats", {"id": restored["id"]}, {"is_archived": 0}, "restored"),
            num_rows("chats", {"id": pinned["id"], "is_pinned": 1}, 1, "is pinned", milestone=True),
            num_rows("chats", {"id": muted["id"], "is_muted": 1}, 1, "is muted", milestone=True),
        ],
        touched={"chats": [0, 3, 0]},
        walkthrough=[
            *find_chat(pinned["title"]),
            ["long_press", "link", pinned["title"]],
            ["tap", "menuitem", "Pin"],
            *find_chat(muted["title"]),
            ["long_press", "link", muted["title"]],
            ["tap", "menuitem", "Mute"],
            *app("Chats"),
            ["tap", "link", "Archived"],
            ["swipe", "link", restored["title"], "left"],
        ],
    )


def write_to(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Send a message to somebody, also if there is no chat with them yet."""
    contact = pick(db, rng, "SELECT * FROM contacts WHERE NOT is_blocked ORDER BY id")
    text = rng.choice(TEXTS)
    sql = "SELECT chats.id FROM chats JOIN members ON chat_id = chats.id WHERE NOT is_group AND contact_id = ?"
    known = rows(db, sql, contact["id"])
    chat = known[0]["id"] if known else IdOf("chats", {"title": contact["name"], "is_group": 0})
    written = num_rows("messages", {"chat_id": chat, "sender_id": None, "text": text}, 1, "written")
    opened = num_rows("members", {"chat_id": chat, "contact_id": contact["id"]}, 1, "right person")
    touched = {"messages": [1, 0, 0]} | ({} if known else {"chats": [1, 0, 0], "members": [1, 0, 0]})
    return Draft(
        instruction=rng.choice(
            (
                f"Send {contact['name']} this message: “{text}”",
                f"Write to {contact['name']} for me, exactly: “{text}”",
            )
        ),
        user=USER,
        checks=[
            num_rows("messages", {"chat_id": chat, "sender_id": None, "text": text}, 1),
            opened,
            as_milestone(written),
            *([] if known else [as_milestone(opened)]),
        ],
        touched=touched,
        walkthrough=[*open_contact(contact["name"]), ["tap", "button", "Message"], *send_text(text)],
    )


def pass_code_on(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Send a code that one person wrote to another."""
    story = tell(db, rng, "code")
    chat = pick(db, rng, _CHATS)
    require(chat["id"] != story.chat and not _is_blocked(db, chat["id"]))
    what, digits = story.facts["what"], story.facts["code"]
    check = num_rows("messages", {"chat_id": chat["id"], "sender_id": None, "text": digits}, 1)
    return Draft(
        instruction=f"{chat['title']} needs the code for the {what} of {story.name}, which {story.name} wrote to me. "
        f"Send it to {chat['title']}: the code alone, as it stands there, nothing else in the message.",
        user=USER,
        checks=[check, as_milestone(check)],
        touched={"messages": [1, 0, 0]},
        walkthrough=[*open_chat(story.title), *open_chat(chat["title"]), *send_text(digits)],
    )


def forward_and_star(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Forward an address or a number to a group, and star the message."""
    story = tell(db, rng, rng.choice(("moved", "new_number")))
    group = pick(db, rng, "SELECT * FROM chats WHERE is_group ORDER BY id")
    message = rows(db, "SELECT * FROM messages WHERE id = ?", story.first)[0]
    what = "new address" if "address" in story.facts else "new number"
    held: Steps = [["long_press", "article", f"{story.name}: {message['text']}"]]
    return Draft(
        instruction=f"{story.name} wrote me a {what}. Put a star on that message and forward it to the group "
        f"{group['title']}.",
        user=USER,
        checks=[
            row_is("messages", {"id": message["id"]}, {"is_starred": 1}, "starred"),
            num_rows("messages", {"chat_id": group["id"], "text": message["text"]}, 1, "forwarded"),
            num_rows("messages", {"id": message["id"], "is_starred": 1}, 1, "is starred", milestone=True),
            num_rows("messages", {"chat_id": group["id"], "text": message["text"]}, 1, "was forwarded", milestone=True),
        ],
        touched={"messages": [1, 1, 0]},
        walkthrough=[
            *open_chat(story.title),
            *held,
            ["tap", "menuitem", "Star"],
            *held,
            ["tap", "menuitem", "Forward"],
            ["tap", "button", group["title"]],
        ],
    )


def start_group(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Start a group of those who come, and write the first message."""
    story = tell(db, rng, "poll")
    days = [other.facts["day"] for other in stories(db, "poll") if other.chat == story.chat]
    names = {row["id"]: row for row in rows(db, "SELECT * FROM contacts")}
    coming = [*story.facts["coming"]]
    require(1 < len(coming) < 5 and not any(names[person]["is_blocked"] for person in coming))
    require(len(set(days)) == len(days))
    title = rng.choice(("Those who come", "Count on us", "Little trip", "The punctual ones"))
    text = rng.choice(("Who brings what?", "Let us meet at the fountain.", "I book the table, yes?"))
    chat = IdOf("chats", {"title": title})
    new = [num_rows("members", {"chat_id": chat, "contact_id": person}, 1, names[person]["name"]) for person in coming]
    moment = story.facts["day"]
    return Draft(
        instruction=f"In the group {story.title}, {story.name} asked who has time on {moment}. Make a new group "
        f"“{title}” with exactly those who said yes there (not {story.name}, who asked), and send “{text}” to it.",
        user=USER,
        checks=[
            row_is("chats", {"title": title}, {"is_group": 1}, "group"),
            *new,
            num_rows("members", {"chat_id": chat}, len(coming), "nobody else"),
            num_rows("messages", {"chat_id": chat, "text": text}, 1, "message"),
            num_rows("chats", {"title": title}, 1, "group exists", milestone=True),
            num_rows("messages", {"chat_id": chat, "text": text}, 1, "written", milestone=True),
        ],
        touched={"chats": [1, 0, 0], "members": [len(coming), 0, 0], "messages": [1, 0, 0]},
        walkthrough=[
            *open_chat(story.title),
            *app("Chats"),
            ["tap", "link", "New chat"],
            ["fill", "textbox", "Group name", title],
            *(["tap", "checkbox", names[person]["name"]] for person in coming),
            ["tap", "button", "Start chat"],
            *send_text(text),
        ],
    )


def change_group(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Rename a group, add somebody and remove somebody."""
    group = pick(db, rng, "SELECT * FROM chats WHERE is_group AND is_mine AND NOT is_archived ORDER BY id")
    members = rows(
        db,
        "SELECT contacts.* FROM members JOIN contacts ON contacts.id = contact_id WHERE chat_id = ? ORDER BY name",
        group["id"],
    )
    gone = rng.choice(members)
    known = {row["id"] for row in members}
    new = rng.choice([row for row in rows(db, "SELECT * FROM contacts ORDER BY id") if row["id"] not in known])
    title = rng.choice((f"{group['title']} 2026", f"New {group['title']}", f"{group['title']} & friends"))
    return Draft(
        instruction=f"The group {group['title']} changes: call it “{title}”, add {new['name']} and remove "
        f"{gone['name']}.",
        user=USER,
        checks=[
            row_is("chats", {"id": group["id"]}, {"title": title}, "renamed"),
            num_rows("members", {"chat_id": group["id"], "contact_id": new["id"]}, 1, "added"),
            num_rows("members", {"chat_id": group["id"], "contact_id": gone["id"]}, 0, "removed"),
            num_rows("chats", {"id": group["id"], "title": title}, 1, "has the name", milestone=True),
            num_rows("members", {"chat_id": group["id"], "contact_id": new["id"]}, 1, "has come", milestone=True),
        ],
        touched={"chats": [0, 1, 0], "members": [1, 0, 1]},
        walkthrough=[
            *open_chat(group["title"]),
            ["tap", "link", "About"],
            ["fill", "textbox", "Group name", title],
            ["tap", "button", "Rename"],
            ["tap", "button", "Add", {"within": new["name"]}],
            ["tap", "button", "Remove", {"within": gone["name"]}],
        ],
    )


def update_contact(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Enter the new address or number that somebody wrote."""
    story = tell(db, rng, rng.choice(("moved", "new_number")))
    label, column = ("Address", "address") if "address" in story.facts else ("Phone", "phone")
    value = story.facts[column]
    what = "has moved" if column == "address" else "has a new phone number"
    check = row_is("contacts", {"id": story.contact}, {column: value})
    return Draft(
        instruction=f"{story.name} {what}, it is in our chat. Bring the contact up to date.",
        user=USER,
        checks=[check, as_milestone(check)],
        touched={"contacts": [0, 1, 0]},
        walkthrough=[
            *open_chat(story.title),
            *open_contact(story.name),
            ["tap", "link", "Edit"],
            ["fill", "textbox", label, value],
            ["tap", "button", "Save contact"],
        ],
    )


def new_contact(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Add a contact and make it a favourite."""
    taken = {row["name"] for row in rows(db, "SELECT name FROM contacts")}
    name = f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
    require(name not in taken and not any(other.startswith(name) for other in taken))
    phone = f"+353 8{rng.randint(3, 9)} {rng.randint(100, 999)} {rng.randint(1000, 9999)}"
    address = f"{rng.randint(2, 98)} {rng.choice(STREETS)}, {rng.choice(TOWNS)}"
    born = f"{rng.randint(1960, 2003)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    wanted: dict[str, str | int | None] = {
        "phone": phone,
        "address": address,
        "birthday": born,
        "email": "",
        "note": "",
        "is_favourite": 1,
        "is_blocked": 0,
    }
    return Draft(
        instruction=f"Save a new contact: {name}, phone {phone}, address {address}, birthday {born}; no e-mail and no "
        "note. And make it a favourite (hold a contact in the list for its menu).",
        user=USER,
        checks=[
            row_is("contacts", {"name": name}, wanted),
            num_rows("contacts", {"name": name}, 1, "saved", milestone=True),
        ],
        touched={"contacts": [1, 0, 0]},
        walkthrough=[
            *app("More"),
            ["tap", "link", "Contacts"],
            ["tap", "link", "New contact"],
            ["fill", "textbox", "Name", name],
            ["fill", "textbox", "Phone", phone],
            ["fill", "textbox", "Address", address],
            ["fill", "textbox", "Birthday", born],
            ["tap", "button", "Save contact"],
            *open_contact(name)[:-1],
            ["long_press", "link", name],
            ["tap", "menuitem", "Add to favourites"],
        ],
    )


def unlock_and_block(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Unlock the phone, then block somebody and take somebody else off the favourites."""
    blocked = pick(db, rng, "SELECT * FROM contacts WHERE NOT is_blocked AND NOT is_favourite ORDER BY id")
    dropped = pick(db, rng, "SELECT * FROM contacts WHERE is_favourite ORDER BY id")
    return Draft(
        instruction=f"My phone is locked, the PIN is {PIN}. Block {blocked['name']}, and take {dropped['name']} off my "
        "favourites.",
        checks=[
            row_is("contacts", {"id": blocked["id"]}, {"is_blocked": 1}, "blocked"),
            row_is("contacts", {"id": dropped["id"]}, {"is_favourite": 0}, "no favourite"),
            num_rows("contacts", {"id": blocked["id"], "is_blocked": 1}, 1, "is blocked", milestone=True),
            num_rows("contacts", {"id": dropped["id"], "is_favourite": 0}, 1, "is dropped", milestone=True),
        ],
        touched={"contacts": [0, 2, 0]},
        walkthrough=[
            ["fill", "textbox", "PIN", PIN],
            ["tap", "button", "Unlock"],
            *open_contact(blocked["name"])[:-1],
            ["long_press", "link", blocked["name"]],
            ["tap", "menuitem", "Block"],
            *open_contact(dropped["name"])[:-1],
            ["long_press", "link", dropped["name"]],
            ["tap", "menuitem", "Remove from favourites"],
        ],
    )


def _is_blocked(db: sqlite3.Connection, chat: int) -> bool:
    sql = "SELECT 1 FROM members JOIN contacts ON contacts.id = contact_id WHERE chat_id = ? AND is_blocked"
    return bool(rows(db, sql, chat))


TEMPLATES = (
    Template("archive_chats", "seen", archive_chats),
    Template("pin_and_mute", "seen", pin_and_mute),
    Template("write_to", "seen", write_to),
    Template("pass_code_on", "seen", pass_code_on),
    Template("forward_and_star", "seen", forward_and_star),
    Template("start_group", "unseen", start_group),
    Template("change_group", "seen", change_group),
    Template("update_contact", "seen", update_contact),
    Template("new_contact", "seen", new_contact),
    Template("unlock_and_block", "seen", unlock_and_block),
)
