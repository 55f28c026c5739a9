"""One message: reading, attachments, writing, replying, forwarding and drafts."""

from __future__ import annotations

import mimetypes
import re
import sqlite3
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit, needs_login
from agentgym_web.sites.mail.lists import change_messages, kind_folder, own, show

MAX_RECIPIENTS = 30
MAX_SUBJECT = 150
MAX_BODY = 10_000
MAX_FILES = 5
MAX_FILE_BYTES = 500_000
_ADDRESS = re.compile(r"[^@\s,;<>]+@[^@\s,;<>]+\.[^@\s,;<>]+")
FIELDS = ("to", "copies", "subject", "body", "thread", "forwards", "draft")


@needs_login
def message_page(visit: Visit) -> Response:
    """A message with its conversation; it counts as read from now on."""
    message = own(visit, "message")
    if isinstance(message, Response):
        return message
    db = visit.db
    db.execute("INSERT OR IGNORE INTO reading VALUES (?)", (message["id"],))
    folder = db.execute("SELECT * FROM folder WHERE id = ?", (message["folder_id"],)).fetchone()
    sql = (
        "SELECT id, sender_name, subject, sent FROM message WHERE thread = ? AND login = ? AND id"
        " != ? ORDER BY sent, id"
    )
    given = "SELECT l.* FROM message_label x JOIN label l ON l.id = x.label_id WHERE x.message_id = ? ORDER BY l.name"
    return show(
        visit,
        "message.html",
        message=message,
        folder=folder,
        files=_files(db, message["id"]),
        others=db.execute(sql, (message["thread"], visit.user, message["id"])).fetchall(),
        given=db.execute(given, (message["id"],)).fetchall(),
        passed_on=_passed_on(visit, message["forwards"]),
        here=f"folder {folder['id']}",
    )


def _files(db: sqlite3.Connection, message: int) -> list[sqlite3.Row]:
    sql = "SELECT id, name, length(content) AS size FROM attachment WHERE message_id = ? ORDER BY id"
    return db.execute(sql, (message,)).fetchall()


def _passed_on(visit: Visit, number: int | None) -> sqlite3.Row | None:
    sql = "SELECT * FROM message WHERE id = ? AND login = ?"
    row: sqlite3.Row | None = visit.db.execute(sql, (number, visit.user)).fetchone()
    return row


@needs_login
def change_message(visit: Visit) -> Response:
    """Move, label, star, archive or delete the message."""
    message = own(visit, "message")
    if isinstance(message, Response):
        return message
    said = change_messages(visit, [message["id"]])
    visit.flash(f"The message is {said}." if said else "Choose a folder or label.")
    stays = visit.text("act") in ("label", "unlabel", "star", "unstar") or said is None
    return visit.redirect(f"/message/{message['id']}" if stays else f"/folder/{message['folder_id']}")


def _attachment(visit: Visit) -> sqlite3.Row | Response:
    sql = "SELECT a.*, m.login, m.subject FROM attachment a JOIN message m ON m.id = a.message_id WHERE a.id = ?"
    row: sqlite3.Row | None = visit.db.execute(sql, (visit.path["id"],)).fetchone()
    if row is None:
        return visit.not_found("There is no such attachment.")
    return row if row["login"] == visit.user else visit.forbidden()


@needs_login
def attachment_page(visit: Visit) -> Response:
    """An attachment as text, or as a table if it is a CSV file."""
    file = _attachment(visit)
    if isinstance(file, Response):
        return file
    text = file["content"].decode("utf-8", "replace")
    rows = [line.split(",") for line in text.strip().splitlines()] if file["name"].endswith(".csv") else []
    return show(visit, "attachment.html", file=file, text=text, rows=rows)


@needs_login
def download(visit: Visit) -> Response:
    """An attachment as a file."""
    file = _attachment(visit)
    if isinstance(file, Response):
        return file
    kind = mimetypes.guess_type(file["name"])[0] or "application/octet-stream"
    kind = kind if kind in ("text/plain", "text/csv") else "application/octet-stream"
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file['name'])}",
        "Cache-Control": "no-store",
    }
    return Response(file["content"], media_type=kind, headers=headers)


@needs_login
def compose_page(visit: Visit) -> Response:
    """An empty message, or one to an address."""
    return _show(visit, {"to": visit.query.get("to", "")}, {})


@needs_login
def reply_page(visit: Visit) -> Response:
    """A reply to the sender, or to everybody with `all`."""
    message = own(visit, "message")
    if isinstance(message, Response):
        return message
    me = visit.db.execute("SELECT email FROM account WHERE login = ?", (visit.user,)).fetchone()["email"]
    to = message["recipients"] if message["sender"] == me else message["sender"]
    copies = ""
    if visit.query.get("all"):
        everybody = f"{message['recipients']}, {message['copies']}"
        copies = ", ".join(one for one in dict.fromkeys(_ADDRESS.findall(everybody)) if one != me and one not in to)
    values = {"to": to, "copies": copies, "subject": _prefixed("Re: ", message["subject"]), "thread": message["thread"]}
    return _show(visit, values, {}, answered=message)


@needs_login
def forward_page(visit: Visit) -> Response:
    """A message that passes another one on, with its attachments."""
    message = own(visit, "message")
    if isinstance(message, Response):
        return message
    values = {"subject": _prefixed("Fwd: ", message["subject"]), "forwards": message["id"]}
    return _show(visit, values, {}, answered=message)


def _prefixed(prefix: str, subject: str) -> str:
    return subject if subject.startswith(prefix) else f"{prefix}{subject}"


