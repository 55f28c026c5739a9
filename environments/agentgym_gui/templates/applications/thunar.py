"""Templates for Thunar: files and folders that are named, moved, copied and thrown away."""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym_gui.templates.editing import joined
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import Step, Steps, call, click, finish, press, typed
from agentgym_gui.templates.words import COLOURS, TOPICS, sentences, some

APP = "thunar"
TRASH = ".local/share/Trash/*"
_ENDS = (".txt", ".md", ".csv", ".log")


def _folder(rng: random.Random, folder: str = "Documents", count: int = 5) -> dict[str, bytes]:
    """Files of different content in a folder."""
    lines = sentences(rng, count)
    names = some(rng, TOPICS, count)
    return {f"{folder}/{name}{rng.choice(_ENDS)}": joined([line]) for name, line in zip(names, lines, strict=True)}


def _there(path: str, *, wanted: bool) -> dict[str, object]:
    return dict(goal(f"{path} {'there' if wanted else 'gone'}", "there", path=path, equals=wanted))


def _content(path: str, content: bytes) -> dict[str, object]:
    return dict(goal(f"{path} as it was", "text", path=path, equals=content.decode()))


def _chosen(path: str) -> Step:
    """A file of the open folder, in the view as a list."""
    return click("table cell", path.rpartition("/")[2])


def gone_to(folder: str) -> Steps:
    """Another folder, by the field for places."""
    return (press("ctrl+l"), press("ctrl+a"), typed(f"~/{folder}"), press("Return"))


def _renamed(old: str, new: str) -> Steps:
    return (_chosen(old), press("F2"), press("ctrl+a"), typed(new.rpartition("/")[2]), press("Return"))


def _carried(paths: Sequence[str], folder: str, *, key: str = "ctrl+x", is_new: bool = False) -> Steps:
    """Files of one folder that are put into another, which is made in the home where it is new.

    Thunar selects what it has put there, and does so late.
    """
    first, *more = paths
    others = [click("table cell", path.rpartition("/")[2], keys="ctrl") for path in more]
    home = (*gone_to(""), *made_folder(folder)) if is_new else ()
    back = gone_to(first.rpartition("/")[0]) if is_new else ()
    return (
        *home,
        *back,
        _chosen(first),
        *others,
        press(key),
        *gone_to(folder),
        press("ctrl+v"),
        call("wait", time_s=1.0),
    )


def made_folder(name: str) -> Steps:
    """A new folder in the one that is open."""
    return (press("ctrl+shift+n"), press("ctrl+a"), typed(name), press("Return"))


def _moved(files: dict[str, bytes], moves: dict[str, str], words: str, steps: Steps, num_mistakes: int = 0) -> Plan:
    """The plan to give files other paths."""
    goals = [each for old, new in moves.items() for each in (_content(new, files[old]), _there(old, wanted=False))]
    done: dict[str, bytes | None] = dict.fromkeys(moves)
    done.update({new: files[old] for old, new in moves.items()})
    first_old, first_new = next(iter(moves.items()))
    copied: dict[str, bytes | None] = {**done, first_old: files[first_old]}
    emptied: dict[str, bytes | None] = {**done, first_new: b""}
    return Plan(
        goal=words,
        applications=(APP,),
        start=((APP, "~/" + first_old.rpartition("/")[0]),),
        files=files,
        goals=tuple(goals),
        may_change=(*moves, *moves.values()),
        oracle=(press("ctrl+2"), *steps, finish()),
        ending=Ending(done),
        near_misses=(Ending(copied), Ending(emptied)),
        num_mistakes=num_mistakes,
    )


def _rename(rng: random.Random) -> Plan:
    files = _folder(rng)
    old = rng.choice(sorted(files))
    new = f"Documents/{rng.choice(COLOURS)}-{rng.randrange(10, 99)}.{old.rpartition('.')[2]}"
    return _moved(files, {old: new}, f"Rename {old} to {new.rpartition('/')[2]}.", _renamed(old, new))


