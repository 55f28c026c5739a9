"""Readers on files that the applications themselves wrote: Gnumeric 1.12, HomeBank 5.6 and Zim 0.75 of Debian 12."""

from pathlib import Path

import pytest

from agentgym_gui.verify import calendars, key_files, ledgers, mail, notes, workbooks
from agentgym_gui.verify.comparing import COMPARISONS
from agentgym_gui.verify.reading import UnreadableFileError
from agentgym_gui.verify.sources import read
from agentgym_gui.verify.state import State

FILES = Path(__file__).with_name("files")
CELLS = {"A1": "Item", "B1": "Price", "C1": "Count", "A2": "Pen", "B2": 1.5, "C2": 4.0, "A3": "Book", "B3": 12.0}


@pytest.mark.parametrize("name", ["list.gnumeric", "list.xlsx", "list.ods"])
def test_workbooks_of_gnumeric_have_the_same_cells(name):
    found = workbooks.workbook((FILES / name).read_bytes(), name)
    assert list(found) == ["a.csv"]
    assert CELLS.items() <= found["a.csv"].values.items()


def test_ledger_of_homebank_is_read_by_names():
    found = ledgers.ledger((FILES / "money.xhb").read_bytes())
    assert found["accounts"] == {"Bank": 100.0, "Cash": 20.0}
    assert found["transactions"][1] == {
        "date": "2026-11-25",
        "amount": -12.5,
        "account": "Bank",
        "payee": "Corner shop",
        "category": "",
        "memo": "apples",
    }


def test_page_of_zim_is_read_without_head_and_title():
    text = (FILES / "Home.txt").read_text()
    assert (notes.page_title(text), notes.page_text(text)) == ("Home", "First line.\ntyped here")
    assert notes.checkboxes("[ ] a\n\t[*] b\n[x] c\n* d") == {"a": "open", "b": "done", "c": "failed"}


def test_calendar_joins_folded_lines_and_leaves_alarms_out():
    text = (
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY;LANGUAGE=en:Tea\\, at\r\n  four\r\nBEGIN:VALARM\r\n"
        "SUMMARY:no\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    assert calendars.items(text) == [{"kind": "VEVENT", "SUMMARY": "Tea, at four", "ALARMS": "1"}]


def test_mails_of_each_store_read_alike(tmp_path):
    content = b"From: Ann <ann@example.org>\nSubject: =?utf-8?q?Caf=C3=A9?=\n\nFrom here.\n"
    for name in ("mh/1", "box/cur/1:2,S", "box/new/2"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    mails = mail.mh_folder(tmp_path, "mh") + mail.maildir(tmp_path, "box")
    mails += mail.mbox(b"From ann Mon\n" + content.replace(b"\nFrom here", b"\n>From here"))
    assert {each["subject"] for each in mails} == {"Caf\u00e9"}
    assert {each["text"].strip() for each in mails} == {"From here."}
    assert [each["flags"] for each in mails] == ["", "S", "", ""]


def test_key_file_has_the_last_value_of_a_key():
    assert key_files.key_file("top=1\n[A]\n# no\nx = 1\nx=2\n") == {"": {"top": "1"}, "A": {"x": "2"}}


def test_json_is_read_by_keys_and_hostile_json_is_unreadable(tmp_path):
    (tmp_path / "order.json").write_text('{"items": [{"name": "lamp"}]}')
    (tmp_path / "deep.json").write_text("[" * 200_000)
    state = State(tmp_path)
    source = {"read": "json", "path": "order.json"}
    assert read(state, {**source, "keys": ["items", 0, "name"]}) == "lamp"
    for path, keys in (("order.json", ["items", 1]), ("order.json", ["items", "name"]), ("deep.json", [])):
        with pytest.raises(UnreadableFileError):
            read(state, {**source, "path": path, "keys": keys})


def test_cells_are_named_as_people_name_them():
    for row, column, name in ((0, 0, "A1"), (9, 25, "Z10"), (0, 26, "AA1"), (1, 701, "ZZ2"), (0, 702, "AAA1")):
        assert workbooks.cell_name(row, column) == name
        assert workbooks.cell_place(name) == (row, column)


@pytest.mark.parametrize(
    ("name", "found", "wanted", "holds"),
    [
        ("equals", 0.1 + 0.2, 0.3, True),
        ("equals", True, 1, False),
        ("equals", "1", 1, False),
        ("contains", [{"a": 1, "b": 2}], [{"a": 1}], True),
        ("contains", "one two", ["one", "three"], False),
        ("lacks", [{"a": 1}], [{"a": 2}], True),
        ("items", [1, 2, 2], [2, 1, 2], True),
        ("items", [1, 1, 2], [1, 2, 2], False),
        ("near", 1.05, [1, 0.1], True),
        ("words", " Ada  LUND ", "ada lund", True),
        ("words", "Ada Lund or Ben", "Ada Lund", False),
        ("count", [1, 2], 2, True),
        ("at_least", "3", 2, False),
    ],
)
def test_comparisons(name, found, wanted, holds):
    assert COMPARISONS[name](found, wanted) is holds
