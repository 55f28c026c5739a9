"""Lists of messages: a folder, a label, a search, and what is done to the messages that are ticked."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit, local_path, needs_login
from agentgym_web.sites.core.paging import Pager, page_number

PAGE_SIZE = 20
SORTS: Mapping[str, tuple[str, str]] = {
    "new": ("Newest first", "m.sent DESC, m.id DESC"),
    "old": ("Oldest first", "m.sent, m.id"),
    "sender": ("Sender", "m.sender_name, m.sent DESC, m.id"),
    "subject": ("Subject", "m.subject, m.sent DESC, m.id"),
}
SHOWN = {"": "All", "unread": "Unread", "starred": "Starred", "files": "With attachments"}
_COLUMNS = (
    "m.id, m.sender_name, m.sender, m.recipients, m.subject, m.body, m.sent, m.is_starred, f.name AS folder, f.kind,"
    " EXISTS (SELECT 1 FROM reading r WHERE r.message_id = m.id) AS is_read,"
    " (SELECT count(*) FROM attachment a WHERE a.message_id = m.id) AS files,"
    " (SELECT group_concat(l.name, ', ') FROM message_label x JOIN label l ON l.id = x.label_id"
    " WHERE x.message_id = m.id) AS labels"
)
_FROM = "FROM message m JOIN folder f ON f.id = m.folder_id"
_SHOWN_WHERE = {
    "unread": "NOT EXISTS (SELECT 1 FROM reading r WHERE r.message_id = m.id)",
    "starred": "m.is_starred",
    "files": "EXISTS (SELECT 1 FROM attachment a WHERE a.message_id = m.id)",
}


def folders(db: sqlite3.Connection, login: str | None) -> list[sqlite3.Row]:
    """The folders of a mailbox with the numbers of unread messages: first the usual ones, then its own."""
    return db.execute(
        "SELECT f.*, (SELECT count(*) FROM message m WHERE m.folder_id = f.id AND f.kind != 'sent' AND NOT EXISTS"
        " (SELECT 1 FROM reading r WHERE r.message_id = m.id)) AS unread FROM folder f WHERE login = ?"
        " ORDER BY kind = 'own', CASE WHEN kind = 'own' THEN name END, id",
        (login,),
    ).fetchall()


def labels(db: sqlite3.Connection, login: str | None) -> list[sqlite3.Row]:
    """The labels of a mailbox."""
    return db.execute("SELECT * FROM label WHERE login = ? ORDER BY name", (login,)).fetchall()


def show(visit: Visit, template: str, /, status: int = 200, **values: Any) -> Response:
    """A page with the folders and labels beside it."""
    sides = {"folders": folders(visit.db, visit.user), "labels": labels(visit.db, visit.user)}
    return visit.render(template, status=status, here=values.pop("here", ""), **sides, **values)


def own(visit: Visit, table: str) -> sqlite3.Row | Response:
    """The row of a table that the path names, or the page that says why the visitor gets none."""
    row: sqlite3.Row | None = visit.db.execute(
        f"SELECT * FROM {table} WHERE id = ?",  # noqa: S608 - a fixed name
        (visit.path["id"],),
    ).fetchone()
    if row is None:
        return visit.not_found()
    return row if row["login"] == visit.user else visit.forbidden()


@needs_login
def inbox(visit: Visit) -> Response:
    """The inbox."""
    row = visit.db.execute("SELECT * FROM folder WHERE login = ? AND kind = 'inbox'", (visit.user,)).fetchone()
    return _folder(visit, row)


@needs_login
def folder_page(visit: Visit) -> Response:
    """The messages of a folder."""
    folder = own(visit, "folder")
    return folder if isinstance(folder, Response) else _folder(visit, folder)


def _folder(visit: Visit, folder: sqlite3.Row) -> Response:
    return _list(visit, folder["name"], "m.folder_id = ?", [folder["id"]], folder=folder, here=f"folder {folder['id']}")


@needs_login
def label_page(visit: Visit) -> Response:
    """The messages with a label, of all folders."""
    label = own(visit, "label")
    if isinstance(label, Response):
        return label
    where = "m.id IN (SELECT message_id FROM message_label WHERE label_id = ?)"
    return _list(visit, f"Label {label['name']}", where, [label["id"]], folder=None, here=f"label {label['id']}")


@needs_login
def search(visit: Visit) -> Response:
    """Messages of all folders that hold words, in the places that are asked for."""
    parts: list[str] = ["1"]
    values: list[Any] = []
    fields = {
        "sender": "m.sender_name || ' ' || m.sender",
        "to": "m.recipients || ' ' || m.copies",
        "subject": "m.subject",
    }
    everything = f"{fields['sender']} || ' ' || {fields['to']} || ' ' || m.subject || ' ' || m.body"
    for name, column in {"q": everything, **fields}.items():
        for word in visit.query.get(name, "")[:200].split():
            parts.append(f"instr(lower({column}), ?) > 0")
            values.append(word.lower())
    for name, sign in (("after", ">="), ("before", "<")):
        if re.fullmatch(r"\d{4}-\d\d-\d\d", visit.query.get(name, "")):
            parts.append(f"m.sent {sign} ?")
            values.append(visit.query[name])
    if visit.query.get("in", "").isdigit():
        parts.append("m.folder_id = ?")
        values.append(int(visit.query["in"][:9]))
    return _list(visit, "Search", " AND ".join(parts), values, folder=None, here="search", is_search=True)


def _list(visit: Visit, heading: str, where: str, values: Sequence[Any], **more: Any) -> Response:
    chosen = visit.query
    where = f"m.login = ? AND {where}"
    if extra := _SHOWN_WHERE.get(chosen.get("show", "")):
        where += f" AND {extra}"
    values = [visit.user, *values]
    total = visit.db.execute(f"SELECT count(*) {_FROM} WHERE {where}", values).fetchone()[0]
    pager = Pager(total, page_number(chosen), PAGE_SIZE, dict(chosen))
    order = SORTS.get(chosen.get("sort", ""), SORTS["new"])[1]
    sql = f"SELECT {_COLUMNS} {_FROM} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"
    rows = visit.db.execute(sql, [*values, pager.size, pager.offset]).fetchall()
    query = urlencode([item for item in chosen.items() if item[1]])
    return show(
        visit,
        "list.html",
        heading=heading,
        messages=rows,
        pager=pager,
        chosen=chosen,
        sorts={value: label for value, (label, _) in SORTS.items()},
        shown=SHOWN,
        back=visit.request.url.path + (f"?{query}" if query else ""),
        **{"is_search": False, **more},
    )


def _set_folder(visit: Visit, numbers: Sequence[int], folder: int) -> None:
    visit.db.executemany("UPDATE message SET folder_id = ? WHERE id = ?", [(folder, number) for number in numbers])


def kind_folder(visit: Visit, kind: str) -> int:
    """The id of the visitor's folder of a kind."""
    return int(visit.db.execute("SELECT id FROM folder WHERE login = ? AND kind = ?", (visit.user, kind)).fetchone()[0])


