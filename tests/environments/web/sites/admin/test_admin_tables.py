"""Tables of the console: filters, sorting, pages, bulk edits, exports and saved views."""

from __future__ import annotations

import re

import pytest

from agentgym_web.sites.admin.charts import bar_chart, column_chart
from agentgym_web.sites.admin.listing import as_csv, canonical, read_all, read_page
from agentgym_web.sites.admin.listings import LISTINGS, MACHINES, TICKETS


@pytest.fixture
def db(client, sessions):
    return sessions.database("default")


@pytest.mark.parametrize("name", LISTINGS)
def test_table_sorts_by_each_column_both_ways(db, name):
    listing = LISTINGS[name]
    total = db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
    for column in listing.columns:
        for order in ("asc", "desc"):
            assert len(read_all(db, listing, {"sort": column.key, "order": order})) == total


def test_table_sorts_by_rank_not_by_letters(db):
    found = [row["priority"] for row in read_all(db, TICKETS, {"sort": "priority"})]
    assert list(dict.fromkeys(found)) == ["low", "normal", "high", "urgent"]


def test_table_narrows_by_filters(db):
    page = read_page(db, MACHINES, {"status": "offline", "region": "Coast", "fill_below": "50"})
    assert 0 < page.pager.total == len(page.rows)
    assert all((row["status"], row["region"]) == ("offline", "Coast") and row["fill"] < 50 for row in page.rows)


def test_table_finds_unresolved_and_unassigned_tickets(db):
    found = read_all(db, TICKETS, {"state": "unresolved", "assignee": "0"})
    assert {row["state"] for row in found} <= {"open", "in progress", "waiting"}
    assert {row["assignee"] for row in found} == {"nobody"}


def test_table_pages_hold_each_row_once(db):
    seen = [row["id"] for number in range(1, 17) for row in read_page(db, MACHINES, {"page": str(number)}).rows]
    assert len(seen) == len(set(seen)) == 384


@pytest.mark.parametrize("value", ["'", '" OR 1', "%", "\\", "-1", "x" * 5000, "1; DROP TABLE machines"])
def test_table_takes_any_query(client, value):
    keys = ("q", "status", "region", "location", "fill_below", "serviced_before", "sort", "order", "page")
    reply = client.get("/machines", params=dict.fromkeys(keys, value))
    assert reply.status_code == 200


def test_percent_sign_is_searched_as_it_stands(db):
    assert not read_all(db, MACHINES, {"q": "%"})


def test_same_view_has_one_spelling():
    assert canonical(MACHINES, {"region": "Coast", "status": "online", "page": "3", "sort": "code"}) == (
        canonical(MACHINES, {"status": "online", "region": "Coast", "q": " ", "order": "asc"})
    )


def test_bulk_edit_changes_the_rows_ticked(client, sessions):
    client.post("/machines/bulk", data={"ids": ["1", "2", "99999", "x"], "status": "degraded"})
    changed = sessions.changes("default")["machines"]["changed"]
    assert [(after["id"], after["status"]) for _, after in changed] == [(1, "degraded"), (2, "degraded")]


def test_bulk_edit_changes_every_row_of_the_view(client, sessions, db):
    view = "status=offline&region=Coast"
    number = read_page(db, MACHINES, {"status": "offline", "region": "Coast"}).pager.total
    client.post("/machines/bulk", data={"every": "1", "view": view, "status": "degraded"})
    assert len(sessions.changes("default")["machines"]["changed"]) == number > 2


def test_bulk_edit_refuses_firmware_that_some_do_not_run(client, sessions):
    reply = client.post("/machines/bulk", data={"every": "1", "view": "region=Coast", "firmware": "5.2.0"})
    assert "does not run on" in reply.text
    assert not sessions.changes("default")


def test_bulk_edit_of_finished_jobs_is_refused(client, sessions):
    reply = client.post("/jobs/list/bulk", data={"every": "1", "view": "", "state": "cancelled"})
    assert "only planned and paused jobs" in reply.text
    assert not sessions.changes("default")


def test_export_is_recorded_and_downloaded(client, sessions, db):
    reply = client.post("/export/machines", data={"view": "status=offline&region=Coast&page=2"})
    (export,) = sessions.changes("default")["exports"]["added"]
    rows = read_all(db, MACHINES, {"status": "offline", "region": "Coast"})
    assert export["ids"] == ",".join(str(number) for number in sorted(row["id"] for row in rows))
    assert export["filters"] == "Status: offline; Region: Coast"
    file = client.get(f"{reply.url.path}/file.csv")
    assert file.headers["content-disposition"].startswith("attachment")
    assert file.text == as_csv(MACHINES, rows)
    assert file.text.count("\n") == len(rows) + 1


def test_saved_view_is_ones_own(client, sessions, one):
    client.post("/views/tickets", data={"view": "sort=opened&state=open", "name": "Mine <3"})
    view = one("SELECT * FROM saved_views")
    assert view["query"] == "order=asc&sort=opened&state=open"
    assert "Mine &lt;3" in client.get("/tickets").text
    assert "Not saved" in client.post("/views/tickets", data={"view": "", "name": "Mine <3"}).text
    other = one("SELECT login FROM people WHERE is_active AND login != 'sigrid.barlow'")["login"]
    sessions.database("default").execute("UPDATE _visitor SET user = ?", (other,))
    assert client.post(f"/views/{view['id']}/delete").status_code == 404


def test_report_adds_up(client, one):
    total = one("SELECT sum(revenue) FROM sales WHERE month = '2025-06'")[0]
    for group in ("region", "location", "kind", "month"):
        shown = client.get(f"/reports?by={group}&first=2025-06&last=2025-06").text
        assert f"{total:,}" in shown


def test_chart_shows_its_numbers_and_escapes_its_labels():
    for chart in (bar_chart, column_chart):
        svg = chart('A "title"', [("<b>", 1200), ("c", 0)])
        assert "1,200" in svg
        assert "<b>" not in svg
        assert 'aria-label="A &#34;title&#34;"' in svg
        assert len(re.findall("<rect", svg)) == 2
        assert chart("Empty", []).startswith("<svg")
