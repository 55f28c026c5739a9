"""OSWorld's task files, read and checked by path: each is loaded, or refused with its reason.

A task is loaded if every step, getter and metric of it can be played here and every file that it needs is in a folder
of cached files. How a loaded task is graded is in `grading`.
"""

from __future__ import annotations

import inspect
import json
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentgym.errors import TaskError, unreadable
from agentgym_gui.osworld.getters import Cache, Getter, read_getter
from agentgym_gui.osworld.metrics.all_metrics import METRICS
from agentgym_gui.osworld.metrics.slides import UNSUPPORTED_OPTIONS
from agentgym_gui.osworld.metrics.tables import RULES, STYLES
from agentgym_gui.osworld.opening import OFFICE_PROGRAMS, opener
from agentgym_gui.osworld.steps import Launch, Open, PutFile, Run, Step, read_steps
from agentgym_gui.osworld.unsupported import UnsupportedError

MAX_TASK_BYTES = 1 << 20
MAX_CACHED_BYTES = 64 << 20
INFEASIBLE = "infeasible"
APPLICATIONS = frozenset(
    {"os", "mousepad", "geany", "thunar", "galculator", "gnumeric", "xfce4-terminal", "terminal", "ristretto", "atril"}
    | {"claws-mail", "orage", "zim", "homebank", "engrampa", "xournalpp", "xfce4-settings", "zenity"}
)
"""Applications of the desktop by the names that tasks use; "os" is the desktop itself."""
OFFICE = frozenset({"libreoffice_calc", "libreoffice_writer", "libreoffice_impress", "calc", "writer", "impress"})
"""Further applications of the desktop with LibreOffice."""
_ID = re.compile(r"(?!\.\.?$)[^/\\\0]{1,200}")


@dataclass(frozen=True)
class Check:
    """One metric of a task, with what it is given.

    Attributes:
        metric: Its name.
        result: The getter of what was found.
        expected: The getter of what was expected; None where the metric takes none.
        options: Further arguments.
    """

    metric: str
    result: Getter
    expected: Getter | None
    options: Mapping[str, Any]


@dataclass(frozen=True)
class ForeignTask:
    """A task that can be played.

    Attributes:
        id: As the file says it.
        instruction: What the agent is asked.
        applications: The applications that it is about.
        steps: What sets it up.
        checks: Its metrics; none for a task that cannot be done.
        is_any: Whether one metric suffices; otherwise all count.
        post_steps: What is run before grading, such as the conversion of a file.
        cache: The files that it needs.
        notes: What of the file is left out, one sentence each.
    """

    id: str
    instruction: str
    applications: tuple[str, ...]
    steps: tuple[Step, ...]
    checks: tuple[Check, ...]
    is_any: bool
    post_steps: tuple[Step, ...]
    cache: Cache
    notes: tuple[str, ...] = ()

    @property
    def feasible(self) -> bool:
        """Whether the task can be done."""
        return bool(self.checks)

    @property
    def needs_office(self) -> bool:
        """Whether it names, starts or opens something with LibreOffice."""
        return any(name in OFFICE for name in self.applications) or any(map(_is_office, self.steps))


@dataclass(frozen=True)
class Refusal:
    """A file that is not played.

    Attributes:
        path: The file.
        reason: Why.
    """

    path: Path
    reason: str


@dataclass(frozen=True)
class Loaded:
    """What a path gave.

    Attributes:
        tasks: The tasks by their file.
        refused: The files that are not played.
    """

    tasks: Mapping[Path, ForeignTask]
    refused: tuple[Refusal, ...]


