"""Templates for the terminal: files made, moved and looked through by commands."""

from __future__ import annotations

import random

from agentgym_gui.templates.editing import joined
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import finish, typed
from agentgym_gui.templates.words import COLOURS, TOPICS, TOWNS, sentences, some

APP = "xfce4-terminal"
_HISTORY = (".bash_history", ".lesshst", ".viminfo")


def _plan(
    words: str, command: str, files: dict[str, bytes], goals: tuple[object, ...], done: Ending, *wrong: Ending
) -> Plan:
    changed = tuple(done.files)
    return Plan(
        goal=f"{words} A terminal is open.",
        applications=(APP,),
        start=((APP,),),
        files=files,
        goals=goals,  # type: ignore[arg-type]
        may_change=(*_HISTORY, *changed),
        oracle=(typed(f"{command}\n"), finish(done.answer or "")),
        ending=done,
        near_misses=wrong,
    )


def _logs(rng: random.Random) -> dict[str, bytes]:
    """Logs of different lengths, some lines with the word error."""
    files = {}
    for number, name in enumerate(some(rng, TOWNS, 5)):
        lines = [f"{rng.choice(('ok', 'error', 'warning'))} {sentence}" for sentence in sentences(rng, 4 + number * 3)]
        files[f"logs/{name.lower()}.log"] = joined(lines)
    return files


def _count_lines(rng: random.Random) -> Plan:
    files = _logs(rng)
    path = rng.choice(sorted(files))
    number = files[path].count(b"\n")
    answer = goal("answer", "answer", words=str(number))
    words = f"How many lines does {path} have? Answer with the number alone."
    command = f"wc -l {path}"
    return _plan(words, command, files, (answer,), Ending(answer=str(number)), Ending(answer=str(number + 1)))


def _count_errors(rng: random.Random) -> Plan:
    files = _logs(rng)
    number = sum(line.startswith(b"error") for content in files.values() for line in content.splitlines())
    answer = goal("answer", "answer", words=str(number))
    words = 'How many lines of all files in logs together begin with "error"? Answer with the number alone.'
    command = "cat logs/* | grep -c '^error'"
    return _plan(words, command, files, (answer,), Ending(answer=str(number)), Ending(answer=str(number + 1)))


def _make_tree(rng: random.Random) -> Plan:
    topic, colours = rng.choice(TOPICS), some(rng, COLOURS, 3)
    made: dict[str, bytes | None] = {f"{topic}/{colour}/notes.txt": b"" for colour in colours}
    goals = tuple(goal(path, "text", path=path, equals="") for path in made)
    words = (
        f"In the home, make a folder {topic} with the folders {', '.join(colours)} in it, each with an empty notes.txt."
    )
    fewer = dict(list(made.items())[:2])
    folders = " ".join(f"{topic}/{colour}" for colour in colours)
    command = f"mkdir -p {folders} && touch {' '.join(made)}"
    return _plan(words, command, {}, goals, Ending(made), Ending(fewer), Ending({**made, f"{topic}/notes.txt": b""}))


def _save_matches(rng: random.Random) -> Plan:
    files = _logs(rng)
    path = max(files, key=lambda name: len(files[name]))
    files[path] += b"error at the end of the day\n"
    lines = [line for line in files[path].decode().splitlines() if "error" in line]
    found = goal("lines", "lines", path="errors.txt", equals=lines)
    words = f'Write the lines of {path} that hold the word "error" into errors.txt in the home, in their order.'
    done, other = Ending({"errors.txt": joined(lines)}), Ending({"errors.txt": joined(lines[:-1])})
    return _plan(
        words, f"grep error {path} > errors.txt", files, (found,), done, other, Ending({"errors.txt": files[path]})
    )


def _delete_kind(rng: random.Random) -> Plan:
    files = {**_logs(rng), "logs/keep.txt": b"keep\n", "keep.log": b"keep\n"}
    gone: dict[str, bytes | None] = {path: None for path in files if path.startswith("logs/") and path.endswith(".log")}
    goals = tuple(goal(f"{path} gone", "there", path=path, equals=False) for path in gone)
    words = "Delete all files in the folder logs that end in .log, and no other file."
    return _plan(
        words,
        "rm logs/*.log",
        files,
        goals,
        Ending(gone),
        Ending({**gone, "keep.log": None}),
        Ending(dict([*gone.items()][1:])),
    )


TEMPLATES = (
    Template("terminal.count_lines", _count_lines),
    Template("terminal.count_errors", _count_errors),
    Template("terminal.make_folders", _make_tree),
    Template("terminal.save_matches", _save_matches),
    Template("terminal.delete_kind", _delete_kind),
)
