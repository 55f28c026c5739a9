"""Requests about files."""

from __future__ import annotations

from sqlite3 import Row

from agentgym_tools.workbench.cases import Case, View, do, either, rows, tell
from agentgym_tools.workbench.rows.files import CLIENTS, THINGS, WORDS
from agentgym_tools.workbench.sets.toolbox import LISTED
from agentgym_tools.workbench.template import ANSWER, Facts, Pick, Template, UndrawableError, direct
from agentgym_tools.worlds.calls import Call

_FILES = "SELECT path FROM nodes WHERE owner = ? AND kind = 'file' AND path NOT LIKE '/invoices/%' ORDER BY path"
_FOLDERS = "SELECT path FROM nodes WHERE owner = ? AND kind = 'folder' ORDER BY path"
_INVOICES = "SELECT path, text FROM nodes WHERE owner = ? AND path LIKE '/invoices/%' AND kind = 'file' ORDER BY path"
_NAMES = (
    "draft",
    "copy",
    "plan",
    "letter",
    "table",
    "sketch",
    "offer",
    "minutes",
    "agenda",
    "budget",
    "diary",
    "index",
)


def _file(pick: Pick) -> str:
    return str(pick.value(_FILES, pick.me))


def _folder(pick: Pick) -> str:
    return str(pick.value(_FOLDERS, pick.me))


def _name(pick: Pick) -> str:
    return f"{pick.one(_NAMES)}_{pick.number(2, 99)}"


def _line(pick: Pick) -> str:
    return f"{pick.one(WORDS)} {pick.one(THINGS)} {pick.one(('today', 'by Friday', 'once more', 'with care'))}"


def _new_folder(pick: Pick) -> Facts:
    return {"folder": f"{_folder(pick)}/{_name(pick)}"}


def _old_folder(pick: Pick) -> Facts:
    return {"folder": _folder(pick)}


def _new_file(pick: Pick) -> Facts:
    return {"path": f"{_folder(pick)}/{_name(pick)}.txt", "text": _line(pick)}


def _append(pick: Pick) -> Facts:
    return {"path": _file(pick), "line": _line(pick)}


def _append_nowhere(pick: Pick) -> Facts:
    return {"path": f"{_folder(pick)}/{_name(pick)}.txt", "line": _line(pick)}


def _move(pick: Pick) -> Facts:
    return {"path": _file(pick), "folder": _folder(pick)}


def _move_nowhere(pick: Pick) -> Facts:
    path = _file(pick)
    return {"path": path, "folder": path.rsplit("/", 1)[0]}


def _rename(pick: Pick) -> Facts:
    path = _file(pick)
    return {"path": path, "name": f"{_name(pick)}.{path.rsplit('.', 1)[-1]}"}


def _full_folder(pick: Pick) -> Facts:
    return {"path": pick.one(("/notes", "/logs", "/invoices"))}


def _replace(pick: Pick) -> Facts:
    row = pick.row("SELECT path, text FROM nodes WHERE owner = ? AND path LIKE '/notes/%'", pick.me)
    words = [word for word in row["text"].split() if word in WORDS]
    return {"path": row["path"], "old": pick.one(sorted(set(words))), "new": pick.one(("forget", "repeat", "delay"))}


def _replace_nothing(pick: Pick) -> Facts:
    path = pick.value("SELECT path FROM nodes WHERE owner = ? AND path LIKE '/notes/%'", pick.me)
    return {"path": path, "old": pick.one(("zebra", "violin", "comet")), "new": pick.one(("forget", "repeat", "delay"))}


def _note(pick: Pick) -> Facts:
    return {"path": pick.value("SELECT path FROM nodes WHERE owner = ? AND path LIKE '/notes/%'", pick.me)}


def _delete_line(pick: Pick) -> Facts:
    row = pick.row("SELECT path, text FROM nodes WHERE owner = ? AND path LIKE '/notes/%'", pick.me)
    return {"path": row["path"], "line": pick.one(row["text"].split("\n")[1:])}


def _invoice(pick: Pick) -> Facts:
    return {"path": pick.row(_INVOICES, pick.me)["path"]}


def _amount(view: View, facts: Facts) -> Case:
    text = view.value("SELECT text FROM nodes WHERE owner = ? AND path = ?", view.me, facts["path"])
    return tell(_amount_in(text), [Call("read_file", facts)], rows("text", [facts["path"]]))


def _amount_in(text: str) -> int:
    return int(text.split("amount: ")[1].split("\n")[0])


def _client_state(pick: Pick) -> Facts:
    return {"client": pick.one(CLIENTS), "state": pick.one(("open", "paid", "late"))}


def _of(view: View, facts: Facts) -> list[str]:
    """The paths of a client's invoices of a state."""
    return [row["path"] for row in _invoices(view, facts["client"]) if row["text"].endswith(f"state: {facts['state']}")]


