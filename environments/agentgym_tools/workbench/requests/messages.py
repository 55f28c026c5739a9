"""Requests about messages."""

from __future__ import annotations

from typing import Any

from agentgym_tools.workbench.cases import Case, View, do, leave, tell
from agentgym_tools.workbench.rows.messages import LINES, NICKNAMES, PLANS
from agentgym_tools.workbench.rows.people import PEOPLE
from agentgym_tools.workbench.sets.toolbox import LISTED
from agentgym_tools.workbench.template import ANSWER, Facts, Pick, Template, UndrawableError, direct
from agentgym_tools.worlds.calls import Call

_CONTACTS = "SELECT * FROM contacts WHERE owner = ? ORDER BY person"
_MESSAGES = "SELECT * FROM messages WHERE owner = ? ORDER BY id"


def _contact(pick: Pick) -> Any:
    return pick.row(_CONTACTS, pick.me)


def _nickname(pick: Pick) -> Facts:
    return {"nickname": _contact(pick)["nickname"]}


def _no_nickname(pick: Pick) -> str:
    used = {row["nickname"] for row in pick.view.rows(_CONTACTS, pick.me)}
    return pick.one([name for name in NICKNAMES if name not in used])


def _line(pick: Pick) -> str:
    return pick.one(LINES).format(plan=pick.one(PLANS), hour=f"{pick.number(8, 21)}:05", count=pick.number(100, 180))


def _to(view: View, name: str, tool: str, /, **arguments: Any) -> Case:
    """A call that takes the contact with a nickname."""
    found = view.row("SELECT person FROM contacts WHERE owner = ? AND nickname = ?", view.me, name)
    reads = [Call("find_contact", {"nickname": name})]
    if found is None:
        return leave("not_found", reads, [("missing", name)], [(LISTED, "contacts")])
    return do(Call(tool, {"contact": found[0], **arguments}), reads=reads)


def _send(view: View, facts: Facts) -> Case:
    return _to(view, facts["nickname"], "send_message", text=facts["text"])


def _send_answer(view: View, facts: Facts) -> Case:
    return _to(view, facts["nickname"], "send_message", text=str(view.answer))


def _mute(view: View, facts: Facts) -> Case:
    return _to(view, facts["nickname"], "mute_contact")


def _unmute(view: View, facts: Facts) -> Case:
    return _to(view, facts["nickname"], "unmute_contact")


def _rename(view: View, facts: Facts) -> Case:
    return _to(view, facts["old"], "rename_contact", nickname=facts["nickname"])


def _remove(view: View, facts: Facts) -> Case:
    return _to(view, facts["nickname"], "remove_contact")


def _of(view: View, nickname: str) -> list[Any]:
    """The messages to and from the contact with a nickname."""
    person = view.value("SELECT person FROM contacts WHERE owner = ? AND nickname = ?", view.me, nickname)
    sql = "SELECT id, text, is_read FROM messages WHERE owner = ? AND other = ? ORDER BY id"
    return view.rows(sql, view.me, person)


def _reads(view: View, nickname: str) -> tuple[list[Call], str]:
    """Calls that show a conversation, and the contact's handle."""
    person = view.value("SELECT person FROM contacts WHERE owner = ? AND nickname = ?", view.me, nickname)
    calls = [Call("find_contact", {"nickname": nickname}), Call("list_conversation", {"contact": person})]
    return calls, person


def _delete_about(view: View, facts: Facts) -> Case:
    found = [row["id"] for row in _of(view, facts["nickname"]) if facts["plan"] in row["text"].lower()]
    if not 1 <= len(found) <= 4:
        raise UndrawableError
    calls = [Call("delete_message", {"message_id": number}) for number in found]
    return do(*calls, reads=_reads(view, facts["nickname"])[0])


def _count_about(view: View, facts: Facts) -> Case:
    found = [row["id"] for row in _of(view, facts["nickname"]) if facts["plan"] in row["text"].lower()]
    reads, person = _reads(view, facts["nickname"])
    listed = (f"conversation {person}", f"messages {facts['plan']}")
    return tell(len(found), reads, *([(LISTED, name)] for name in listed))


