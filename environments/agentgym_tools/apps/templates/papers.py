"""Tasks with notes alone, files alone, or contacts alone."""

from __future__ import annotations

import sqlite3

from agentgym_tools.apps.base import words
from agentgym_tools.apps.drafts import Draft, Draw, all_pages, do, seen, template
from agentgym_tools.worlds.calls import Call

_NOTES = "SELECT * FROM notes WHERE owner = ?"
_FILES = "SELECT * FROM files WHERE owner = ?"
_CONTACTS = "SELECT * FROM contacts WHERE owner = ?"


def note_called(draw: Draw, title: str) -> sqlite3.Row:
    """The person's only note whose title or text has this in it."""
    rows = draw.rows(f"{_NOTES} AND instr(lower(title || ' ' || text), ?)", draw.user, title.lower())
    draw.need(len(rows) == 1)
    return rows[0]


def reading_note(title: str, number: int) -> list[Call]:
    """The calls that find and read a note."""
    return [do("notes.search_notes", query=title), do("notes.get_note", note_id=number)]


@template("notes")
def gift_in_note(draw: Draw) -> Draft:
    row = note_called(draw, "Gift ideas")
    name, _, gift = draw.pick(row["text"].split("\n")).partition(": ")
    text = f"Which product have I noted as a gift for {name}?"
    return Draft(text, reading_note("Gift ideas", row["id"]), answers=(gift,), evidence=(seen("note texts", [row]),))


@template("notes")
def count_notes_with(draw: Draw) -> Draft:
    errand = draw.pick(words.ERRANDS)
    rows = draw.rows(f"{_NOTES} AND instr(lower(title || ' ' || text), ?)", draw.user, errand)
    draw.need(2 <= len(rows) < 20)
    text = f"How many of my notes mention {errand!r}, archived ones included?"
    reads = [do("notes.search_notes", query=errand, limit=20)]
    return Draft(text, reads, answers=(len(rows),), evidence=(seen("notes", rows),))


@template("notes", copies=True)
def append_to_list(draw: Draw) -> Draft:
    row, product = note_called(draw, "Shopping list"), draw.pick(words.PRODUCTS["office"])
    line = f"{draw.rng.randint(1, 5)} x {product}"
    text = f"Add the line {line!r} to the end of my note 'Shopping list'."
    reads = [do("notes.search_notes", query="Shopping list")]
    return Draft(text, reads, [[do("notes.append_to_note", note_id=row["id"], text=line)]])


@template("notes")
def archive_thoughts(draw: Draw) -> Draft:
    rows = draw.rows(f"{_NOTES} AND title LIKE 'Thought%' AND NOT is_archived", draw.user)
    every = draw.count("SELECT count(*) FROM notes WHERE owner = ? AND NOT is_archived", draw.user)
    draw.need(2 <= len(rows) <= 8)
    writes = [do("notes.archive_note", note_id=row["id"]) for row in rows]
    return Draft("Archive all notes whose title begins with 'Thought'.", all_pages("notes.list_notes", every), [writes])


@template("notes")
def unpin_notes(draw: Draw) -> Draft:
    rows = draw.rows(f"{_NOTES} AND is_pinned", draw.user)
    draw.need(2 <= len(rows) <= 8)
    writes = [do("notes.pin_note", note_id=row["id"], is_pinned=False) for row in rows]
    return Draft("Unpin all my notes.", all_pages("notes.list_pinned", len(rows)), [writes])


@template("notes")
def empty_notebook(draw: Draw) -> Draft:
    source, target = draw.some(words.NOTEBOOKS, 2)
    rows = draw.rows(f"{_NOTES} AND notebook = ?", draw.user, source)
    draw.need(2 <= len(rows) <= 8)
    writes = [do("notes.move_note", note_id=row["id"], notebook=target) for row in rows]
    reads = all_pages("notes.list_notebook", len(rows), notebook=source)
    return Draft(f"Move all notes of the notebook {source!r} to {target!r}, archived ones too.", reads, [writes])


@template("notes")
def delete_archived(draw: Draw) -> Draft:
    rows = draw.rows(f"{_NOTES} AND is_archived", draw.user)
    draw.need(2 <= len(rows) <= 8)
    writes = [do("notes.delete_note", note_id=row["id"]) for row in rows]
    return Draft("Delete all archived notes.", all_pages("notes.list_archived", len(rows)), [writes])


