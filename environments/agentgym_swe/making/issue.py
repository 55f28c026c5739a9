"""Words the issue of a task from what its failing tests showed, in three lengths; no model is involved.

It never holds a path, a line, the name of a test, or an inner name of the package that the call does not show.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from agentgym.python_source import parse
from agentgym_swe.making.screening import Worker, worker_of
from agentgym_swe.repositories.layer import Layer
from agentgym_swe.room import Wanted, open_room

_NAMELESS = ("NameError", "UnboundLocalError")
"""Errors whose messages name inner variables."""
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHOWN = re.compile(r"((?:^(?: {4}.*)?\n)+)^Observed: (.*)\n(?:Expected: (.*)\n)?", re.MULTILINE)
_INNER = re.compile(r"(?<!\w)_[A-Za-z]")
_PATH = re.compile(r"(^|[\s'\"(])(/[\w.-]+){2,}|\.py\b|\bline \d+")


@dataclass(frozen=True)
class Issue:
    """What a task's author says is wrong.

    Attributes:
        less: Without the call.
        usual: With one call.
        more: With further calls.
        is_shown: Whether there is a call with values.
        names_function: Whether the usual text names the function at fault.
    """

    less: str
    usual: str
    more: str
    is_shown: bool
    names_function: bool


@dataclass(frozen=True)
class Call:
    """One call that goes wrong.

    Attributes:
        imports: Statements that it needs.
        code: The call, with values.
        observed: What came of it.
        expected: What should have come; "" where nobody says.
    """

    imports: tuple[str, ...]
    code: str
    observed: str
    expected: str

    def text(self) -> str:
        """As a part of an issue."""
        lines = [f"    {line}".rstrip() for line in (*self.imports, *self.code.split("\n"))]
        told = [f"Observed: {self.observed}", *([f"Expected: {self.expected}"] if self.expected else [])]
        return "\n".join([*lines, "", "  \n".join(told)])

    @property
    def is_unfit(self) -> bool:
        """Whether it names a path or a line."""
        return _PATH.search(self.text()) is not None

    @property
    def subject(self) -> str:
        """What is called in the last line: "merge_sorted" in `list(merge_sorted([1]))`; "" where it is not clear."""
        try:
            tree = parse(self.code)
        except SyntaxError:
            return ""
        last = tree.body[-1]
        made = {ast.unparse(each.targets[0]): each.value for each in tree.body if isinstance(each, ast.Assign)}
        aside = {
            name for each in self.imports if _is_of_python(each) for name in _WORD.findall(each.split("import")[-1])
        }
        aside |= {each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)}
        return _subject(last.value, made, aside) if isinstance(last, ast.Expr) else ""


def _is_of_python(statement: str) -> bool:
    """Whether an import is of Python's own library, or of the test tool."""
    return statement.split()[1].split(".")[0] in {*sys.stdlib_module_names, "pytest"}


def _subject(node: ast.AST, made: Mapping[str, ast.expr], aside: Set[str]) -> str:
    """The outermost function or method that an expression calls, but for Python's own and the test's."""
    if isinstance(node, ast.Call):
        of_others = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in aside
        if isinstance(node.func, ast.Attribute) and not of_others:
            return node.func.attr
        if isinstance(node.func, ast.Name) and node.func.id in made:
            return _subject(made[node.func.id], {}, aside)
        if isinstance(node.func, ast.Name) and not (hasattr(builtins, node.func.id) or node.func.id in aside):
            return node.func.id
        children: Iterable[ast.AST] = node.args
    elif isinstance(node, ast.Name):
        return _subject(made[node.id], {}, aside) if node.id in made else ""
    else:
        children = ast.iter_child_nodes(node)
    return next(filter(None, (_subject(child, made, aside) for child in children)), "")


@contextmanager
def explainer(layer: Layer, sandbox: Wanted = None) -> Iterator[Explainer]:
    """What tells how tests fail, for as long as the block runs.

    Raises:
        SandboxError: No sandbox can be started.
    """
    with open_room(layer.folder, sandbox) as room, worker_of(room, "explain", 0) as worker:
        worker.send({"path": layer.python_path, "tests": layer.run, "only": layer.tests, "order": None})
        yield Explainer(layer, worker)


class Explainer:
    """Reads how tests fail.

    Args:
        layer: The package.
        worker: Runs inside.explain.
    """

    def __init__(self, layer: Layer, worker: Worker) -> None:
        self._layer, self._worker = layer, worker

    def failures(self, files: Mapping[str, str], tests: Sequence[str]) -> list[dict[str, Any]]:
        """What is known of the failure of each test, those that say most first."""
        cpu_s = 10.0 + 2 * self._layer.seconds
        self._worker.send({"files": dict(files), "only": list(tests), "cpu_s": cpu_s})
        return list(self._worker.receive().get("failures", {}).values())


