"""Right and wrong repairs of a task: the original, rewrites that mean the same, other faults, and half repairs."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from agentgym.task import Task
from agentgym_swe.making.candidates import Candidate, Sources, candidates
from agentgym_swe.repair.task_view import RepairTask, read_task
from agentgym_swe.repositories.edit import Edit, apply_edits

MAX_OTHERS = 14
"""Other faults of a task that are taken at most."""
_MIRRORED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq}


class Patch(NamedTuple):
    """A repair to be judged.

    Attributes:
        kind: What it is.
        about: Where it differs from the original.
        files: New texts by path.
    """

    kind: str
    about: str
    files: dict[str, str | None]


def patches(task: Task, seed: str) -> Iterator[Patch]:
    """Right ones first."""
    repair = read_task(task)
    right: dict[str, str | None] = {path: repair.layer.text(path) for path in repair.case.given}
    yield Patch("original", "", right)
    for name, rewrite in REWRITES.items():
        made = _rewritten(repair, rewrite)
        if made is not None:
            yield Patch("equivalent", name, {**right, **made})
    edits = [Edit.from_json(edit) for edit in task.config["edits"]]
    for number in range(len(edits) if len(edits) > 1 else 0):
        given = apply_edits(repair.layer, [edit for place, edit in enumerate(edits) if place != number])
        yield Patch("half", f"edit {number} mended", {**right, **given})
    yield Patch("nothing mended", "", {path: f"{text}\n# looked at\n" for path, text in repair.case.given.items()})
    yield from _others(repair, right, seed)


def _others(repair: RepairTask, right: dict[str, str | None], seed: str) -> Iterator[Patch]:
    """Faults of all operators put in the place of the task's: first those in the same function."""
    sources = Sources(repair.layer)
    sources.names = tuple(name for name in sources.names if name in right)
    near: list[Candidate] = []
    far: list[Candidate] = []
    for each in candidates(sources, seed):
        (near if each.functions[0] == repair.function else far).append(each)
    random.Random(seed).shuffle(near)
    num_made = 0
    chosen = [("other fault, same function", each) for each in near[: MAX_OTHERS // 2]]
    for kind, each in [*chosen, *(("other fault, same file", each) for each in far)]:
        if num_made == MAX_OTHERS:
            return
        changed = sources.changed(each.edits)
        if changed is not None:
            num_made += 1
            yield Patch(kind, f"{each.operator} in {each.functions[0]} at {each.edits[0].start}", {**right, **changed})


def _rewritten(repair: RepairTask, rewrite: Callable[[ast.FunctionDef], None]) -> dict[str, str | None] | None:
    """The file with the broken function rewritten; None where that changes nothing."""
    path = repair.files[0]
    text = repair.layer.text(path)
    name = repair.function.rpartition(".")[2]
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name == name]
    if len(found) != 1:
        return None
    node = found[0]
    made = copy.deepcopy(node)
    rewrite(made)
    if ast.dump(made) == ast.dump(node):
        return None
    lines = text.splitlines(keepends=True)
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    indented = "".join(
        f"{' ' * node.col_offset}{line}\n" if line else "\n"
        for line in ast.unparse(ast.fix_missing_locations(made)).split("\n")
    )
    whole = "".join([*lines[: first - 1], indented, *lines[node.end_lineno :]])
    return {path: whole}


def _turn_conditions(function: ast.FunctionDef) -> None:
    """`if a: x else: y` becomes `if not a: y else: x`."""
    for node in ast.walk(function):
        if isinstance(node, ast.If) and node.orelse:
            node.test = ast.UnaryOp(ast.Not(), node.test)
            node.body, node.orelse = node.orelse, node.body


def _mirror_comparisons(function: ast.FunctionDef) -> None:
    """`a < b` becomes `b > a`, where both are names or constants."""
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _MIRRORED:
            other = node.comparators[0]
            if isinstance(node.left, ast.Name | ast.Constant) and isinstance(other, ast.Name | ast.Constant):
                node.left, node.comparators = other, [node.left]
                node.ops = [_MIRRORED[type(node.ops[0])]()]


def _name_results(function: ast.FunctionDef) -> None:
    """`return x` becomes `found = x; return found`."""
    for node in ast.walk(function):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                setattr(node, name, [made for each in block for made in _named(each)])


def _named(statement: ast.stmt) -> Sequence[ast.stmt]:
    if not isinstance(statement, ast.Return) or statement.value is None:
        return [statement]
    store, load = ast.Name("found_", ast.Store()), ast.Name("found_", ast.Load())
    return [ast.Assign([store], statement.value), ast.Return(load)]


def _rename_locals(function: ast.FunctionDef) -> None:
    """Local names get another ending, where nothing inside defines functions, classes or global names."""
    inner = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.Global, ast.Nonlocal, ast.ListComp, ast.GeneratorExp)
    if any(isinstance(node, inner) for node in ast.walk(function) if node is not function):
        return
    stored = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    stored -= {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in stored:
            node.id = f"{node.id}_"


REWRITES: dict[str, Callable[[ast.FunctionDef], None]] = {
    "conditions turned": _turn_conditions,
    "comparisons mirrored": _mirror_comparisons,
    "results named": _name_results,
    "locals renamed": _rename_locals,
}
"""Changes of a function that change nothing of what it does."""
