"""Tasks with mail alone, or with messages alone."""

from __future__ import annotations

import re
import sqlite3
from datetime import date

from agentgym_tools.apps.base import words
from agentgym_tools.apps.calendar_days import DAY, TODAY, date_of
from agentgym_tools.apps.drafts import Draft, Draw, all_pages, do, seen, template
from agentgym_tools.worlds.calls import Call

SENTENCES = (
    *("I will be there.", "Please call me tomorrow.", "Thank you, that helps.", "Let us talk on Friday."),
    *("I need two more days.", "That works for me.", "Can we do it next week?", "I have sent it by post."),
)
_INBOX = "SELECT * FROM mails WHERE owner = ? AND folder = 'inbox'"


def cents_in(text: str) -> int:
    """The amount that a text names, in cents."""
    found = re.search(r"(\d+)\.(\d\d)", text)
    assert found is not None
    return int(found[1]) * 100 + int(found[2])


def inbox_pages(draw: Draw) -> list[Call]:
    """The calls that list the whole inbox."""
    return all_pages("mail.list_mails", len(draw.rows(_INBOX, draw.user)), folder="inbox")


@template("mail")
def count_mails_of_sender(draw: Draw) -> Draft:
    sender = draw.one(f"{_INBOX} GROUP BY sender HAVING count(*) BETWEEN 2 AND 6", draw.user)["sender"]
    rows = draw.rows(f"{_INBOX} AND sender = ?", draw.user, sender)
    text = f"How many mails from {sender} are in my inbox? Archived ones do not count."
    return Draft(text, inbox_pages(draw), answers=(len(rows),), evidence=(seen("mails", rows),))


@template("mail")
def newest_subject_of_sender(draw: Draw) -> Draft:
    sender = draw.one(f"{_INBOX} GROUP BY sender HAVING count(*) > 1", draw.user)["sender"]
    sql = "SELECT * FROM mails WHERE owner = ? AND sender = ? AND folder IN ('inbox', 'archive') ORDER BY sent DESC"
    rows = draw.rows(sql, draw.user, sender)
    draw.need(rows[0]["sent"] != rows[1]["sent"])
    text = f"What is the subject of the newest mail that {sender} sent me?"
    reads = [do("mail.list_from", email=sender, limit=2)]
    return Draft(text, reads, answers=(rows[0]["subject"],), evidence=(seen("mails", rows[:1]),))


@template("mail")
def share_in_mail(draw: Draw) -> Draft:
    sql = "SELECT * FROM mails WHERE owner = ? AND folder IN ('inbox', 'archive') AND body LIKE 'Your share%'"
    row = draw.one(f"{sql} GROUP BY sender, subject HAVING count(*) = 1", draw.user)
    text = f"In the mail {row['subject']!r}, {row['sender']} tells me what I owe. How many cents is it?"
    reads = [do("mail.list_from", email=row["sender"], limit=20), do("mail.get_mail", mail_id=row["id"])]
    return Draft(text, reads, answers=(cents_in(row["body"]),), evidence=(seen("mail texts", [row]),))


@template("mail")
def archive_sender(draw: Draw) -> Draft:
    sender = draw.one(f"{_INBOX} GROUP BY sender HAVING count(*) BETWEEN 2 AND 6", draw.user)["sender"]
    rows = draw.rows(f"{_INBOX} AND sender = ? ORDER BY id", draw.user, sender)
    writes = [do("mail.archive_mail", mail_id=row["id"]) for row in rows]
    return Draft(f"Archive all mails of my inbox that came from {sender}.", inbox_pages(draw), [writes])


@template("mail")
def star_unread(draw: Draw) -> Draft:
    rows = draw.rows(f"{_INBOX} AND NOT is_read ORDER BY sent DESC, id", draw.user)
    new = [row for row in rows if not row["is_starred"]]
    draw.need(len(new) >= 2 and len(rows) <= 12)
    writes = [do("mail.star_mail", mail_id=row["id"], is_starred=True) for row in new]
    return Draft("Star every unread mail of my inbox.", all_pages("mail.list_unread", len(rows)), [writes])


@template("mail")
def unstar_all(draw: Draw) -> Draft:
    rows = draw.rows("SELECT * FROM mails WHERE owner = ? AND is_starred AND folder != 'trash' ORDER BY id", draw.user)
    draw.need(2 <= len(rows) <= 12)
    writes = [do("mail.star_mail", mail_id=row["id"], is_starred=False) for row in rows]
    return Draft("Take the stars off all my mails.", all_pages("mail.list_starred", len(rows)), [writes])