def _invoices(view: View, client: str) -> list[Row]:
    """Paths and texts of a client's invoices, which are called after it."""
    sql = "SELECT path, text FROM nodes WHERE owner = ? AND path > ? AND path < ? ORDER BY path"
    return view.rows(sql, view.me, f"/invoices/{client}_", f"/invoices/{client}_~")


def _looked(facts: Facts) -> Call:
    return Call("find_by_text", {"folder": "/invoices", "text": f"state: {facts['state']}"})


def _count(view: View, facts: Facts) -> Case:
    client = [row["path"] for row in _invoices(view, facts["client"])]
    if not client:
        raise UndrawableError
    listed = [(LISTED, f"texts {folder} state: {facts['state']}") for folder in ("/invoices", "/")]
    return tell(len(_of(view, facts)), [_looked(facts)], *([each] for each in listed), rows("text", client))


def _file_away(view: View, facts: Facts) -> Case:
    paths = _of(view, facts)
    if not 1 <= len(paths) <= 5:
        raise UndrawableError
    calls = [Call("move_to_folder", {"path": path, "folder": facts["folder"]}) for path in paths]
    return do(*calls, reads=[_looked(facts)])


def _file_away_facts(pick: Pick) -> Facts:
    return {**_client_state(pick), "folder": pick.one(("/archive", "/shared", "/projects"))}


def _total(view: View, facts: Facts) -> Case:
    paths = _of(view, facts)
    if not 2 <= len(paths) <= 6:
        raise UndrawableError
    texts = {row["path"]: row["text"] for row in _invoices(view, facts["client"])}
    amounts = [_amount_in(texts[path]) for path in paths]
    reads = [_looked(facts), *(Call("read_file", {"path": path}) for path in paths)]
    seen = [*rows("text", paths), ("result", str(sum(amounts)))]
    return tell(sum(amounts), [*reads, Call("sum_of", {"numbers": amounts})], seen)


def _some_line(pick: Pick) -> Facts:
    row = pick.row("SELECT path, text FROM nodes WHERE owner = ? AND path LIKE '/notes/%'", pick.me)
    return {"line": pick.one(row["text"].split("\n")[1:])}


def _where_is(view: View, facts: Facts) -> Case:
    found = view.rows("SELECT path, text FROM nodes WHERE owner = ? AND instr(text, ?)", view.me, facts["line"])
    if len(found) != 1:
        raise UndrawableError
    path = found[0]["path"]
    read = Call("find_by_text", {"folder": "/", "text": facts["line"]})
    return tell(path, [read], rows("match", [path]), rows("text", [path]))


def _folder_of_files(pick: Pick) -> Facts:
    return {"folder": pick.one(("/notes", "/logs", "/invoices"))}


def _delete_longest(view: View, facts: Facts) -> Case:
    start = f"{facts['folder']}/%"
    found = view.rows("SELECT path, text FROM nodes WHERE owner = ? AND path LIKE ?", view.me, start)
    longest = max(len(row["text"]) for row in found)
    outcomes = [[Call("delete_entry", {"path": row["path"]})] for row in found if len(row["text"]) == longest]
    if len(outcomes) > 5:
        raise UndrawableError
    seen = rows("nodes", [row["path"] for row in found])
    return either(outcomes, [Call("list_folder", facts)], seen)


def _count_errors(view: View, facts: Facts) -> Case:
    text = f"level: {facts['level']}"
    found = view.rows(
        "SELECT path FROM nodes WHERE owner = ? AND path LIKE '/logs/%' AND instr(text, ?)", view.me, text
    )
    listed = [(LISTED, f"texts {folder} {text}") for folder in ("/logs", "/")]
    return tell(len(found), [Call("find_by_text", {"folder": "/logs", "text": text})], *([each] for each in listed))


def _write_answer(view: View, facts: Facts) -> Case:
    return do(Call("create_file", {"path": facts["path"], "text": str(view.answer)}))


def _last_made(view: View) -> str:
    changes = view.past[-1].changes if view.past else ()
    made = [change for change in changes if change.table == "nodes"]
    if len(made) != 1 or made[0].after is None or made[0].before is not None or made[0].after["kind"] != "file":
        raise UndrawableError
    return str(made[0].after["path"])


def _append_to_last(view: View, facts: Facts) -> Case:
    return do(Call("append_line", {"path": _last_made(view), "line": facts["line"]}))


def _copy_last(view: View, facts: Facts) -> Case:
    return do(Call("copy_to_folder", {"path": _last_made(view), "folder": facts["folder"]}))