def _move(rng: random.Random) -> Plan:
    files = _folder(rng)
    folder = f"Archive/{rng.choice(COLOURS)}"
    files[f"{folder}/old.txt"] = joined(sentences(rng, 1))
    old = rng.choice([name for name in sorted(files) if name.startswith("Documents/")])
    moves = {old: f"{folder}/{old.rpartition('/')[2]}"}
    return _moved(files, moves, f"Move {old} into the folder {folder}.", _carried([old], folder))


def _move_kind(rng: random.Random) -> Plan:
    files = {
        f"Documents/{name}{end}": joined([name]) for name, end in zip(some(rng, TOPICS, 8), _ENDS * 2, strict=True)
    }
    end = rng.choice(_ENDS)
    moves = {name: name.replace("Documents/", "Sorted/") for name in files if name.endswith(end)}
    words = f"Make a folder Sorted in the home and move all files of Documents that end in {end} there."
    return _moved(files, moves, words, _carried(sorted(moves), "Sorted", is_new=True))


def _rename_two(rng: random.Random) -> Plan:
    files = _folder(rng)
    olds = rng.sample(sorted(files), 2)
    moves = {old: f"Documents/part-{number}.{old.rpartition('.')[2]}" for number, old in enumerate(olds, 1)}
    words = ", and ".join(f"{old} to {new.rpartition('/')[2]}" for old, new in moves.items())
    return _moved(files, moves, f"Rename {words}.", tuple(step for each in moves.items() for step in _renamed(*each)))


def _copy(rng: random.Random) -> Plan:
    files = _folder(rng)
    old = rng.choice(sorted(files))
    new = f"Backup/{old.rpartition('/')[2]}"
    return Plan(
        goal=f"Make a folder Backup in the home and put a copy of {old} there, under the same name.",
        applications=(APP,),
        start=((APP, "~/Documents"),),
        files=files,
        goals=(_content(new, files[old]),),
        may_change=(new,),
        oracle=(press("ctrl+2"), *_carried([old], "Backup", key="ctrl+c", is_new=True), finish()),
        ending=Ending({new: files[old]}),
        near_misses=(Ending({new: files[old], old: None}), Ending({new: b""})),
    )


def _delete(rng: random.Random) -> Plan:
    files = _folder(rng)
    old, other = rng.sample(sorted(files), 2)
    return Plan(
        goal=f"Throw {old} away. Everything else must stay.",
        applications=(APP,),
        start=((APP, "~/Documents"),),
        files=files,
        goals=(_there(old, wanted=False),),
        may_change=(old, TRASH),
        oracle=(press("ctrl+2"), _chosen(old), press("Delete"), click("push button", "Delete"), finish()),
        ending=Ending({old: None, f".local/share/Trash/files/{old.rpartition('/')[2]}": files[old]}),
        near_misses=(Ending({old: None, other: None}), Ending({other: None})),
    )


def _put_back(rng: random.Random) -> Plan:
    files = _folder(rng)
    old = rng.choice(sorted(files))
    wrong = f"Pictures/{old.rpartition('/')[2]}"
    files[wrong] = files.pop(old)
    files["Pictures/readme.txt"] = joined(["Pictures alone belong here."])
    words = f"{wrong} was moved to the wrong folder by mistake. Put it back into Documents."
    return _moved(files, {wrong: old}, words, _carried([wrong], "Documents"), 1)


def _put_two_back(rng: random.Random) -> Plan:
    files = _folder(rng)
    first, second = rng.sample(sorted(files), 2)
    moved = f"Old/{first.rpartition('/')[2]}"
    named = second + ".bak"
    files[moved], files[named] = files.pop(first), files.pop(second)
    words = (
        f"Two mistakes were made: {first} was moved to Old, and {second} was renamed to "
        f"{named.rpartition('/')[2]}. Undo both."
    )
    steps = (*_carried([moved], "Documents"), *_renamed(named, second))
    return _moved(files, {moved: first, named: second}, words, steps, 2)


TEMPLATES = (
    Template("thunar.rename", _rename),
    Template("thunar.move", _move),
    Template("thunar.move_kind", _move_kind),
    Template("thunar.rename_two", _rename_two),
    Template("thunar.copy", _copy),
    Template("thunar.delete", _delete),
    Template("thunar.put_back", _put_back),
    Template("thunar.put_two_back", _put_two_back),
)