def load_osworld(path: Path, cache: Path, applications: Iterable[str] = APPLICATIONS) -> Loaded:
    """The tasks of a file, or of all JSON files below a folder.

    Args:
        path: The file or folder.
        cache: The folder of cached files: `cache/ID/NAME` as OSWorld leaves it behind, or `cache/NAME`.
        applications: What is on the desktop.

    Raises:
        TaskError: There is no such file or folder, or no JSON file in it.
    """
    if not path.exists():
        raise TaskError(f"there is no file or folder {path}; name a task of OSWorld or a folder of them")
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    if not files:
        raise TaskError(f"{path} holds no JSON file; name a task of OSWorld or a folder of them")
    tasks: dict[Path, ForeignTask] = {}
    refused, files_by_id = [], dict[str, Path]()
    for file in files:
        try:
            task = read_osworld_task(file, cache, frozenset(applications))
            first = files_by_id.setdefault(task.id, file)
            if first != file:
                raise UnsupportedError(f"its id {task.id} is that of {first}, too")
            tasks[file] = task
        except UnsupportedError as error:
            refused.append(Refusal(file, str(error)))
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            refused.append(Refusal(file, f"it is malformed: {type(error).__name__}: {error}"))
    return Loaded(tasks, tuple(refused))


def read_osworld_task(path: Path, cache: Path, applications: frozenset[str] = APPLICATIONS) -> ForeignTask:
    """One task.

    Args:
        path: The file.
        cache: The folder of cached files.
        applications: What is on the desktop.

    Raises:
        UnsupportedError: It is malformed, or cannot be played here.
    """
    fields = _fields(path)
    evaluator = fields["evaluator"]
    named = _names(fields.get("related_apps") or ())
    missing = [each for each in named if each not in applications]
    if missing:
        office = "; it is on the desktop with office" if missing[0] in OFFICE else ""
        raise UnsupportedError(f"it needs {missing[0]}, which is not on the desktop{office}")
    if fields.get("proxy"):
        raise UnsupportedError("it needs a network with a proxy")
    steps = read_steps(fields.get("config", []))
    checks, is_any = ((), False) if evaluator["func"] == INFEASIBLE else _checks(evaluator)
    post_steps, notes = _post_steps(evaluator.get("postconfig", []))
    needed = [each for check in checks for getter in (check.result, check.expected) if getter for each in getter.names]
    files = Cache(dict(_cached(fields["id"], cache, steps, needed)))
    return ForeignTask(fields["id"], fields["instruction"], named, steps, checks, is_any, post_steps, files, notes)


