"""The APIs: what they show, what they refuse, and that nobody reaches what belongs to others."""

from __future__ import annotations

import pytest

from agentgym.errors import ActionSyntaxError
from agentgym_tools.apps.base.bases import bench_of
from agentgym_tools.apps.catalogue import APPS, carry_out, checked
from agentgym_tools.apps.contents import contents_of
from agentgym_tools.worlds.calls import Call

ME, OTHER = 5, 50
APIS = [(name, api, tool) for name, app in APPS.items() for api, tool in app.tools.items()]
OWNED = {
    "contact_id": "SELECT id FROM contacts WHERE owner = ?",
    "group_id": "SELECT id FROM contact_groups WHERE owner = ?",
    "mail_id": "SELECT id FROM mails WHERE owner = ?",
    "draft_id": "SELECT id FROM mails WHERE owner = ?",
    "event_id": "SELECT id FROM events WHERE owner = ? AND id NOT IN (SELECT event_id FROM guests)",
    "note_id": "SELECT id FROM notes WHERE owner = ?",
    "chat_id": "SELECT chat_id FROM chat_members WHERE person_id = ?",
    "message_id": "SELECT id FROM messages WHERE sender = ?",
    "playlist_id": "SELECT id FROM playlists WHERE owner = ? AND NOT is_public",
    "card_id": "SELECT id FROM cards WHERE owner = ?",
    "transfer_id": "SELECT id FROM transfers WHERE sender = ?",
    "request_id": "SELECT id FROM requests WHERE payer = ?",
    "order_id": "SELECT id FROM orders WHERE owner = ?",
    "review_id": "SELECT id FROM reviews WHERE author = ?",
    "file_id": "SELECT id FROM files WHERE owner = ? AND id NOT IN (SELECT file_id FROM shares)",
    "list_id": "SELECT id FROM todo_lists WHERE owner = ?",
    "task_id": "SELECT id FROM todos WHERE owner = ?",
    "step_id": "SELECT steps.id FROM steps JOIN todos ON todos.id = todo_id WHERE owner = ?",
}
TEXTS = {
    "day": "2031-10-20",
    "first_day": "2031-10-01",
    "last_day": "2031-10-20",
    "start": "10:00",
    "email": "x@mail.test",
}


def arguments_of(tool, ids, number=1):
    """Plausible required arguments, with these ids."""
    schema = tool["function"]["parameters"]
    found = {}
    for name in schema["required"]:
        each = schema["properties"][name]
        kind = {"integer": number, "boolean": True, "array": ["x"]}.get(each["type"], TEXTS.get(name, "x"))
        found[name] = ids.get(name, each["enum"][0] if "enum" in each else kind)
    return found


def test_there_are_ten_apps_with_more_than_150_apis_each_documented():
    assert len(APPS) == 11, "ten, and the supervisor"
    assert len(APIS) > 200
    for name, api, tool in APIS:
        for parameter, schema in tool["function"]["parameters"]["properties"].items():
            assert schema["description"], (name, api, parameter)


def test_nothing_of_others_is_shown_or_changed_by_its_number(world):
    with world.call(may_write=False):
        ids = {name: world.rows(sql, OTHER)[0][0] for name, sql in OWNED.items()}
    tried = 0
    for app, api, tool in APIS:
        given = arguments_of(tool, ids)
        if not set(given) & set(OWNED):
            continue
        tried += 1
        result = carry_out(world, ME, Call(f"{app}.{api}", given))
        assert result.is_failure, (app, api, given, result.answer)
        assert not result.seen
    assert tried > 80
    assert not world.changes()


@pytest.mark.parametrize("number", [-100, 0, 10**30])
def test_numbers_out_of_range_change_nothing(world, number):
    for app, api, tool in APIS:
        given = arguments_of(tool, {}, number)
        if tool.is_writing and any(type(value) is int for value in given.values()):
            assert carry_out(world, ME, Call(f"{app}.{api}", given)).is_failure, (app, api)
    assert not world.changes()


