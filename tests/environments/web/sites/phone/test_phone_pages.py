"""Screens of the phone over HTTP: what shows, what is refused, and what each action changes."""

from __future__ import annotations

import pytest

from agentgym_web.sites.phone.dialogues import SINGLE
from agentgym_web.sites.phone.tasks.draws import stories

SCREENS = (
    "/",
    "/chats",
    "/chats?show=archived",
    "/chats?show=groups&q=a",
    "/chats/3",
    "/chats/40",
    "/chats/35/about",
    "/chats/36/about",
    "/chats/new",
    "/messages/3/forward",
    "/messages/starred",
    "/calendar",
    "/calendar?day=2026-04-01&calendar=Work",
    "/calendar/search?q=yoga",
    "/events/3",
    "/events/3/edit",
    "/events/new?day=2026-03-03",
    "/lists",
    "/lists/2",
    "/items/4/edit",
    "/contacts",
    "/contacts/4",
    "/contacts/new",
    "/contacts/5/edit",
    "/alarms",
    "/alarms/new",
    "/alarms/2",
    "/settings",
    "/more",
)
EVENT = {"title": "Tea", "calendar_id": "1", "day": "2026-03-05", "start": "15:00", "end": "16:00", "remind": "0"}


@pytest.mark.parametrize("path", SCREENS)
def test_screen_shows(client, path):
    reply = client.get(path)
    assert reply.status_code == 200
    assert "<h1>" in reply.text


@pytest.mark.parametrize("path", SCREENS)
def test_locked_phone_shows_the_lock(client, path):
    client.post("/lock")
    assert client.get(path).url.path == "/login"


def test_lock_opens_with_the_pin_alone(client):
    client.post("/lock")
    assert client.post("/login", data={"pin": "0000"}).status_code == 422
    assert client.post("/login", data={"pin": "4821", "next": "/lists"}).url.path == "/lists"


@pytest.mark.parametrize("path", ["/chats/999", "/events/999", "/lists/99", "/items/999", "/contacts/999", "/alarms/9"])
def test_screen_that_does_not_exist_is_404(client, path):
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("query", ['"', "' OR 1=1", "%", "<b>", "x" * 5000, "\\"])
def test_search_takes_any_text(client, query):
    for path in ("/chats", "/contacts", "/calendar/search", "/calendar"):
        reply = client.get(path, params={"q": query, "show": query, "day": query, "calendar": query})
        assert reply.status_code == 200
        assert "<b>" not in reply.text


def test_message_is_sent_and_escaped(client, sessions):
    client.post("/chats/5", data={"text": "<i>hi</i>"})
    (added,) = sessions.changes("default")["messages"]["added"]
    assert (added["chat_id"], added["sender_id"], added["text"]) == (5, None, "<i>hi</i>")
    assert "<i>hi</i>" not in client.get("/chats/5").text
    assert client.post("/chats/5", data={"text": " "}).status_code == 422


def test_looking_at_a_chat_changes_nothing_that_counts(client, sessions, one):
    chat = one("SELECT chat_id FROM unread WHERE number > 0")[0]
    client.get(f"/chats/{chat}")
    assert one("SELECT number FROM unread WHERE chat_id = ?", chat)[0] == 0
    assert not sessions.changes("default")


def test_waiting_message_comes_with_a_refresh(client, sessions, one):
    waiting = one("SELECT messages.* FROM messages JOIN waiting ON message_id = messages.id")
    assert waiting["text"] not in client.get(f"/chats/{waiting['chat_id']}").text
    assert client.get(f"/messages/{waiting['id']}/forward").status_code == 404
    assert "new messages" in client.post("/chats/refresh").text
    assert waiting["text"] in client.get(f"/chats/{waiting['chat_id']}").text
    assert not sessions.changes("default")


@pytest.mark.parametrize(("move", "column"), [("pin", "is_pinned"), ("mute", "is_muted"), ("archive", "is_archived")])
def test_chat_is_switched_and_back(client, sessions, move, column):
    client.post(f"/chats/3/{move}")
    ((before, after),) = sessions.changes("default")["chats"]["changed"]
    assert before[column] != after[column]
    client.post(f"/chats/3/{move}")
    assert not sessions.changes("default")


