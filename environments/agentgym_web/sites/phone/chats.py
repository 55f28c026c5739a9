"""Chats: their list, one chat, its members, starting one, and what can be done to a message."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit, needs_login, route
from agentgym_web.sites.phone.screen import missing, refuse, return_to, show

HERE = "messages.id NOT IN (SELECT message_id FROM waiting)"
"""Condition on messages that have been fetched."""
SHOWN = {
    "all": ("All", "NOT is_archived"),
    "unread": ("Unread", "NOT is_archived AND unread.number > 0"),
    "groups": ("Groups", "NOT is_archived AND is_group"),
    "archived": ("Archived", "is_archived"),
}
"""Which chats the list can show: label and condition."""
SWITCHES = {"pin": "is_pinned", "mute": "is_muted", "archive": "is_archived"}
MAX_TEXT = 1000


def list_chats(visit: Visit) -> Response:
    """The list of chats: pinned ones first, then by their latest message."""
    shown = visit.query.get("show", "all")
    shown = shown if shown in SHOWN else "all"
    query = visit.query.get("q", "").strip()[:100]
    sql = f"""SELECT chats.*, unread.number AS num_unread, last.text AS last_text, last.at AS last_at,
              coalesce(contacts.name, CASE WHEN last.id THEN 'You' ELSE '' END) AS last_name
              FROM chats JOIN unread ON unread.chat_id = chats.id
              LEFT JOIN messages AS last ON last.id = (SELECT max(messages.id) FROM messages WHERE chat_id = chats.id
              AND {HERE}) LEFT JOIN contacts ON contacts.id = last.sender_id
              WHERE {SHOWN[shown][1]} AND title LIKE ? ORDER BY is_pinned DESC, last_at DESC, chats.id"""  # noqa: S608
    rows = visit.db.execute(sql, (f"%{query}%",)).fetchall()
    back = f"/chats?show={shown}"
    shown_values: dict[str, Any] = {"chats": rows, "tabs": SHOWN, "shown": shown, "query": query, "here": back}
    return show(visit, "chats.html", "Chats", **shown_values)


def refresh(visit: Visit) -> Response:
    """Fetch the messages that wait."""
    rows = visit.db.execute("SELECT chat_id FROM waiting JOIN messages ON messages.id = message_id").fetchall()
    for row in rows:
        visit.db.execute("UPDATE unread SET number = number + 1 WHERE chat_id = ?", (row["chat_id"],))
    visit.db.execute("DELETE FROM waiting")
    visit.flash(f"{len(rows)} new messages." if rows else "No new messages.")
    return visit.redirect("/chats")


def change_chat(visit: Visit) -> Response:
    """Pin, mute, archive, mark or delete a chat."""
    chat, move = _find(visit), visit.path["move"]
    if chat is None:
        return missing(visit)
    if move in SWITCHES:
        column = SWITCHES[move]
        visit.db.execute(f"UPDATE chats SET {column} = 1 - {column} WHERE id = ?", (chat["id"],))  # noqa: S608 - SWITCHES
        done = {"pin": ("Pinned", "Unpinned"), "mute": ("Muted", "Unmuted"), "archive": ("Archived", "Restored")}[move]
        visit.flash(f"{done[chat[column]]} {chat['title']}.")
    elif move == "mark":
        sql = "UPDATE unread SET number = CASE number WHEN 0 THEN 1 ELSE 0 END WHERE chat_id = ?"
        visit.db.execute(sql, (chat["id"],))
        visit.flash(f"Marked {chat['title']}.")
    elif move == "delete":
        visit.db.execute(
            "DELETE FROM waiting WHERE message_id IN (SELECT id FROM messages WHERE chat_id = ?)", (chat["id"],)
        )
        for table in ("messages", "members", "unread"):
            visit.db.execute(f"DELETE FROM {table} WHERE chat_id = ?", (chat["id"],))  # noqa: S608 - constants
        visit.db.execute("DELETE FROM chats WHERE id = ?", (chat["id"],))
        visit.flash(f"Deleted {chat['title']}.")
    else:
        return missing(visit)
    return return_to(visit, "/chats")


def show_chat(visit: Visit) -> Response:
    """One chat; looking at it makes it read."""
    chat = _find(visit)
    if chat is None:
        return missing(visit)
    visit.db.execute("UPDATE unread SET number = 0 WHERE chat_id = ?", (chat["id"],))
    return _page(visit, chat)


def send(visit: Visit) -> Response:
    """Send a message."""
    chat, text = _find(visit), visit.text("text")
    if chat is None:
        return missing(visit)
    blocked = [row["name"] for row in _members(visit, chat["id"]) if row["is_blocked"]]
    if blocked and not chat["is_group"]:
        return refuse(visit, f"{blocked[0]} is blocked. Unblock the contact to write.", f"/chats/{chat['id']}")
    if not text or len(text) > MAX_TEXT:
        return _page(visit, chat, f"A message has 1 to {MAX_TEXT} characters.")
    _write(visit, chat["id"], text)
    return visit.redirect(f"/chats/{chat['id']}")


def new_chat(visit: Visit) -> Response:
    """The screen to choose people for a chat."""
    return _new_page(visit, {}, "")


def start_chat(visit: Visit) -> Response:
    """Start a chat with one person, or a group."""
    known = {row["id"] for row in visit.db.execute("SELECT id FROM contacts WHERE NOT is_blocked")}
    people = sorted({int(text) for text in visit.many("people") if text.isdecimal() and len(text) < 9} & known)
    title = visit.text("title")
    if not people:
        return _new_page(visit, visit.form, "Choose at least one person.")
    if len(people) > 1 and not 1 <= len(title) <= 40:
        return _new_page(visit, visit.form, "A group needs a name of at most 40 characters.")
    return visit.redirect(f"/chats/{open_chat(visit, people, title)}")


def open_chat(visit: Visit, people: Sequence[int], title: str) -> int:
    """The chat with one person, made if there is none, or a new group."""
    if len(people) == 1:
        found = visit.db.execute(
            "SELECT chats.id FROM chats JOIN members ON chat_id = chats.id WHERE NOT is_group AND contact_id = ?",
            (people[0],),
        ).fetchone()
        if found:
            return int(found["id"])
        title = visit.db.execute("SELECT name FROM contacts WHERE id = ?", (people[0],)).fetchone()["name"]
    cursor = visit.db.execute("INSERT INTO chats VALUES (NULL, ?, ?, 1, 0, 0, 0)", (title, int(len(people) > 1)))
    number = cursor.lastrowid
    assert number is not None
    visit.db.executemany("INSERT INTO members VALUES (?, ?)", [(number, person) for person in people])
    visit.db.execute("INSERT INTO unread VALUES (?, 0)", (number,))
    return number


def about_chat(visit: Visit) -> Response:
    """Members of a chat, and its name."""
    chat = _find(visit)
    return missing(visit) if chat is None else _about_page(visit, chat, "")


def rename_chat(visit: Visit) -> Response:
    """Give a group of one's own another name."""
    chat, title = _find(visit), visit.text("title")
    if chat is None:
        return missing(visit)
    if not chat["is_group"] or not chat["is_mine"]:
        return refuse(visit, "Only the person who made a group can change it.", f"/chats/{chat['id']}/about")
    if not 1 <= len(title) <= 40:
        return _about_page(visit, chat, "A group needs a name of at most 40 characters.")
    visit.db.execute("UPDATE chats SET title = ? WHERE id = ?", (title, chat["id"]))
    visit.flash(f"The group is called {title} now.")
    return visit.redirect(f"/chats/{chat['id']}/about")