@template("files")
def sum_expenses(draw: Draw) -> Draft:
    row = draw.one(f"{_FILES} AND name LIKE 'expenses-%'", draw.user)
    lines = [line.split(",") for line in row["text"].split("\n")[1:]]
    what = draw.pick(sorted({line[1] for line in lines}))
    total = sum(int(line[2]) for line in lines if line[1] == what)
    text = f"How many cents did I spend on {what} in all, by my file {row['name']}?"
    reads = [do("files.search_files", query=row["name"]), do("files.read_file", file_id=row["id"])]
    return Draft(text, reads, answers=(total,), evidence=(seen("file texts", [row]),))


@template("files")
def largest_expense(draw: Draw) -> Draft:
    row = draw.one(f"{_FILES} AND name LIKE 'expenses-%'", draw.user)
    lines = sorted((int(line.split(",")[2]), line.split(",")[0]) for line in row["text"].split("\n")[1:])
    draw.need(lines[-1][0] != lines[-2][0])
    text = f"On which day was the largest expense of my file {row['name']}? Answer as in the file."
    reads = [do("files.list_files", folder="/finance", limit=20), do("files.read_file", file_id=row["id"])]
    return Draft(text, reads, answers=(lines[-1][1],), evidence=(seen("file texts", [row]),))


@template("files")
def lock_folder(draw: Draw) -> Draft:
    folder = draw.pick(("/finance", "/work"))
    rows = draw.rows(f"{_FILES} AND folder = ?", draw.user, folder)
    still = [row for row in rows if not row["is_locked"]]
    draw.need(1 <= len(still) <= 8)
    writes = [do("files.lock_file", file_id=row["id"], is_locked=True) for row in still]
    return Draft(
        f"Lock all files of the folder {folder}.", all_pages("files.list_files", len(rows), folder=folder), [writes]
    )


@template("files")
def move_to_new_folder(draw: Draw) -> Draft:
    folder, name = draw.pick(("/finance", "/work", "/travel")), draw.pick(("old", "backup", "year-2031"))
    rows = draw.rows(f"{_FILES} AND folder = ?", draw.user, folder)
    draw.need(not any(row["is_locked"] for row in rows) and len(rows) > 1)
    writes = [do("files.create_folder", folder=f"/{name}")]
    writes += [do("files.move_file", file_id=row["id"], folder=f"/{name}") for row in rows]
    text = f"Make a folder /{name}, and move all files of {folder} into it."
    return Draft(text, all_pages("files.list_files", len(rows), folder=folder), [writes])


@template("files")
def stop_sharing(draw: Draw) -> Draft:
    sql = f"{_FILES} AND (SELECT count(*) FROM shares WHERE file_id = files.id) > 0"
    row = draw.one(sql, draw.user)
    people = draw.rows("SELECT email FROM shares JOIN people ON people.id = person_id WHERE file_id = ?", row["id"])
    writes = [do("files.unshare_file", file_id=row["id"], email=each["email"]) for each in people]
    reads = [do("files.search_files", query=row["name"]), do("files.list_shares", file_id=row["id"])]
    return Draft(f"Stop sharing my file {row['name']} of the folder {row['folder']} with anybody.", reads, [writes])


@template("files", copies=True)
def note_owner(draw: Draw) -> Draft:
    row = draw.one(f"{_FILES} AND text LIKE 'Draft on %' AND NOT is_locked", draw.user)
    name = draw.contact()["name"]
    new = row["text"].replace("to be named", name)
    text = f"In my file {row['name']}, put the name {name} in place of 'to be named'. Leave the rest as it is."
    reads = [do("files.search_files", query=row["name"]), do("files.read_file", file_id=row["id"])]
    return Draft(text.rstrip(), reads, [[do("files.write_file", file_id=row["id"], text=new)]])


@template("files", copies=True)
def keep_shared_copy(draw: Draw) -> Draft:
    sql = (
        "SELECT files.*, people.name AS owner_name FROM shares JOIN files ON files.id = file_id JOIN people ON people.id = "
        "files.owner WHERE person_id = ? ORDER BY files.id"
    )
    rows = draw.rows(sql, draw.user)
    row = draw.pick(rows)
    draw.need(sum(each["owner_name"] == row["owner_name"] and each["name"] == row["name"] for each in rows) == 1)
    text = f"{row['owner_name']} shares the file {row['name']} with me. Keep a copy of it as 'copy.txt' in my folder /home."
    call = do("files.copy_file", file_id=row["id"], folder="/home", name="copy.txt")
    return Draft(text, all_pages("files.list_shared_with_me", len(rows)), [[call]])