def test_deleted_chat_is_gone_with_its_messages(client, sessions, one):
    number = one("SELECT count(*) FROM messages WHERE chat_id = 2")[0]
    client.post("/chats/2/delete")
    changes = sessions.changes("default")
    assert len(changes["messages"]["removed"]) == number > 0
    assert client.get("/chats/2").status_code == 404


def test_chat_with_a_person_is_opened_once(client, sessions, one):
    known = one("SELECT contact_id, chat_id FROM members JOIN chats ON chats.id = chat_id WHERE NOT is_group")
    assert client.post(f"/contacts/{known[0]}/message").url.path == f"/chats/{known[1]}"
    assert not sessions.changes("default")


def test_group_needs_a_name_and_blocked_people_stay_out(client, one):
    blocked = str(one("SELECT id FROM contacts WHERE is_blocked")[0])
    assert client.post("/chats/new", data={"people": ["1", "2"]}).status_code == 422
    assert client.post("/chats/new", data={"people": [blocked], "title": "x"}).status_code == 422
    assert client.post(f"/contacts/{blocked}/message").status_code == 403


def test_group_of_somebody_else_cannot_be_changed(client, sessions, one):
    group = one("SELECT id FROM chats WHERE is_group AND NOT is_mine")[0]
    assert client.post(f"/chats/{group}/about", data={"title": "Mine"}).status_code == 403
    assert client.post(f"/chats/{group}/members/1").status_code == 403
    assert not sessions.changes("default")


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"title": ""}, "Title is required"),
        ({"calendar_id": "9"}, "Choose a calendar"),
        ({"day": "5 March"}, "Day must be a date"),
        ({"end": "15:00"}, "after the start"),
        ({"start": "25:00"}, "Start must be a time"),
    ],
)
def test_event_form_says_what_is_wrong(client, sessions, changed, problem):
    reply = client.post("/events/new", data=EVENT | changed)
    assert (reply.status_code, problem in reply.text) == (422, True)
    assert not sessions.changes("default")


def test_event_is_copied_to_the_next_week(client, sessions, one):
    client.post("/events/20/repeat")
    (added,) = sessions.changes("default")["events"]["added"]
    before = one("SELECT * FROM events WHERE id = 20")
    assert {key: added[key] for key in ("title", "start", "end", "place")} == {
        key: before[key] for key in ("title", "start", "end", "place")
    }
    assert added["day"] > before["day"]


def test_items_are_checked_moved_and_cleared(client, sessions, one):
    item = one("SELECT * FROM items WHERE list_id = 1 AND NOT is_checked")
    client.post(f"/items/{item['id']}/edit", data={"text": "two lemons", "list_id": "2"})
    client.post(f"/items/{item['id']}/check")
    ((_, after),) = sessions.changes("default")["items"]["changed"]
    assert (after["text"], after["list_id"], after["is_checked"]) == ("two lemons", 2, 1)
    client.post("/lists/2/clear")
    assert one("SELECT count(*) FROM items WHERE list_id = 2 AND is_checked")[0] == 0


def test_new_alarm_does_not_take_the_id_of_a_deleted_one(client, sessions):
    client.post("/alarms/6/delete")
    client.post("/alarms/new", data={"time": "05:05", "label": "Bus", "days": "once"})
    changes = sessions.changes("default")["alarms"]
    assert (len(changes["added"]), len(changes["removed"]), changes["changed"]) == (1, 1, [])


def test_settings_are_checked(client, sessions):
    values = {row["key"]: row["value"] for row in sessions.database("default").execute("SELECT * FROM settings")}
    assert client.post("/settings", data=values | {"volume": "101"}).status_code == 422
    client.post("/settings", data=values | {"volume": "35"})
    assert len(sessions.changes("default")["settings"]["changed"]) == 1


@pytest.mark.parametrize("kind", [make.__name__ for make in SINGLE])
def test_stories_say_what_their_messages_say(sessions, kind):
    db = sessions.database("default")
    told = stories(db, kind)
    assert len(told) > 3
    for story in told:
        sql = "SELECT group_concat(text, ' ') FROM messages WHERE id BETWEEN ? AND ?"
        text = db.execute(sql, (story.first, story.last)).fetchone()[0]
        for key in ("code", "address", "phone", "amount", "number"):
            assert str(story.facts.get(key, "")) in text