def change_member(visit: Visit) -> Response:
    """Add somebody to a group of one's own, or remove them."""
    chat = _find(visit)
    person = visit.db.execute("SELECT * FROM contacts WHERE id = ?", (visit.path["person"],)).fetchone()
    if chat is None or person is None:
        return missing(visit)
    if not chat["is_group"] or not chat["is_mine"]:
        return refuse(visit, "Only the person who made a group can change it.", f"/chats/{chat['id']}/about")
    pair = (chat["id"], person["id"])
    if visit.db.execute("SELECT 1 FROM members WHERE chat_id = ? AND contact_id = ?", pair).fetchone():
        visit.db.execute("DELETE FROM members WHERE chat_id = ? AND contact_id = ?", pair)
        visit.flash(f"Removed {person['name']}.")
    else:
        visit.db.execute("INSERT INTO members VALUES (?, ?)", pair)
        visit.flash(f"Added {person['name']}.")
    return visit.redirect(f"/chats/{chat['id']}/about")


def change_message(visit: Visit) -> Response:
    """Star a message, or delete it."""
    message = _message(visit)
    if message is None or visit.path["move"] not in ("star", "delete"):
        return missing(visit)
    if visit.path["move"] == "star":
        visit.db.execute("UPDATE messages SET is_starred = 1 - is_starred WHERE id = ?", (message["id"],))
    else:
        visit.db.execute("DELETE FROM messages WHERE id = ?", (message["id"],))
        visit.flash("Message deleted.")
    return visit.redirect(f"/chats/{message['chat_id']}")


def choose_target(visit: Visit) -> Response:
    """The screen to choose where a message is forwarded to."""
    message = _message(visit)
    if message is None:
        return missing(visit)
    chats = visit.db.execute("SELECT * FROM chats ORDER BY title, id").fetchall()
    return show(visit, "forward.html", "Forward to", back=f"/chats/{message['chat_id']}", message=message, chats=chats)


