"""Requests about tickets, posts and messages: what each kind wants."""

# ruff: noqa: E501 - queries in a line each

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.verdicts.requests.effects import Effect
from benchmarks.verdicts.requests.workbench_requests import Wished, wants

Alternatives = Iterator[Sequence[Effect]]


@wants("open_ticket")
def open_ticket(wished: Wished) -> Alternatives:
    yield [wished.new("tickets", **wished.words)]


def _ticket(kind: str, column: str, value: object, where: str = "1") -> None:
    """Add the statement of a kind that sets one value of a ticket: a fact named so, or the value itself."""

    def says(wished: Wished) -> Alternatives:
        number = wished["ticket_id"] if "ticket_id" in wished.words else wished.just_made("tickets")
        wanted = wished.words.get(str(value), value)
        for row in wished.ticket(number, where):
            if row[column] != wanted:
                yield [wished.put("tickets", [row], **{column: wanted})]

    wants(kind)(says)


_ticket("close_ticket", "state", "closed")
_ticket("reopen", "state", "open", "state = 'closed'")
_ticket("waiting", "state", "waiting", "state = 'open'")
_ticket("priority", "priority", "priority")
_ticket("assign", "assignee", "person")
_ticket("assign_last", "assignee", "person")
_ticket("unassign", "assignee", "")
_ticket("move_queue", "queue", "queue")


@wants("note", "note_on_last")
def note(wished: Wished) -> Alternatives:
    number = wished["ticket_id"] if "ticket_id" in wished.words else wished.just_made("tickets")
    for row in wished.ticket(number):
        yield [wished.new("ticket_notes", ticket=row["id"], text=wished["text"])]


@wants("assign_free")
def assign_free(wished: Wished) -> Alternatives:
    rows = wished.own("tickets", "queue = :queue AND state = 'open' AND assignee = ''")
    if rows:
        yield [wished.put("tickets", rows, assignee=wished["person"])]


@wants("close_titled")
def close_titled(wished: Wished) -> Alternatives:
    for row in wished.own("tickets", "title = :title AND state <> 'closed'"):
        yield [wished.put("tickets", [row], state="closed")]


@wants("publish")
def publish(wished: Wished) -> Alternatives:
    yield [wished.new("posts", text=wished["text"])]


@wants("edit")
def edit(wished: Wished) -> Alternatives:
    for row in wished.post(wished["post_id"]):
        yield [wished.put("posts", [row], text=wished["text"])]


@wants("delete_post")
def delete_post(wished: Wished) -> Alternatives:
    for row in wished.post(wished["post_id"]):
        yield wished.deleted([row])


@wants("delete_tagged")
def delete_tagged(wished: Wished) -> Alternatives:
    rows = wished.tagged()
    if rows:
        yield wished.deleted(rows)


@wants("like")
def like(wished: Wished) -> Alternatives:
    if not wished.rows("SELECT 1 FROM likes WHERE person = :me AND post = :post_id"):
        yield [wished.new("likes", post=wished["post_id"])]


@wants("unlike")
def unlike(wished: Wished) -> Alternatives:
    rows = wished.rows("SELECT * FROM likes WHERE person = :me AND post = :post_id")
    if rows:
        yield [wished.gone("likes", rows)]


@wants("follow")
def follow(wished: Wished) -> Alternatives:
    if not wished.rows("SELECT 1 FROM follows WHERE person = :me AND author = :author"):
        yield [wished.new("follows", author=wished["author"])]


@wants("unfollow")
def unfollow(wished: Wished) -> Alternatives:
    rows = wished.rows("SELECT * FROM follows WHERE person = :me AND author = :author")
    if rows:
        yield [wished.gone("follows", rows)]


@wants("follow_back")
def follow_back(wished: Wished) -> Alternatives:
    fans = "SELECT person FROM follows WHERE author = :me AND person NOT IN (SELECT author FROM follows WHERE person = :me)"
    yield [wished.new("follows", author=row["person"]) for row in wished.rows(fans)]


@wants("comment_pinned")
def comment_pinned(wished: Wished) -> Alternatives:
    for row in wished.rows("SELECT id FROM posts WHERE author = :author AND pinned"):
        yield [wished.new("comments", post=row["id"], text=wished["text"])]