def test_sql_in_arguments_is_text(world):
    said = "x'; DELETE FROM notes; --"
    for app, api, tool in APIS:
        if not tool.is_writing:
            carry_out(
                world,
                ME,
                Call(f"{app}.{api}", {**arguments_of(tool, {}), "query": said} if "query" in str(tool) else {}),
            )
    number = carry_out(world, ME, Call("notes.create_note", {"title": "t", "text": said})).answer["note_id"]
    assert carry_out(world, ME, Call("notes.get_note", {"note_id": number})).answer["text"] == said
    assert [change.table for change in world.changes()] == ["notes"]


@pytest.mark.parametrize(
    ("app", "api", "arguments", "said"),
    [
        ("male", "send_mail", {}, "Did you mean mail"),
        ("mail", "send_mial", {}, "send_mail"),
        ("mail", "send_mail", {"to": "x"}, "needs the argument 'subject'"),
        ("mail", "get_mail", {"mail_id": "7"}, "must be an integer"),
        ("mail", "get_mail", {"mail_id": 7, "id": 7}, "no argument 'id'"),
        ("mail", "__init__", {}, "has no API"),
    ],
)
def test_wrong_calls_are_explained(app, api, arguments, said):
    with pytest.raises(ActionSyntaxError, match=said):
        checked(app, api, arguments)


def test_money_is_moved_and_never_made(world):
    def total() -> int:
        with world.call(may_write=False):
            rows = world.rows("SELECT (SELECT sum(balance) FROM wallets) + (SELECT sum(room) FROM cards)")
        return int(rows[0][0])

    before = total()
    with world.call(may_write=False):
        email = world.rows("SELECT email FROM people WHERE id = ?", OTHER)[0][0]
        card = world.rows("SELECT id FROM cards WHERE owner = ? AND expires > '2032'", ME)[0][0]
    for tool, given in (
        ("payments.send_money", {"email": email, "amount_cents": 700}),
        ("payments.top_up", {"card_id": card, "amount_cents": 300}),
        ("payments.withdraw", {"card_id": card, "amount_cents": 100}),
    ):
        assert not carry_out(world, ME, Call(tool, given)).is_failure
    assert total() == before
    assert carry_out(world, ME, Call("payments.send_money", {"email": email, "amount_cents": 999_999})).is_failure
    assert total() == before


def test_pages_follow_each_other_and_end(world):
    with world.call(may_write=False):
        number = world.rows("SELECT count(*) FROM mails WHERE owner = ? AND folder = 'inbox'", ME)[0][0]
    found = []
    for page in range(50):
        mails = carry_out(world, ME, Call("mail.list_mails", {"page": page, "limit": 3})).answer
        found += [mail["mail_id"] for mail in mails]
        if len(mails) < 3:
            break
    assert len(found) == len(set(found)) == number


def test_contents_are_equal_whatever_the_order_of_new_rows(world):
    one = [
        Call("todo.create_list", {"title": "A"}),
        Call("todo.create_list", {"title": "B"}),
        Call("todo.add_task", {"list_id": 301, "title": "in a"}),
        Call("todo.add_task", {"list_id": 302, "title": "in b"}),
    ]
    other = [
        Call("todo.create_list", {"title": "B"}),
        Call("todo.add_task", {"list_id": 301, "title": "in b"}),
        Call("todo.create_list", {"title": "A"}),
        Call("todo.add_task", {"list_id": 302, "title": "in a"}),
    ]
    swapped = [*one[:2], Call("todo.add_task", {"list_id": 302, "title": "in a"}), one[3]]
    found = []
    for calls in (one, other, swapped):
        fresh = world.fork()
        assert not any(carry_out(fresh, ME, call).is_failure for call in calls)
        found.append(contents_of(fresh.changes()))
        fresh.close()
    assert found[0] == found[1] != found[2]


def test_people_know_each_other_and_their_mails_and_chats_are_shared():
    db = bench_of("full").base.connect()
    one_sided = (
        "SELECT count(*) FROM contacts JOIN people ON people.name = contacts.name WHERE NOT EXISTS (SELECT 1 FROM "
        "contacts AS back JOIN people AS me ON me.id = contacts.owner WHERE back.owner = people.id AND "
        "back.name = me.name)"
    )
    assert db.execute(one_sided).fetchone()[0] == 0
    sent = "SELECT thread FROM mails WHERE folder = 'sent'"
    assert db.execute(f"SELECT count(*) FROM mails WHERE folder != 'sent' AND thread IN ({sent})").fetchone()[0] > 1000
    db.close()
