"""Verdicts on patches: a fresh sandbox of the image, the diff, the row's tests, one run, and its records.

The run imports the changed code in the process that reports, as it does everywhere in these data sets. So the code can
forge what is reported; see the documentation for what is done about it.
"""

from __future__ import annotations

import secrets
import shlex
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Literal, TypedDict

from agentgym.errors import ConfigError, InfrastructureError, SandboxError, SandboxFileError, SandboxLostError
from agentgym.sandbox.base import ExecResult, Sandbox
from agentgym_swe.foreign.changes import Patch
from agentgym_swe.foreign.disk import DiskWatch
from agentgym_swe.foreign.ground import ACTIVATE, apply, plant
from agentgym_swe.foreign.instance import Instance
from agentgym_swe.foreign.outcomes import Outcomes, wanted_outcomes
from agentgym_swe.foreign.records import RecordError, from_junit, from_output
from agentgym_swe.foreign.verdict import Ran, Verdict, weigh

MAX_OUTPUT = 32 << 20
MAX_JUNIT = 64 << 20
_REFERENCES = 512
_KILLED = 137
"""Exit code of a command that the kernel kills, for which it may have told another call."""

Fresh = Callable[[], AbstractContextManager[Sandbox]]
"""Gives a fresh sandbox of the instance's image."""


@dataclass(frozen=True)
class Terms:
    """How tests are run.

    Attributes:
        timeout_s: Wall time of a run.
        disk_mib: How much a run may write to the image's own files.
        rebuild: A command that is run before the tests, such as one that compiles; "" for none.
        record: "junit" where the runner is pytest, or "log" for its output.
        excuses: Whether tests that the reference does not pass are not asked for.
    """

    timeout_s: float = 1800.0
    disk_mib: int = 8192
    rebuild: str = ""
    record: Literal["junit", "log"] = "junit"
    excuses: bool = False

    def __post_init__(self) -> None:
        if self.timeout_s <= 0 or self.disk_mib <= 0:
            raise ConfigError(f"timeout_s and disk_mib must be positive: got {self.timeout_s} and {self.disk_mib}")


class TermOptions(TypedDict, total=False):
    """The fields of `Terms` as options."""

    timeout_s: float
    disk_mib: int
    rebuild: str
    record: Literal["junit", "log"]
    excuses: bool


