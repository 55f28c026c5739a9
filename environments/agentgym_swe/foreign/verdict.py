"""What a patch is worth: the kind of its end, shares of tests that passed, and why it failed.

How it is found out is in `grading`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agentgym_swe.foreign.changes import Patch
from agentgym_swe.foreign.instance import Instance
from agentgym_swe.foreign.records import Outcome

Kind = Literal["solved", "failed", "unrecorded", "refused", "unchanged", "hung", "died", "filled", "inconsistent"]
"""solved: every test passed. failed: one did not. unrecorded: no test said how it ended, such as after an import that
fails. refused: the patch cannot be judged. unchanged: there is none. hung, died, filled: the tests ran out of time,
were killed, such as for memory, or filled the disk. inconsistent: records and exit code contradict each other."""
MAX_REASONS = 6


@dataclass(frozen=True)
class Verdict:
    """What a patch is worth.

    Attributes:
        kind: How it ended.
        parts: Shares by name: applies, fixed, kept.
        reasons: Why it is not solved, for people; the agent is not told.
        left_out: What of the change did not travel, each with the reason.
        excused: Tests that were not asked for, because the reference does not pass them either.
        patch: The diff that was judged.
    """

    kind: Kind
    parts: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    excused: tuple[str, ...] = ()
    patch: str = ""

    @property
    def is_solved(self) -> bool:
        """Whether it earns the score."""
        return self.kind == "solved"

    def detail(self, instance_id: str) -> dict[str, Any]:
        """JSON values of it, for a reward event; predictions are made of them."""
        return {
            "kind": self.kind,
            "parts": dict(self.parts),
            "reasons": list(self.reasons),
            "left_out": dict(self.left_out),
            "excused": list(self.excused),
            "instance_id": instance_id,
            "model_patch": self.patch,
        }


@dataclass(frozen=True)
class Ran:
    """What a run of the tests showed.

    Attributes:
        outcomes: What each wanted test came to.
        end: How the run ended: "ended", or one of hung, died, filled.
        exit_code: Of the command.
        num_records: How many tests said how they ended.
        has_failures: Whether any of them failed.
        why: What could not be read, or what it said last.
    """

    outcomes: Mapping[str, Outcome]
    end: Literal["ended", "hung", "died", "filled"]
    exit_code: int
    num_records: int
    has_failures: bool
    why: str = ""

    def contradiction(self, form: str) -> str:
        """How records and exit code contradict each other; "" where they do not."""
        if self.end != "ended" or not self.num_records:
            return ""
        if self.exit_code == 0 and self.has_failures:
            return "tests failed, and the command ended with 0"
        if self.exit_code != 0 and not self.has_failures and form != "sympy":
            return f"no test failed, and the command ended with {self.exit_code}"
        return ""


def weigh(instance: Instance, patch: Patch, ran: Ran, excused: Sequence[str] = ()) -> Verdict:
    """The verdict on a patch whose tests were run."""
    failing = [name for name in instance.failing if name not in set(excused)]
    kept = [name for name in instance.kept if name not in set(excused)]
    missed = [name for name in (*failing, *kept) if ran.outcomes[name] != "passed"]
    parts = {"applies": 1.0, "fixed": _share(failing, ran), "kept": _share(kept, ran)}
    reasons = [f"{name}: {ran.outcomes[name]}" for name in missed[:MAX_REASONS]]
    contradiction = ran.contradiction(instance.run.form)
    kind: Kind = "failed" if missed else "solved"
    if ran.end != "ended":
        kind = ran.end
        reasons.insert(0, f"the run was ended: it {ran.end}")
    elif not ran.num_records:
        kind = "unrecorded"
        reasons = [f"no test said how it ended; the command ended with {ran.exit_code}: {ran.why}"]
    elif contradiction and not missed:
        kind = "inconsistent"
        reasons = [contradiction]
    return Verdict(kind, parts, tuple(reasons), patch.left_out, tuple(excused), patch.text)


def _share(names: Sequence[str], ran: Ran) -> float:
    return sum(ran.outcomes[name] == "passed" for name in names) / len(names) if names else 1.0
