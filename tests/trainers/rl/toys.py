"""Toy environments that a two-layer model learns within seconds, their suites, and trainers on them.

A message of the bandits and mazes is one token, and each token of the vocabulary is one of a few arms, so that a model
with random weights explores them all; nothing has to be cloned first.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import time
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.action import Action
from agentgym.config import Source, merged
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError
from agentgym.message import Message, user
from agentgym.policies.torch.policy import TorchPolicy
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.prompting.tiny import build_tokenizer
from agentgym.registration import EnvSpec, register
from agentgym.reward import FORMAT
from agentgym.suite import Suite, read_suite
from agentgym.task import Limits, Task
from agentgym.trajectory import Group, Trajectory
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.checkpoint import TrainerState
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.core.learner import Workplace
from agentgym_rl.core.metrics import Metrics
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.curricula.requirements import make_curriculum
from agentgym_rl.groups.learner import GroupLearner
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.journal import Journal
from agentgym_rl.run.setup import reference_of
from agentgym_rl.run.trainer import Trainer
from tests.trainers.rl import vocabulary


def arm(text: str, num_arms: int) -> int:
    """The arm that a message pulls."""
    return zlib.crc32(text.encode()) % num_arms


LEFT_RIGHT = tuple(next(item for item in vocabulary.ITEMS if arm(item, 2) == number) for number in range(2))
"""A word for each of two arms."""


class Bandit(AgentEnv):
    """Two turns; what the first message was decides the reward, which comes with the second."""

    def make_task(self, seed: int) -> Task:
        return toy_task("bandit", seed, {"colour": ("red", "blue")[seed % 2]})

    def begin(self, task: Task) -> Sequence[Message]:
        self.first = -1
        return [user(f"the lamp is {task.config['colour']}")]

    def respond(self, action: Action) -> EnvReply:
        assert self.task is not None
        self.misbehave(self.task.config)
        if self.turn == 0:
            self.first = arm(action.content, 2)
            return EnvReply([user("go on")])
        is_right = self.first == (self.task.config["colour"] == "red")
        value = math.nan if Bandit.chance() < self.task.config.get("nan", 0.0) else float(is_right)
        return EnvReply([], [self.event("success", value)], True, is_right)

    def misbehave(self, config: Mapping[str, Any]) -> None:
        """Raise or hang with the probabilities of the task, whatever the agent does."""
        if Bandit.chance() < config.get("raises", 0.0):
            raise OSError("the disk is on fire")
        if Bandit.chance() < config.get("hangs", 0.0):
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline:
                self.check_interrupt()
                time.sleep(0.005)

    draws = 0

    @classmethod
    def chance(cls) -> float:
        """The next number of a sequence that is the same in each process, and new for each retry."""
        cls.draws += 1
        return zlib.crc32(str(cls.draws).encode()) / 2**32


class KeyDoor(AgentEnv):
    """A corridor of six cells: fetch the key in cell 0, then open the door in cell 5; the reward comes at the end.

    A task's config may put the door nearer.
    """

    START, DOOR = 1, 5

    def make_task(self, seed: int) -> Task:
        return toy_task("key-door", seed, {}, max_turns=8)

    def begin(self, task: Task) -> Sequence[Message]:
        self.cell, self.has_key, self.door = self.START, False, task.config.get("door", self.DOOR)
        return [user(self.view())]

    def respond(self, action: Action) -> EnvReply:
        self.cell = max(0, min(self.door, self.cell + (1 if arm(action.content, 2) else -1)))
        self.has_key = self.has_key or self.cell == 0
        if self.has_key and self.cell == self.door:
            return EnvReply([], [self.event("success", 1.0)], True, True)
        return EnvReply([user(self.view())])

    def view(self) -> str:
        return f"cell {'abcdef'[self.cell]} {'key' if self.has_key else 'none'}"

    def legal_actions(self) -> Sequence[str]:
        return LEFT_RIGHT

    def anchor(self) -> str:
        return self.view()

    def progress(self) -> float:
        return (self.cell + self.door * self.has_key) / (2 * self.door)


class Questions(AgentEnv):
    """Eight items of three properties: ask for properties, then name the item; a good guess is worth all of it."""

    invalid_value = -0.1

    def make_task(self, seed: int) -> Task:
        return toy_task("questions", seed, {}, {"item": seed % 8}, max_turns=5)

    def begin(self, task: Task) -> Sequence[Message]:
        return [user("ask or guess")]

    def respond(self, action: Action) -> EnvReply:
        assert self.task is not None
        item, word = self.task.private["item"], action.content.strip()
        if word in vocabulary.PROPERTIES:
            return EnvReply([user("yes" if item >> vocabulary.PROPERTIES.index(word) & 1 else "no")])
        if word not in vocabulary.ITEMS:
            raise ActionSyntaxError("ask or guess")
        is_right = vocabulary.ITEMS.index(word) == item
        return EnvReply([], [self.event("success", float(is_right))], True, is_right)

    def legal_actions(self) -> Sequence[str]:
        return [*vocabulary.PROPERTIES, *vocabulary.ITEMS]


class Loop(AgentEnv):
    """One state, reward 1 a step, and no end but the limit of turns, or one that the task's config asks for."""

    reward_weights = {"success": 1.0, "step": 1.0, FORMAT: 1.0}

    def make_task(self, seed: int) -> Task:
        return toy_task("loop", seed, {}, max_turns=5)

    def begin(self, task: Task) -> Sequence[Message]:
        return [user("go on")]

    def respond(self, action: Action) -> EnvReply:
        assert self.task is not None
        config = self.task.config
        time.sleep(config.get("wait_s", 0.0))
        is_over = "lengths" in config and self.turn == 3 * self.task.seed % config["lengths"]
        return EnvReply([user("go on")], [self.event("step", 1.0)], is_over, True if is_over else None)


