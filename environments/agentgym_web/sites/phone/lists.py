"""Lists of things to do or to buy, and their items."""

from __future__ import annotations

import sqlite3

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit, needs_login, route
from agentgym_web.sites.phone.screen import missing, return_to, show

MAX_TEXT = 120


def all_lists(visit: Visit) -> Response:
    """All lists with the number of their open items."""
    return _all_page(visit, "")


def add_list(visit: Visit) -> Response:
    """Add a list."""
    title = visit.text("title")
    if not 1 <= len(title) <= 40:
        return _all_page(visit, "A list needs a name of at most 40 characters.")
    if visit.db.execute("SELECT 1 FROM lists WHERE title = ?", (title,)).fetchone():
        return _all_page(visit, f"There is a list {title} already.")
    cursor = visit.db.execute("INSERT INTO lists VALUES (NULL, ?)", (title,))
    return visit.redirect(f"/lists/{cursor.lastrowid}")


def show_list(visit: Visit) -> Response:
    """The items of a list: open ones first."""
    row = _find(visit)
    return missing(visit) if row is None else _page(visit, row, "")


def add_item(visit: Visit) -> Response:
    """Add an item to a list."""
    row, text = _find(visit), visit.text("text")
    if row is None:
        return missing(visit)
    if not 1 <= len(text) <= MAX_TEXT:
        return _page(visit, row, f"An item has 1 to {MAX_TEXT} characters.")
    visit.db.execute("INSERT INTO items VALUES (NULL, ?, ?, 0, 0)", (row["id"], text))
    return visit.redirect(f"/lists/{row['id']}")


def change_list(visit: Visit) -> Response:
    """Delete a list, or its checked items."""
    row, move = _find(visit), visit.path["move"]
    if row is None or move not in ("delete", "clear"):
        return missing(visit)
    if move == "clear":
        cursor = visit.db.execute("DELETE FROM items WHERE list_id = ? AND is_checked", (row["id"],))
        visit.flash(f"Cleared {cursor.rowcount} checked items.")
        return visit.redirect(f"/lists/{row['id']}")
    visit.db.execute("DELETE FROM items WHERE list_id = ?", (row["id"],))
    visit.db.execute("DELETE FROM lists WHERE id = ?", (row["id"],))
    visit.flash(f"Deleted {row['title']}.")
    return visit.redirect("/lists")


def change_item(visit: Visit) -> Response:
    """Check, flag or delete an item."""
    item, move = _item(visit), visit.path["move"]
    if item is None or move not in ("check", "flag", "delete"):
        return missing(visit)
    if move == "delete":
        visit.db.execute("DELETE FROM items WHERE id = ?", (item["id"],))
        visit.flash(f"Deleted {item['text']}.")
    else:
        column = "is_checked" if move == "check" else "is_flagged"
        visit.db.execute(f"UPDATE items SET {column} = 1 - {column} WHERE id = ?", (item["id"],))  # noqa: S608
    return return_to(visit, f"/lists/{item['list_id']}")


def edit_item(visit: Visit) -> Response:
    """The form of an item: its text and its list."""
    item = _item(visit)
    return missing(visit) if item is None else _item_page(visit, item, "")


def save_item(visit: Visit) -> Response:
    """Keep what the form of an item says."""
    item, text, target = _item(visit), visit.text("text"), visit.text("list_id")
    if item is None:
        return missing(visit)
    if not 1 <= len(text) <= MAX_TEXT:
        return _item_page(visit, item, f"An item has 1 to {MAX_TEXT} characters.")
    if target not in {str(row["id"]) for row in visit.db.execute("SELECT id FROM lists")}:
        return _item_page(visit, item, "Choose a list.")
    visit.db.execute("UPDATE items SET text = ?, list_id = ? WHERE id = ?", (text, int(target), item["id"]))
    visit.flash(f"Saved {text}.")
    return visit.redirect(f"/lists/{item['list_id']}")


def _all_page(visit: Visit, problem: str) -> Response:
    rows = visit.db.execute(
        """SELECT lists.*, (SELECT count(*) FROM items WHERE list_id = lists.id AND NOT is_checked) AS num_open
           FROM lists ORDER BY id"""
    ).fetchall()
    return show(visit, "lists.html", "Lists", 422 if problem else 200, lists=rows, problem=problem)


def _page(visit: Visit, row: sqlite3.Row, problem: str) -> Response:
    items = visit.db.execute("SELECT * FROM items WHERE list_id = ? ORDER BY is_checked, id", (row["id"],)).fetchall()
    shown = {"list": row, "items": items, "problem": problem}
    return show(visit, "list.html", row["title"], 422 if problem else 200, back="/lists", **shown)


def _item_page(visit: Visit, item: sqlite3.Row, problem: str) -> Response:
    lists = visit.db.execute("SELECT * FROM lists ORDER BY id").fetchall()
    back = f"/lists/{item['list_id']}"
    return show(
        visit, "item.html", "Edit item", 422 if problem else 200, back=back, item=item, lists=lists, problem=problem
    )


def _find(visit: Visit) -> sqlite3.Row | None:
    row: sqlite3.Row | None = visit.db.execute("SELECT * FROM lists WHERE id = ?", (visit.path["id"],)).fetchone()
    return row


def _item(visit: Visit) -> sqlite3.Row | None:
    row: sqlite3.Row | None = visit.db.execute("SELECT * FROM items WHERE id = ?", (visit.path["id"],)).fetchone()
    return row


ROUTES = (
    route("/lists", needs_login(all_lists)),
    route("/lists", needs_login(add_list), methods=["POST"]),
    route("/lists/{id:int}", needs_login(show_list)),
    route("/lists/{id:int}", needs_login(add_item), methods=["POST"]),
    route("/lists/{id:int}/{move}", needs_login(change_list), methods=["POST"]),
    route("/items/{id:int}/edit", needs_login(edit_item)),
    route("/items/{id:int}/edit", needs_login(save_item), methods=["POST"]),
    route("/items/{id:int}/{move}", needs_login(change_item), methods=["POST"]),
)
