"""What a goal may look at: the readers of `verify`, each made into one JSON value.

A source is an object with `read`, the reader's name, and its parameters. How values are compared is in `comparing`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from agentgym.errors import TaskError, UnknownNameError
from agentgym_gui.verify import (
    archives,
    calendars,
    databases,
    documents,
    key_files,
    ledgers,
    mail,
    notes,
    pictures,
    plain_text,
    reading,
    workbooks,
    xml_trees,
)
from agentgym_gui.verify.reading import UnreadableFileError
from agentgym_gui.verify.state import State

_NO_PATH = ("setting", "clipboard", "answer")
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "cell": ("cell",),
    "formula": ("cell",),
    "member": ("member",),
    "query": ("sql",),
    "picture_distance": ("other",),
    "ledger": ("part",),
    "key": ("group", "key"),
    "xml": ("element",),
    "setting": ("setting",),
}
"""What a reader needs beside a path, each a text."""
_OPTIONAL: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("cells", "cell", "formula", "formulas"), ("sheet",)),
    "mails": ("store",),
    "xml": ("attribute",),
    "rows": ("delimiter",),
}
"""What a reader takes beside that, each a text."""
_LISTS: Mapping[str, tuple[str, ...]] = {"query": ("values",), "json": ("keys",)}
"""What a reader takes beside that, each a list."""
_OF_HOME = ("path", "other")
SETTING_KINDS = ("xfconf/", "gsettings/")
"""How the name of a setting begins."""

Source = Mapping[str, Any]
Reader = Callable[[State, Source], Any]


def read(state: State, source: Source) -> Any:
    """The value of a source in a state.

    Raises:
        UnreadableFileError: The agent's files do not hold it.
        TaskError: The source itself is malformed.
    """
    name = source.get("read", "")
    if name not in READERS:
        raise UnknownNameError("reader", str(name), READERS)
    try:
        return READERS[name](state, source)
    except KeyError as error:
        raise TaskError(f"the source {dict(source)} lacks {error}") from error


def require_source(source: Source) -> None:
    """Refuse a source that no state could be read by.

    Raises:
        TaskError: Its reader is unknown, or a parameter of it is missing or no text.
    """
    name = source.get("read")
    if not isinstance(name, str) or name not in READERS:
        raise TaskError(str(UnknownNameError("reader", str(name), READERS)))
    for key in (*_needed(name), *(key for key in _OPTIONAL.get(name, ()) if source.get(key) is not None)):
        if not isinstance(source.get(key), str):
            raise TaskError(f"the reader {name} needs a text as {key!r}: got {source.get(key)!r}")
    for key in (key for key in _OF_HOME if key in _needed(name)):
        path = source[key]
        if path.startswith(("/", "~/")) or ".." in path.split("/") or "\0" in path:
            raise TaskError(f"{key!r} of the reader {name} is relative to the home and stays in it: got {path!r}")
    for key in _LISTS.get(name, ()):
        if not isinstance(source.get(key, ()), list | tuple):
            raise TaskError(f"the reader {name} needs a list as {key!r}: got {source[key]!r}")
    if name == "setting" and not source["setting"].startswith(SETTING_KINDS):
        raise TaskError(f"a setting begins with {' or '.join(SETTING_KINDS)}: got {source['setting']!r}")


def keys_of(source: Source) -> tuple[str, ...]:
    """The keys that a sound source may have."""
    name = source["read"]
    return ("read", *_needed(name), *_OPTIONAL.get(name, ()), *_LISTS.get(name, ()))


def _needed(name: str) -> tuple[str, ...]:
    return (*(() if name in _NO_PATH else ("path",)), *_NEEDED.get(name, ()))


def _bytes(state: State, source: Source) -> bytes:
    return reading.read_bytes(state.home, source["path"])


def _text(state: State, source: Source) -> str:
    return plain_text.decoded(_bytes(state, source))


def _pick(found: Any, keys: list[Any], what: str) -> Any:
    """What lies below keys or positions in an object or list."""
    for key in keys:
        try:
            found = found[key]
        except (LookupError, TypeError) as error:
            raise UnreadableFileError(f"{what}: nothing at {key!r}") from error
    return found


def _sheet(state: State, source: Source) -> workbooks.Sheet:
    sheets = workbooks.workbook(_bytes(state, source), source["path"])
    wanted = source.get("sheet")
    if not sheets or (wanted is not None and wanted not in sheets):
        raise UnreadableFileError(f"{source['path']} has no sheet {wanted!r}; it has {', '.join(sheets)}")
    return next(iter(sheets.values())) if wanted is None else sheets[wanted]


def _plain_formula(formula: str) -> str:
    """A formula in capitals, without spaces and dollar signs: programs write the names of functions differently."""
    return formula.upper().replace(" ", "").replace("$", "")


def _member(state: State, source: Source) -> str:
    members = archives.members_of(_bytes(state, source))
    return plain_text.decoded(_pick(members, [source["member"]], source["path"]))


def _member_hashes(state: State, source: Source) -> dict[str, str]:
    members = archives.members_of(_bytes(state, source))
    return {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}


def _mails(state: State, source: Source) -> list[mail.Mail]:
    kind = source.get("store", "mh")
    if kind == "mbox":
        return mail.mbox(_bytes(state, source))
    return (mail.maildir if kind == "maildir" else mail.mh_folder)(state.home, source["path"])


def _setting(state: State, source: Source) -> str:
    if source["setting"] not in state.settings:
        raise UnreadableFileError(f"the setting {source['setting']} was never set")
    return state.settings[source["setting"]]


def _answer(state: State, source: Source) -> str:
    if state.answer is None:
        raise UnreadableFileError("no answer was given")
    return state.answer


def _xml(state: State, source: Source) -> list[str]:
    """The texts, or one attribute, of all elements with a name in an XML file, packed with gzip or not."""
    root = xml_trees.xml_root(archives.gunzipped(_bytes(state, source)), may_have_doctype=True)
    found = [each for each in root.iter() if xml_trees.local(each) == source["element"]]
    name = source.get("attribute")
    return [xml_trees.attribute(each, name) if name else xml_trees.all_text(each) for each in found]


def _picture_distance(state: State, source: Source) -> float:
    return pictures.mean_difference(_bytes(state, source), reading.read_bytes(state.home, source["other"]))


READERS: Mapping[str, Reader] = {
    "text": _text,
    "lines": lambda state, source: plain_text.lines_of(_text(state, source)),
    "rows": lambda state, source: plain_text.csv_rows(_text(state, source), source.get("delimiter", ",")),
    "json": lambda state, source: _pick(
        plain_text.json_value(_text(state, source)), list(source.get("keys", ())), source["path"]
    ),
    "hash": lambda state, source: hashlib.sha256(_bytes(state, source)).hexdigest(),
    "there": lambda state, source: reading.is_there(state.home, source["path"]),
    "names": lambda state, source: reading.names_in(state.home, source["path"]),
    "cells": lambda state, source: dict(_sheet(state, source).values),
    "cell": lambda state, source: _pick(_sheet(state, source).values, [source["cell"]], source["path"]),
    "formula": lambda state, source: _plain_formula(
        _pick(_sheet(state, source).formulas, [source["cell"]], source["path"])
    ),
    "formulas": lambda state, source: dict(_sheet(state, source).formulas),
    "sheets": lambda state, source: list(workbooks.workbook(_bytes(state, source), source["path"])),
    "paragraphs": lambda state, source: [
        each.text for each in documents.paragraphs(_bytes(state, source), source["path"])
    ],
    "styles": lambda state, source: [
        each.style for each in documents.paragraphs(_bytes(state, source), source["path"])
    ],
    "members": lambda state, source: sorted(archives.members_of(_bytes(state, source))),
    "member": _member,
    "member_hashes": _member_hashes,
    "mails": _mails,
    "ics": lambda state, source: calendars.items(_text(state, source)),
    "query": lambda state, source: databases.rows(_bytes(state, source), source["sql"], source.get("values", ())),
    "picture": lambda state, source: pictures.facts(_bytes(state, source)),
    "picture_distance": _picture_distance,
    "page": lambda state, source: notes.page_text(_text(state, source)),
    "page_title": lambda state, source: notes.page_title(_text(state, source)),
    "checkboxes": lambda state, source: notes.checkboxes(_text(state, source)),
    "ledger": lambda state, source: _pick(ledgers.ledger(_bytes(state, source)), [source["part"]], source["path"]),
    "key": lambda state, source: _pick(
        key_files.key_file(_text(state, source)), [source["group"], source["key"]], source["path"]
    ),
    "xml": _xml,
    "setting": _setting,
    "clipboard": lambda state, source: state.clipboard,
    "answer": _answer,
}
"""What reads each kind of source."""