class Codes(AgentEnv):
    """Letters are wanted one after another, each of four; only all of them together win: three once in 64 by chance."""

    LETTERS = "abcd"

    def make_task(self, seed: int) -> Task:
        return toy_task("codes", seed, {"code": [seed % 4, seed // 4 % 4, seed // 16 % 4], "length": 3})

    def begin(self, task: Task) -> Sequence[Message]:
        self.said: list[int] = []
        return [user(self.view())]

    def respond(self, action: Action) -> EnvReply:
        assert self.task is not None
        self.said.append(arm(action.content, 4))
        if len(self.said) < self.task.config["length"]:
            return EnvReply([user(self.view())])
        is_right = self.said == list(self.task.config["code"][: len(self.said)])
        return EnvReply([], [self.event("success", float(is_right))], True, is_right)

    def view(self) -> str:
        assert self.task is not None
        return f"cell {self.LETTERS[self.task.config['code'][len(self.said)]]}"

    def relabel(self, trajectory: Trajectory) -> Task | None:
        """The code that was said; codes have seeds, so that no held-out task is the same."""
        assert self.task is not None
        code = [arm(self.parse(turn.text).content, 4) for turn in trajectory.turns]
        if trajectory.success or len(code) < self.task.config["length"]:
            return None
        name = f"{self.task.id}/code-{''.join(map(str, code))}"
        return dataclasses.replace(self.task, id=name, config={**self.task.config, "code": code})


class Arms(AgentEnv):
    """Two arms of different speed: a slow one that wins and a fast one that loses; or one that nobody can win."""

    def make_task(self, seed: int) -> Task:
        return toy_task("arms", seed, {})

    def begin(self, task: Task) -> Sequence[Message]:
        return [user("the lamp is red")]

    def respond(self, action: Action) -> EnvReply:
        assert self.task is not None
        is_slow = arm(action.content, 2) == 1
        if is_slow:
            time.sleep(self.task.config.get("wait_s", 0.0))
        is_right = is_slow and not self.task.config.get("impossible")
        return EnvReply([], [self.event("success", float(is_right))], True, is_right)


class Strict(AgentEnv):
    """Takes one word alone and takes points for all others."""

    invalid_value = -0.25
    WORD = "yes"

    def make_task(self, seed: int) -> Task:
        return toy_task("strict", seed, {}, max_invalid=1)

    def begin(self, task: Task) -> Sequence[Message]:
        return [user("ask or guess")]

    def respond(self, action: Action) -> EnvReply:
        assert self.task is not None
        if action.content.strip() not in self.task.config.get("words", [self.WORD]):
            raise ActionSyntaxError("no")
        return EnvReply([], [self.event("success", 1.0)], True, True)


class Asker:
    """Asks all properties, then names the item: the demonstrator is wrong as often as its quality says."""

    def __init__(self, task: Task, seed: int, quality: float) -> None:
        self.is_good = (zlib.crc32(f"{task.id} {seed}".encode()) % 100) < 100 * quality
        self.shift = 1 + seed % 7

    def act(self, messages: Sequence[Message]) -> str:
        replies = [m["content"] for m in messages if m["role"] == "user"][1:]
        if len(replies) < 3:
            return vocabulary.PROPERTIES[len(replies)]
        item = sum(1 << place for place, reply in enumerate(replies) if reply == "yes")
        return vocabulary.ITEMS[item if self.is_good else (item + self.shift) % 8]


class Sayer:
    """Says one word of a list at random, the same for the same seed."""

    def __init__(self, words: Sequence[str], seed: int) -> None:
        self.words, self.seed = words, seed

    def act(self, messages: Sequence[Message]) -> str:
        return self.words[zlib.crc32(f"{self.seed} {len(messages)}".encode()) % len(self.words)]


def demo(task: Task, seed: int, quality: float = 0.5) -> Asker | Sayer:
    if "questions" in task.suite:
        return Asker(task, seed, quality)
    return Sayer(vocabulary.ITEMS, seed)


def random_words(task: Task, seed: int) -> Sayer:
    return Sayer(vocabulary.texts()[0].split(), seed)


SCRIPTS = {"demo": demo, "random": random_words}
ENVS = {
    "bandit": Bandit,
    "codes": Codes,
    "key-door": KeyDoor,
    "questions": Questions,
    "loop": Loop,
    "arms": Arms,
    "strict": Strict,
}


def toy_task(
    name: str, seed: int, config: dict[str, Any], private: dict[str, Any] | None = None, **limits: Any
) -> Task:
    limits = {"max_turns": 4, "step_timeout_s": 60.0, **limits}
    return Task(f"toys/{name}:made-{seed}", seed, config=config, private=private or {}, limits=Limits(**limits))


def install(
    root: Path, name: str, num_tasks: int = 16, config: Mapping[str, Any] | None = None, **limits: Any
) -> Suite:
    """Register a toy environment and write a suite of it below a folder; processes may do so at once.

    Args:
        root: Folder of suites.
        name: One of `ENVS`.
        num_tasks: Train tasks; validation and test get four each.
        config: Put into each task's own.
        limits: Likewise.
    """
    env_class = ENVS[name]
    env_id = f"toys/{env_class.__name__}-v0"
    register(EnvSpec(env_id, f"{__name__}:{env_class.__name__}", f"{__name__}:SCRIPTS", "toys"))
    folder = root / "toys" / name
    folder.mkdir(parents=True, exist_ok=True)

    def write(file: str, text: str) -> None:
        partial = folder / f".{file}.{os.getpid()}"
        partial.write_text(text)
        partial.replace(folder / file)

    lists = "".join(f'{split} = ["all"]\n' for split in ("train", "validation", "test"))
    write(
        "suite.toml",
        f'name = "toys/{name}"\nenv = "{env_id}"\ndescription = "A toy."\nlicense = "Apache-2.0"\nsource = "here"\n'
        f'headline = "all"\n[splits]\n{lists}[strata]\nall = "all"\n[scores]\n',
    )
    maker = env_class()
    for place, (split, count) in enumerate([("train", num_tasks), ("validation", 4), ("test", 4)]):
        lines = []
        for number in range(count):
            fields = maker.make_task(1000 * place + number).to_json()
            fields |= {"id": f"toys/{name}:{split}-{number:03d}", "stratum": "all", "seed_is_content": True}
            fields["config"] |= dict(config or {})
            fields["limits"] |= limits
            del fields["suite"], fields["split"]
            lines.append(json.dumps(fields))
        write(f"{split}.jsonl", "\n".join(lines) + "\n")
    return read_suite(folder)


def toy_config(name: str, **tables: Any) -> TrainConfig:
    """A configuration for a toy: one token a message, eight groups of eight, quick to learn."""
    base: dict[str, Any] = {
        "run": {"suite": f"toys/{name}", "iterations": 15},
        "group": {"tasks": 4, "size": 8},
        "rollout": {"sampling": {"max_tokens": 1}, "cut_messages": "play", "env_threads": 2},
        "optimiser": {"learning_rate": 2e-3},
        "packing": {"row_length": 160, "micro_batch_tokens": 4096, "is_packed": False},
        "validation": {"every": 0, "has_final_test": False},
        "watch": {"max_zero_variance_iterations": 1000, "max_invalid_iterations": 1000},
    }
    return config_from_tables(merged(base, tables), Source())


def toy_trainer(config: TrainConfig, suite: Suite, folder: Path, **options: Any) -> TracingTrainer:
    """A trainer of a tiny model on a toy, without a store unless one is given."""
    tokenizer = build_tokenizer(vocabulary.texts(), numbers=vocabulary.NUMBERS)
    causal_lm = build_tiny_model(tokenizer, config.model.size, config.run.seed)
    model = PolicyModel(causal_lm, has_value_head=config.algorithm.has_value_head, autocast=config.model.autocast)
    folder.mkdir(parents=True, exist_ok=True)
    return TracingTrainer(
        config,
        suite,
        model.train(),
        options.pop("policy", None) or TorchPolicy(causal_lm, tokenizer, name="policy"),
        reference=reference_of(model, config),
        store=options.pop("store", None),
        folder=folder,
        journal=options.pop("journal", None) or Recorder(folder),
        **options,
    )


class TracingLearner(GroupLearner):
    """Keeps what each iteration trained on: its groups, its batch and the version of the weights."""

    def __init__(self, place: Workplace) -> None:
        super().__init__(place)
        self.traced: list[tuple[list[Group], TrainBatch, int]] = []
        self._version = 0

    def learn(self, groups: list[Group], state: TrainerState) -> Metrics:
        self._version = state.version
        return super().learn(groups, state)

    def score(self, groups: list[Group]) -> TrainBatch:
        batch = super().score(groups)
        self.traced.append((groups, batch, self._version))
        return batch


class TracingTrainer(Trainer):
    """Has a learner that keeps what it was given, and a journal that remembers."""

    learner: TracingLearner
    goal: float | None = None
    """The success over five iterations with which learning is shown and the run ends, after nine at least."""

    def is_over(self) -> bool:
        is_shown = self.goal is not None and len(self.journalled.rows) >= 9 and self.success() > self.goal
        return is_shown or super().is_over()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.learner = TracingLearner(self.learner.place)

    def train_on(self, kind: type[Suite]) -> None:
        """Take another kind of suite with the same tasks."""
        self.suite = kind(**{name: getattr(self.suite, name) for name in Suite.__dataclass_fields__})
        self.curriculum = make_curriculum(self.config.curriculum, self.suite, self.cast, self.config.run.seed)

    @property
    def traced(self) -> list[tuple[list[Group], TrainBatch, int]]:
        """What each iteration trained on."""
        return self.learner.traced

    @property
    def journalled(self) -> Recorder:
        """Its journal, where it is the one that remembers."""
        assert isinstance(self.journal, Recorder)
        return self.journal

    def success(self, last: int = 5) -> float:
        """Mean success of the last iterations."""
        return float(np.mean(self.journalled.curve("success/mean")[-last:]))


class Recorder(Journal):
    """Keeps the metrics of each iteration in memory and says nothing."""

    def __init__(self, folder: Path) -> None:
        self.rows: list[dict[str, float]] = []
        self.said: list[str] = []

    def record(self, iteration: int, metrics: Mapping[str, float], phase: str = "train") -> None:
        if phase == "train":
            self.rows.append(dict(metrics))

    def say(self, text: str) -> None:
        self.said.append(text)

    def close(self) -> None: ...

    def curve(self, name: str) -> list[float]:
        return [row[name] for row in self.rows]
