"""Words the issues of a suite's tasks anew where they show too little: `agentgym swe reword`.

A text without a call, or without what is expected of it, gets a program that `demonstrating` found and ran on the
broken and on the original package. Every task gets further calls for its variant `more`. Good texts stay as they are.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.authoring.task_files import write_split
from agentgym.sandbox.once import cache_folder
from agentgym.task import Task
from agentgym_swe.making.generate import difficulty
from agentgym_swe.making.issue import Call, Issue, calls_in, told_error, word_calls, word_hidden, word_silence
from agentgym_swe.repair.own_tasks import read_splits
from agentgym_swe.repositories.definitions import definitions, module_name
from agentgym_swe.repositories.edit import MIN_DIGEST, Edit, apply_edits
from agentgym_swe.repositories.layer import Layer, load_layer
from agentgym_swe.rewording.demonstrating import Demonstrator, Shown, demonstrator
from agentgym_swe.rewording.excerpts import Excerpt, is_inner
from agentgym_swe.room import Wanted

MAX_CALLS = 3
_INNER = re.compile(r"\._(?!_)\w|attribute '_(?!_)\w|\b_[A-Z]\w*__\w")
Report = Callable[[str, str], None]
Found = Mapping[str, Any]
"""What was found of a task: "is_good" where its text stays; else "calls", each a list as `Call` has it, and "uses",
public names that its tests use."""


def reworded(tasks: Sequence[Task], sandbox: Wanted = None, report: Report = lambda name, line: None) -> list[Task]:
    """Tasks with better texts, in the same order.

    Args:
        tasks: Tasks of swe/repair, whose packages are prepared.
        sandbox: As in `SandboxEnv`.
        report: Told of progress.

    Raises:
        NotPreparedError: A package is not prepared.
        SandboxError: No sandbox can be started, or one was lost.
    """
    better: dict[str, Task] = {}
    for name in dict.fromkeys(str(task.config["package"]) for task in tasks):
        own = [task for task in tasks if task.config["package"] == name]
        layer = load_layer(name)
        for number, (task, found) in enumerate(_found(layer, own, sandbox), start=1):
            better[task.id] = task if found.get("is_good") else with_issue(task, layer, found)
            report(name, f"{number} of {len(own)} texts")
    return [better.get(task.id, task) for task in tasks]


def reword_suite(
    folder: Path, names: Sequence[str] = (), sandbox: Wanted = None, report: Report = lambda name, line: None
) -> dict[str, tuple[int, int, int]]:
    """Reword the tasks of a folder, in place.

    Args:
        folder: A suite's, or one that `agentgym swe make --out` wrote.
        names: Packages whose tasks are reworded; () for all.
        sandbox: As in `SandboxEnv`.
        report: Told of progress.

    Returns:
        By package how many tasks it has, how many of them show a call, and how many have a text with more.

    Raises:
        ConfigError: It holds no task, or one that cannot be read.
        NotPreparedError: A package is not prepared.
        SandboxError: No sandbox can be started, or one was lost.
    """
    of_split = {split: tasks for split, tasks in read_splits(folder).items() if tasks}
    chosen = [task for tasks in of_split.values() for task in tasks if not names or task.config["package"] in names]
    better = {task.id: task for task in reworded(chosen, sandbox, report)}
    for split, tasks in of_split.items():
        write_split(folder, split, [better.get(task.id, task) for task in tasks])
    counts: dict[str, tuple[int, int, int]] = {}
    for task in better.values():
        before = counts.get(str(task.config["package"]), (0, 0, 0))
        added = (1, bool(calls_in(task.instruction)), "more" in task.private["issues"])
        counts[str(task.config["package"])] = (before[0] + 1, before[1] + added[1], before[2] + added[2])
    return counts


def is_told(task: Task, layer: Layer) -> bool:
    """Whether a task's text shows a call with what is observed and expected, and there is more to be told."""
    is_whole = "more" in task.private["issues"] and not names_inner(task.instruction)
    if task.config["kind"] == "implement":
        return is_whole and not is_hidden(task, layer)
    return is_whole and "Expected: " in task.instruction


def is_hidden(task: Task, layer: Layer) -> bool:
    """Whether the function at fault is an inner one: a part of its name is, or it is defined in another function."""
    nested = {
        f"{module_name(path, layer.python_path)}.{each.name}"
        for path in {edit[0] for edit in task.config["edits"]}
        for each in definitions(layer.text(path))
        if each.is_nested
    }
    return any(is_inner(name) or name in nested for name in task.private["functions"])