class Grader:
    """Reaches verdicts on one environment's patches.

    Args:
        terms: How tests are run.
    """

    def __init__(self, terms: Terms) -> None:
        self._terms = terms

    def verdict(self, instance: Instance, patch: Patch, fresh: Fresh) -> Verdict:
        """What a patch is worth.

        Raises:
            InfrastructureError: It cannot be had, such as where the tests do not end with the reference either.
        """
        if patch.refusal:
            return Verdict("refused", {"applies": 0.0}, (patch.refusal,), patch.left_out)
        if not patch.text:
            return Verdict("unchanged", {"applies": 0.0}, ("nothing was changed that is judged",), patch.left_out)
        excused = self._excused(instance, fresh) if self._terms.excuses else ()
        with fresh() as sandbox:
            plant(sandbox, instance)
            applied = apply(sandbox, patch.text)
            if not applied.is_ok:
                why = f"the diff does not apply: {applied.text().strip()[-200:]}"
                return Verdict("refused", {"applies": 0.0}, (why,), patch.left_out, excused, patch.text)
            ran = self._run(sandbox, instance)
        if ran.end != "ended" or not ran.num_records:
            self._control(instance, fresh)  # which raises where that is not the patch's doing
        verdict = weigh(instance, patch, ran, excused)
        is_usual = verdict.kind == "inconsistent" and self._control(instance, fresh).contradiction(instance.run.form)
        return replace(verdict, kind="solved", reasons=()) if is_usual else verdict

    def _excused(self, instance: Instance, fresh: Fresh) -> tuple[str, ...]:
        outcomes = self._control(instance, fresh).outcomes
        excused = tuple(name for name, outcome in outcomes.items() if outcome != "passed")
        if set(excused) >= set(instance.failing):
            raise InfrastructureError(
                f"{instance.id} cannot be graded: its reference passes none of its failing tests here"
            )
        return excused

    def _control(self, instance: Instance, fresh: Fresh) -> Ran:
        """How the tests end with the reference, or without any change where the row has none; once in a process.

        Raises:
            InfrastructureError: They do not end, or say nothing.
        """
        key = (instance.id, instance.image, instance.patch, self._terms)
        with _lock:
            known = _references.get(key)
        if known is None:
            with fresh() as sandbox:
                needs_patch = bool(instance.patch) and not instance.plants
                if needs_patch and not apply(sandbox, instance.patch).is_ok:
                    raise InfrastructureError(
                        f"the reference of {instance.id} does not fit the repository of {instance.image}"
                    )
                known = self._run(sandbox, instance)
            with _lock:
                if len(_references) >= _REFERENCES:
                    _references.pop(next(iter(_references)))
                _references[key] = known
        state = "with its reference" if instance.patch else "on the unchanged repository"
        if known.end != "ended":
            raise InfrastructureError(
                f"the tests of {instance.id} {known.end} {state} too; give them more with the options timeout_s and "
                "disk_mib, or leave the row out"
            )
        if not known.num_records:
            raise InfrastructureError(
                f"the tests of {instance.id} do not say how they ended, {state} either; the command ended with "
                f"{known.exit_code}: {known.why}"
            )
        return known

    def _run(self, sandbox: Sandbox, instance: Instance) -> Ran:
        """Put the row's tests in, run them, and read what they came to."""
        if instance.test_patch and not (applied := apply(sandbox, instance.test_patch)).is_ok:
            raise InfrastructureError(f"the test_patch of {instance.id} does not fit: {applied.text().strip()[-200:]}")
        junit = f"/tmp/{secrets.token_hex(12)}.xml"  # noqa: S108 - inside the sandbox
        wants_junit = instance.run.form == "junit" and self._terms.record == "junit"
        command = command_of(instance, junit if wants_junit else "", self._terms.rebuild)
        end = "ended"
        try:
            with DiskWatch(sandbox, self._terms.disk_mib) as watch:
                ran = sandbox.exec(
                    ["bash", "-c", command, "bash", *instance.run.arguments],
                    timeout_s=self._terms.timeout_s,
                    max_output_bytes=MAX_OUTPUT,
                )
        except SandboxLostError as error:
            if not error.is_for_memory:
                raise
            return _nothing(instance, "died")
        if watch.is_starved and not watch.is_over:
            raise SandboxError(f"the disk of this machine was nearly full while tests of {instance.id} ran; free space")
        if watch.is_over:
            end = "filled"
        elif ran.timed_out:
            end = "hung"
        elif ran.oom_killed or ran.exit_code == _KILLED:
            end = "died"
        if end != "ended":
            return _nothing(instance, end)
        return _read(sandbox, instance, ran, junit if wants_junit else "")


_lock = threading.Lock()
_references: dict[tuple[str, str, str, Terms], Ran] = {}


def command_of(instance: Instance, junit: str, rebuild: str = "") -> str:
    """The shell command that runs the tests; its arguments are what is run.

    Args:
        instance: Whose tests.
        junit: Where pytest writes its junit file; "" for none.
        rebuild: What is run before.
    """
    run = instance.run
    lines = [ACTIVATE]
    lines += [f"( {rebuild} ) >/dev/null 2>&1"] if rebuild else []
    if run.only_present and run.arguments:
        lines.append('wanted=(); for path; do if [ -e "$path" ]; then wanted+=("$path"); fi; done')
        lines.append('if [ "${#wanted[@]}" = 0 ]; then echo "none of the test files is there"; exit 99; fi')
        lines.append('set -- "${wanted[@]}"')
    options = ""
    if junit and "tox" in run.command:  # which passes no such variable on
        options = f" --junitxml={shlex.quote(junit)}"
    elif junit:
        lines.append(f"export PYTEST_ADDOPTS={shlex.quote(f'--junitxml={junit}')}")
    given = ' "$@"' if run.arguments else ""
    lines.append(f"{run.command}{options}{given} 2>&1")
    return "\n".join(lines)


def _read(sandbox: Sandbox, instance: Instance, ran: ExecResult, junit: str) -> Ran:
    output = ran.stdout.decode("utf-8", "replace")
    why = " ".join(output.split())[-300:]
    form = instance.run.form
    try:
        records = from_junit(sandbox.read_file(junit, max_bytes=MAX_JUNIT)) if junit else from_output(form, output)
    except (SandboxFileError, RecordError) as error:
        return replace(_nothing(instance, "ended"), exit_code=ran.exit_code, why=f"{error}; {why}")
    found = Outcomes(records, is_junit=bool(junit))
    return Ran(wanted_outcomes(instance, found), "ended", ran.exit_code, len(found), found.has_failures, why)


def _nothing(instance: Instance, end: str) -> Ran:
    missing = dict.fromkeys((*instance.failing, *instance.kept), "missing")
    return Ran(missing, end, -1, 0, has_failures=False)  # type: ignore[arg-type]  # values of the literals
