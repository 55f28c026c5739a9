"""Pages of the mail service, over HTTP."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agentgym_web.sites.core.site import snapshot
from agentgym_web.sites.mail.app import SITE
from agentgym_web.sites.mail.messages import read_addresses

PAGES = ("/", "/search?q=invoice", "/compose", "/contacts", "/contacts/new", "/organise", "/rules", "/settings")


def first(db, sql, *values):
    return db().execute(sql, values).fetchone()


def folder(db, owner, name):
    return first(db, "SELECT id FROM folder WHERE login = ? AND name = ?", owner, name)["id"]


def inbox(db, owner, where="1"):
    sql = f"SELECT * FROM message WHERE folder_id = ? AND {where} ORDER BY id"
    return db().execute(sql, (folder(db, owner, "Inbox"),)).fetchall()


def written(sessions):
    return sessions.changes("default").get("message", {}).get("added", [])


@pytest.mark.parametrize("path", PAGES)
def test_page_shows(client, path):
    reply = client.get(path)
    assert reply.status_code == 200
    assert "<h1>" in reply.text


@pytest.mark.parametrize("path", PAGES)
def test_page_asks_for_the_login(client, path):
    client.post("/logout")
    assert client.get(path).url.path == "/login"


@pytest.mark.parametrize(
    "path", ["/folder/9999", "/label/9999", "/message/99999", "/attachment/9999", "/contacts/9999"]
)
def test_page_that_does_not_exist_is_404(client, path):
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("query", ['"', "' OR 1=1", "%", "_", "<b>", "x" * 3000])
def test_search_takes_any_text(client, query):
    asked = {"q": query, "sender": query, "after": query, "in": query, "page": query, "sort": query, "show": query}
    reply = client.get("/search", params=asked)
    assert reply.status_code == 200
    assert "<b>" not in reply.text


def test_search_holds_all_words_in_any_case(client, db, owner):
    row = inbox(db, owner)[0]
    word = row["subject"].split()[0].upper()
    assert row["subject"].split()[0] in client.get("/search", params={"q": f"{word} {row['sender']}"}).text


def test_reading_marks_as_read_and_changes_nothing_else(client, db, sessions, owner):
    row = inbox(db, owner, "id NOT IN (SELECT message_id FROM reading)")[0]
    assert row["body"].splitlines()[0].replace("'", "&#39;") in client.get(f"/message/{row['id']}").text
    assert first(db, "SELECT 1 FROM reading WHERE message_id = ?", row["id"])
    assert not sessions.changes("default")


def test_message_is_sent_with_a_file(client, db, sessions, owner):
    fields = {
        "to": "Ana <a@x.test>; b@y.test,a@x.test",
        "subject": "<b>Hi</b>",
        "body": "Line\n\n<script>",
        "act": "send",
    }
    client.post("/compose", data=fields, files={"files": ("note.txt", b"hello")})
    (row,) = written(sessions)
    assert row["recipients"] == "a@x.test, b@y.test"
    assert row["folder_id"] == folder(db, owner, "Sent")
    assert [one["name"] for one in sessions.changes("default")["attachment"]["added"]] == ["note.txt"]
    page = client.get(f"/message/{row['id']}").text
    assert "<script>" not in page
    assert "<b>Hi" not in page


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"to": "", "subject": "x"}, "Type one or more e-mail addresses"),
        ({"to": "nobody", "subject": "x"}, "Type one or more e-mail addresses"),
        ({"to": "a@x.test", "copies": "@", "subject": "x"}, "not e-mail addresses"),
        ({"to": "a@x.test", "subject": ""}, "Type a subject"),
    ],
)
def test_message_that_cannot_be_sent_says_why(client, sessions, fields, words):
    reply = client.post("/compose", data={"body": "kept text", "act": "send", **fields})
    assert reply.status_code == 422
    assert words in reply.text
    assert "kept text" in reply.text
    assert not sessions.changes("default")


def test_addresses_are_read_with_names_and_once():
    assert read_addresses("A B <a@x.test>, C@X.test; a@x.test") == ["a@x.test", "c@x.test"]
    assert read_addresses("a@x.test b@x.test") is None


def test_reply_goes_to_the_sender_and_keeps_the_conversation(client, db, sessions, owner):
    row = inbox(db, owner)[0]
    page = client.get(f"/message/{row['id']}/reply").text
    assert f'value="{row["sender"]}"' in page
    client.post("/compose", data={"to": row["sender"], "subject": "Re", "thread": row["thread"], "act": "send"})
    assert written(sessions)[0]["thread"] == row["thread"]


def test_forward_takes_the_files_along(client, db, sessions, owner):
    row = inbox(db, owner, "id IN (SELECT message_id FROM attachment)")[0]
    client.post("/compose", data={"to": "a@x.test", "subject": "Fwd", "forwards": row["id"], "act": "send"})
    names = [one["name"] for one in sessions.changes("default")["attachment"]["added"]]
    assert names == [first(db, "SELECT name FROM attachment WHERE message_id = ?", row["id"])["name"]]


def test_hidden_fields_cannot_reach_the_mail_of_another(client, db, sessions, owner):
    other = first(db, "SELECT id FROM message WHERE login != ? AND id IN (SELECT message_id FROM attachment)", owner)[
        "id"
    ]
    client.post("/compose", data={"to": "a@x.test", "subject": "x", "forwards": other, "thread": other, "act": "send"})
    (row,) = written(sessions)
    assert row["forwards"] is None
    assert "attachment" not in sessions.changes("default")
    drafts = first(
        db, "SELECT m.id FROM message m JOIN folder f ON f.id = folder_id WHERE kind = 'drafts' AND m.login != ?", owner
    )
    reply = client.post("/compose", data={"to": "a@x.test", "subject": "x", "draft": drafts["id"], "act": "send"})
    assert reply.status_code == 403


@pytest.mark.parametrize("path", ["/message/{}", "/message/{}/reply", "/message/{}/forward", "/message/{}/draft"])
def test_nobody_reads_the_mail_of_another(client, db, owner, path):
    other = first(db, "SELECT id FROM message WHERE login != ?", owner)["id"]
    assert client.get(path.format(other)).status_code == 403


def test_nobody_reads_files_contacts_and_rules_of_another(client, db, sessions, owner):
    sql = "SELECT a.id FROM attachment a JOIN message m ON m.id = a.message_id WHERE login != ?"
    file = first(db, sql, owner)["id"]
    contact = first(db, "SELECT id FROM contact WHERE login != ?", owner)["id"]
    rule = first(db, "SELECT id FROM rule WHERE login != ?", owner)["id"]
    assert client.get(f"/attachment/{file}").status_code == 403
    assert client.get(f"/attachment/{file}/download").status_code == 403
    assert client.post(f"/contacts/{contact}", data={"act": "delete"}).status_code == 403
    assert client.post(f"/rules/{rule}", data={"act": "delete"}).status_code == 403
    assert not sessions.changes("default")


def test_ticked_messages_are_moved_together(client, db, sessions, owner):
    rows = inbox(db, owner)[:3]
    target = folder(db, owner, "Later")
    client.post(
        "/messages", data={"message": [row["id"] for row in rows], "act": "move", "folder": target, "back": "/"}
    )
    changed = sessions.changes("default")["message"]["changed"]
    assert [after["folder_id"] for _, after in changed] == [target] * 3


def test_ticked_messages_of_another_are_refused(client, db, sessions, owner):
    other = first(db, "SELECT id FROM message WHERE login != ?", owner)["id"]
    mine = inbox(db, owner)[0]["id"]
    assert client.post("/messages", data={"message": [mine, other], "act": "delete"}).status_code == 403
    target = first(db, "SELECT id FROM folder WHERE login != ?", owner)["id"]
    client.post("/messages", data={"message": [mine], "act": "move", "folder": target})
    assert not sessions.changes("default")


def test_deleting_moves_to_the_trash_and_from_there_for_good(client, db, sessions, owner):
    row = inbox(db, owner)[0]
    client.post(f"/message/{row['id']}", data={"act": "delete"})
    assert first(db, "SELECT folder_id FROM message WHERE id = ?", row["id"])[0] == folder(db, owner, "Trash")
    client.post(f"/message/{row['id']}", data={"act": "delete"})
    assert first(db, "SELECT 1 FROM message WHERE id = ?", row["id"]) is None


def test_only_trash_and_spam_can_be_emptied(client, db, sessions, owner):
    assert client.post(f"/folder/{folder(db, owner, 'Inbox')}/empty").status_code == 403
    assert not sessions.changes("default")
    client.post(f"/folder/{folder(db, owner, 'Spam')}/empty")
    assert sessions.changes("default")["message"]["removed"]


def test_folder_that_holds_messages_stays(client, db, sessions, owner):
    receipts = folder(db, owner, "Receipts")
    db().execute("UPDATE message SET folder_id = ? WHERE id = ?", (receipts, inbox(db, owner)[0]["id"]))
    assert "is not empty" in client.post(f"/organise/folder/{receipts}", data={"act": "delete"}).text
    assert "folder" not in sessions.changes("default")
    assert client.post(f"/organise/folder/{folder(db, owner, 'Inbox')}", data={"act": "delete"}).status_code == 403


def test_rule_is_carried_out_on_the_inbox(client, db, sessions, owner):
    count = len(inbox(db, owner, "lower(subject) LIKE '%invoice%'"))
    fields = {"field": "Subject", "words": "INVOICE", "act": "Add label", "target": "Label: Money", "now": "1"}
    client.post("/rules", data=fields)
    assert len(sessions.changes("default")["message_label"]["added"]) == count > 0


@pytest.mark.parametrize(
    "fields", [{"words": ""}, {"target": "Label: Money"}, {"target": "Folder: None"}, {"act": "Sing"}]
)
def test_rule_that_makes_no_sense_is_refused(client, sessions, fields):
    good = {"field": "Sender", "words": "x", "act": "Move to folder", "target": "Folder: Later"}
    assert client.post("/rules", data={**good, **fields}).status_code == 422
    assert not sessions.changes("default")


def test_contact_says_what_is_wrong(client, sessions):
    reply = client.post("/contacts/new", data={"name": "", "email": "x", "phone": "abc"})
    assert reply.text.count('class="problem"') == 3
    assert not sessions.changes("default")


def test_reply_while_away_needs_days_in_order(client, sessions):
    fields = {"is_away": "1", "away_from": "2026-05-02", "away_until": "2026-05-01", "away_text": "x", "signature": ""}
    assert "before the first" in client.post("/settings", data=fields).text
    assert not sessions.changes("default")


def test_data_are_the_same_in_every_process():
    code = (
        "import hashlib; from agentgym_web.sites.core.site import snapshot;"
        "from agentgym_web.sites.mail.app import SITE;"
        "print(hashlib.sha256(snapshot(SITE)).hexdigest())"
    )
    made = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout for _ in "ab"
    }
    assert len(made) == 1
    assert len(snapshot(SITE)) < 4e6