FILES = "files"
TEMPLATES = (
    direct(
        *("make_folder", FILES, "create_folder"),
        ("Make a folder {folder}.", "I want a new folder with the path {folder}.", "Create {folder} as a folder."),
        _new_folder,
        idle=_old_folder,
    ),
    direct(
        *("make_file", FILES, "create_file"),
        ('Make a file {path} with this one line: "{text}"', 'Write "{text}" into a new file {path}.'),
        _new_file,
        missing="text",
        key_tool="",
        vague=("Make a file {path} with the text that I want there.",),
    ),
    direct(
        *("append", FILES, "append_line"),
        ('Add the line "{line}" at the end of {path}.', 'Below what {path} says, write "{line}".'),
        _append,
        idle=_append_nowhere,
        key_tool="",
        missing="line",
        vague=("Add a line at the end of {path}.", "Below what {path} says, write one more line."),
    ),
    direct(
        *("move", FILES, "move_to_folder"),
        (
            "Move {path} into {folder}.",
            "The file {path} belongs into {folder}; put it there.",
            "Put {path} into {folder}.",
        ),
        _move,
        idle=_move_nowhere,
        key_tool="",
        missing="folder",
        vague=(
            "Move {path} into the other folder.",
            "The file {path} is in the wrong folder; put it into the right one.",
        ),
    ),
    direct(
        *("rename", FILES, "rename"),
        ("Rename {path} to {name}.", "The file {path} shall be called {name}, in the same folder."),
        _rename,
        key_tool="",
        missing="name",
        vague=("Rename {path}.", "The file {path} shall have another name, in the same folder."),
    ),
    direct(
        *("copy", FILES, "copy_to_folder"),
        ("Copy {path} into {folder}.", "I want a copy of {path} in {folder}."),
        _move,
        key_tool="",
    ),
    direct(
        *("delete", FILES, "delete_entry"),
        ("Delete {path}.", "I do not need {path} any more; remove it."),
        lambda pick: {"path": _file(pick)},
        idle=_full_folder,
    ),
    direct(
        *("replace", FILES, "replace_in_file"),
        (
            'In {path}, replace "{old}" by "{new}" wherever it occurs.',
            'Where {path} says "{old}" it shall say "{new}".',
        ),
        _replace,
        idle=_replace_nothing,
        key_tool="",
        missing="new",
        vague=('In {path}, replace "{old}" by the right word wherever it occurs.',),
    ),
    direct(
        "sort",
        FILES,
        "sort_lines",
        ("Sort the lines of {path}.", "Put the lines of {path} into order."),
        _note,
        key_tool="",
    ),
    direct(
        *("delete_line", FILES, "delete_line"),
        ('Delete the line "{line}" from {path}.', '{path} shall no longer have the line "{line}".'),
        _delete_line,
        key_tool="",
    ),
    Template(
        *("invoice_amount", FILES),
        ("What is the amount on the invoice {path}?", "Which amount does {path} state?"),
        _invoice,
        _amount,
    ),
    Template(
        *("count_invoices", FILES),
        (
            "How many of the invoices of {client} in /invoices are in the state {state}?",
            "Count the invoices in /invoices whose client is {client} and whose state is {state}.",
        ),
        _client_state,
        _count,
        is_long=True,
    ),
    Template(
        *("file_invoices", FILES),
        (
            "Move all invoices of {client} in /invoices whose state is {state} into {folder}.",
            "What /invoices has of {client} in the state {state} belongs into {folder}.",
        ),
        _file_away_facts,
        _file_away,
        is_long=True,
    ),
    Template(
        *("total_invoices", FILES),
        (
            "What do the invoices of {client} in /invoices in the state {state} add up to?",
            "Add up the amounts of all invoices in /invoices whose client is {client} and whose state is {state}.",
        ),
        _client_state,
        _total,
        more_sets=("calculator",),
        is_long=True,
    ),
    Template(
        *("find_line", FILES),
        ('Which file in /notes has the line "{line}"? Give its path.', 'Where did I write "{line}"? Give the path.'),
        _some_line,
        _where_is,
    ),
    Template(
        *("delete_longest", FILES),
        (
            "Delete the file in {folder} that has the most characters.",
            "Remove the longest file, by characters, in {folder}.",
        ),
        _folder_of_files,
        _delete_longest,
        key_tool="delete_entry",
        is_long=True,
    ),
    Template(
        *("count_logs", FILES),
        ("How many files in /logs are of the level {level}?", 'Count the logs in /logs that say "level: {level}".'),
        lambda pick: {"level": pick.one(("info", "warning", "error"))},
        _count_errors,
        is_long=True,
    ),
    Template(
        *("write_answer", FILES),
        (
            "Write that number, and nothing else, into a new file {path}.",
            "Make a file {path} whose text is just the number that you have told me.",
        ),
        lambda pick: {"path": f"{_folder(pick)}/{_name(pick)}.txt"},
        _write_answer,
        after=ANSWER,
    ),
    Template(
        *("append_to_last", FILES),
        (
            'Add the line "{line}" to the file that you have just made.',
            'The new file shall also say "{line}", at the end.',
        ),
        lambda pick: {"line": _line(pick)},
        _append_to_last,
        after="nodes",
    ),
    Template(
        *("copy_last", FILES),
        ("Also put a copy of the new file into {folder}.", "Copy the file that you have just made into {folder}."),
        _old_folder,
        _copy_last,
        after="nodes",
    ),
)
"""All requests about files."""
