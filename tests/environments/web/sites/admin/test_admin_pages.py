"""Pages of the console over HTTP: what shows, what a role permits, what forms refuse."""

from __future__ import annotations

import pytest

PAGES = (
    "/",
    "/machines",
    "/machines/3",
    "/machines/3/edit",
    "/machines/new",
    "/machines/3/ticket",
    "/tickets",
    "/tickets/1001",
    "/jobs",
    "/jobs?month=2026-04",
    "/jobs/list",
    "/jobs/day/2026-03-05",
    "/jobs/5",
    "/jobs/180/edit",
    "/jobs/new?copy=5",
    "/people",
    "/people/4",
    "/people/4/edit",
    "/people/new",
    "/roles",
    "/roles/3",
    "/roles/new",
    "/reports?by=month&region=Coast",
    "/alerts",
    "/alerts/2",
    "/alerts/new",
    "/audit",
    "/exports",
    "/settings",
)
MACHINE = {
    "code": "FK-9001",
    "model": "Brio",
    "location_id": "3",
    "status": "online",
    "firmware": "5.1.6",
    "fill": "50",
    "installed_on": "2026-02-01",
    "serviced_on": "2026-02-02",
    "notes": "",
}
JOB = {
    "title": "Check",
    "kind": "repair",
    "location_id": "3",
    "owner_id": "",
    "day": "2026-03-10",
    "start": "09:00",
    "minutes": "60",
    "notes": "",
}


@pytest.mark.parametrize("path", PAGES)
def test_page_shows(client, path):
    reply = client.get(path)
    assert reply.status_code == 200
    assert "<h1>" in reply.text


@pytest.mark.parametrize("path", ["/machines/9999", "/tickets/1", "/jobs/day/2026-13-01", "/jobs/day/0001-01-01"])
def test_page_that_does_not_exist_is_404(client, path):
    assert client.get(path).status_code == 404


def test_page_asks_for_the_login(client):
    client.post("/logout")
    assert client.get("/machines").url.path == "/login"
    assert client.post("/login", data={"login": "sigrid.barlow", "password": "wrong"}).status_code == 422


def test_login_takes_the_password_and_refuses_inactive_people(client, one):
    active = one("SELECT * FROM people WHERE is_active")
    gone = one("SELECT * FROM people WHERE NOT is_active")
    client.post("/logout")
    assert client.post("/login", data={"login": gone["login"], "password": gone["password"]}).status_code == 422
    reply = client.post("/login", data={"login": active["login"], "password": active["password"]})
    assert active["name"] in reply.text


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("/machines/new", MACHINE),
        ("/machines/bulk", {"ids": "1", "status": "offline"}),
        ("/tickets/1001", {"state": "open"}),
        ("/jobs/180/cancel", {}),
        ("/people/4/switch", {}),
        ("/roles/3", {"name": "x"}),
        ("/export/people", {}),
        ("/settings", {}),
        ("/alerts/2/delete", {}),
    ],
)
def test_viewer_can_change_nothing(client, sessions, one, path, data):
    viewer = one("SELECT login FROM people JOIN roles ON roles.id = role_id WHERE roles.name = 'Viewer' AND is_active")
    sessions.reset("default", viewer["login"])
    assert client.post(path, data=data).status_code == 403
    assert not sessions.changes("default")


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"code": "9001"}, "FK- and four digits"),
        ({"code": "FK-1004"}, "already"),
        ({"firmware": "3.1.0"}, "Brio runs firmware"),
        ({"fill": "101"}, "from 0 to 100"),
        ({"installed_on": "2026-03-03"}, "in the future"),
        ({"serviced_on": "2026-01-01"}, "before the installation"),
        ({"location_id": "99"}, "Choose a value for location"),
    ],
)
def test_machine_form_says_what_is_wrong(client, sessions, changed, problem):
    reply = client.post("/machines/new", data=MACHINE | changed)
    assert (reply.status_code, problem in reply.text) == (422, True)
    assert not sessions.changes("default")


def test_machine_form_adds_a_machine(client, sessions):
    assert client.post("/machines/new", data=MACHINE | {"notes": "<b>"}).status_code == 200
    (added,) = sessions.changes("default")["machines"]["added"]
    assert (added["code"], added["fill"], added["location_id"]) == ("FK-9001", 50, 3)
    assert "<dd>&lt;b&gt;</dd>" in client.get(f"/machines/{added['id']}").text


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"day": "2026-03-01"}, "in the past"),
        ({"day": "2026-03-08"}, "Sundays"),
        ({"start": "05:00"}, "between 06:00 and 20:00"),
        ({"start": "19:30"}, "between 06:00 and 20:00"),
        ({"minutes": "5"}, "from 15 to 480"),
    ],
)
def test_job_form_says_what_is_wrong(client, one, changed, problem):
    owner = one("SELECT id FROM people WHERE is_active")["id"]
    reply = client.post("/jobs/new", data=JOB | {"owner_id": str(owner)} | changed)
    assert (reply.status_code, problem in reply.text) == (422, True)


def test_job_cannot_overlap_another_at_its_location(client, one):
    other = one("SELECT * FROM jobs WHERE state = 'planned' AND minutes >= 60")
    taken = {"location_id": other["location_id"], "owner_id": other["owner_id"], "day": other["day"]}
    reply = client.post("/jobs/new", data=JOB | taken | {"start": other["start"]})
    assert (reply.status_code, "is at this location from" in reply.text) == (422, True)


def test_finished_job_cannot_be_changed(client, one):
    number = one("SELECT id FROM jobs WHERE state = 'finished'")["id"]
    assert client.get(f"/jobs/{number}/edit").status_code == 403
    assert client.post(f"/jobs/{number}/cancel").status_code == 403


def test_person_with_tickets_cannot_be_deactivated(client, one):
    busy = one("SELECT assignee_id AS id FROM tickets WHERE state = 'open' AND assignee_id IS NOT NULL")["id"]
    assert "Hand them over first" in client.post(f"/people/{busy}/switch").text


def test_person_cannot_change_their_own_role_or_deactivate_themselves(client, one):
    me = one("SELECT * FROM people WHERE login = 'sigrid.barlow'")
    form = {key: me[key] for key in ("name", "email", "phone", "team")} | {"role_id": "3"}
    assert client.post(f"/people/{me['id']}/edit", data=form).status_code == 422
    assert client.post(f"/people/{me['id']}/switch").status_code == 403


def test_role_keeps_exactly_the_permissions_ticked(client, one):
    client.post("/roles/3", data={"name": "Planner", "permissions": ["audit.view", "nonsense"]})
    assert one("SELECT group_concat(permission) FROM role_permissions WHERE role_id = 3")[0] == "audit.view"
    assert client.post("/roles/1", data={"name": "Boss"}).status_code == 403
    assert client.post("/roles/2/delete").status_code == 403


def test_change_is_written_into_the_audit_log(client, sessions):
    client.post("/tickets/1001", data={"state": "open", "priority": "urgent", "category": "jam", "assignee_id": "0"})
    shown = client.get("/audit?q=1001").text
    assert "changed priority" in shown
    assert "audit_log" not in sessions.changes("default")


def test_settings_are_checked(client, sessions, one):
    values = {row["key"]: row["value"] for row in sessions.database("default").execute("SELECT * FROM settings")}
    assert client.post("/settings", data=values | {"low_fill": "51"}).status_code == 422
    assert client.post("/settings", data=values | {"low_fill": "50"}).status_code == 200
    assert one("SELECT value FROM settings WHERE key = 'low_fill'")[0] == "50"
