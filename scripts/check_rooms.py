"""Refuses what makes a house of code flat or tangled: crowded folders, large classes, and imports that go in circles.

Which layer may import which within agentgym is the work of `check_layout`, which calls this.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

MAX_FILES = 20
MAX_CLASS_LINES = 300

# Rooms of the trainer, lowest first: a room imports those before it.
TRAINER_ROOMS = (
    "maths",
    "core",
    "replay",
    "curricula",
    "learned_attribution",
    "groups",
    "hierarchical",
    "offline",
    "run",
    "pixels",
)
TRAINER = "agentgym_rl"

# Pairs of packages that may import each other, each with its reason.
DECLARED_PAIRS: Mapping[frozenset[str], str] = {
    frozenset(
        {"agentgym", TRAINER}
    ): "commands name the trainer, which stands on agentgym; check_layout allows no other",
}

Trees = Mapping[str, ast.Module]
Graph = dict[str, dict[str, int]]
"""For each module the modules that it imports, each with the line."""


def check_rooms(trees: Trees) -> Iterator[tuple[str, int, str]]:
    """Faults of a checkout, each as path, line and what is wrong.

    Args:
        trees: The syntax tree of each Python file, by its path from the root.
    """
    yield from _crowded_folders(trees)
    yield from _large_classes(trees)
    graph, files = import_graph(trees)
    yield from _cycles(graph, files)
    yield from _mutual_packages(graph, files)
    yield from _trainer_rooms(graph, files)


def import_graph(trees: Trees) -> tuple[Graph, dict[str, str]]:
    """Which module imports which when it is loaded or checked, and the file of each module.

    Imports within functions are left out: they are allowed to optional packages alone.
    """
    files = {_module_of(name): name for name in trees if name.startswith(("agentgym/", "environments/", "trainers/"))}
    graph: Graph = {}
    for module, name in files.items():
        edges = graph.setdefault(module, {})
        for node in _top_level(trees[name]):
            for target in _targets(node, files):
                if target != module:
                    edges.setdefault(target, node.lineno)
    return graph, files


def _module_of(name: str) -> str:
    path = name.removeprefix("environments/").removeprefix("trainers/").removesuffix(".py")
    return path.replace("/", ".").removesuffix(".__init__")


def _top_level(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def _targets(node: ast.Import | ast.ImportFrom, files: Mapping[str, str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in files)
        return
    for alias in node.names:
        inner = f"{node.module}.{alias.name}"
        found = inner if inner in files else node.module
        if found in files:
            yield str(found)


def _crowded_folders(trees: Trees) -> Iterator[tuple[str, int, str]]:
    counts = Counter(str(PurePosixPath(name).parent) for name in trees)
    for folder, count in sorted(counts.items()):
        if count > MAX_FILES:
            yield folder, 1, f"{count} source files side by side, at most {MAX_FILES}; give related ones a folder"


def _large_classes(trees: Trees) -> Iterator[tuple[str, int, str]]:
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MAX_CLASS_LINES:
                    yield name, node.lineno, f"class {node.name} has {lines} lines, at most {MAX_CLASS_LINES}"


def _cycles(graph: Graph, files: Mapping[str, str]) -> Iterator[tuple[str, int, str]]:
    for component in _components(graph):
        if len(component) > 1:
            first = min(component)
            inside = next(target for target in sorted(graph[first]) if target in component)
            names = ", ".join(sorted(component))
            yield files[first], graph[first][inside], f"imports go in a circle, TYPE_CHECKING included: {names}"


def _components(graph: Graph) -> list[set[str]]:
    """Sets of modules that reach each other (Tarjan 1972), without recursion."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    on_path: set[str] = set()
    found: list[set[str]] = []
    for root in graph:
        if root in order:
            continue
        work = [(root, iter(graph[root]))]
        order[root] = low[root] = len(order)
        path.append(root)
        on_path.add(root)
        while work:
            module, targets = work[-1]
            target = next((each for each in targets if each not in order or each in on_path), None)
            if target is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[module])
                if low[module] == order[module]:
                    start = path.index(module)
                    found.append(set(path[start:]))
                    on_path.difference_update(path[start:])
                    del path[start:]
            elif target in order:
                low[module] = min(low[module], order[target])
            else:
                order[target] = low[target] = len(order)
                path.append(target)
                on_path.add(target)
                work.append((target, iter(graph[target])))
    return found


def _mutual_packages(graph: Graph, files: Mapping[str, str]) -> Iterator[tuple[str, int, str]]:
    """Pairs of folders, neither of which holds the other, whose files import each other's."""
    first: dict[tuple[str, str], tuple[str, int]] = {}
    for module, edges in graph.items():
        for target, line in edges.items():
            pair = _siblings(_package(module, files), _package(target, files))
            if pair is not None:
                first.setdefault(pair, (files[module], line))
    for (package, other), (name, line) in sorted(first.items()):
        is_declared = frozenset({package, other}) in DECLARED_PAIRS
        if package < other and (other, package) in first and not is_declared:
            back, back_line = first[other, package]
            yield name, line, f"{package} and {other} import each other, the second in {back}:{back_line}"


def _package(module: str, files: Mapping[str, str]) -> str:
    return module if files[module].endswith("__init__.py") else module.rpartition(".")[0]


def _siblings(package: str, other: str) -> tuple[str, str] | None:
    """The folders just below where two packages part; None where one holds the other."""
    own, theirs = package.split("."), other.split(".")
    shared = next((n for n, (a, b) in enumerate(zip(own, theirs, strict=False)) if a != b), None)
    if shared is None:
        return None
    return ".".join(own[: shared + 1]), ".".join(theirs[: shared + 1])


def _trainer_rooms(graph: Graph, files: Mapping[str, str]) -> Iterator[tuple[str, int, str]]:
    height: dict[str, int] = defaultdict(lambda: len(TRAINER_ROOMS), {name: n for n, name in enumerate(TRAINER_ROOMS)})
    for module, edges in graph.items():
        if not module.startswith(f"{TRAINER}."):
            continue
        own = module.split(".")[1]
        if own not in TRAINER_ROOMS:
            yield files[module], 1, f"{own} is none of the trainer's rooms: {', '.join(TRAINER_ROOMS)}"
            continue
        for target, line in edges.items():
            if target.startswith(f"{TRAINER}.") and height[target.split(".")[1]] > height[own]:
                yield files[module], line, f"{module} imports {target}: {own} stands below {target.split('.')[1]}"
