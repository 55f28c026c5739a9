"""Probes made of calls: what tests do with a package, recorded on the original, and done again without the tests.

A tape holds what one test did, an expression a step; `inside/recorder.py` says how it is written. Fresh tapes have some
of their inputs changed. What the steps give is found out by `probes`.
"""

from __future__ import annotations

import ast
import copy
import json
import random
import secrets
from collections.abc import Mapping, Sequence

from agentgym.python_source import parse_expression
from agentgym.sandbox.base import Sandbox
from agentgym_swe.repair.ground import PYTHON, program
from agentgym_swe.repair.link import WarmLink
from agentgym_swe.repair.verdict.instrumenting import instrumented
from agentgym_swe.repair.verdict.slices import PROBE, changed_value, is_plain, runs_by_itself, without_unread
from agentgym_swe.repair.verdict.test_source import functions_of, parsed
from agentgym_swe.repair.verdict.tree import FIXED_TIME, File, tree_of
from agentgym_swe.repositories.layer import Layer

MAX_FAILING, MAX_OTHERS = 24, 8
"""How many tests are recorded: of those that fail on the broken package, and of others."""
FRESH = 3
"""Changed copies of each tape."""
MAX_STEPS = 4000
"""Steps of all tapes of a task together, the changed ones included."""
MAX_CPU_S, WALL_S = 20, 240.0
"""Limits of a recording."""
Tape = Sequence[tuple[int, str, bool]]
"""Steps: number, expression, and whether its value is taken down."""
_RECORDER = (*PYTHON, "-c", program("recorder"))
_INNER = ("n", "t", "define")
"""What the constants of these calls name is not changed."""


def chosen(failing: Sequence[str], others: Sequence[str], rng: random.Random) -> list[str]:
    """The tests that are recorded: of each function one, then more of those that fail."""
    first = [ids[0] for ids in functions_of(failing).values()][:MAX_FAILING]
    rest = [test for test in failing if test not in first]
    first += rng.sample(rest, min(len(rest), MAX_FAILING - len(first)))
    more = [ids[0] for ids in functions_of(others).values()]
    return first + rng.sample(more, min(len(more), MAX_OTHERS))


def recorded(sandbox: Sandbox, link: WarmLink, layer: Layer, ids: Sequence[str]) -> dict[str, Tape]:
    """The tapes of tests, run on the original; those that nothing can be recorded of are missing.

    Args:
        sandbox: Where nothing of an agent is.
        link: To its warm process.
        layer: The package.
        ids: The tests.

    Raises:
        SandboxError: The sandbox is gone.
    """
    root = f"{sandbox.spec.work_dir}/{secrets.token_hex(8)}"
    link.put(root, tree_of(layer, with_tests=True) | _instrumented_tests(layer))
    request = {"root": root, "path": list(layer.python_path), "sources": list(layer.sources), "ids": list(ids)}
    ended = sandbox.exec(
        _RECORDER,
        stdin=json.dumps({**request, "cpu_s": MAX_CPU_S}).encode(),
        env={"PYTHONHASHSEED": "0"},
        timeout_s=WALL_S,
        max_output_bytes=16 << 20,
    )
    try:
        found = json.loads(ended.stdout)
    except ValueError:
        return {}
    return {
        test: [(int(number), str(text), bool(takes)) for number, text, takes in tape]
        for test, tape in found.items()
        if tape
    }


def _instrumented_tests(layer: Layer) -> dict[str, File]:
    found = {}
    for path in layer.files:
        if path.endswith(".py") and layer.is_test(path):
            text = instrumented(layer.text(path))
            if text is not None:
                found[path] = File(text.encode("utf-8"), FIXED_TIME)
    return found


def groups_of(layer: Layer, tapes: Mapping[str, Tape], rng: random.Random) -> list[tuple[list[str], dict[str, str]]]:
    """The statements that do again what is on tapes, a group for each test file.

    Args:
        layer: The package.
        tapes: By test what it did.
        rng: Draws changed inputs.

    Returns:
        Statements, and by the key of each case the name of the test; keys of changed inputs end with "+".
    """
    by_file: dict[str, dict[str, Tape]] = {}
    for test, tape in tapes.items():
        by_file.setdefault(test.partition("::")[0], {})[test] = tape
    groups = []
    left = MAX_STEPS
    for path, own in by_file.items():
        file = parsed(layer, path)
        if file is None:
            continue
        statements = [file.text_of(node) for node in file.without_tests() if not runs_by_itself(node)]
        cases: dict[str, str] = {}
        for number, (test, tape) in enumerate(own.items()):
            fresh = [made for _ in range(FRESH) if (made := _changed(tape, rng)) is not None]
            for mark, each in [("", tape), *((f".{index}+", made) for index, made in enumerate(fresh))]:
                if len(each) > left:
                    break
                left -= len(each)
                key, name = f"c{number}{mark}", f"tape_{number}_{len(statements)}"
                statements += [_written(name, each), f"{PROBE}.case({key!r}, {name})"]
                cases[key] = test
        groups.append((without_unread(statements), cases))
    return groups


def _written(name: str, tape: Tape) -> str:
    """A tape as a function."""
    lines = [f"def {name}():", f"    v, n, t = {PROBE}.values(), {PROBE}.named, {PROBE}.temporary"]
    lines.append(f"    define = lambda *written: {PROBE}.define(globals(), *written)")
    for place, (number, text, takes) in enumerate(tape):
        lines.append(f"    {PROBE}.step(v, {number}, {place}, {takes}, lambda: {text})")
    return "\n".join(lines)


def _changed(tape: Tape, rng: random.Random) -> list[tuple[int, str, bool]] | None:
    """A tape with constants of one or two of its steps changed; None where there are none."""
    places = [place for place, (_, text, _) in enumerate(tape) if _constants(parse_expression(text))]
    if not places:
        return None
    made = list(tape)
    for place in rng.sample(places, min(len(places), rng.choice((1, 1, 2)))):
        number, text, takes = made[place]
        tree = copy.deepcopy(parse_expression(text))
        constants = _constants(tree)
        for node in rng.sample(constants, min(len(constants), rng.choice((1, 1, 2)))):
            assert isinstance(node.value, int | float | str)
            node.value = changed_value(node.value, rng)
        made[place] = (number, ast.unparse(tree), takes)
    return made


def _constants(node: ast.AST) -> list[ast.Constant]:
    """The plain constants among the inputs of an expression."""
    if isinstance(node, ast.Constant):
        return [node] if is_plain(node.value) else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _INNER:
        return []
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "v":
        return []
    return [found for inner in ast.iter_child_nodes(node) for found in _constants(inner)]