@needs_login
def draft_page(visit: Visit) -> Response:
    """A draft, to go on writing."""
    message = own(visit, "message")
    if isinstance(message, Response):
        return message
    if message["folder_id"] != kind_folder(visit, "drafts"):
        return visit.forbidden("This message is not a draft.")
    values = {name: message[name] for name in ("copies", "subject", "body", "thread", "forwards")}
    return _show(visit, {**values, "to": message["recipients"], "draft": message["id"]}, {})


def _show(visit: Visit, values: dict[str, Any], problems: dict[str, str], **more: Any) -> Response:
    people = visit.db.execute(
        "SELECT name, email FROM contact WHERE login = ? AND email != '' ORDER BY name", (visit.user,)
    ).fetchall()
    filled = {name: values.get(name) or "" for name in FIELDS}
    passed = filled["forwards"] or 0
    files = _files(visit.db, int(passed)) if str(passed).isdigit() else []
    if str(filled["draft"]).isdigit():
        files = _files(visit.db, int(filled["draft"]))
    status = 422 if problems else 200
    return show(
        visit,
        "compose.html",
        status=status,
        values=filled,
        problems=problems,
        people=people,
        files=files,
        **{"answered": None, **more},
    )


@needs_login
def send(visit: Visit) -> Response:
    """Send the message, or keep it as a draft."""
    values = {name: visit.text(name) for name in FIELDS}
    is_draft = visit.text("act") == "draft"
    to, copies = read_addresses(values["to"]), read_addresses(values["copies"])
    problems: dict[str, str] = {}
    if to is None or (not to and not is_draft):
        problems["to"] = "Type one or more e-mail addresses with commas between them."
    if copies is None:
        problems["copies"] = "These are not e-mail addresses with commas between them."
    if not values["subject"] and not is_draft:
        problems["subject"] = "Type a subject."
    if len(values["subject"]) > MAX_SUBJECT or len(values["body"]) > MAX_BODY:
        problems["body"] = f"A subject has at most {MAX_SUBJECT} characters, and a text {MAX_BODY:,}."
    files = visit.files("files")
    if len(files) > MAX_FILES or any(len(content) > MAX_FILE_BYTES for _, content in files):
        problems["files"] = f"At most {MAX_FILES} files, of at most {MAX_FILE_BYTES // 1000} kB each."
    if problems or to is None or copies is None:
        return _show(visit, values, problems)
    written = _write(
        visit, values, ", ".join(to), ", ".join(copies), kind_folder(visit, "drafts" if is_draft else "sent")
    )
    if isinstance(written, Response):
        return written
    for name, content in files:
        sql = "INSERT INTO attachment (message_id, name, content) VALUES (?, ?, ?)"
        visit.db.execute(sql, (written, name[-100:], content))
    visit.flash("The draft is saved." if is_draft else "The message has been sent.")
    return visit.redirect("/")


def read_addresses(text: str) -> list[str] | None:
    """Addresses in lower case, each once; None if something of it is no address."""
    parts = [part.strip() for part in re.split(r"[,;\n]", text) if part.strip()]
    found = [re.fullmatch(rf"(?:[^<>]*<\s*)?({_ADDRESS.pattern})\s*>?", part) for part in parts]
    if len(parts) > MAX_RECIPIENTS or not all(found):
        return None
    return list(dict.fromkeys(match.group(1).lower() for match in found if match))


def _write(visit: Visit, values: dict[str, str], to: str, copies: str, folder: int) -> int | Response:
    db = visit.db
    me = db.execute("SELECT * FROM account WHERE login = ?", (visit.user,)).fetchone()
    thread = _own_number(visit, values["thread"], "thread")
    forwards = _own_number(visit, values["forwards"], "id")
    if values["draft"]:
        draft = _own_number(visit, values["draft"], "id")
        held = db.execute("SELECT folder_id FROM message WHERE id = ?", (draft,)).fetchone()
        if held is None or held["folder_id"] != kind_folder(visit, "drafts"):
            return visit.forbidden("This is not a draft of yours.")
        db.execute(
            "UPDATE message SET folder_id = ?, recipients = ?, copies = ?, subject = ?, body = ?,"
            " sent = ? WHERE id = ?",
            (folder, to, copies, values["subject"], values["body"], visit.stamp, draft),
        )
        assert draft is not None
        return draft
    row = (visit.user, folder, thread or 0, me["name"], me["email"], to, copies, values["subject"], values["body"])
    number = db.execute(
        "INSERT INTO message (login, folder_id, thread, sender_name, sender, recipients, copies, subject, body, sent,"
        " forwards) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*row, visit.stamp, forwards),
    ).lastrowid
    assert number is not None
    if not thread:
        db.execute("UPDATE message SET thread = id WHERE id = ?", (number,))
    db.execute("INSERT INTO reading VALUES (?)", (number,))
    if forwards:
        sql = (
            "INSERT INTO attachment (message_id, name, content) SELECT ?, name, content FROM"
            " attachment WHERE message_id = ?"
        )
        db.execute(sql, (number, forwards))
    return number


def _own_number(visit: Visit, text: str, column: str) -> int | None:
    """The number in a hidden field, if a message of the visitor has it."""
    if not text.isdigit() or len(text) > 9:
        return None
    sql = f"SELECT 1 FROM message WHERE {column} = ? AND login = ?"  # noqa: S608 - a fixed name
    return int(text) if visit.db.execute(sql, (int(text), visit.user)).fetchone() else None
