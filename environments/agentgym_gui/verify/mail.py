"""Mails as mail programs store them: MH folders (a file a mail), Maildir and mbox."""

from __future__ import annotations

import email
import email.policy
import re
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from agentgym_gui.verify.reading import UnreadableFileError, names_in, read_bytes

MAX_MAILS = 5_000
MAX_MAIL_BYTES = 8 << 20
_MBOX_START = re.compile(rb"^From [^\n]*\n", re.MULTILINE)

Mail = dict[str, Any]
"""A mail: `from`, `to`, `cc`, `subject`, `text`, `attachments` (names) and `flags` (of Maildir)."""


def mh_folder(home: Path, path: str) -> list[Mail]:
    """The mails of an MH folder by number, as Claws Mail keeps them.

    Raises:
        UnreadableFileError: There is no such folder, or it is too large.
    """
    names = sorted((each for each in names_in(home, path) if each.isdigit()), key=int)
    return [parsed(read_bytes(home, f"{path}/{name}", MAX_MAIL_BYTES)) for name in _few(names)]


def maildir(home: Path, path: str) -> list[Mail]:
    """The mails of a Maildir, new and seen, by name; what stands behind ":2," are its flags.

    Raises:
        UnreadableFileError: There is no such folder, or it is too large.
    """
    found = []
    for folder in ("cur", "new"):
        for name in _few(names_in(home, f"{path}/{folder}")):
            mail = parsed(read_bytes(home, f"{path}/{folder}/{name}", MAX_MAIL_BYTES))
            found.append({**mail, "flags": name.partition(":2,")[2]})
    return found


def mbox(content: bytes) -> list[Mail]:
    """The mails of an mbox file in order; a line that starts with From and a space begins one.

    Raises:
        UnreadableFileError: It holds none or too many.
    """
    pieces = _MBOX_START.split(content)
    if pieces[0].strip() or (content and len(pieces) == 1):
        raise UnreadableFileError("no mbox: it does not begin with a line From")
    return [parsed(re.sub(rb"^>(>*From )", rb"\1", each, flags=re.MULTILINE)) for each in _few(pieces[1:])]


def parsed(content: bytes) -> Mail:
    """One mail. What is missing or broken in it reads as empty."""
    message = email.message_from_bytes(content, policy=email.policy.default)
    body = message.get_body(("plain",)) if isinstance(message, EmailMessage) else None
    return {
        **{name: _header(message, name) for name in ("from", "to", "cc", "subject")},
        "text": _text(body) if body is not None else "",
        "attachments": [str(each.get_filename() or "") for each in _attachments(message)],
        "flags": "",
    }


def _header(message: Any, name: str) -> str:
    try:
        return " ".join(str(message.get(name, "")).split())
    except (ValueError, LookupError, AttributeError, TypeError, IndexError):
        return ""  # a header that breaks the standard library's parser


def _text(body: Any) -> str:
    try:
        return str(body.get_content()).replace("\r\n", "\n")
    except (LookupError, ValueError, AttributeError):
        return ""


def _attachments(message: Any) -> list[Any]:
    try:
        return list(message.iter_attachments())
    except (AttributeError, ValueError, LookupError, KeyError):
        return []


def _few(names: list[Any]) -> list[Any]:
    if len(names) > MAX_MAILS:
        raise UnreadableFileError(f"over {MAX_MAILS} mails")
    return names
