"""One task of another project's data set: what the agent may know of it, and what its verdict takes.

How rows become instances is in `formats`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, Self

from agentgym.config import build
from agentgym.errors import ConfigError, TaskError
from agentgym.task import Limits, Task

RecordForm = Literal["junit", "pytest", "django", "unittest", "sympy"]
"""How a run of tests says what each came to: a junit file, or the output of pytest, Django, unittest or SymPy."""
KIND = "swe-row"


@dataclass(frozen=True)
class RunPlan:
    """How an instance's tests are run.

    Attributes:
        command: The command; what is run is appended to it.
        form: How it says what the tests came to.
        arguments: Files, folders or labels that are run.
        only_present: Whether the arguments are paths, of which those are left out that the repository does not have.
    """

    command: str
    form: RecordForm
    arguments: tuple[str, ...] = ()
    only_present: bool = True


@dataclass(frozen=True)
class Instance:
    """One task of another project's data set.

    Attributes:
        id: As the data set names it.
        repo: The repository, such as "django/django".
        image: Tag of its image.
        statement: What the agent is asked.
        failing: Names of the tests that the reference mends.
        kept: Names of the tests that must go on to pass.
        patch: The reference, as a diff; "" where the row has none.
        plants: Whether that diff plants the fault, so that the reference is its reverse.
        test_patch: Diff of the tests, which the agent does not see.
        run: How the tests are run.
        hidden: Paths that the agent does not see; they are in the image.
        short_names: Whether the names of tests lack the file.
    """

    id: str
    repo: str
    image: str
    statement: str
    failing: tuple[str, ...]
    kept: tuple[str, ...]
    patch: str
    test_patch: str
    run: RunPlan
    plants: bool = False
    hidden: tuple[str, ...] = ()
    short_names: bool = False

    def to_task(self, env_id: str, seed: int, limits: Limits) -> Task:
        """The task of this instance; the tests, the reference and how tests are run are private."""
        fields = dataclasses.asdict(self)
        config = {"kind": KIND, **{name: fields.pop(name) for name in ("id", "repo", "image")}}
        statement = fields.pop("statement")
        return Task(
            id=f"{env_id}:{self.id}",
            seed=seed,
            instruction=statement,
            stratum=env_id.partition("/")[0],
            config=config,
            limits=limits,
            private=_plain(fields),
        )

    @classmethod
    def of(cls, task: Task) -> Self:
        """The instance of a task.

        Raises:
            TaskError: It is no such task.
        """
        if task.config.get("kind") != KIND:
            raise TaskError(
                f"task {task.id!r} is no row of another project's data set: its config has {sorted(task.config)}"
            )
        public = {name: task.config[name] for name in ("id", "repo", "image") if name in task.config}
        try:
            return build(cls, {**public, "statement": task.instruction, **task.private})
        except ConfigError as error:
            raise TaskError(f"task {task.id!r} is malformed: {error}") from error


def _plain(value: Any) -> Any:
    """Tuples as lists, as JSON has them."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, tuple) else value