def _archive(visit: Visit, numbers: Sequence[int]) -> str:
    _set_folder(visit, numbers, kind_folder(visit, "archive"))
    return "archived"


def _delete(visit: Visit, numbers: Sequence[int]) -> str:
    trash = kind_folder(visit, "trash")
    for number in numbers:
        visit.db.execute("DELETE FROM message WHERE id = ? AND folder_id = ?", (number, trash))
    _set_folder(visit, numbers, trash)
    return "deleted"


def _read(visit: Visit, numbers: Sequence[int]) -> str:
    visit.db.executemany("INSERT OR IGNORE INTO reading VALUES (?)", [(number,) for number in numbers])
    return "marked as read"


def _unread(visit: Visit, numbers: Sequence[int]) -> str:
    visit.db.executemany("DELETE FROM reading WHERE message_id = ?", [(number,) for number in numbers])
    return "marked as unread"


def _star(visit: Visit, numbers: Sequence[int]) -> str:
    visit.db.executemany("UPDATE message SET is_starred = 1 WHERE id = ?", [(number,) for number in numbers])
    return "starred"


def _unstar(visit: Visit, numbers: Sequence[int]) -> str:
    visit.db.executemany("UPDATE message SET is_starred = 0 WHERE id = ?", [(number,) for number in numbers])
    return "not starred any more"


ACTS: Mapping[str, Callable[[Visit, Sequence[int]], str]] = {
    "archive": _archive,
    "delete": _delete,
    "read": _read,
    "unread": _unread,
    "star": _star,
    "unstar": _unstar,
}
"""What can be done to messages without a target; each returns the word for the notice."""


def change_messages(visit: Visit, numbers: Sequence[int]) -> str | None:
    """Do what the form asks for to messages of the visitor.

    Returns:
        What was done, in words; None if the form names no folder or label where it must.
    """
    act = visit.text("act")
    if act in ACTS:
        return ACTS[act](visit, numbers)
    table = {"move": "folder", "label": "label", "unlabel": "label"}.get(act)
    target = visit.text("folder" if act == "move" else "label")
    if table is None or not target.isdigit():
        return None
    sql = f"SELECT * FROM {table} WHERE id = ? AND login = ?"  # noqa: S608 - a fixed name
    row = visit.db.execute(sql, (int(target[:9]), visit.user)).fetchone()
    if row is None:
        return None
    if act == "move":
        _set_folder(visit, numbers, row["id"])
        return f"moved to {row['name']}"
    pairs = [(number, row["id"]) for number in numbers]
    if act == "label":
        visit.db.executemany("INSERT OR IGNORE INTO message_label VALUES (?, ?)", pairs)
        return f"labelled {row['name']}"
    visit.db.executemany("DELETE FROM message_label WHERE message_id = ? AND label_id = ?", pairs)
    return f"without the label {row['name']}"


@needs_login
def change_list(visit: Visit) -> Response:
    """Do something to the messages that are ticked."""
    back = local_path(visit.text("back", "/"))
    ticked = [int(text) for text in visit.many("message") if text.isdigit() and len(text) < 10]
    sql = "SELECT id FROM message WHERE login = ?"
    known = {row[0] for row in visit.db.execute(sql, (visit.user,))}
    if not ticked:
        visit.flash("Tick the messages first.")
        return visit.redirect(back)
    if not known.issuperset(ticked):
        return visit.forbidden("These messages are not all yours.")
    said = change_messages(visit, ticked)
    if said is None:
        visit.flash("Choose a folder or label.")
    else:
        visit.flash(f"{len(ticked)} message{'s' if len(ticked) != 1 else ''} {said}.")
    return visit.redirect(back)


@needs_login
def empty_folder(visit: Visit) -> Response:
    """Delete everything in the trash or the spam folder for good."""
    folder = own(visit, "folder")
    if isinstance(folder, Response):
        return folder
    if folder["kind"] not in ("trash", "spam"):
        return visit.forbidden("Only the trash and the spam folder can be emptied.")
    visit.db.execute("DELETE FROM message WHERE folder_id = ?", (folder["id"],))
    visit.flash(f"{folder['name']} is empty.")
    return visit.redirect(f"/folder/{folder['id']}")