@template("contacts")
def birthdays_of_month(draw: Draw) -> Draft:
    row = draw.one(f"{_CONTACTS} AND birthday IS NOT NULL", draw.user)
    month = int(row["birthday"][:2])
    rows = draw.rows(f"{_CONTACTS} AND substr(birthday, 1, 2) = ?", draw.user, f"{month:02}")
    text = f"Which of my contacts have their birthday in month {month}? List the full names."
    reads = [do("contacts.list_birthdays", month=month)]
    return Draft(text, reads, answers=([each["name"] for each in rows],), evidence=(seen("contacts", rows),))


@template("contacts")
def address_of_relation(draw: Draw) -> Draft:
    row = draw.one(
        f"{_CONTACTS} AND relation NOT IN ('friend', 'colleague', 'service') AND email IS NOT NULL", draw.user
    )
    text = f"What is the e-mail address of my {row['relation']}?"
    reads = [do("contacts.find_by_relation", relation=row["relation"])]
    return Draft(text, reads, answers=(row["email"],), evidence=(seen("contacts", [row]),))


@template("contacts")
def favour_relation(draw: Draw) -> Draft:
    relation = draw.pick(("friend", "colleague", "service"))
    rows = draw.rows(f"{_CONTACTS} AND relation = ? AND NOT is_favourite", draw.user, relation)
    draw.need(1 <= len(rows) <= 8)
    writes = [do("contacts.set_favourite", contact_id=row["id"], is_favourite=True) for row in rows]
    what = {"friend": "friends", "colleague": "colleagues", "service": "services"}[relation]
    reads = [do("contacts.find_by_relation", relation=relation, limit=20)]
    return Draft(f"Make all {what} among my contacts favourites.", reads, [writes])


@template("contacts")
def group_of_city(draw: Draw) -> Draft:
    city = draw.one(f"{_CONTACTS} AND city IS NOT NULL GROUP BY city HAVING count(*) > 1", draw.user)["city"]
    rows = draw.rows(f"{_CONTACTS} AND city = ?", draw.user, city)
    group = draw.count("SELECT max(id) + 1 FROM contact_groups")
    writes = [do("contacts.create_group", title=city)]
    writes += [do("contacts.add_to_group", group_id=group, contact_id=row["id"]) for row in rows]
    text = f"Make a group {city!r} of my contacts who live in {city}."
    return Draft(text, [do("contacts.find_by_city", city=city, limit=20)], [writes])


@template("contacts")
def new_phone(draw: Draw) -> Draft:
    row, phone = draw.contact(), f"555-{draw.rng.randint(7000, 7999)}"
    text = f"{row['name']} has a new phone number, {phone}. Change it in my contacts."
    reads = [do("contacts.search_contacts", query=row["name"])]
    return Draft(text, reads, [[do("contacts.set_phone", contact_id=row["id"], phone=phone)]])


@template("contacts")
def delete_services(draw: Draw) -> Draft:
    rows = draw.rows(f"{_CONTACTS} AND relation = 'service'", draw.user)
    draw.need(len(rows) > 1)
    writes = [do("contacts.delete_contact", contact_id=row["id"]) for row in rows]
    reads = [do("contacts.find_by_relation", relation="service")]
    return Draft("Delete the services, such as plumbers and taxis, from my contacts.", reads, [writes])


@template("contacts")
def leave_group(draw: Draw) -> Draft:
    group = draw.one("SELECT * FROM contact_groups WHERE owner = ? ORDER BY id", draw.user)
    row = draw.one(
        "SELECT contacts.* FROM group_members JOIN contacts ON contacts.id = contact_id WHERE group_id = ?", group["id"]
    )
    text = f"{row['name']} no longer belongs to the group {group['title']!r} of my contacts. Take the contact out."
    reads = [do("contacts.list_groups"), do("contacts.list_group_members", group_id=group["id"])]
    return Draft(text, reads, [[do("contacts.remove_from_group", group_id=group["id"], contact_id=row["id"])]])
