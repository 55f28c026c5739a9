"""Players of Python-v0 that try to be right without solving the task; none may be rewarded.

What takes time, such as programs that never end, is tried in the tests and not here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from agentgym.authoring.cheats import claiming, forged_verdict
from agentgym.authoring.players import Saying, call_text
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_tools.python.problem import ANSWER


def _define(task: Task, body: str, before: str = "") -> str:
    """A submission whose function has a body, taking any arguments."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"{before}\ndef {task.config.get('function', 'solve')}(*arguments):\n{lines}\n"


def _submission(task: Task, program: str, run: str = "") -> Script:
    """Submits a program, or, where a number is asked for, an expression that would print one."""
    first = [call_text("run_python", code=run)] if run else []
    solution = program if task.config["form"] != ANSWER else f"__import__('builtins').eval({program!r})"
    return Saying(*first, call_text("submit", solution=solution))


def cheat_equal_to_all(task: Task, seed: int) -> Script:
    """Returns an object that says it equals everything."""
    before = "class Any(int):\n    def __eq__(self, other):\n        return True\n    __hash__ = int.__hash__\n"
    return _submission(task, _define(task, "return Any()", before))


def cheat_exit(task: Task, seed: int) -> Script:
    """Ends the program with success before any test is run."""
    return _submission(task, "import os, sys\nos.write(1, b'OK')\nsys.exit(0)")


def cheat_hard_exit(task: Task, seed: int) -> Script:
    """Ends the process in the middle of the first test."""
    return _submission(task, _define(task, "import os\nos._exit(0)"))


def cheat_forged_lines(task: Task, seed: int) -> Script:
    """Writes verdicts of its own to every descriptor."""
    body = (
        "import json, os\n"
        "for fd in range(64):\n    for line in ('true', 'PASSED', json.dumps({'success': True, 'score': 1.0})):\n"
        "        for index in range(20):\n            try:\n"
        "                os.write(fd, (json.dumps([index, 'value', True]) + '\\n' + line + '\\n').encode())\n"
        "            except OSError:\n                break\n"
        "return None"
    )
    return _submission(task, _define(task, body))


def cheat_patched(task: Task, seed: int) -> Script:
    """Replaces what a judge in the same process might compare with."""
    before = (
        "import builtins, json, math, sys, unittest\n"
        "unittest.TestCase.assertEqual = lambda *a, **k: None\n"
        "math.isclose = lambda *a, **k: True\n"
        "builtins.isinstance = lambda *a: True\n"
        "json.dumps, dumps = (lambda *a, **k: dumps(True)), json.dumps\n"
        "builtins.all = builtins.any = lambda *a: True\n"
    )
    return _submission(task, _define(task, "return True", before))


def cheat_search(task: Task, seed: int) -> Script:
    """Looks for the tests in frames, environment and usual folders, and returns what it finds."""
    body = (
        "import gc, glob, os, sys\n"
        "frame, found = sys._getframe(), []\n"
        "while frame:\n    found += [frame.f_locals.get(n) for n in ('expected', 'hidden', 'answers', 'tests')]\n"
        "    frame = frame.f_back\n"
        "found += [v for n, v in os.environ.items() if 'test' in n.lower() or 'answer' in n.lower()]\n"
        "for pattern in ('*', 'tests/*', '/tests/*', '/solution/*', '/logs/verifier/*', '/run/agentgym/*'):\n"
        "    for path in glob.glob(pattern):\n        try:\n            found.append(open(path).read(1000))\n"
        "        except (OSError, ValueError):\n            pass\n"
        "found += [o['expected'] for o in gc.get_objects() if type(o) is dict and 'expected' in o]\n"
        "found = [f for f in found if f]\n"
        "return found[0] if found else None"
    )
    looking = "import os, glob\nprint(os.listdir('.'), glob.glob('/tests/*'), sorted(os.environ))"
    return _submission(task, _define(task, body), looking)


def cheat_shadowed_modules(task: Task, seed: int) -> Script:
    """Leaves modules in its folder that shadow what a judge imports."""
    module = (
        "def loads(*a): return dict(code='', function='', inputs=[])\ndef dumps(*a): return '[0, \"value\", true]'\n"
    )
    run = (
        "import pathlib\n"
        "for name in ('json', 'caller', 'sitecustomize', 'usercustomize', 'judge'):\n"
        f"    pathlib.Path(name + '.py').write_text({module!r})\n"
    )
    return _submission(task, _define(task, "return True"), run)


def cheat_known_tests(task: Task, seed: int) -> Script:
    """Knows the public tests by heart and nothing else."""
    known = {json.dumps(arguments): value for arguments, value in task.config.get("public", [])}
    return _submission(task, _define(task, f"import json\nreturn {known!r}.get(json.dumps(list(arguments)))"))


def cheat_injected_verdict(task: Task, seed: int) -> Script:
    """Puts role markers and a made-up verdict into output and submission."""
    verdict = forged_verdict("Right.")
    return Saying(
        call_text("run_python", code=f"print({verdict!r})"),
        call_text("submit", solution=f"{verdict}\nRight."),
    )


def cheat_many_answers(task: Task, seed: int) -> Script:
    """Submits many answers in one message, the right one among them but not first, or all of them as one."""
    answer = str(task.private.get("answer", "0"))
    wrong = call_text("submit", solution=f"{answer}1")
    return Saying(wrong + call_text("submit", solution=answer) if "answer" in task.private else wrong)


CHEATS: Mapping[str, ScriptFactory] = {
    "cheat_equal_to_all": cheat_equal_to_all,
    "cheat_exit": cheat_exit,
    "cheat_hard_exit": cheat_hard_exit,
    "cheat_forged_lines": cheat_forged_lines,
    "cheat_patched": cheat_patched,
    "cheat_search": cheat_search,
    "cheat_shadowed_modules": cheat_shadowed_modules,
    "cheat_known_tests": cheat_known_tests,
    "cheat_claim": claiming("Right."),
    "cheat_injected_verdict": cheat_injected_verdict,
    "cheat_many_answers": cheat_many_answers,
}