@wants("comment_last")
def comment_last(wished: Wished) -> Alternatives:
    yield [wished.new("comments", post=wished.just_made("posts"), text=wished["text"])]


@wants("repost_pinned")
def repost_pinned(wished: Wished) -> Alternatives:
    for row in wished.rows("SELECT id, text FROM posts WHERE author = :author AND pinned"):
        yield [wished.new("posts", text=row["text"], original=row["id"])]


@wants("pin_about")
def pin_about(wished: Wished) -> Alternatives:
    for row in wished.tagged():
        yield wished.pinned([row])


@wants("pin_last")
def pin_last(wished: Wished) -> Alternatives:
    yield wished.pinned(wished.post(wished.just_made("posts")))


@wants("delete_remark")
def delete_remark(wished: Wished) -> Alternatives:
    yield [wished.gone("comments", wished.rows("SELECT * FROM comments WHERE post = :post_id AND author = :author"))]


@wants("send")
def send(wished: Wished) -> Alternatives:
    for row in wished.contact(wished["nickname"]):
        yield [wished.new("messages", other=row["person"], text=wished["text"])]


@wants("send_answer")
def send_answer(wished: Wished) -> Alternatives:
    for row in wished.contact(wished["nickname"]):
        yield [wished.new("messages", other=row["person"], text=wished.number)]


@wants("add_contact")
def add_contact(wished: Wished) -> Alternatives:
    if not wished.own("contacts", "person = :person"):
        yield [wished.new("contacts", person=wished["person"], nickname=wished["nickname"])]


@wants("rename_contact")
def rename_contact(wished: Wished) -> Alternatives:
    for row in wished.contact(wished["old"]):
        yield [wished.put("contacts", [row], nickname=wished["nickname"])]


def _muted(kind: str, value: int) -> None:
    """Add the statement of a kind that mutes a contact, or takes that back."""

    def says(wished: Wished) -> Alternatives:
        for row in wished.contact(wished["nickname"]):
            if row["muted"] != value:
                yield [wished.put("contacts", [row], muted=value)]

    wants(kind)(says)


_muted("mute", 1)
_muted("unmute", 0)


@wants("remove_contact")
def remove_contact(wished: Wished) -> Alternatives:
    for row in wished.contact(wished["nickname"]):
        yield [wished.gone("contacts", [row])]


def _marked(kind: str, column: str, value: int, number: str = "") -> None:
    """Add the statement of a kind that marks a message, named by its number or as the one just sent."""

    def says(wished: Wished) -> Alternatives:
        message = wished["message_id"] if "message_id" in wished.words else wished.just_made("messages")
        for row in wished.own("messages", f"id = :number AND {column} <> {value}", number=message):
            yield [wished.put("messages", [row], **{column: value})]

    wants(kind)(says)


_marked("star", "starred", 1)
_marked("star_last", "starred", 1)
_marked("mark_unread", "is_read", 0)


@wants("delete_message")
def delete_message(wished: Wished) -> Alternatives:
    for row in wished.own("messages", "id = :message_id"):
        yield [wished.gone("messages", [row])]


@wants("delete_about")
def delete_about(wished: Wished) -> Alternatives:
    rows = wished.conversation(wished["nickname"], "lower(text) LIKE '%' || :plan || '%'")
    yield [wished.gone("messages", rows)]


@wants("read_all")
def read_all(wished: Wished) -> Alternatives:
    rows = wished.conversation(wished["nickname"], "NOT is_read")
    if rows:
        yield [wished.put("messages", rows, is_read=1)]


@wants("forward_last")
def forward_last(wished: Wished) -> Alternatives:
    last = max(wished.conversation(wished["nickname"]), key=lambda row: row["id"])
    for row in wished.contact(wished["other"]):
        yield [wished.new("messages", other=row["person"], text=last["text"])]


@wants("forward_sent")
def forward_sent(wished: Wished) -> Alternatives:
    sent = wished.own("messages", "id = :number", number=wished.just_made("messages"))[0]
    for row in wished.contact(wished["nickname"]):
        yield [wished.new("messages", other=row["person"], text=sent["text"])]


@wants("out_of_reach")
def out_of_reach(wished: Wished) -> Alternatives:
    return iter(())