def _about(pick: Pick) -> Facts:
    row = pick.row(
        "SELECT m.text, c.nickname FROM messages m JOIN contacts c ON c.owner = m.owner AND c.person = m.other "
        "WHERE m.owner = ? ORDER BY m.id",
        pick.me,
    )
    return {"plan": pick.one([plan for plan in PLANS if plan in row["text"].lower()]), "nickname": row["nickname"]}


def _read_all(view: View, facts: Facts) -> Case:
    found = [row["id"] for row in _of(view, facts["nickname"]) if not row["is_read"]]
    reads, person = _reads(view, facts["nickname"])
    if not found:
        listed = (f"conversation {person}", "unread")
        return leave("already_so", reads, *([(LISTED, name)] for name in listed))
    if len(found) > 5:
        raise UndrawableError
    return do(*(Call("mark_read", {"message_id": number}) for number in found), reads=reads)


def _forward_last(view: View, facts: Facts) -> Case:
    found = _of(view, facts["nickname"])
    if not found or facts["nickname"] == facts["other"]:
        raise UndrawableError
    reads, _ = _reads(view, facts["nickname"])
    target = view.value("SELECT person FROM contacts WHERE owner = ? AND nickname = ?", view.me, facts["other"])
    call = Call("forward_message", {"message_id": found[-1]["id"], "contact": target})
    return do(call, reads=[*reads, Call("find_contact", {"nickname": facts["other"]})])


def _count_unread(view: View, facts: Facts) -> Case:
    found = view.rows("SELECT id FROM messages WHERE owner = ? AND is_read = 0", view.me)
    return tell(len(found), [Call("list_unread")], [(LISTED, "unread")])


def _star_last(view: View, facts: Facts) -> Case:
    return do(Call("star_message", {"message_id": view.added("messages")}))


def _forward_sent(view: View, facts: Facts) -> Case:
    found = view.row("SELECT person FROM contacts WHERE owner = ? AND nickname = ?", view.me, facts["nickname"])
    message = view.added("messages")
    other = view.value("SELECT other FROM messages WHERE id = ?", message)
    if found is None or found[0] == other:
        raise UndrawableError
    call = Call("forward_message", {"message_id": message, "contact": found[0]})
    return do(call, reads=[Call("find_contact", {"nickname": facts["nickname"]})])


def _stranger(pick: Pick) -> Facts:
    known = {row["person"] for row in pick.view.rows(_CONTACTS, pick.me)}
    person = pick.one([each.id for each in PEOPLE if each.id not in known and each.id != pick.me])
    return {"person": person, "nickname": _no_nickname(pick)}


def _known(pick: Pick) -> Facts:
    return {"person": _contact(pick)["person"], "nickname": _no_nickname(pick)}


def _message(pick: Pick) -> Facts:
    return {"message_id": pick.row(_MESSAGES, pick.me)["id"]}


def _no_message(pick: Pick) -> Facts:
    return {"message_id": pick.number(90_000, 99_000)}


