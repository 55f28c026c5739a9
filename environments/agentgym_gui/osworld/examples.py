"""Thirty tasks of our own in OSWorld's form, made from this family's templates with the files that they need.

They show the form and test the reader. They are no tasks of OSWorld, and their scores say nothing about it.
"""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentgym_gui.osworld.machine import FOREIGN_HOME
from agentgym_gui.templates.all_templates import TEMPLATES
from agentgym_gui.templates.plan import Plan

_HOST = "https://files.example.org"
_OF_TEXT = ("add_line", "delete_line", "replace_word", "restore_line", "save_copy", "swap_lines", "upper_line")
_OF_PROGRAMS = ("add_function", "comment_line", "indent_line", "rename_variable", "set_constant", "split_file")
_OF_FILES = ("copy", "delete", "move", "move_kind", "put_back", "put_two_back", "rename", "rename_two")
NAMES = (
    *(f"mousepad.{name}" for name in _OF_TEXT),
    *(f"geany.{name}" for name in _OF_PROGRAMS),
    *(f"thunar.{name}" for name in _OF_FILES),
    *("terminal.save_matches", "terminal.delete_kind", "engrampa.extract_one", "engrampa.add_member"),
    *("engrampa.delete_member", "impossible.thunar_rename", "impossible.thunar_delete", "impossible.thunar_copy"),
    "impossible.terminal_count_lines",
)
"""The templates, one task each."""
SEED = 11


def write_examples(folder: Path) -> int:
    """Write the tasks to `folder/tasks` and their files to `folder/cache`; the number of tasks."""
    (folder / "tasks").mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        plan = TEMPLATES[name].plan(SEED)
        identity = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{_HOST}/{name}"))
        for path, content in _cached(plan):
            target = folder / "cache" / identity / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        task = _task(identity, plan)
        (folder / "tasks" / f"{name.replace('.', '-')}.json").write_text(json.dumps(task, indent=2) + "\n")
    return len(NAMES)


def _flat(path: str) -> str:
    """A path as one name, so that files of several folders lie beside each other."""
    return path.replace("/", "_")


def _cached(plan: Plan) -> Iterator[tuple[str, bytes]]:
    yield from ((_flat(path), content) for path, content in plan.files.items())
    if plan.feasible:
        yield from (
            (f"gold_{_flat(path)}", content) for path, content in plan.ending.files.items() if content is not None
        )


def _task(identity: str, plan: Plan) -> dict[str, Any]:
    files = [{"local_path": f"cache/{_flat(path)}", "path": f"{FOREIGN_HOME}/{path}"} for path in plan.files]
    launches = [[each.replace("~", FOREIGN_HOME) for each in argv] for argv in plan.start]
    config: list[dict[str, Any]] = [{"type": "upload_file", "parameters": {"files": files}}] if files else []
    config += [{"type": "launch", "parameters": {"command": argv}} for argv in launches]
    return {
        "id": identity,
        "snapshot": plan.applications[0],
        "instruction": plan.goal,
        "source": "",
        "config": config,
        "related_apps": list(plan.applications),
        "evaluator": _evaluator(plan) if plan.feasible else {"func": "infeasible"},
        "proxy": False,
    }


def _evaluator(plan: Plan) -> dict[str, Any]:
    """Every changed file is compared with its gold file, and what must be gone is looked for by a command."""
    rows = [_row(path, content) for path, content in plan.ending.files.items() if not path.startswith(".local")]
    names, results, expected = (list(column) for column in zip(*rows, strict=True))
    if len(names) == 1:
        return {"func": names[0], "result": results[0], "expected": expected[0]}
    return {"func": names, "conj": "and", "result": results, "expected": expected}


def _row(path: str, content: bytes | None) -> tuple[str, dict[str, Any], dict[str, Any]]:
    whole, name = f"{FOREIGN_HOME}/{path}", f"gold_{_flat(path)}"
    if content is None:
        command = {"type": "vm_command_line", "command": ["sh", "-c", f"test -e '{whole}' && echo there || echo gone"]}
        return "exact_match", command, {"type": "rule", "rules": {"expected": "gone\n"}}
    kinds = {"py": "compare_python_pure_text", "zip": "compare_zip_files", "csv": "compare_csv"}
    metric = kinds.get(path.rpartition(".")[2], "compare_text_file")
    result = {"type": "vm_file", "path": whole, "dest": path.rpartition("/")[2]}
    return metric, result, {"type": "cloud_file", "path": f"{_HOST}/{name}", "dest": name}


if __name__ == "__main__":
    sys.stdout.write(f"{write_examples(Path(sys.argv[1]))} tasks\n")
