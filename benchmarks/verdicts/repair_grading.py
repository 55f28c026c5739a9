"""Other ways to grade a repair, for comparison: the exit code in the agent's folder, and a fresh tree with its diff.

The second takes the steps of SWE-bench's harness: it applies the whole diff, puts the original test files back, and
reads the lines of pytest's output. This is our own code, not that harness.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.lender import SandboxLender
from agentgym_swe.repair.ground import sandbox_spec
from agentgym_swe.repair.state import beginning, lay_out
from agentgym_swe.repair.task_view import RepairTask

LIMIT_S = 90.0
SUITE_LIMIT_S = 300.0
_LINE = re.compile(r"^(PASSED|XFAIL) (\S+)", re.MULTILINE)


def exit_code(sandbox: Sandbox, task: RepairTask) -> bool:
    """Whether pytest ends without fault in the agent's own folder."""
    return plain_pytest(sandbox, task, ("-q",), task.case.failing).startswith("0\n")


def diff_in_fresh_tree(sandbox: Sandbox, lender: SandboxLender, task: RepairTask) -> bool:
    """Whether all tests are read as passed where the agent's whole diff was applied to a fresh tree.

    Args:
        sandbox: The agent's.
        lender: Lends the fresh one.
        task: The task.
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
        output = plain_pytest(fresh, task, ("-rA", "--tb=no"), files)
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
        ["python3", "-m", "pytest", "-p", "no:cacheprovider", *options, *what],
        env={"PYTHONPATH": path},
        timeout_s=limit_s,
        max_output_bytes=4 << 20,
    )
    return f"{ran.exit_code}\n{ran.text()}"
