"""Tests that an agent has run, in its own sandbox, where it could tamper with them: they decide nothing."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym.sandbox.base import ExecResult, Sandbox, SandboxProcess
from agentgym_swe.repair.ground import WARM
from agentgym_swe.repair.link import Run, RunLimits, WarmGoneError, WarmLink
from agentgym_swe.repair.showing import cut_lines
from agentgym_swe.repair.state import Beginning

LIMITS = RunLimits(cpu_s=30, idle_s=10.0, wall_s=45.0)
MAX_FAILURES = 5
"""How many failures are shown with their reports."""
MAX_NAMES = 50
REPORT_CHARS = 3000
NO_OUTPUT = "(no output)"
HIDDEN = "\n\n[The tests that decide are hidden: these may pass while the issue is open.]"
"""Said below a run if the tests that fail are not among those that the agent sees."""
_REFUSED = "No tests were run: "


class Trier:
    """Runs tests in an agent's sandbox.

    Args:
        path: Entries of `sys.path`.
        start: What the episode began with, which says what tests there are.
    """

    def __init__(self, path: Sequence[str], start: Beginning) -> None:
        self._path, self._start = path, start
        self._link: WarmLink | None = None
        self._process: SandboxProcess | None = None

    def run(self, sandbox: Sandbox, which: str, names: Sequence[str]) -> str:
        """Run tests and say what they came to.

        Raises:
            SandboxLostError: The sandbox is gone.
        """
        ids = {"relevant": self._start.relevant, "all": self._start.tests}.get(which, tuple(names))
        if which != "named" and names:
            return f'{_REFUSED}names belong to which="named".'
        if not ids:
            return _REFUSED + ("name some in names." if which == "named" else self._why_none(which))
        if len(ids) > MAX_NAMES and which == "named":
            return f"{_REFUSED}at most {MAX_NAMES} can be named."
        strange = next((name for name in ids if name.startswith("-") or "\0" in name), None)
        if strange is not None:
            return f"{_REFUSED}{strange!r} is no test."
        for attempt in range(2):
            try:
                run = self._linked(sandbox, attempt).run(
                    sandbox.spec.work_dir, self._path, ids, limits=LIMITS, text=REPORT_CHARS
                )
                return told(run) + (HIDDEN if which != "named" and self._start.hides_failures else "")
            except WarmGoneError:
                self.close()
        sandbox.exec(["true"])
        return f"{_REFUSED}what runs them was ended, or takes up all there is."

    def _why_none(self, which: str) -> str:
        if which == "relevant" and self._start.tests:
            return (
                'all tests of what is asked for are hidden. Run which="all" for the others, or write tests of your own.'
            )
        return "there are none that you can see. Write tests of your own."

    def close(self) -> None:
        """Let go of the process."""
        link, self._link = self._link, None
        if link is not None:
            link.close()
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def _linked(self, sandbox: Sandbox, attempt: int) -> WarmLink:
        if self._link is None:
            if attempt:
                self._process = sandbox.spawn(WARM)
            self._link = WarmLink(sandbox, start_s=10.0 if attempt else 2.0)
        return self._link


def told(run: Run) -> str:
    """What the agent reads of a run."""
    parts = [f"{place} cannot be collected:\n{why.strip()}" for place, why in run.uncollected.items()]
    failed = [test for test, outcome in run.outcomes.items() if outcome == "failed"]
    parts += [f"{test} failed:\n{run.texts.get(test, '').strip()}" for test in failed[:MAX_FAILURES]]
    if len(failed) > MAX_FAILURES:
        parts.append("Also failed: " + ", ".join(failed[MAX_FAILURES : MAX_FAILURES + 30]))
    if run.why != "ended":
        limits = {"cpu": f"{LIMITS.cpu_s} s of work", "idle": f"{LIMITS.idle_s:g} s in which nothing happened"}
        parts.append(f"The run was stopped after {limits.get(run.why, 'too much time or output')}.")
    elif run.exit_code is None:
        parts.append("The run ended before it was finished: something ended the process.")
    elif run.exit_code == 4 and not run.outcomes:
        parts.append("pytest does not find one of these tests; check the names.")
    counts = {kind: sum(outcome == kind for outcome in run.outcomes.values()) for kind in _KINDS}
    parts.append(", ".join(f"{count} {kind}" for kind, count in counts.items() if count) or "no tests ran")
    return cut_lines("\n\n".join(parts), "run fewer tests by name to see all of a report")


_KINDS = ("passed", "failed", "skipped", "xfailed", "xpassed")


def shown(ran: ExecResult, limit_s: float) -> str:
    """What the agent reads of a command."""
    text = ran.stdout.decode("utf-8", "replace").removesuffix("\n")
    text = cut_lines(text, "run the command again with `| sed -n '{first},{last}p'` to see them")
    notes = []
    if ran.dropped_bytes:
        notes.append(f"[{ran.dropped_bytes} further bytes of output were dropped; write them to a file to see them]")
    if ran.timed_out:
        notes.append(f"[stopped after {limit_s:g} s]")
    elif ran.exit_code:
        notes.append(f"[exit code {ran.exit_code}]")
    return "\n".join(part for part in [text, *notes] if part) or NO_OUTPUT