def with_issue(task: Task, layer: Layer, found: Found) -> Task:
    """A task with the text that what was found of it allows."""
    functions = list(task.private["functions"])
    is_implement = task.config["kind"] == "implement"
    calls = [without_inner(Call(tuple(imports), *rest)) for imports, *rest in found["calls"]][:MAX_CALLS]
    if not calls and not is_implement:
        calls = calls_in(task.private["issues"].get("more", task.instruction))
    calls = [call for call in calls if not names_inner(call.text())]
    if is_implement:
        issue = word_hidden(layer.name, task.instruction, functions[0], calls, is_hidden=is_hidden(task, layer))
    elif calls:
        issue = word_calls(layer.name, functions, calls)
    else:
        issue = word_silence(layer.name, functions, task.instruction, found["uses"])
    return _put(task, issue)


def names_inner(text: str) -> bool:
    """Whether a text names an inner attribute."""
    return _INNER.search(text) is not None


def without_inner(call: Call) -> Call:
    """A call whose errors are told without a message that names an inner attribute."""
    observed, expected = (
        re.sub(r"^`(\w+): .*`$", r"`\1`", each) if names_inner(each) else each
        for each in (call.observed, call.expected)
    )
    return dataclasses.replace(call, observed=observed, expected=expected)


def _put(task: Task, issue: Issue) -> Task:
    facts = {"issue": dataclasses.asdict(issue), "candidate": {"functions": task.private["functions"]}}
    facts["kind"] = task.config["kind"]
    told = {"less": issue.less, "more": issue.more}
    private = {
        **task.private,
        "issues": {key: text for key, text in told.items() if text != issue.usual},
        "difficulty": difficulty(facts),
    }
    return dataclasses.replace(task, instruction=issue.usual, private=private)


def _found(layer: Layer, tasks: Sequence[Task], sandbox: Wanted) -> Iterator[tuple[Task, Found]]:
    """What is found of each task; what was found before is taken from the cache."""
    path = cache_folder() / "swe" / "made" / f"{layer.name}-{layer.digest[:MIN_DIGEST]}-shown.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    known: dict[str, Found] = dict(map(json.loads, lines))
    keys = {task.id: json.dumps(task.config["edits"]) for task in tasks}
    if all(key in known for key in keys.values()):
        yield from ((task, known[keys[task.id]]) for task in tasks)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with demonstrator(layer, sandbox) as finder:
        for task in tasks:
            key = keys[task.id]
            if key not in known:
                known[key] = find(task, layer, finder)
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([key, known[key]]) + "\n")
            yield task, known[key]


def find(task: Task, layer: Layer, finder: Demonstrator) -> Found:
    """Calls on which a task's package differs from the original, the best first."""
    broken = apply_edits(layer, [Edit.from_json(edit) for edit in task.config["edits"]])
    inner = "\n".join(broken.values())
    failing = list(task.private["failing"])
    told = calls_in(task.private["issues"].get("more", task.instruction))
    told = [call for call in told if not names_inner(without_inner(call).text())]
    shown = finder.tried([Excerpt(call.imports, call.code) for call in told], broken)
    if shown and is_told(task, layer) and shown[0].excerpt.code == told[0].code:
        return {"is_good": True}
    shown += finder.demonstrate(broken, failing)
    if len({each.excerpt.code for each in shown}) < MAX_CALLS:
        start = [each.excerpt for each in shown[:2]] or [Excerpt(call.imports, call.code) for call in told[:1]]
        for each in start:
            shown += finder.variants(each, broken, task.seed)[:2]
    calls = [call for each in shown if (call := call_of(each, inner, failing)) is not None]
    unique = {call.code: call for call in reversed(calls)}
    kept = list(reversed(unique.values()))[:MAX_CALLS]
    return {
        "calls": [[list(each.imports), each.code, each.observed, each.expected] for each in kept],
        "uses": finder.uses(failing),
    }


def call_of(shown: Shown, inner: str, failing: Sequence[str]) -> Call | None:
    """A program as a call of an issue; None where that would name what is not to be told."""
    code, seen, wanted = shown.excerpt.code, shown.observed, shown.expected
    told = [_told(each, other, code, inner) for each, other in ((seen, wanted), (wanted, seen))]
    if told[0] == told[1] or not all(told):
        return None
    call = Call(shown.excerpt.imports, code, told[0], told[1])
    names = {test.partition("[")[0].rpartition("::")[2] for test in failing}
    return None if call.is_unfit or any(name in call.text() for name in names) else call


def _told(seen: Mapping[str, Any], other: Mapping[str, Any], code: str, inner: str) -> str:
    """What a program gives, in words."""
    if "raised" in seen:
        return f"`{told_error({'type': seen['raised'], 'message': seen['message']}, code, inner)}`"
    if seen["value"] is None or ("raised" in other and not seen["type"]):
        return "no error" if "raised" in other else f"a value of type `{seen['type']}`" if seen["type"] else ""
    return "no error" if "raised" in other and seen["value"] == "None" else f"`{seen['value']}`"