@template("mail")
def label_subject(draw: Draw) -> Draft:
    label = draw.pick(words.LABELS)
    sql = f"{_INBOX} AND (label IS NULL OR label != ?)"
    subject = draw.one(f"{sql} GROUP BY subject HAVING count(*) BETWEEN 2 AND 6", draw.user, label)["subject"]
    rows = draw.rows(f"{sql} AND subject = ? ORDER BY id", draw.user, label, subject)
    writes = [do("mail.set_label", mail_id=row["id"], label=label) for row in rows]
    text = f"Give the label {label!r} to all mails of my inbox with the subject {subject!r}."
    return Draft(text, inbox_pages(draw), [writes])


@template("mail")
def answer_newest(draw: Draw) -> Draft:
    sql = "SELECT * FROM mails WHERE owner = ? AND sender LIKE '%@mail.test' AND folder IN ('inbox', 'archive')"
    sender = draw.one(sql, draw.user)["sender"]
    rows = draw.rows(f"{sql} AND sender = ? ORDER BY sent DESC", draw.user, sender)
    draw.need(len(rows) == 1 or rows[0]["sent"] != rows[1]["sent"])
    body = draw.pick(SENTENCES)
    text = f"Answer the newest mail that {sender} sent me with these words: {body!r}"
    reads = [do("mail.list_from", email=sender, limit=2)]
    return Draft(text, reads, [[do("mail.reply", mail_id=rows[0]["id"], body=body)]])


@template("mail")
def trash_old(draw: Draw) -> Draft:
    days = draw.rng.choice((21, 28, 35))
    rows = draw.rows(f"{_INBOX} AND sent < ? ORDER BY id", draw.user, (TODAY - days) * DAY)
    draw.need(2 <= len(rows) <= 8)
    writes = [do("mail.trash_mail", mail_id=row["id"]) for row in rows]
    text = f"Move all mails of my inbox that were sent before {date_of(TODAY - days)} to the trash."
    return Draft(text, inbox_pages(draw), [writes])


@template("mail")
def read_of_days(draw: Draw) -> Draft:
    first = TODAY - draw.rng.randint(8, 30)
    last = first + draw.rng.randint(4, 10)
    rows = draw.rows(f"{_INBOX} AND sent >= ? AND sent < ? ORDER BY id", draw.user, first * DAY, (last + 1) * DAY)
    unread = [row for row in rows if not row["is_read"]]
    draw.need(2 <= len(unread) <= 8)
    writes = [do("mail.mark_read", mail_id=row["id"], is_read=True) for row in unread]
    days = {"first_day": date_of(first), "last_day": date_of(last)}
    text = f"Mark the mails of my inbox that were sent from {date_of(first)} to {date_of(last)} as read."
    return Draft(text, all_pages("mail.list_between", len(rows), **days), [writes])


@template("mail")
def write_draft(draw: Draw) -> Draft:
    to, body, topic = draw.contact(), draw.pick(SENTENCES), draw.pick(words.TOPICS)
    text = f"Prepare a draft to {to['email']} with the subject {topic!r} and the text {body!r}. Do not send it."
    return Draft(
        text, [do("mail.list_drafts")], [[do("mail.create_draft", to=[to["email"]], subject=topic, body=body)]]
    )


def _chats(draw: Draw, is_group: int) -> list[sqlite3.Row]:
    sql = (
        "SELECT chats.*, is_muted FROM chats JOIN chat_members ON chat_id = chats.id WHERE person_id = ? AND is_group = ? "
        "ORDER BY chats.id"
    )
    return draw.rows(sql, draw.user, is_group)


def _of_chat(draw: Draw, chat: int) -> list[sqlite3.Row]:
    sql = "SELECT messages.*, name FROM messages JOIN people ON people.id = sender WHERE chat_id = ? ORDER BY sent DESC"
    return draw.rows(sql, chat)