def _fields(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_TASK_BYTES:
            raise UnsupportedError(f"the file has over {MAX_TASK_BYTES} bytes")
        fields = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UnsupportedError(unreadable(path, error)) from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise UnsupportedError(f"no JSON: {error}") from error
    if not isinstance(fields, dict) or {"id", "instruction", "evaluator"} - fields.keys():
        raise UnsupportedError("no task: expected an object with id, instruction and evaluator")
    if not isinstance(fields["id"], str) or not _ID.fullmatch(fields["id"]):
        raise UnsupportedError(f"its id must be a text without slashes: got {str(fields['id'])[:60]!r}")
    if not isinstance(fields["instruction"], str):
        raise UnsupportedError(f"its instruction must be a text: got {str(fields['instruction'])[:60]!r}")
    if not fields["instruction"].strip():
        raise UnsupportedError("its instruction is empty; say what the agent is to do")
    evaluator = fields["evaluator"]
    if not isinstance(evaluator, dict) or not evaluator.get("func"):
        raise UnsupportedError("its evaluator names no func")
    return fields


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise UnsupportedError(f"its related_apps must be a list of names: got {str(value)[:60]!r}")
    return tuple(value)


def _is_office(step: Step) -> bool:
    match step:
        case Launch(argv) | Run(argv):
            return any(word in OFFICE_PROGRAMS for part in argv for word in re.split(r"[\s;&|/]+", part))
        case Open(path):
            return opener(path) in OFFICE_PROGRAMS
    return False


def _checks(evaluator: Mapping[str, Any]) -> tuple[tuple[Check, ...], bool]:
    names = evaluator["func"]
    several = isinstance(names, list)
    listed: Sequence[Any] = names if several else [names]
    parts = [_column(evaluator, key, len(listed), several=several) for key in ("result", "expected", "options")]
    conjunction = evaluator.get("conj", "and")
    if conjunction not in ("and", "or"):
        raise UnsupportedError(f"its metrics are joined by {conjunction!r}; expected and, or")
    checks = []
    for name, result, expected, options in zip(listed, *parts, strict=True):
        if not isinstance(name, str) or name not in METRICS:
            raise UnsupportedError(f"the metric {name} is not computed here")
        if not isinstance(options or {}, dict):
            raise UnsupportedError(f"the options of {name} are no object")
        _require_computed(str(name), options or {})
        getter = read_getter(expected) if expected else None
        _require_rules(name, expected)
        checks.append(Check(str(name), read_getter(result), getter, options or {}))
    return tuple(checks), conjunction == "or"


def _column(evaluator: Mapping[str, Any], key: str, count: int, *, several: bool) -> list[Any]:
    value = evaluator.get(key)
    if not several:
        return [value]
    if not value:
        return [None] * count
    if not isinstance(value, list) or len(value) != count:
        raise UnsupportedError(f"its {key} must be a list of {count}, one for each metric")
    return value


def _require_computed(name: str, options: Mapping[str, Any]) -> None:
    """Refuse what a metric would need beyond what is computed here."""
    used = sorted(key for key in options if key in UNSUPPORTED_OPTIONS and options[key])
    if name == "compare_pptx_files" and used:
        raise UnsupportedError(f"the option {used[0]} of {name} is not computed here")
    if name != "compare_table":
        return
    rules = options.get("rules")
    if not isinstance(rules, list) or not all(
        isinstance(rule, dict) and isinstance(rule.get("type"), str) for rule in rules
    ):
        raise UnsupportedError("compare_table needs a list of rules with a type each")
    for rule in rules:
        if rule["type"] not in RULES:
            raise UnsupportedError(f"the rule {rule['type']} of compare_table is not computed here")
        listed = {key: rule.get(key, ()) for key in ("props", "chart_props")}
        wrong = [key for key, value in listed.items() if not isinstance(value, list | tuple | dict)]
        if wrong:
            raise UnsupportedError(f"the {wrong[0]} of a rule must be a list: got {str(rule[wrong[0]])[:60]!r}")
        for prop in listed["props"] if rule["type"] in ("style", "check_cell") else ():
            if prop not in (*STYLES, "value"):
                raise UnsupportedError(f"the property {prop} of a cell is not computed here")
        if rule["type"] == "chart" and "anchor" in listed["chart_props"]:
            raise UnsupportedError("the anchor of a chart is not computed here")
    if any(each.get("method") == "spreadsheet_range" for each in _objects(rules)):
        raise UnsupportedError("ranges of cells are not compared here")


def _require_rules(name: str, expected: Any) -> None:
    """Refuse a rule that a metric, which reads its keys, could not."""
    if isinstance(expected, dict) and expected.get("type") == "rule":
        rules = expected["rules"]
        if "rules" in inspect.signature(METRICS[name]).parameters and not isinstance(rules, dict):
            raise UnsupportedError(f"the rules that {name} expects must be an object: got {str(rules)[:60]!r}")


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every object within a JSON value."""
    if isinstance(value, Mapping):
        yield value
    for each in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _objects(each)


def _post_steps(config: Any) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    """What is run before grading; what would press keys for the agent is left out and noted."""
    if not isinstance(config, list):
        raise UnsupportedError("postconfig must be a list of steps")
    kept, notes = [], []
    for entry in config:
        if "pyautogui" in json.dumps(entry):
            notes.append("before grading, OSWorld presses keys for the agent; here saving is the agent's work")
        else:
            kept.append(entry)
    return read_steps(kept), tuple(dict.fromkeys(notes))


def _cached(task: str, cache: Path, steps: Iterable[Step], names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """The files that a task needs, by name.

    Raises:
        UnsupportedError: One is missing or too large.
    """
    wanted = {step.name: step.url for step in steps if isinstance(step, PutFile)}
    wanted.update({name: "" for name in names if name not in wanted})
    for name, url in wanted.items():
        stored = f"{uuid.uuid5(uuid.NAMESPACE_URL, url)}_{name}" if url else name
        places = (cache / task / stored, cache / stored, cache / task / name, cache / name)
        file = next((each for each in places if each.is_file() and ".." not in Path(name).parts), None)
        if file is None:
            raise UnsupportedError(f"it needs the file {name}, which is not in {cache}")
        if file.stat().st_size > MAX_CACHED_BYTES:
            raise UnsupportedError(f"the file {name} has over {MAX_CACHED_BYTES} bytes")
        yield name, file.read_bytes()