def word_issue(package: str, functions: Sequence[str], failures: Sequence[Mapping[str, Any]], inner: str) -> Issue:
    """The issue of a task.

    Args:
        package: Name of the package.
        functions: Names of the functions at fault.
        failures: What `Explainer.failures` gave.
        inner: The text of the files at fault, whose words are not told unless a call shows them.
    """
    calls = sorted(filter(None, (_call(each, inner) for each in failures)), key=_preference)
    seen: dict[str, Call] = {}
    for call in calls:
        seen.setdefault(call.code, call)
    best = list(seen.values())
    errors = [each["raised"]["type"] for each in failures if each.get("raised")]
    if not best:
        return _without_call(package, functions, f"raises {errors[0]}" if errors else "behaves wrongly")
    return word_calls(package, functions, best)


def word_calls(package: str, functions: Sequence[str], calls: Sequence[Call]) -> Issue:
    """The issue of a task of which calls can be shown, the best first.

    Args:
        package: Name of the package.
        functions: Names of the functions at fault.
        calls: The calls.
    """
    title = _title(package, calls[0])
    less = f"# {title}\n\nThis worked before a recent change of {package}."
    usual = f"# {title}\n\nWith the current version of {package}:\n\n{calls[0].text()}"
    more = "\n\n".join([usual, *(f"Another call:\n\n{other.text()}" for other in calls[1:3])])
    if len(calls) == 1:
        more = _with_names(usual, functions)
    names = {function.split(".")[-1] for function in functions}
    return Issue(less, usual, more, True, bool(names & set(_WORD.findall(usual))))


def word_silence(package: str, functions: Sequence[str], before: str, uses: Sequence[str]) -> Issue:
    """The issue of a task of which no call can be shown.

    Args:
        package: Name of the package.
        functions: Names of the functions at fault.
        before: The text so far, whose title says how a test fails.
        uses: Public names of the package that a failing test uses.
    """
    error = re.search(r"\braises (\w+)", before.partition("\n")[0])
    issue = _without_call(package, functions, f"raises {error[1]}" if error else "behaves wrongly")
    shown = [name for name in uses if name not in issue.usual]
    told = f" It shows in code that uses {_listed(shown)}." if shown else ""
    usual = issue.usual + told
    return Issue(issue.less, usual, _with_names(usual, functions), False, issue.names_function)


def _without_call(package: str, functions: Sequence[str], what: str) -> Issue:
    public = [name for name in map(_public_name, functions) if name]
    subject = public[0] if public else package
    less = f"# {package} {what}\n\nSince a recent change, {package} {what} where it did not before."
    usual = f"# {subject} {what}\n\nSince a recent change of {package}, {subject} {what} where it did not before."
    return Issue(less, usual, usual, False, bool(public))


def _with_names(usual: str, functions: Sequence[str]) -> str:
    """A text that also says in which functions the fault is, as far as they have public names that it does not say."""
    names = [f"`{name}`" for name in map(_public_name, functions) if name]
    return f"{usual}\n\nThe cause is in {_listed(names)}." if names else usual


def _public_name(function: str) -> str:
    """The name by which users know a function, such as "Cache.pop", or its class; "" for inner ones."""
    *modules, name = function.split(".")
    if "<locals>" in modules or (name.startswith("_") and not name.endswith("__")):
        return ""
    owner = modules[-1] if modules and modules[-1][:1].isupper() else ""
    if any(part.startswith("_") for part in (owner,)):
        return ""
    return (
        f"{owner}.{name}" if owner and not name.startswith("__") else owner or ("" if name.startswith("__") else name)
    )