@template("messages")
def count_messages_of_person(draw: Draw) -> Draft:
    chat = draw.pick(_chats(draw, 1))
    rows = _of_chat(draw, chat["id"])
    name = draw.pick(sorted({row["name"] for row in rows if row["sender"] != draw.user}))
    own = [row for row in rows if row["name"] == name]
    draw.need(len(own) > 1)
    text = f"How many messages has {name} written in the group chat {chat['title']!r}?"
    reads = [do("messages.find_chat", query=chat["title"])]
    reads += all_pages("messages.list_messages", len(rows), chat_id=chat["id"])
    return Draft(text, reads, answers=(len(own),), evidence=(seen("messages", own),))


@template("messages")
def write_to_group(draw: Draw) -> Draft:
    chat, words_said = draw.pick(_chats(draw, 1)), draw.pick(SENTENCES)
    text = f"Write {words_said!r} into the group chat {chat['title']!r}."
    reads = [do("messages.find_chat", query=chat["title"])]
    return Draft(text, reads, [[do("messages.send_message", chat_id=chat["id"], text=words_said)]])


@template("messages")
def react_to_newest(draw: Draw) -> Draft:
    chat, emoji = draw.pick([*_chats(draw, 1), *_chats(draw, 0)]), draw.pick(words.EMOJIS)
    other = draw.one(
        "SELECT name FROM chat_members JOIN people ON people.id = person_id WHERE chat_id = ? AND person_id != ?",
        *(chat["id"], draw.user),
    )["name"]
    where = f"the group chat {chat['title']!r}" if chat["is_group"] else f"my chat with {other} alone"
    rows = _of_chat(draw, chat["id"])
    theirs = [row for row in rows if row["name"] == other]
    draw.need(len(theirs) > 1 and theirs[0]["sent"] != theirs[1]["sent"])
    had = draw.rows("SELECT * FROM reactions WHERE message_id = ? AND person_id = ?", theirs[0]["id"], draw.user)
    draw.need(not had)
    text = f"React with {emoji} to the newest message of {other} in {where}."
    reads = [do("messages.find_chat", query=chat["title"] or other)]
    reads += all_pages("messages.list_messages", len(rows), chat_id=chat["id"])
    return Draft(text, reads, [[do("messages.react", message_id=theirs[0]["id"], emoji=emoji)]])


@template("messages")
def mute_groups(draw: Draw) -> Draft:
    chats = [chat for chat in _chats(draw, 1) if not chat["is_muted"]]
    draw.need(len(chats) >= 1)
    writes = [do("messages.mute_chat", chat_id=chat["id"], is_muted=True) for chat in chats]
    number = len(_chats(draw, 1)) + len(_chats(draw, 0))
    return Draft("Mute all my group chats.", all_pages("messages.list_chats", number), [writes])


@template("messages")
def delete_own_messages(draw: Draw) -> Draft:
    chat = draw.pick(_chats(draw, 1))
    rows = _of_chat(draw, chat["id"])
    own = [row for row in rows if row["sender"] == draw.user]
    draw.need(1 <= len(own) <= 6)
    writes = [do("messages.delete_message", message_id=row["id"]) for row in own]
    reads = [do("messages.find_chat", query=chat["title"])]
    reads += all_pages("messages.list_messages", len(rows), chat_id=chat["id"])
    return Draft(f"Delete everything that I wrote in the group chat {chat['title']!r}.", reads, [writes])


@template("messages")
def rename_group(draw: Draw) -> Draft:
    chat, topic = draw.pick(_chats(draw, 1)), draw.pick(words.TOPICS)
    text = f"Rename the group chat {chat['title']!r} to {topic!r}."
    reads = [do("messages.find_chat", query=chat["title"])]
    return Draft(text, reads, [[do("messages.rename_chat", chat_id=chat["id"], title=topic)]])


@template("messages")
def pin_meeting(draw: Draw) -> Draft:
    sql = (
        "SELECT messages.*, name FROM messages JOIN people ON people.id = sender WHERE chat_id IN (SELECT chat_id FROM "
        "chat_members WHERE person_id = ?) AND sender != ? AND text LIKE 'Let us meet on %'"
    )
    row = draw.one(sql, draw.user, draw.user)
    day = row["text"].split()[4]
    same = [each for each in draw.rows(sql, draw.user, draw.user) if day in each["text"]]
    draw.need(len(same) == 1)
    text = f"{row['name']} proposed in a message to meet on {day}. Pin that message."
    assert date.fromisoformat(day)
    reads = [do("messages.search_messages", query=f"meet on {day}")]
    return Draft(text, reads, [[do("messages.pin_message", message_id=row["id"], is_pinned=True)]])