def forward(visit: Visit) -> Response:
    """Send a message's text on to another chat."""
    message, target = _message(visit), visit.text("chat")
    row = visit.db.execute("SELECT * FROM chats WHERE CAST(id AS TEXT) = ?", (target,)).fetchone()
    if message is None or row is None:
        return missing(visit)
    if not row["is_group"] and any(member["is_blocked"] for member in _members(visit, row["id"])):
        return refuse(visit, f"{row['title']} is blocked.", f"/chats/{message['chat_id']}")
    _write(visit, row["id"], message["text"])
    visit.flash(f"Forwarded to {row['title']}.")
    return visit.redirect(f"/chats/{row['id']}")


def starred(visit: Visit) -> Response:
    """All messages with a star."""
    rows = visit.db.execute(
        """SELECT messages.*, chats.title, coalesce(contacts.name, 'You') AS name FROM messages
           JOIN chats ON chats.id = chat_id LEFT JOIN contacts ON contacts.id = sender_id
           WHERE is_starred ORDER BY messages.id DESC"""
    ).fetchall()
    return show(visit, "starred.html", "Starred messages", back="/more", messages=rows)


def _write(visit: Visit, chat: int, text: str) -> None:
    visit.db.execute("INSERT INTO messages VALUES (NULL, ?, NULL, ?, ?, 0)", (chat, visit.stamp, text))


def _find(visit: Visit) -> sqlite3.Row | None:
    row: sqlite3.Row | None = visit.db.execute("SELECT * FROM chats WHERE id = ?", (visit.path["id"],)).fetchone()
    return row


def _message(visit: Visit) -> sqlite3.Row | None:
    sql = f"SELECT * FROM messages WHERE id = ? AND {HERE}"  # noqa: S608 - a constant
    row: sqlite3.Row | None = visit.db.execute(sql, (visit.path["id"],)).fetchone()
    return row


def _members(visit: Visit, chat: int) -> Sequence[sqlite3.Row]:
    return visit.db.execute(
        "SELECT contacts.* FROM members JOIN contacts ON contacts.id = contact_id WHERE chat_id = ? ORDER BY name",
        (chat,),
    ).fetchall()


def _page(visit: Visit, chat: sqlite3.Row, problem: str = "") -> Response:
    sql = f"""SELECT messages.*, coalesce(contacts.name, 'You') AS name FROM messages
              LEFT JOIN contacts ON contacts.id = sender_id WHERE chat_id = ? AND {HERE}
              ORDER BY messages.id"""  # noqa: S608 - a constant
    messages = visit.db.execute(sql, (chat["id"],)).fetchall()
    shown = {"chat": chat, "messages": messages, "problem": problem}
    return show(visit, "chat.html", chat["title"], 422 if problem else 200, back="/chats", **shown)


def _new_page(visit: Visit, form: Mapping[str, Any], problem: str) -> Response:
    people = visit.db.execute("SELECT * FROM contacts WHERE NOT is_blocked ORDER BY name").fetchall()
    ticked = set(visit.many("people")) if form else set()
    shown = {"people": people, "ticked": ticked, "title": visit.text("title") if form else "", "problem": problem}
    return show(visit, "new_chat.html", "New chat", 422 if problem else 200, back="/chats", **shown)


def _about_page(visit: Visit, chat: sqlite3.Row, problem: str) -> Response:
    members = _members(visit, chat["id"])
    known = {row["id"] for row in members}
    others = [row for row in visit.db.execute("SELECT * FROM contacts ORDER BY name") if row["id"] not in known]
    shown = {"chat": chat, "members": members, "others": others, "problem": problem}
    back = f"/chats/{chat['id']}"
    return show(visit, "about.html", f"About {chat['title']}", 422 if problem else 200, back=back, **shown)


ROUTES = (
    route("/chats", needs_login(list_chats)),
    route("/chats/refresh", needs_login(refresh), methods=["POST"]),
    route("/chats/new", needs_login(new_chat)),
    route("/chats/new", needs_login(start_chat), methods=["POST"]),
    route("/chats/{id:int}", needs_login(show_chat)),
    route("/chats/{id:int}", needs_login(send), methods=["POST"]),
    route("/chats/{id:int}/about", needs_login(about_chat)),
    route("/chats/{id:int}/about", needs_login(rename_chat), methods=["POST"]),
    route("/chats/{id:int}/members/{person:int}", needs_login(change_member), methods=["POST"]),
    route("/chats/{id:int}/{move}", needs_login(change_chat), methods=["POST"]),
    route("/messages/starred", needs_login(starred)),
    route("/messages/{id:int}/forward", needs_login(choose_target)),
    route("/messages/{id:int}/forward", needs_login(forward), methods=["POST"]),
    route("/messages/{id:int}/{move}", needs_login(change_message), methods=["POST"]),
)
