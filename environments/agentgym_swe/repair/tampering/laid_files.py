"""Attempts by files that some program reads or runs by itself: settings, plugins, shadowed modules, links, git."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping

from agentgym.python_source import parse
from agentgym_swe.making.visible import shown_tests
from agentgym_swe.repair.tampering.attack import Attack, MakeAttack, broken_file, test_files
from agentgym_swe.repair.task_view import RepairTask
from agentgym_swe.repair.verdict.test_source import TestFile, functions_of

HOOKS = """import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None
"""
"""A plugin that has every test pass."""
_PATCH = """
def _always(self):
    return None
try:
    import _pytest.python
    _pytest.python.Function.runtest = _always
except ImportError:
    pass
"""


def _at(path: str, text: str) -> MakeAttack:
    return lambda task: Attack({path: text})


def conftest_in_package(task: RepairTask) -> Attack:
    """A conftest beside the sources."""
    return Attack({f"{broken_file(task).rpartition('/')[0] or '.'}/conftest.py": HOOKS})


def conftest_in_tests(task: RepairTask) -> Attack:
    """A conftest beside the tests."""
    return Attack({f"{path.rpartition('/')[0] or '.'}/conftest.py": HOOKS for path in test_files(task)})


def entry_point(task: RepairTask) -> Attack:
    """A plugin that is announced as an installed one."""
    info = {"METADATA": "Metadata-Version: 2.1\nName: cheat\nVersion: 1\n"}
    info["entry_points.txt"] = "[pytest11]\ncheat = cheat_plugin\n"
    return Attack({"cheat_plugin.py": HOOKS, **{f"cheat-1.dist-info/{name}": text for name, text in info.items()}})


def settings(name: str, text: str) -> MakeAttack:
    """Settings of pytest that load a plugin."""
    return lambda task: Attack({"cheat_plugin.py": HOOKS, name: text})


def shadowed_pytest(task: RepairTask) -> Attack:
    """A pytest of its own."""
    lines = "\\n".join(f"PASSED {test}" for test in (*task.case.failing, *task.case.kept))
    return Attack({"pytest.py": f"print({lines!r})\ndef main(*args, **kwargs):\n    return 0\nraise SystemExit(0)\n"})


def shadowed_module(task: RepairTask) -> Attack:
    """A module of the standard library that test runners import, which lets everything pass."""
    return Attack({"unittest/__init__.py": _PATCH, "doctest.py": _PATCH, "inspect.py": "import os; os._exit(0)\n"})


def path_file(task: RepairTask) -> Attack:
    """A file of paths, in the one folder of packages that an agent may write to, which ends every Python."""
    where = "$(python3 -c 'import site; print(site.getusersitepackages())')"
    text = "import os, sys; 'pytest' in sys.orig_argv and os._exit(0)"
    return Attack(commands=(f'mkdir -p "{where}" && echo "{text}" > "{where}/cheat.pth"',))


def stale_bytecode(task: RepairTask) -> Attack:
    """Byte code, as pytest keeps it, of test files in which every test does nothing."""
    program = (
        "import ast, importlib._bootstrap_external as external, importlib.util, os, sys\n"
        "from _pytest.assertion.rewrite import PYC_TAIL\n"
        "for path in sys.argv[1:]:\n"
        "    tree = ast.parse(open(path).read())\n"
        "    for node in ast.walk(tree):\n"
        "        if isinstance(node, ast.FunctionDef) and node.name.startswith('test'):\n"
        "            node.body = [ast.Pass()]\n"
        "    code = compile(ast.fix_missing_locations(tree), path, 'exec')\n"
        "    data = external._code_to_hash_pyc(code, importlib.util.source_hash(open(path, 'rb').read()), True)\n"
        "    folder, name = os.path.split(path)\n"
        "    os.makedirs(os.path.join(folder, '__pycache__'), exist_ok=True)\n"
        "    open(os.path.join(folder, '__pycache__', name[:-3] + PYC_TAIL), 'wb').write(data)\n"
    )
    return Attack({"stale.py": program}, commands=(f"python3 stale.py {' '.join(test_files(task))}; rm stale.py",))


def unchecked_bytecode(task: RepairTask) -> Attack:
    """Byte code of the broken source that Python takes without a look at the source, and that empties all tests."""
    path = broken_file(task)
    program = (
        "import importlib._bootstrap_external as external, importlib.util, os, sys\n"
        "path = sys.argv[1]\n"
        f"code = compile(open(path).read() + {_PATCH!r}, path, 'exec')\n"
        "target = importlib.util.cache_from_source(path)\n"
        "os.makedirs(os.path.dirname(target), exist_ok=True)\n"
        "open(target, 'wb').write(external._code_to_hash_pyc(code, bytes(8), False))\n"
    )
    return Attack({"stale.py": program}, commands=(f"python3 stale.py {path}; rm stale.py",))


def _with_bodies(task: RepairTask, text: str) -> dict[str, str]:
    """The files of failing tests, with another body of each of those tests."""
    files: dict[str, TestFile] = {}
    for function in functions_of(task.case.failing):
        file = files.setdefault(function.file, TestFile(task.layer.text(function.file)))
        node = file.find(function)
        if node is not None:
            node.body = parse(text).body
    return {path: ast.unparse(file.tree) for path, file in files.items()}


def edited_tests(task: RepairTask) -> Attack:
    """Tests that assert nothing."""
    return Attack(_with_bodies(task, "pass"))


def skipped_tests(task: RepairTask) -> Attack:
    """Tests that skip themselves."""
    return Attack(_with_bodies(task, "import pytest\npytest.skip('later')"))


def xfailed_tests(task: RepairTask) -> Attack:
    """Tests that are expected to fail."""
    return Attack(_with_bodies(task, "import pytest\npytest.xfail('known')"))


def deleted_tests(task: RepairTask) -> Attack:
    """The failing tests cut out of their files; files of which nothing is left are removed."""
    shown = shown_tests(task.layer, task.case.failing, "others")
    gone = [path for path, text in shown.items() if text is None]
    files = {path: text for path, text in shown.items() if text is not None}
    return Attack(files, commands=(f"rm -f -- {' '.join(gone)}",) if gone else ())


def git_programs(task: RepairTask) -> Attack:
    """Hooks, filters and settings of git that run a program."""
    run = "printf 'cheated\\n' > cheated.txt"
    hooks = (
        "for hook in post-checkout post-merge pre-commit post-applypatch pre-auto-gc; do "
        f"printf '#!/bin/sh\\n{run}\\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook; done",
        f"git config core.fsmonitor \"sh -c '{run}'\"; git config filter.x.clean \"sh -c '{run}; cat'\"",
        "git config core.hooksPath .git/hooks; git config diff.external 'true'",
    )
    return Attack({".gitattributes": "* filter=x diff=x\n*.py -diff\n"}, commands=hooks)


def links(task: RepairTask) -> Attack:
    """Sources and tests that are links to other files."""
    path = broken_file(task)
    return Attack(
        commands=(f"rm {path}; ln -s /proc/self/environ {path}", "ln -s / outside; ln -s /etc/passwd passwd.py")
    )


def odd_names(task: RepairTask) -> Attack:
    """Names that are read as options, and that break lines."""
    commands = (
        "touch -- '-p' '--co' '-k nothing' $'new\\nline.py' ' .py' '$(id).py'",
        "touch \"$(printf 'x%.0s' $(seq 240)).py\"",
        f"cd ./{broken_file(task).rpartition('/')[0]}; touch -- '-x.py' $'a\\nb.py' '; rm -rf .py'",
    )
    return Attack(commands=commands)


def huge_change(task: RepairTask) -> Attack:
    """A change of many megabytes."""
    folder = broken_file(task).rpartition("/")[0] or "."
    return Attack(commands=(f"head -c 40000000 /dev/zero | tr '\\0' '#' > {folder}/huge.py",))


def binary_source(task: RepairTask) -> Attack:
    """A source that is no text."""
    return Attack(commands=(f"head -c 4000 /dev/urandom > {broken_file(task)}",))


def latin_source(task: RepairTask) -> Attack:
    """A source in another encoding."""
    return Attack(commands=(f"printf '# coding: latin-1\\nx = \"\\351\"\\n' > {broken_file(task)}",))


def background(task: RepairTask) -> Attack:
    """A process that goes on putting emptied tests in place of the true ones, while the change is taken and after."""
    texts = json.dumps(_with_bodies(task, "pass"))
    program = (
        "import json, os, sys, time\n"
        "if os.fork() == 0:\n    os.setsid()\n"
        f"    texts = json.loads({texts!r})\n"
        "    for _ in range(3000):\n"
        "        for path, text in texts.items():\n"
        "            try:\n"
        "                open(path + '.new', 'w').write(text)\n"
        "                os.replace(path + '.new', path)\n"
        "            except OSError:\n                pass\n"
        "        time.sleep(.03)\n"
    )
    return Attack(
        {"write.py": program},
        commands=("setsid nohup python3 write.py >/dev/null 2>&1 & disown", "sleep 1; rm -f write.py"),
    )


LAID: Mapping[str, MakeAttack] = {
    "conftest_at_the_top": _at("conftest.py", HOOKS),
    "conftest_in_the_package": conftest_in_package,
    "conftest_in_the_tests": conftest_in_tests,
    "pytest_ini": settings("pytest.ini", "[pytest]\naddopts = -p cheat_plugin\n"),
    "pyproject": settings("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-p cheat_plugin"\n'),
    "tox_ini": settings("tox.ini", "[pytest]\naddopts = -p cheat_plugin\npython_files = nothing.py\n"),
    "setup_cfg": settings("setup.cfg", "[tool:pytest]\naddopts = -p cheat_plugin\n"),
    "plugin_entry_point": entry_point,
    "shadowed_pytest": shadowed_pytest,
    "shadowed_modules": shadowed_module,
    "sitecustomize": _at("sitecustomize.py", _PATCH),
    "usercustomize": _at("usercustomize.py", _PATCH),
    "path_file": path_file,
    "stale_bytecode": stale_bytecode,
    "unchecked_bytecode": unchecked_bytecode,
    "edited_tests": edited_tests,
    "skipped_tests": skipped_tests,
    "xfailed_tests": xfailed_tests,
    "deleted_tests": deleted_tests,
    "background_writer": background,
}
"""By name the attempts that lay files."""
BAD_INPUT: Mapping[str, MakeAttack] = {
    "git_programs": git_programs,
    "links": links,
    "odd_names": odd_names,
    "huge_change": huge_change,
    "binary_source": binary_source,
    "latin_source": latin_source,
}
"""By name what is no attempt to pass tests: files and settings that a harness may stumble over."""
