"""How the tests of a repository are run: the command by family, the files or labels, and the form of what comes out.

The commands are those that the data sets document for their repositories. A row that states its own is run by that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from agentgym_swe.diffs import files_of_diff
from agentgym_swe.foreign.instance import RecordForm, RunPlan

PYTEST = "pytest -rA -p no:cacheprovider"
_BY_REPO: Mapping[str, tuple[str, RecordForm]] = {
    "django/django": ("./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1", "django"),
    "sympy/sympy": ("bin/test -C --verbose", "sympy"),
    "sphinx-doc/sphinx": ("tox --current-env -epy39 -v --", "junit"),
}
_DOTTED = re.compile(r"\(([\w.]+)\)$")
_PYTEST_CALL = re.compile(r"(?<![\w.-])(?:pytest|py\.test)(?![\w-])")


def plan_for(repo: str, command: str, test_patch: str, names: Sequence[str], stated_form: str = "") -> RunPlan:
    """How the tests of a row are run.

    All files run that its tests are in, also those that must go on to pass, and those that its diff of tests changes.

    Args:
        repo: The repository.
        command: The command that the row states; "" for that of the repository's family.
        test_patch: The row's diff of tests.
        names: Names of its tests.
        stated_form: Name of the log parser that the row states; "" for none.
    """
    own, form = _BY_REPO.get(repo, (PYTEST, "junit"))
    if command:
        own, form = command, _form_of(command, stated_form)
    changed = [path for path in files_of_diff(test_patch) if path.endswith(".py")]
    if form == "django":
        return RunPlan(own, form, _labels(changed, names), only_present=False)
    if form == "unittest":
        return RunPlan(own, form, tuple(changed) or _modules(names), only_present=bool(changed))
    if form == "sympy":
        return RunPlan(own, form, tuple(changed))
    tests = [path for path in changed if _is_test_file(path)] or changed
    files = dict.fromkeys(tests)
    files |= dict.fromkeys(name.partition("::")[0] for name in names if "::" in name)
    return RunPlan(own, form, tuple(files))


def _form_of(command: str, stated: str) -> RecordForm:
    """How a stated command says what the tests came to."""
    known: Iterable[tuple[str, RecordForm]] = (("django", "django"), ("sympy", "sympy"), ("unittest", "unittest"))
    for word, form in known:
        if word in stated or word in command:
            return form
    calls = len(_PYTEST_CALL.findall(command))
    if "runtests.py" in command:
        return "django"
    if "bin/test" in command:
        return "sympy"
    # Several calls would write the same junit file, one over the other.
    return "junit" if calls == 1 or "tox" in command else "pytest"


def _is_test_file(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.startswith("test_") or name.endswith(("_test.py", "tests.py")) or "test" in path.rpartition("/")[0]


def _labels(changed: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """Labels of Django's runner: modules below tests/, of changed files and of the tests' names."""
    files = [path for path in changed if _is_test_file(path)]
    labels = dict.fromkeys(path.removeprefix("tests/").removesuffix(".py").replace("/", ".") for path in files)
    labels |= dict.fromkeys(_modules(names))
    return tuple(label for label in labels if not label.endswith("__init__"))


def _modules(names: Iterable[str]) -> tuple[str, ...]:
    """The modules in names such as "test_x (module.Class)" and "test_x (module.Class.test_x)"."""
    found: dict[str, None] = {}
    for name in names:
        dotted = _DOTTED.search(name)
        if dotted:
            parts = dotted[1].split(".")
            if parts[-1] == name.partition(" ")[0]:
                parts.pop()
            found.setdefault(".".join(parts[:-1] if len(parts) > 1 else parts))
    return tuple(found)
