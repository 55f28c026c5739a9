"""Hunts the originals of tasks in the sandboxes that an agent gets: in each task's work folder, and once elsewhere.

What is looked for, and how, is in `agentgym_swe.repositories.leaks`. The checks of Repair-v0 alone are here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from agentgym.env import AgentEnv
from agentgym.errors import ContractError
from agentgym.sandbox.lender import lender_of
from agentgym.task import Task
from agentgym_swe.repair.env import RepairEnv
from agentgym_swe.repair.task_view import read_task
from agentgym_swe.repair.verdict.collecting import Change
from agentgym_swe.repositories.edit import Edit
from agentgym_swe.repositories.layer import load_layer
from agentgym_swe.repositories.leaks import Case, Found, case_of, hunt
from agentgym_swe.room import Wanted

_ELSEWHERE = "outside of the work folder"
Report = Callable[[str, str], None]


@dataclass(frozen=True)
class Hunted:
    """What the hunt of a package's tasks came to.

    Attributes:
        package: Its name.
        sandbox: Where: the provider's name.
        num_tasks: How many tasks were hunted.
        num_vague: Of them those that are hunted by the names of modules alone, as the package holds their lines twice.
        num_files: Files of work folders that were read.
        num_objects: Texts of git that were read.
        num_elsewhere: Files outside of the work folder that were read; 0 where they are still to be read.
        traces: Where an original was found, a sentence each.
    """

    package: str
    sandbox: str
    num_tasks: int
    num_vague: int
    num_files: int
    num_objects: int
    num_elsewhere: int
    traces: tuple[str, ...]


def hunting_env(sandbox: Wanted = None) -> RepairEnv:
    """The environment whose sandboxes are searched.

    Args:
        sandbox: As in `SandboxEnv`; one that cannot limit memory and CPU shares need not.
    """
    can = lender_of(sandbox).provider.capabilities()
    return RepairEnv(sandbox=sandbox, relaxed=() if can.images else ("cpus", "memory_mib"))


def hunt_tasks(env: RepairEnv, tasks: Sequence[Task], report: Report = lambda name, line: None) -> Iterator[Hunted]:
    """Hunt the originals of tasks, package by package, each in the sandbox that an agent gets.

    A package comes twice: when its work folders were searched, and when everything else was, for all tasks at once.

    Args:
        env: Is reset to each task.
        tasks: Tasks of swe/repair, whose packages are prepared.
        report: Told of progress.

    Raises:
        NotPreparedError: A package is not prepared.
        SandboxError: No sandbox can be started, or one was lost.
    """
    known: dict[str, Case] = {}
    searched: list[tuple[Hunted, Sequence[Task]]] = []
    for name, group in groupby(sorted(tasks, key=_package), _package):
        own = list(group)
        report(name, f"hunting the originals of {len(own)} tasks")
        layer = load_layer(name)
        cases = {task.id: case_of(layer, [Edit.from_json(edit) for edit in task.config["edits"]]) for task in own}
        known |= cases
        found = []
        for task in own:
            env.reset(options={"task": task})
            found.append(hunt(env.sandbox, {task.id: cases[task.id]}, is_whole=False))
        searched.append((_summed(name, env._lender_of_sandboxes().provider.name, cases, found), own))
        yield searched[-1][0]
    if known:
        report(_ELSEWHERE, f"hunting the originals of {len(known)} tasks")
        rest = hunt(env.sandbox, known)
        for hunted, hunted_tasks in searched:
            traces = tuple(f"{task.id}: {trace}" for task in hunted_tasks for trace in rest.traces[task.id])
            yield replace(hunted, num_elsewhere=rest.num_files, traces=hunted.traces + traces)


def check_leaks(env: AgentEnv, tasks: Sequence[Task]) -> str:
    """No original is found in the sandbox of a task.

    Raises:
        ContractError: One is; says where.
    """
    assert isinstance(env.unwrapped, RepairEnv)
    hunted = {each.package: each for each in hunt_tasks(env.unwrapped, tasks)}.values()
    traces = [trace for each in hunted for trace in each.traces]
    if traces:
        raise ContractError(f"{len(traces)} traces of originals: {'; '.join(traces[:5])}")
    num_files = sum(each.num_files for each in hunted) + max(each.num_elsewhere for each in hunted)
    return f"{len(tasks)} tasks, {num_files} files searched, no trace of an original"


def check_faults(env: AgentEnv, tasks: Sequence[Task]) -> str:
    """Every test that a task calls failing fails on what an agent is given.

    Raises:
        ContractError: Some pass; says of which task.
    """
    assert isinstance(env.unwrapped, RepairEnv)
    for task in tasks:
        case = read_task(task).case
        passing, _ = env.unwrapped.judge.shares(case, Change(files=case.given))
        if passing:
            raise ContractError(
                f"task {task.id!r}: {round(passing * len(case.failing))} of the {len(case.failing)} tests in "
                "private.failing pass on its broken sources; leave those out, or plant a fault that they notice"
            )
    return f"{len(tasks)} tasks, whose failing tests all fail"


CHECKS: Mapping[str, Callable[[AgentEnv, Sequence[Task]], str]] = {"leaks": check_leaks, "faults": check_faults}
"""What Repair-v0 must satisfy beside the checks of all environments."""


def _package(task: Task) -> str:
    return str(task.config["package"])


def _summed(package: str, sandbox: str, cases: Mapping[str, Case], found: Sequence[Found]) -> Hunted:
    return Hunted(
        package,
        sandbox,
        len(cases),
        sum(not (case.snippets and case.longer) for case in cases.values()),
        sum(each.num_files for each in found),
        sum(each.num_objects for each in found),
        0,
        tuple(sentence for each in found for sentence in each.sentences),
    )
