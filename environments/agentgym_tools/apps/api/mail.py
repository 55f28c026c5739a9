"""Mail: folders, threads, labels, drafts, and mails that reach the mailboxes of others."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, Literal

from agentgym_tools.apps.api.app import App, change, look, pattern, text, within
from agentgym_tools.apps.calendar_days import DAY, moment, read_day
from agentgym_tools.worlds.toolbox import ToolFailure

Folder = Literal["inbox", "sent", "archive", "trash"]
MAX_TO = 20
NEW_THREAD = "T0"
"""The thread of mails that answer none and were not answered yet."""


def _entry(row: sqlite3.Row) -> dict[str, Any]:
    fields = {"mail_id": row["id"], "from": row["sender"], "subject": row["subject"], "sent": moment(row["sent"])}
    return {**fields, "is_read": bool(row["is_read"]), "is_starred": bool(row["is_starred"]), "label": row["label"]}


def _whole(row: sqlite3.Row) -> dict[str, Any]:
    more = {"to": json.loads(row["recipients"]), "body": row["body"], "attachment": row["attachment"]}
    return {**_entry(row), "folder": row["folder"], "thread_id": row["thread"], **more}


class Mail(App):
    """The mail app."""

    about = "e-mails: read, search, send, answer, sort"

    @look
    def list_mails(self, folder: Folder = "inbox", page: int = 0, limit: int = 10) -> Any:
        """List the mails of a folder, the newest first.

        Args:
            folder: The folder.
        """
        sql = "SELECT * FROM mails WHERE owner = ? AND folder = ? ORDER BY sent DESC, id"
        return self.page_of("mails", _entry, sql, self.user, folder, page=page, limit=limit)

    @look
    def list_unread(self, page: int = 0, limit: int = 10) -> Any:
        """List the unread mails of the inbox, the newest first."""
        sql = "SELECT * FROM mails WHERE owner = ? AND folder = 'inbox' AND NOT is_read ORDER BY sent DESC, id"
        return self.page_of("mails", _entry, sql, self.user, page=page, limit=limit)

    @look
    def list_starred(self, page: int = 0, limit: int = 10) -> Any:
        """List the starred mails of all folders but the trash."""
        sql = "SELECT * FROM mails WHERE owner = ? AND is_starred AND folder != 'trash' ORDER BY sent DESC, id"
        return self.page_of("mails", _entry, sql, self.user, page=page, limit=limit)

    @look
    def list_labelled(self, label: str, page: int = 0, limit: int = 10) -> Any:
        """List the mails with a label, in all folders but the trash."""
        sql = "SELECT * FROM mails WHERE owner = ? AND label = ? AND folder != 'trash' ORDER BY sent DESC, id"
        return self.page_of("mails", _entry, sql, self.user, label.strip().lower(), page=page, limit=limit)

    @look
    def list_from(self, email: str, page: int = 0, limit: int = 10) -> Any:
        """List the mails of a sender that are in the inbox or archived, the newest first."""
        sql = (
            "SELECT * FROM mails WHERE owner = ? AND sender = ? AND folder IN ('inbox', 'archive') "
            "ORDER BY sent DESC, id"
        )
        return self.page_of("mails", _entry, sql, self.user, email.strip().lower(), page=page, limit=limit)

    @look
    def search_mails(self, query: str, page: int = 0, limit: int = 10) -> Any:
        """Find mails by words of the sender, the subject or the text, in all folders but the trash."""
        wanted = pattern(query)
        sql = (
            "SELECT * FROM mails WHERE owner = ? AND folder != 'trash' AND instr(lower(sender || ' ' || subject || ' ' "
            "|| body), ?) ORDER BY sent DESC, id"
        )
        return self.page_of("mails", _entry, sql, self.user, wanted, page=page, limit=limit)

    @look
    def get_mail(self, mail_id: int) -> Any:
        """Read a mail with its text and the name of its attachment."""
        row = self.own("mails", mail_id, "mail")
        self.show("mail texts", mail_id)
        return _whole(row)

    @look
    def get_thread(self, thread_id: str) -> Any:
        """Read the mails of a thread, the oldest first.

        Args:
            thread_id: The thread, as a mail names it.
        """
        rows = self.world.rows(
            "SELECT * FROM mails WHERE owner = ? AND thread = ? ORDER BY sent, id LIMIT 20", self.user, thread_id
        )
        for row in rows:
            self.show("mail texts", row["id"])
        return [_whole(row) for row in rows]

    @look
    def count_mails(self, folder: Folder = "inbox") -> Any:
        """Say how many mails a folder has, and how many of them are unread.

        Args:
            folder: The folder.
        """
        sql = (
            "SELECT count(*) AS mails, coalesce(sum(NOT is_read), 0) AS unread FROM mails WHERE owner = "
            "? AND folder = ?"
        )
        row = self.world.row(sql, self.user, folder)
        self.show("mail counts", folder)
        assert row is not None
        return dict(row)

    @look
    def get_attachment(self, mail_id: int) -> Any:
        """Read the attachment of a mail."""
        row = self.own("mails", mail_id, "mail")
        if row["attachment"] is None:
            raise ToolFailure(f"Mail {mail_id} has no attachment.")
        self.show("attachments", mail_id)
        return {"name": row["attachment"], "text": row["attached"]}

    @change
    def send_mail(self, to: list[str], subject: str, body: str) -> Any:
        """Send a mail."""
        return {"mail_id": self._send(NEW_THREAD, to, subject, body)}

    @change
    def reply(self, mail_id: int, body: str) -> Any:
        """Answer the sender of a mail."""
        row = self.own("mails", mail_id, "mail")
        return {"mail_id": self._send(row["thread"], [row["sender"]], _marked("Re: ", row["subject"]), body)}

    @change
    def forward(self, mail_id: int, to: list[str], body: str = "") -> Any:
        """Forward a mail with its text and attachment.

        Args:
            body: What to write above it; may be empty.
        """
        row = self.own("mails", mail_id, "mail")
        whole = f"{body.strip()}\n\n{row['body']}".strip()
        subject = _marked("Fwd: ", row["subject"])
        attached = (row["attachment"], row["attached"])
        return {"mail_id": self._send(row["thread"], to, subject, whole, attached)}

    @change
    def mark_read(self, mail_id: int, is_read: bool = True) -> Any:
        """Mark a mail as read or unread.

        Args:
            is_read: Whether it is read from now on.
        """
        self.own("mails", mail_id, "mail")
        self.update("mails", mail_id, is_read=int(is_read))
        return "Marked."

    @change
    def star_mail(self, mail_id: int, is_starred: bool = True) -> Any:
        """Star a mail, or take its star away.

        Args:
            is_starred: Whether it has a star from now on.
        """
        self.own("mails", mail_id, "mail")
        self.update("mails", mail_id, is_starred=int(is_starred))
        return "Marked."

    @change
    def set_label(self, mail_id: int, label: str) -> Any:
        """Give a mail a label, in place of the one that it has."""
        self.own("mails", mail_id, "mail")
        self.update("mails", mail_id, label=text(label, "label", may_be_empty=True, most=40).lower() or None)
        return "Labelled."

    @change
    def archive_mail(self, mail_id: int) -> Any:
        """Move a mail to the archive."""
        return self._move(mail_id, "archive")

    @change
    def move_to_inbox(self, mail_id: int) -> Any:
        """Move a mail back to the inbox."""
        return self._move(mail_id, "inbox")

    @change
    def trash_mail(self, mail_id: int) -> Any:
        """Move a mail to the trash."""
        return self._move(mail_id, "trash")

    @change
    def delete_mail(self, mail_id: int) -> Any:
        """Delete a mail for good, from any folder."""
        self.own("mails", mail_id, "mail")
        self.remove("mails", mail_id)
        return "Deleted."

    @look
    def list_drafts(self, page: int = 0, limit: int = 10) -> Any:
        """List your drafts."""
        sql = "SELECT * FROM mails WHERE owner = ? AND folder = 'drafts' ORDER BY id"
        return self.page_of("mails", _whole, sql, self.user, page=page, limit=limit)

    @change
    def create_draft(self, to: list[str], subject: str, body: str) -> Any:
        """Write a draft; nothing is sent."""
        return {"draft_id": self._put(self.user, NEW_THREAD, "drafts", to, (subject, body, None, None))}

    @change
    def update_draft(self, draft_id: int, body: str) -> Any:
        """Change the text of a draft."""
        self._draft(draft_id)
        self.update("mails", draft_id, body=text(body, "body"))
        return "Changed."

    @change
    def send_draft(self, draft_id: int) -> Any:
        """Send a draft."""
        row = self._draft(draft_id)
        self.remove("mails", draft_id)
        number = self._send(row["thread"], json.loads(row["recipients"]), row["subject"], row["body"])
        return {"mail_id": number}

    @look
    def list_between(self, first_day: str, last_day: str, page: int = 0, limit: int = 10) -> Any:
        """List the mails of the inbox that were sent on these days, the newest first."""
        first, last = read_day(first_day) * DAY, (read_day(last_day) + 1) * DAY
        sql = (
            "SELECT * FROM mails WHERE owner = ? AND folder = 'inbox' AND sent >= ? AND sent < ? ORDER BY sent DESC, id"
        )
        return self.page_of("mails", _entry, sql, self.user, first, last, page=page, limit=limit)

    def _draft(self, number: int) -> sqlite3.Row:
        row = self.own("mails", number, "draft")
        if row["folder"] != "drafts":
            raise ToolFailure(f"Mail {number} is no draft.")
        return row

    def _move(self, number: int, folder: str) -> str:
        row = self.own("mails", number, "mail")
        if row["folder"] == folder:
            raise ToolFailure(f"Mail {number} is there already.")
        if row["folder"] == "drafts":
            raise ToolFailure(f"Mail {number} is a draft; it can be sent or deleted.")
        self.update("mails", number, folder=folder)
        return "Moved."

    def _send(
        self,
        thread: str,
        to: list[str],
        subject: str,
        body: str,
        attached: tuple[str | None, str | None] = (None, None),
    ) -> int:
        within(len(to), 1, MAX_TO, "the number of those who get a mail")
        people = {each.strip().lower(): self.person("email", each)["id"] for each in to}
        content = (subject, body, *attached)
        number = self._put(self.user, thread, "sent", list(people), content)
        for person in people.values():
            self._put(person, thread, "inbox", list(people), content)
        return number

    def _put(
        self, owner: int, thread: str, folder: str, to: list[str], content: tuple[str, str, str | None, str | None]
    ) -> int:
        subject, body, attachment, attached = content
        me = self.world.row("SELECT email FROM people WHERE id = ?", self.user)
        assert me is not None
        return self.add(
            "mails",
            owner=owner,
            thread=thread,
            folder=folder,
            sender=me["email"],
            recipients=json.dumps(sorted({each.strip().lower() for each in to})),
            subject=text(subject, "subject", most=200),
            body=text(body, "body"),
            sent=self.now,
            is_read=int(folder != "inbox"),
            is_starred=0,
            label=None,
            attachment=attachment,
            attached=attached,
        )


def _marked(mark: str, subject: str) -> str:
    return subject if subject.startswith(mark) else f"{mark}{subject}"
