"""The environments of the software family. Registration, `agentgym list`, the documentation and tests read this list.

It imports no environment. To add one, write its folder and add its entry here.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentgym.registration.env_spec import EnvSpec, Need

DATA_SETS = {
    "swebench": "SWE-bench",
    "swegym": "SWE-Gym",
    "swesmith": "SWE-smith",
    "r2egym": "R2E-Gym",
    "swerebench": "SWE-rebench",
}
"""Other projects' data sets whose rows can be played, by the namespace of their ids."""


def _rows_of(namespace: str, title: str) -> EnvSpec:
    """What an id such as "swebench/jsonl" stands for."""
    return EnvSpec(
        f"{namespace}/jsonl",
        "agentgym_swe.foreign.env:InstanceEnv",
        "agentgym_swe.foreign.scripts:SCRIPTS",
        "swe",
        deterministic=False,
        runtimes=("workspace",),
        extra="docker",
        adapts=namespace,
        room="foreign",
        message_options=("use",),
        needs=(Need(f"the JSONL file of {title}'s rows", "path", f"AGENTGYM_{namespace.upper()}_JSONL"),),
    )


FOREIGN: Mapping[str, EnvSpec] = {name: _rows_of(name, title) for name, title in DATA_SETS.items()}
"""By namespace, what an id of another project's rows stands for."""

SPECS: tuple[EnvSpec, ...] = (
    EnvSpec(
        "agentgym/Terminal-v0",
        "agentgym_swe.terminal.env:TerminalEnv",
        "agentgym_swe.terminal.scripts:SCRIPTS",
        "swe",
        ("swe/terminal",),
        runtimes=("workspace",),
        extra="docker",
    ),
    EnvSpec(
        "agentgym/PatchLine-v0",
        "agentgym_swe.patch_line.env:PatchLineEnv",
        "agentgym_swe.patch_line.scripts:SCRIPTS",
        "swe",
        ("swe/patch-line",),
        runtimes=("local", "served"),
        difficulty={"level": (1, 2, 3)},
        hints="agentgym_swe.patch_line.scripts:hint",
        message_options=("places",),
    ),
    EnvSpec(
        "agentgym/Experiment-v0",
        "agentgym_swe.experiment.env:ExperimentEnv",
        "agentgym_swe.experiment.scripts:SCRIPTS",
        "swe",
        ("swe/experiment", "swe/experiment-menu"),
        runtimes=("workspace",),
        extra="docker",
        message_options=("mode",),
        is_costly=True,
    ),
    EnvSpec(
        "agentgym/Tuning-v0",
        "agentgym_swe.tuning.env:TuningEnv",
        "agentgym_swe.tuning.scripts:SCRIPTS",
        "swe",
        ("swe/tuning", "swe/tuning-recorded"),
        deterministic=False,
        runtimes=("workspace",),
        extra="docker",
        is_costly=True,
        message_options=("mode", "source"),
        check_options={"source": "recorded"},
    ),
    EnvSpec(
        "agentgym/Repair-v0",
        "agentgym_swe.repair.env:RepairEnv",
        "agentgym_swe.repair.scripts:SCRIPTS",
        "swe",
        ("swe/repair",),
        runtimes=("workspace",),
        extra="docker",
        hints="agentgym_swe.repair.hints:hint",
        message_options=("use", "visible_tests", "issue"),
        checks="agentgym_swe.repair.hunting:CHECKS",
        is_costly=True,
        own_tasks="tasks",
        disclosed=("relevant",),  # Tests that stand in the agent's folder.
        sandboxes=("docker", "bubblewrap"),
    ),
    *(spec.named(spec.id) for spec in FOREIGN.values()),
)
"""All environments of the family."""
