"""Templates for Engrampa: archives that are made, opened and changed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from agentgym_gui.templates.editing import joined
from agentgym_gui.templates.making import zip_file
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import Steps, click, finish, press, saved_as
from agentgym_gui.templates.words import COLOURS, TOPICS, sentences, some

APP = "engrampa"
PATH = "Documents/papers.zip"


def _files(rng: random.Random, count: int = 4) -> dict[str, bytes]:
    lines = sentences(rng, count)
    return {f"{name}.txt": joined([line]) for name, line in zip(some(rng, TOPICS, count), lines, strict=True)}


def _goals(path: str, members: Mapping[str, bytes]) -> tuple[Any, ...]:
    inside = [goal(name, "member", path=path, member=name, equals=body.decode()) for name, body in members.items()]
    return (goal("names", "members", path=path, equals=sorted(members)), *inside)


def _plan(
    words: str,
    files: dict[str, bytes],
    new: Mapping[str, bytes],
    wrong: list[Mapping[str, bytes]],
    *,
    path: str = PATH,
    steps: Steps,
) -> Plan:
    return Plan(
        goal=words,
        applications=(APP,),
        start=((APP, f"~/{path}"),) if path in files else ((APP,),),
        files=files,
        goals=_goals(path, new),
        may_change=(path,),
        ending=Ending({path: zip_file(new)}),
        near_misses=tuple(Ending({path: zip_file(each)}) for each in wrong),
        oracle=(*steps, finish()),
    )


def _make(rng: random.Random) -> Plan:
    members = _files(rng, 3)
    path = f"Documents/{rng.choice(COLOURS)}.zip"
    files = {f"Documents/{name}": body for name, body in members.items()}
    words = f"Pack the three text files of Documents into a zip archive {path}, without a folder inside."
    fewer = dict(list(members.items())[:2])
    deep = {f"Documents/{name}": body for name, body in members.items()}
    first, *others = sorted(members)
    steps = (
        click("push button", "New…"),
        *saved_as(path),
        click("push button", "Add Files"),
        click("table cell", "Documents"),
        press("Return"),
        click("table cell", first),
        *(click("table cell", name, keys="ctrl") for name in others),
        click("push button", "Add"),
    )
    return _plan(words, files, members, [fewer, deep], path=path, steps=steps)


def _delete(rng: random.Random) -> Plan:
    members = _files(rng)
    gone = rng.choice(sorted(members))
    rest = {name: body for name, body in members.items() if name != gone}
    other = {name: body for name, body in members.items() if name != min(rest)}
    steps = (click("table cell", gone), press("Delete"), click("push button", "Delete"))
    words = f"Delete {gone} from the archive {PATH}."
    return _plan(words, {PATH: zip_file(members)}, rest, [other, {}], steps=steps)


def _add(rng: random.Random) -> Plan:
    members = _files(rng)
    new = rng.choice(sorted(members))
    old = {name: body for name, body in members.items() if name != new}
    files = {PATH: zip_file(old), f"Documents/{new}": members[new]}
    wrong: list[Mapping[str, bytes]] = [{new: members[new]}, {**old, f"Documents/{new}": members[new]}]
    words = f"Add Documents/{new} to the archive {PATH}, beside the files that are in it."
    steps = (click("push button", "Add Files"), click("table cell", new), click("push button", "Add"))
    return _plan(words, files, members, wrong, steps=steps)


def _extract(rng: random.Random) -> Plan:
    members = _files(rng)
    path, wanted = PATH, rng.choice(sorted(members))
    target = f"Documents/{wanted}"
    return Plan(
        goal=f"Extract {wanted} from the archive {path} into the folder Documents, and nothing else of it.",
        applications=(APP,),
        start=((APP, f"~/{path}"),),
        files={path: zip_file(members)},
        goals=(goal("text", "text", path=target, equals=members[wanted].decode()),),
        may_change=(target,),
        oracle=(
            click("table cell", wanted),
            click("push button", "Extract"),
            click("push button", "Extract"),
            press("Escape"),
            finish(),
        ),
        ending=Ending({target: members[wanted]}),
        near_misses=(Ending({f"Documents/{name}": body for name, body in members.items()}), Ending({target: b""})),
    )


def _largest(rng: random.Random) -> Plan:
    members = _files(rng)
    largest = rng.choice(sorted(members))
    members[largest] *= 7
    path = PATH
    other = min(members.keys() - {largest})
    return Plan(
        goal=f"Which file in the archive {path} is the largest? Answer with its name alone.",
        applications=(APP,),
        start=((APP, f"~/{path}"),),
        files={path: zip_file(members)},
        goals=(goal("answer", "answer", words=largest),),
        oracle=(click("table column header", "Size"), finish(largest)),
        ending=Ending(answer=largest),
        near_misses=(Ending(answer=other), Ending({largest: members[largest]}, answer=largest)),
    )


TEMPLATES = (
    Template("engrampa.make", _make),
    Template("engrampa.delete_member", _delete),
    Template("engrampa.add_member", _add),
    Template("engrampa.extract_one", _extract),
    Template("engrampa.largest_member", _largest),
)
