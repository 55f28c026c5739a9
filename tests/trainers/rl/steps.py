"""A toy whose tasks differ in how many right arms in a row they take, with knobs and hints, and one that drifts."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.message import Message, user
from agentgym.registration import EnvSpec, register
from agentgym.suite import Suite, read_suite
from agentgym.task import Limits, Task
from tests.trainers.rl.toys import TracingTrainer, arm, toy_config, toy_trainer

RIGHT = 1


class Steps(AgentEnv):
    """Pull the right arm so many times in a row; a wrong one ends it. Tasks of one step may be slow."""

    def __init__(self, length: int = 1, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.length = length

    def make_task(self, seed: int) -> Task:
        return Task(
            f"steps:{seed}", seed, config={"length": self.length, "name": seed % 1000}, limits=Limits(max_turns=8)
        )

    def begin(self, task: Task) -> Sequence[Message]:
        self.at = 0
        return [user(self.view())]

    def respond(self, action: Action) -> EnvReply:
        assert self.task is not None
        if self.task.config["length"] == 1:
            time.sleep(self.task.config.get("wait_s", 0.0))
        if arm(action.content, 2) == RIGHT:
            self.at += 1
        else:
            return EnvReply([], [self.event("success", 0.0)], True, False)
        if self.at == self.task.config["length"]:
            return EnvReply([], [self.event("success", 1.0)], True, True)
        return EnvReply([user(self.view())])

    def view(self) -> str:
        return f"cell {'abcdef'[self.at % 6]}"


class Drifting(Steps):
    """Never shows the same twice."""

    deterministic = False
    counter = itertools.count()

    def view(self) -> str:
        return f"cell {'abcdef'[next(Drifting.counter) % 6]} {next(Drifting.counter)}"


def hint(task: Task) -> str:
    return f"the lamp is red {task.config['length']}"


def install_steps(root: Path, lengths: Sequence[int], cls: type[Steps] = Steps, **config: Any) -> Suite:
    """A suite with a train task for each length, and four tasks of length 1 in each other split."""
    name = cls.__name__.lower()
    env_id = f"toys/{cls.__name__}-v0"
    is_bare = cls is Drifting
    register(
        EnvSpec(
            env_id,
            f"{__name__}:{cls.__name__}",
            "tests.trainers.rl.toys:SCRIPTS",
            "toys",
            deterministic=not is_bare,
            difficulty={} if is_bare else {"length": (1, 2, 3)},
            hints="" if is_bare else f"{__name__}:hint",
        )
    )
    folder = root / "toys" / name
    folder.mkdir(parents=True)
    lists = "".join(f'{split} = ["all"]\n' for split in ("train", "validation", "test"))
    folder.joinpath("suite.toml").write_text(
        f'name = "toys/{name}"\nenv = "{env_id}"\ndescription = "A toy."\nlicense = "Apache-2.0"\nsource = "here"\n'
        f'headline = "all"\n[splits]\n{lists}[strata]\nall = "all"\n[scores]\n'
    )
    for split, wanted in {"train": lengths, "validation": [1] * 4, "test": [1] * 4}.items():
        lines = []
        for number, length in enumerate(wanted):
            fields = Steps(length).make_task(number).to_json()
            fields |= {"id": f"toys/{name}:{split}-{number:03d}", "stratum": "all"}
            fields["config"] = {"length": length, "name": f"{split} {number}", **config}
            del fields["suite"], fields["split"]
            lines.append(json.dumps(fields))
        folder.joinpath(f"{split}.jsonl").write_text("\n".join(lines) + "\n")
    return read_suite(folder)


def steps_trainer(suite: Suite, folder: Path, **tables: Any) -> TracingTrainer:
    """A trainer on the toy."""
    return toy_trainer(toy_config(suite.name.removeprefix("toys/"), **tables), suite, folder)
