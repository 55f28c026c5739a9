"""What every table of the console offers beside its rows: bulk edits of the rows ticked, exports, and saved views."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from starlette.responses import Response

from agentgym_web.sites.admin.access import guarded, missing, person_of, record, show
from agentgym_web.sites.admin.listing import Listing, as_csv, canonical, clean_query, in_words, read_all, read_page
from agentgym_web.sites.admin.listings import LISTINGS
from agentgym_web.sites.core.page import Visit, needs_login, route


def show_table(visit: Visit, listing: Listing, template: str, **values: Any) -> Response:
    """The page of a table: filters, saved views, rows."""
    page = read_page(visit.db, listing, visit.query)
    views = visit.db.execute(
        "SELECT * FROM saved_views WHERE person_id = ? AND table_name = ? ORDER BY name",
        (person_of(visit)["id"], listing.name),
    ).fetchall()
    filters = [(entry, entry.choices(visit.db) if entry.choices else None) for entry in listing.filters]
    return show(visit, template, page=page, views=views, filters=filters, **values)


def view_of(visit: Visit) -> dict[str, str]:
    """The query of the table that a form was sent from."""
    return dict(parse_qsl(visit.text("view")[:2000]))


def chosen_rows(visit: Visit, listing: Listing) -> list[int]:
    """Ids of the rows that a bulk form means: those ticked, or every row of the view."""
    if visit.text("every"):
        return [row["id"] for row in read_all(visit.db, listing, view_of(visit))]
    known = {row["id"] for row in read_all(visit.db, listing, {})}
    ids = {int(text) for text in visit.many("ids") if text.isdecimal() and len(text) < 10}
    return sorted(ids & known)


def back_to(visit: Visit, listing: Listing, text: str) -> Response:
    """Return to the view that a form was sent from, and say there what happened."""
    visit.flash(text)
    query = canonical(listing, view_of(visit))
    return visit.redirect(f"{listing.path}?{query}" if query else listing.path)


def export(visit: Visit) -> Response:
    """Export all rows of a view as a file."""
    listing = LISTINGS.get(visit.path["table"])
    if listing is None:
        return missing(visit)
    query = clean_query(listing, view_of(visit))
    rows = read_all(visit.db, listing, query)
    ids = ",".join(str(number) for number in sorted(row["id"] for row in rows))
    filters = in_words(visit.db, listing, query)
    cursor = visit.db.execute(
        """INSERT INTO exports (person_id, at, table_name, filters, num_rows, ids, content)
           VALUES (?, ?, ?, ?, ?, ?, ?)""",
        (person_of(visit)["id"], visit.stamp, listing.name, filters, len(rows), ids, as_csv(listing, rows)),
    )
    record(visit, "exports", listing.name, "exported", "", filters)
    visit.flash(f"Exported {len(rows)} rows.")
    return visit.redirect(f"/exports/{cursor.lastrowid}")


def list_exports(visit: Visit) -> Response:
    """All exports, newest first."""
    rows = visit.db.execute(
        """SELECT exports.*, people.name AS person FROM exports JOIN people ON people.id = person_id
           ORDER BY exports.id DESC LIMIT 200"""
    ).fetchall()
    return show(visit, "exports.html", exports=rows)


def show_export(visit: Visit) -> Response:
    """One export, with the link to its file."""
    row = visit.db.execute(
        """SELECT exports.*, people.name AS person FROM exports JOIN people ON people.id = person_id
           WHERE exports.id = ?""",
        (visit.path["id"],),
    ).fetchone()
    return missing(visit) if row is None else show(visit, "export.html", export=row)


def download(visit: Visit) -> Response:
    """The file of an export."""
    row = visit.db.execute("SELECT * FROM exports WHERE id = ?", (visit.path["id"],)).fetchone()
    if row is None:
        return missing(visit)
    name = f"{row['table_name']}-{row['id']}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(row["content"], media_type="text/csv", headers=headers)


def save_view(visit: Visit) -> Response:
    """Keep a view of a table under a name."""
    listing = LISTINGS.get(visit.path["table"])
    if listing is None:
        return missing(visit)
    name, me = visit.text("name"), person_of(visit)["id"]
    if not name or len(name) > 60:
        return back_to(visit, listing, "Not saved: a view needs a name of 1 to 60 characters.")
    same = (me, listing.name, name)
    if visit.db.execute(
        "SELECT 1 FROM saved_views WHERE person_id = ? AND table_name = ? AND name = ?", same
    ).fetchone():
        return back_to(visit, listing, f"Not saved: you have a view named “{name}” already.")
    query = canonical(listing, view_of(visit))
    visit.db.execute("INSERT INTO saved_views (person_id, table_name, name, query) VALUES (?, ?, ?, ?)", (*same, query))
    return back_to(visit, listing, f"Saved the view “{name}”.")


def delete_view(visit: Visit) -> Response:
    """Delete one of one's own views."""
    row = visit.db.execute(
        "SELECT * FROM saved_views WHERE id = ? AND person_id = ?", (visit.path["id"], person_of(visit)["id"])
    ).fetchone()
    if row is None:
        return missing(visit)
    visit.db.execute("DELETE FROM saved_views WHERE id = ?", (row["id"],))
    return back_to(visit, LISTINGS[row["table_name"]], f"Deleted the view “{row['name']}”.")


ROUTES = (
    route("/export/{table}", guarded("exports.create", export), methods=["POST"]),
    route("/exports", needs_login(list_exports)),
    route("/exports/{id:int}", needs_login(show_export)),
    route("/exports/{id:int}/file.csv", needs_login(download)),
    route("/views/{table}", needs_login(save_view), methods=["POST"]),
    route("/views/{id:int}/delete", needs_login(delete_view), methods=["POST"]),
)
