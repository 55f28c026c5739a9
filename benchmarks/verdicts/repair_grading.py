"""Other ways to grade a repair, for comparison: by runs in the agent's folder, and by a fresh tree with its diff.

The runs there are believed by their exit code, for the failing tests or for the whole suite, or by the junit file that
pytest writes. The last way takes the steps of SWE-bench's harness: it applies the whole diff, puts the original test
files back, and reads the lines of pytest's output. This is our own code, not that harness.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentgym.errors import SandboxFileError
from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.lender import SandboxLender
from agentgym_swe.foreign.records import RecordError, from_junit, junit_name
from agentgym_swe.repair.ground import sandbox_spec
from agentgym_swe.repair.state import beginning, lay_out
from agentgym_swe.repair.task_view import RepairTask

LIMIT_S = 90.0
SUITE_LIMIT_S = 300.0
REPORT = "report.xml"
_BOUNDED = ("sh", "-c", 'ulimit -v 2097152 && exec "$@"', "sh")
"""Bubblewrap limits no memory: code that takes what there is would take it from the machine."""
_LINE = re.compile(r"^(PASSED|XFAIL) (\S+)", re.MULTILINE)


def exit_code(sandbox: Sandbox, task: RepairTask, *, limit_s: float = LIMIT_S) -> bool:
    """Whether pytest, asked for the failing tests, ends without fault in the agent's own folder."""
    return plain_pytest(sandbox, task, ("-q",), task.case.failing, limit_s=limit_s).startswith("0\n")


def suite_exit_code(sandbox: Sandbox, task: RepairTask, *, limit_s: float = LIMIT_S) -> bool:
    """Whether pytest, asked for all tests that are there, ends without fault in the agent's own folder."""
    return plain_pytest(sandbox, task, ("-q",), task.layer.run, limit_s=limit_s).startswith("0\n")


def junit_file(sandbox: Sandbox, task: RepairTask, *, limit_s: float = LIMIT_S) -> bool:
    """Whether the junit file that pytest writes in the agent's own folder says that all failing tests passed."""
    plain_pytest(sandbox, task, ("-q", f"--junitxml={REPORT}"), task.case.failing, limit_s=limit_s)
    try:
        records = from_junit(sandbox.read_file(REPORT, max_bytes=4 << 20))
    except (RecordError, SandboxFileError):
        return False
    passed = {record.name for record in records if record.outcome == "passed"}
    return all(junit_name(test) in passed for test in task.case.failing)


def diff_in_fresh_tree(sandbox: Sandbox, lender: SandboxLender, task: RepairTask, *, limit_s: float = LIMIT_S) -> bool:
    """Whether all tests are read as passed where the agent's whole diff was applied to a fresh tree.

    Args:
        sandbox: The agent's.
        lender: Lends the fresh one.
        task: The task.
        limit_s: How long pytest may take.
    """
    command = "git add -A . && git -c core.hooksPath=/dev/null diff --cached --binary HEAD"
    diff = sandbox.exec(["sh", "-c", command], timeout_s=LIMIT_S, max_output_bytes=8 << 20).stdout
    spec = lender.fitted(sandbox_spec(lender.provider, str(task.layer.folder)))
    with lender.lease(spec) as fresh:
        lay_out(fresh, task.layer, beginning(task, "all"))
        if diff and not fresh.exec(["git", "apply", "-"], stdin=diff, timeout_s=LIMIT_S).is_ok:
            return False
        for path in sorted({test.partition("::")[0] for test in task.case.failing}):
            fresh.write_file(path, (task.layer.folder / path).read_bytes())
        wanted = [*task.case.failing, *task.case.kept]
        files = sorted({test.partition("::")[0] for test in wanted})
        output = plain_pytest(fresh, task, ("-rA", "--tb=no"), files, limit_s=limit_s)
    passed = {test for _, test in _LINE.findall(output)}
    return all(test.partition(" ")[0] in passed for test in wanted)


def whole_suite(sandbox: Sandbox, task: RepairTask) -> bool:
    """Whether every test that counts passes in one plain run of all of them."""
    options = ("-rA", "--tb=no", "-c", "/dev/null", "--rootdir=.", "--continue-on-collection-errors")
    output = plain_pytest(sandbox, task, options, task.layer.run, limit_s=SUITE_LIMIT_S)
    passed = {test for _, test in _LINE.findall(output)}
    return all(test.partition(" ")[0] in passed for test in task.layer.tests)


def plain_pytest(
    sandbox: Sandbox, task: RepairTask, options: Sequence[str], what: Sequence[str], *, limit_s: float = LIMIT_S
) -> str:
    """Run pytest in a fresh process: its exit code and, behind it, what it wrote."""
    path = ":".join([*task.layer.python_path, sandbox.spec.env.get("PYTHONPATH", "")])
    ran = sandbox.exec(
        [*_BOUNDED, "python3", "-m", "pytest", "-p", "no:cacheprovider", *options, *what],
        env={"PYTHONPATH": path},
        timeout_s=limit_s,
        max_output_bytes=4 << 20,
    )
    return f"{ran.exit_code}\n{ran.text()}"
