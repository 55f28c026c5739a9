"""Refuses what makes a codebase hard to read: imports against the grain, outsized files and functions, broken exports.

Style of lines is ruff's work, types are mypy's; this reads syntax trees only and imports nothing of ours.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from scripts.check_rooms import check_rooms

MAX_FILE_LINES = 600
MAX_BODY_LINES = 60
MAX_POSITIONAL = 6
MAX_PARAMETERS = 10
MAX_NESTING = 4
REFUSED_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}

# Top-level modules and packages of agentgym, lowest layer first: imports point up this list or stay within a layer.
LAYERS = (
    (
        "errors",
        "ranges",
        "wording",
        "config",
        "data_folder",
        "entry_points",
        "message",
        "origin",
        "picture",
        "arguments",
        "python_source",
        "stopping",
        "action",
        "reward",
        "outcome",
        "task",
        "trajectory",
    ),
    ("env", "tools", "game", "suite", "spaces", "store", "policy", "leasing"),
    ("sandbox", "remote", "prompting", "attribution", "wrappers"),
    ("authoring",),
    ("registration", "policies", ""),
    ("rollout",),
    ("evaluation",),
    ("testing", "interop", "view", "scaffold"),
    ("cli",),
)
LAYER_OF = {name: number for number, names in enumerate(LAYERS) for name in names}
HIGHEST_FOR_ENVIRONMENTS = LAYER_OF["authoring"]

TORCH_FILES = ("agentgym/policies/torch/*.py",)
# Distributions of the optional extras; these alone may be imported inside a function.
OPTIONAL = {"torch", "transformers", "tokenizers", "safetensors", "accelerate", "peft", "tensorboard", "jaxtyping"}
OPTIONAL |= {"jinja2", "docker", "playwright", "starlette", "uvicorn", "websockets", "chess", "mcp", "ray"}
OPTIONAL |= {"wandb", "trackio", "pyarrow", "minigrid", "textarena", "textworld", "bm25s", "psycopg"}

# What the files of a family beside its environments import from above: its specs, and all of agentgym before them.
OF_A_FAMILY = {
    "agentgym.registration.env_spec.EnvSpec": "/specs.py",
    "agentgym.registration.env_spec.Knobs": "/specs.py",
    "agentgym.registration.env_spec.Need": "/specs.py",
    "agentgym": "/__init__.py",
}

# Ours that may be, too: their HTTP client would double what importing agentgym costs.
LATE = {"agentgym.registration.contained", "agentgym.policies.judge"}


class Checker:
    """Violations of one checkout, as `path:line: what is wrong`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.violations: list[str] = []
        self.environments = {folder.name for folder in (root / "environments").glob("*") if folder.is_dir()}
        self.trainers = {folder.name for folder in (root / "trainers").glob("*") if folder.is_dir()}
        self.trees: dict[str, ast.Module] = {}

    def run(self) -> list[str]:
        """Check every Python file below the root's source folders."""
        for folder in ("agentgym", "environments", "trainers", "scripts", "benchmarks", "tests"):
            for path in sorted((self.root / folder).rglob("*.py")):
                name = path.relative_to(self.root).as_posix()
                text = path.read_text(encoding="utf-8")
                self.trees[name] = ast.parse(text, name)
                self._check_size(name, text)
        for name, tree in self.trees.items():
            self._check_functions(name, tree)
            if name.startswith(("agentgym/", "environments/", "trainers/")):
                self._check_imports(name, tree)
                self._check_exports(name, tree)
        self._check_error_tree()
        for name, line, why in check_rooms(self.trees):
            self._refuse(name, line, why)
        return self.violations

    def _refuse(self, name: str, line: int, why: str) -> None:
        self.violations.append(f"{name}:{line}: {why}")

    # Sizes and names.

    def _check_size(self, name: str, text: str) -> None:
        parts = Path(name).with_suffix("").parts
        refused = REFUSED_NAMES.intersection(parts)
        if refused:
            self._refuse(name, 1, f"a file or folder called {refused.pop()!r}; name it after what it does")
        num_lines = text.count("\n")
        if num_lines > MAX_FILE_LINES:
            self._refuse(name, 1, f"{num_lines} lines, at most {MAX_FILE_LINES}; split it by idea")

    def _check_functions(self, name: str, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            num_lines = _body_lines(node)
            if num_lines > MAX_BODY_LINES:
                self._refuse(
                    name, node.lineno, f"body of {node.name}() has {num_lines} lines, at most {MAX_BODY_LINES}"
                )
            depth = max((_nesting(child) for child in node.body), default=0)
            if depth > MAX_NESTING:
                self._refuse(name, node.lineno, f"{node.name}() nests {depth} deep, at most {MAX_NESTING}")
            own = [arg for arg in node.args.posonlyargs + node.args.args if arg.arg not in ("self", "cls")]
            total = len(own) + len(node.args.kwonlyargs)
            if len(own) > MAX_POSITIONAL or total > MAX_PARAMETERS:
                allowed = f"at most {MAX_PARAMETERS} and {MAX_POSITIONAL}: group them in a dataclass"
                why = f"{node.name}() takes {total} parameters, {len(own)} of them by position; {allowed}"
                self._refuse(name, node.lineno, why)

    # Imports.

    def _check_imports(self, name: str, tree: ast.Module) -> None:
        hidden = {id(node) for function in _functions(tree) for node in ast.walk(function)}
        statements = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        for node in statements:
            for target in _targets(node):
                why = self._direction_fault(name, target) or self._torch_fault(name, target, id(node) in hidden)
                if why:
                    self._refuse(name, node.lineno, why)
                if id(node) in hidden and not self._may_hide(name, target):
                    self._refuse(name, node.lineno, f"import of {target} inside a function; only extras may do that")

    def _direction_fault(self, name: str, target: str) -> str | None:
        """Why this import points the wrong way; None where it does not."""
        area, package = name.split("/")[:2]
        top = target.split(".")[0]
        if area == "agentgym":
            if top in self.environments:
                return f"agentgym imports the environment package {top}; look it up by registration"
            if top in self.trainers and package != "cli":
                return f"agentgym imports the trainer {top}; only agentgym/cli may"
        if area == "trainers" and (top in self.environments or target.startswith("agentgym.cli")):
            return f"a trainer imports {target}; it knows environments by id only, and no command"
        if area == "environments" and top in self.trainers:
            return f"an environment imports the trainer {top}"
        if top != "agentgym" or area == "trainers":
            return None
        part = target.partition(".")[2].split(".")[0]
        is_module = {f"agentgym/{part}.py", f"agentgym/{part}/__init__.py"} & self.trees.keys()
        layer = LAYER_OF.get(part, None if is_module else LAYER_OF[""])
        if layer is None:
            return f"{target} stands in no layer; add it to LAYERS in scripts/check_layout.py"
        if area == "environments":
            if name.endswith(OF_A_FAMILY.get(target, "\0")):
                return None
            is_high = layer > HIGHEST_FOR_ENVIRONMENTS
            return f"an environment imports {target}; it may import up to {LAYERS[3]}" if is_high else None
        own = LAYER_OF.get("" if package == "__init__.py" else package.removesuffix(".py"))
        if own is None:
            return f"{name} stands in no layer; add it to LAYERS in scripts/check_layout.py"
        return f"{name} imports {target}, which stands in a higher layer" if layer > own else None

    def _torch_fault(self, name: str, target: str, is_hidden: bool) -> str | None:
        if name.startswith("trainers/") or _is_torch_file(name):
            return None
        if target.split(".")[0] == "torch":
            return f"{name} imports torch; only {', '.join(TORCH_FILES)} and trainers may"
        if name.startswith("environments/"):
            return None
        if not is_hidden and self._is_torch_module(target):
            return f"{name} imports {target}, which needs torch; import it inside the function that needs it"
        return None

    def _is_torch_module(self, target: str) -> bool:
        path = target.replace(".", "/")
        return _is_torch_file(path + ".py") or (
            _is_torch_file(path.rpartition("/")[0] + ".py") and f"{path}.py" not in self.trees
        )

    def _may_hide(self, name: str, target: str) -> bool:
        top = target.split(".")[0]
        is_trainer = name.startswith("agentgym/cli/") and top in self.trainers
        is_late = target.rpartition(".")[0] in LATE
        return top in OPTIONAL or is_late or is_trainer or self._is_torch_module(target)

    # Exports.

    def _check_exports(self, name: str, tree: ast.Module) -> None:
        for export, line in _all_of(tree):
            is_documented = self._documented(name, export)
            if is_documented is None:
                self._refuse(name, line, f"__all__ names {export!r}, which is not there")
            elif not is_documented:
                self._refuse(name, line, f"__all__ names {export!r}, which has no docstring")

    def _documented(self, name: str, export: str) -> bool | None:
        """Whether an export has a docstring; None where it does not exist."""
        tree = self.trees[name]
        for position, node in enumerate(tree.body):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == export:
                if "overload" in map(ast.unparse, node.decorator_list):
                    continue
                return ast.get_docstring(node) is not None
            if export in _assigned(node):
                following = tree.body[position + 1] if position + 1 < len(tree.body) else None
                return export.startswith("__") or (isinstance(following, ast.Expr) and _is_text(following.value))
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == export:
                        return self._documented_import(node.module or "", alias.name)
        return None

    def _documented_import(self, module: str, imported: str) -> bool | None:
        for prefix in ("", "environments/", "trainers/"):
            base = prefix + module.replace(".", "/")
            if {f"{base}/{imported}.py", f"{base}/{imported}/__init__.py"} & self.trees.keys():
                return True
            for source in (f"{base}.py", f"{base}/__init__.py"):
                if source in self.trees:
                    return self._documented(source, imported)
        return True

    def _check_error_tree(self) -> None:
        name = "agentgym/errors.py"
        if name not in self.trees:
            return
        drawn = (ast.get_docstring(self.trees[name]) or "").replace("(", " ").split()
        for node in self.trees[name].body:
            if isinstance(node, ast.ClassDef) and node.name not in drawn:
                self._refuse(name, node.lineno, f"{node.name} is missing from the tree in the module's docstring")


def _functions(tree: ast.Module) -> Iterator[ast.AST]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _targets(node: ast.Import | ast.ImportFrom) -> list[str]:
    """The modules, or names within them, that an import statement names."""
    module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    return [module + alias.name for alias in node.names]


def _body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def _nesting(node: ast.AST) -> int:
    """How many blocks lie inside each other here; an elif counts with its if."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return 0
    blocks = ast.If | ast.For | ast.AsyncFor | ast.While | ast.With | ast.AsyncWith | ast.Try | ast.Match
    if isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        return max(1 + max(_nesting(child) for child in node.body), _nesting(node.orelse[0]))
    inner = max((_nesting(child) for child in ast.iter_child_nodes(node)), default=0)
    return inner + isinstance(node, blocks)


def _is_torch_file(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in TORCH_FILES)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _assigned(node: ast.AST) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _all_of(tree: ast.Module) -> list[tuple[str, int]]:
    for node in tree.body:
        if (
            "__all__" in _assigned(node)
            and isinstance(node, ast.Assign)
            and isinstance(node.value, ast.List | ast.Tuple)
        ):
            return [(str(item.value), item.lineno) for item in node.value.elts if isinstance(item, ast.Constant)]
    return []


def main() -> int:
    """Check the checkout that this file lies in; 1 where something is wrong."""
    violations = Checker(Path(__file__).resolve().parent.parent).run()
    for violation in violations:
        print(violation)
    print(f"layout: {len(violations)} violations", file=sys.stderr)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