MESSAGES = "messages"
TEMPLATES = (
    Template(
        *("send", MESSAGES),
        ('Send my contact "{nickname}" this message: "{text}"', 'Write to "{nickname}": "{text}"'),
        lambda pick: {**_nickname(pick), "text": _line(pick)},
        _send,
        idle=lambda pick: {"nickname": _no_nickname(pick), "text": _line(pick)},
        missing="text",
        vague=('Send my contact "{nickname}" a message.', 'Write to "{nickname}" for me.'),
        key_tool="send_message",
    ),
    direct(
        *("add_contact", MESSAGES, "add_contact"),
        (
            'Add {person} to my contacts with the nickname "{nickname}".',
            'Make {person} a contact of mine, called "{nickname}".',
        ),
        _stranger,
        idle=_known,
        missing="nickname",
        vague=("Add {person} to my contacts.", "Make {person} a contact of mine."),
    ),
    Template(
        *("rename_contact", MESSAGES),
        (
            'My contact "{old}" shall have the nickname "{nickname}".',
            'Call "{old}" from now on "{nickname}" among my contacts.',
        ),
        lambda pick: {"old": _contact(pick)["nickname"], "nickname": _no_nickname(pick)},
        _rename,
        missing="nickname",
        vague=('My contact "{old}" shall have another nickname.',),
    ),
    Template(
        *("mute", MESSAGES),
        ('Mute my contact "{nickname}".', 'I do not want to hear from "{nickname}" for a while: mute that contact.'),
        _nickname,
        _mute,
        idle=_nickname,
        key_tool="mute_contact",
    ),
    Template(
        *("unmute", MESSAGES),
        ('Unmute my contact "{nickname}".', 'My contact "{nickname}" shall not be muted.'),
        _nickname,
        _unmute,
        idle=_nickname,
    ),
    Template(
        *("remove_contact", MESSAGES),
        ('Remove my contact "{nickname}".', '"{nickname}" shall no longer be a contact of mine.'),
        _nickname,
        _remove,
        idle=lambda pick: {"nickname": _no_nickname(pick)},
        key_tool="remove_contact",
    ),
    direct(
        *("star", MESSAGES, "star_message"),
        ("Put a star on message {message_id}.", "Star my message {message_id}."),
        _message,
        idle=_no_message,
    ),
    direct(
        *("mark_unread", MESSAGES, "mark_unread"),
        ("Mark message {message_id} as not read.", "Message {message_id} shall count as unread again."),
        _message,
        idle=_message,
    ),
    direct(
        *("delete_message", MESSAGES, "delete_message"),
        ("Delete message {message_id}.", "Message {message_id} can go; delete it."),
        _message,
        idle=_no_message,
    ),
    Template(
        *("delete_about", MESSAGES),
        (
            'Delete all messages to and from "{nickname}" that mention {plan}.',
            'In the conversation with "{nickname}", delete everything about {plan}.',
        ),
        _about,
        _delete_about,
        key_tool="delete_message",
        is_long=True,
    ),
    Template(
        *("count_about", MESSAGES),
        (
            'How many messages to and from "{nickname}" mention {plan}?',
            'In the conversation with "{nickname}", count the messages that mention {plan}.',
        ),
        _about,
        _count_about,
        is_long=True,
    ),
    Template(
        *("read_all", MESSAGES),
        ('Mark all unread messages from "{nickname}" as read.', 'I have read all that "{nickname}" wrote; mark it so.'),
        _nickname,
        _read_all,
        idle=_nickname,
        key_tool="mark_read",
        is_long=True,
    ),
    Template(
        *("forward_last", MESSAGES),
        (
            'Forward the last message of my conversation with "{nickname}" to "{other}".',
            '"{other}" shall get the last message between me and "{nickname}", that of the highest number.',
        ),
        lambda pick: {**_nickname(pick), "other": _contact(pick)["nickname"]},
        _forward_last,
        is_long=True,
    ),
    Template(
        *("count_unread", MESSAGES),
        ("How many unread messages have I?", "Count the messages that I have not read."),
        lambda pick: {},
        _count_unread,
        is_long=True,
    ),
    Template(
        *("send_answer", MESSAGES),
        (
            'Send that number, and nothing else, to my contact "{nickname}".',
            'Let "{nickname}" know that number: a message with the number alone.',
        ),
        _nickname,
        _send_answer,
        key_tool="send_message",
        after=ANSWER,
    ),
    Template(
        *("star_last", MESSAGES),
        ("Put a star on the message that you have just sent.", "Star that new message."),
        lambda pick: {},
        _star_last,
        key_tool="star_message",
        after="messages",
    ),
    Template(
        *("forward_sent", MESSAGES),
        (
            'Send the same message to "{nickname}", too.',
            'The message that you have just sent shall also go to "{nickname}".',
        ),
        _nickname,
        _forward_sent,
        after="messages",
    ),
)
"""All requests about messages."""