def _listed(names: Sequence[str]) -> str:
    """Names as an enumeration."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def word_implementation(package: str, function: str, signature: str, issue: Issue) -> Issue:
    """The request to write a function whose body is gone.

    Args:
        package: Name of the package.
        function: Its name, such as "toolz.itertoolz.nth".
        signature: How it is called, on one line.
        issue: What its failing tests showed.
    """
    usual = f"{_wanted(package, function)}\n\nIts signature is `{signature}`, {_DOCSTRING}"
    shown = issue.more.split("\n\n    ")[1:] if issue.is_shown else []
    examples = "\n\n".join(f"    {part}" for part in shown)
    more = f"{usual}\n\nIt is used as here:\n\n{_without_errors(examples)}" if shown else usual
    return Issue(_wanted(package, function), usual, more, issue.is_shown, True)


_DOCSTRING = "and its docstring, where it has one, says what it does."


def _wanted(package: str, function: str) -> str:
    name = function.split(".")[-1]
    return f"# Implement {name}\n\n`{function}` of {package} has no body: it raises NotImplementedError. Write it."


def word_hidden(package: str, before: str, function: str, calls: Sequence[Call], *, is_hidden: bool) -> Issue:
    """The request to write a function of which calls were found; one with an inner name is told by them alone.

    Args:
        package: Name of the package.
        before: The text so far, with the signature.
        function: Its name.
        calls: Calls that reach it.
        is_hidden: Whether its name is an inner one.
    """
    examples = "\n\n".join(call.text() for call in calls)
    usage = f"\n\nIt is used as here:\n\n{_without_errors(examples)}" if calls else ""
    if not is_hidden:
        return Issue(_wanted(package, function), before, f"{before}{usage}", bool(calls), True)
    subject = (calls[0].subject or _own_import(calls[0])) if calls else ""
    reached = f"that {subject} needs" if subject else "that is needed inside"
    less = f"# Implement what {subject or package} needs\n\nA function {reached} has no body: it raises "
    less += f"NotImplementedError since a recent change of {package}. Write it."
    found = re.search(r"Its signature is `[^`(]*\((.*)\)[^`)]*`", before) or re.search(r"It takes `(.*?)`,", before)
    usual = f"{less}\n\nIt takes `{found[1]}`, {_DOCSTRING}" if found and not _INNER.search(found[1]) else less
    first = f"\n\nThis call reaches it:\n\n{calls[0].text()}" if calls else ""
    others = "".join(f"\n\nAnother call:\n\n{other.text()}" for other in calls[1:3])
    return Issue(less, usual + first, usual + first + others, bool(calls), False)


def _without_errors(text: str) -> str:
    """Examples without what is observed now, which is always the same error, and without the words between them."""
    kept = [line for line in text.splitlines() if not line.startswith(("Observed:", "Another call:"))]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n")


def _call(failure: Mapping[str, Any], inner: str) -> Call | None:
    """A failure as a call that can be shown; None where it cannot."""
    code = failure.get("code")
    if not code or "(" not in code or not failure.get("imports"):
        return None
    raised, shape = failure.get("raised"), failure.get("shape")
    if raised is not None and raised["type"] == "AssertionError" and failure.get("expected_error"):
        return None  # the test's own, about the error that it caught
    if raised is not None:
        observed = f"`{told_error(raised, code, inner)}`"
        expected = failure.get("expected")
        wanted = (
            f"`{expected}`" if expected else {"true": "a true value", "false": "a false value"}.get(shape or "", "")
        )
        if failure.get("expected_error"):
            wanted = f"`{failure['expected_error']}`"
    elif failure.get("expected_error"):
        observed, wanted = "no error", f"`{failure['expected_error']}`"
    else:
        if failure.get("observed") is None or (shape == "equal" and failure.get("expected") is None):
            return None
        if failure["observed"] == failure.get("expected"):
            return None  # what differs is not seen
        observed = f"`{failure['observed']}`"
        wanted = (
            f"`{failure['expected']}`" if shape == "equal" else "a false value" if shape == "false" else "a true value"
        )
    call = Call(tuple(failure["imports"]), code, observed, wanted)
    return None if _PATH.search(call.text()) else call


def told_error(raised: Mapping[str, str], code: str, inner: str) -> str:
    """An error as it is told: without its message where that names what the call does not show."""
    kind, message = raised["type"], raised["message"].strip()
    shown = set(_WORD.findall(code))
    hidden = {word for word in _WORD.findall(message) if word in _names_in(inner) and word not in shown}
    if kind in _NAMELESS or hidden or not message or "\n" in message or _PATH.search(message):
        return kind
    return f"{kind}: {message}"


def _names_in(text: str) -> set[str]:
    """Names of variables, functions and attributes of a text that look like no plain word."""
    found = set(re.findall(r"\bdef (\w+)|\bself\.(\w+)|\b(\w+) = ", text))
    return {word for words in found for word in words if word and (len(word) > 1)}


def _own_import(call: Call) -> str:
    """The last name that a call imports from a package that is not Python's own; "" where there is none."""
    own = [each for each in call.imports if each.startswith("from ") and not _is_of_python(each)]
    return own[-1].split("import ")[-1].split(" as ")[-1] if own else ""


def calls_in(text: str) -> list[Call]:
    """The calls that a text shows, as `Call.text` writes them."""
    found = []
    for code, observed, expected in _SHOWN.findall(text + "\n"):
        lines = [line[4:] for line in code.strip("\n").split("\n")]
        num = next((n for n, line in enumerate(lines) if not line.startswith(("import ", "from "))), len(lines))
        found.append(Call(tuple(lines[:num]), "\n".join(lines[num:]), observed.strip(), expected.strip()))
    return found


def _preference(call: Call) -> tuple[bool, int]:
    """Calls that tell what is expected come first, then short ones."""
    return not call.expected, len(call.text())


def _title(package: str, call: Call) -> str:
    subject = call.subject or _own_import(call) or package
    if call.observed == "no error" and call.expected.startswith("`"):
        return f"{subject} accepts what it should refuse"
    error = re.match(r"`(\w+(?:Error|Exception|Warning|Iteration|Invalid))\b", call.observed)
    return f"{subject} raises {error[1]}" if error else f"{subject} gives a wrong result"
