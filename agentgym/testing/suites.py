"""Checks of a suite: its documents, strata, splits, tasks, and what scripted policies score on it.

The other modules check the environment that plays it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, sqrt
from statistics import fmean
from typing import TypeVar

from agentgym.errors import UnknownNameError
from agentgym.policy import ScriptFactory
from agentgym.registration import EnvSpec, make, spec
from agentgym.suite import Suite
from agentgym.task import Task
from agentgym.testing.episodes import Step, play_script, start
from agentgym.testing.hostility import CHEAT_PREFIX, REQUIRED_SCRIPTS
from agentgym.testing.report import expect

TASKS_A_STRATUM, TASKS_BESIDE_TEST, COSTLY_TASKS = 10, 3, 2
"""Tasks of a stratum that are played of the test split, of each other split, and where an episode takes seconds."""
_COUNTS_LINE = re.compile(r"^Splits: ([^.;]*)", re.MULTILINE)
_COUNT = re.compile(r"(\d[\d,]*) (train|validation|test)(?:ing)?\b")
_MAX_NAMED = 20
Played = TypeVar("Played")


@dataclass(frozen=True)
class SuiteSubject:
    """A suite under check.

    Attributes:
        suite: The suite.
        max_tasks: Most tasks of a stratum that a scripted policy plays; None plays all of the headline stratum for its
            scores, and elsewhere ten of a stratum of the test split, and three of other splits; where an episode
            takes seconds ten and two, from all over it.
        on_task: Called with the number of each task that a check plays, from 1, and how many it plays.
    """

    suite: Suite
    max_tasks: int | None = None
    on_task: Callable[[int, int], None] | None = None

    @property
    def tasks_a_stratum(self) -> int:
        """How many tasks of a stratum the oracle and each cheat play."""
        most = COSTLY_TASKS if self.env_spec.is_costly else TASKS_A_STRATUM
        return most if self.max_tasks is None else min(self.max_tasks, most)

    def played(self, tasks: Sequence[Task], most: int | None = None) -> Sequence[Task]:
        """Those tasks of a stratum that the oracle and each cheat play: the first, or some of all where few are.

        Args:
            tasks: Those of a stratum.
            most: How many; None is `tasks_a_stratum`.
        """
        count = self.tasks_a_stratum if most is None else most
        return _spread(tasks, count) if self.env_spec.is_costly else tasks[:count]

    def counted(self, played: Sequence[Played]) -> Iterator[Played]:
        """What a check plays, in order; `on_task` is called before each."""
        for number, each in enumerate(played, start=1):
            if self.on_task is not None:
                self.on_task(number, len(played))
            yield each

    @cached_property
    def env_spec(self) -> EnvSpec:
        """The spec of the environment that plays the suite."""
        try:
            return spec(self.suite.env)
        except UnknownNameError as error:
            raise error.at(f"{self.suite.folder / 'suite.toml'}, key 'env'") from None

    @property
    def scripts(self) -> Mapping[str, ScriptFactory]:
        """The scripts of its environment, or of its role of a game."""
        return self.env_spec.load_scripts(self.suite.role)

    @property
    def headline(self) -> Sequence[Task]:
        """The tasks that scripted policies are scored on."""
        tasks = [task for task in self.suite.tasks("test") if task.stratum == self.suite.headline]
        if self.env_spec.is_costly:
            return _spread(tasks, TASKS_A_STRATUM if self.max_tasks is None else self.max_tasks)
        return tasks[: self.max_tasks]


def check_documents(subject: SuiteSubject) -> str | None:
    """The suite has description, licence and source; its README has the licence and no wrong number of tasks.

    Numbers of tasks are read from texts such as "Splits: 600 train, 50 validation and 100 test tasks".
    """
    suite = subject.suite
    for key in ("description", "license", "source"):
        expect(bool(getattr(suite, key).strip()), f"key {key!r} of suite.toml is empty")
    readme = suite.folder / "README.md"
    expect(readme.is_file(), f"there is no {readme}")
    text = readme.read_text(encoding="utf-8")
    missing = [name for name in suite.license.replace("(", " ").split() if "-" in name and name not in text]
    missing = [name for name in missing if not name.startswith("LicenseRef-")]
    expect(not missing, f"{readme} does not name the licence {', '.join(missing)}")
    for line in _COUNTS_LINE.findall(text):
        for stated, split in _COUNT.findall(line):
            held = len(suite.tasks(split)) if split in suite.splits else 0
            expect(
                held == int(stated.replace(",", "")),
                f"{readme} states {stated} {split} tasks, got {held}: mend its line 'Splits: …' (and what else it says "
                f"of the tasks), or write {split}.jsonl anew",
            )
    return None


def check_strata(subject: SuiteSubject) -> str | None:
    """Every declared stratum of every split has tasks."""
    for split, strata in subject.suite.splits.items():
        counts = Counter(task.stratum for task in subject.suite.tasks(split))
        empty = [stratum for stratum in strata if not counts[stratum]]
        expect(not empty, f"the strata {empty} of the {split} split have no tasks")
    return None


def check_disjoint_splits(subject: SuiteSubject) -> str | None:
    """No task occurs twice in one split or in two, even under different ids."""
    seen: dict[str, Task] = {}
    twins = []
    for split in subject.suite.splits:
        for task in subject.suite.tasks(split):
            twin = seen.setdefault(task.content_hash, task)
            if twin is not task:
                twins.append(f"{twin.id!r} and {task.id!r}")
    more = f"; so have {len(twins) - _MAX_NAMED} more pairs" if len(twins) > _MAX_NAMED else ""
    expect(not twins, f"these tasks have the same content: {', '.join(twins[:_MAX_NAMED])}{more}")
    return None


def check_playable(subject: SuiteSubject) -> str | None:
    """The environment lists the suite, and the oracle solves the first tasks of every stratum."""
    suite = subject.suite
    expect(suite.name in subject.env_spec.suites, f"{suite.env} does not list the suite {suite.name!r}")
    env = make(suite.env, **suite.env_options)
    scripts = subject.scripts
    missing = [] if "oracle" in scripts or subject.env_spec.why_no_oracle else ["oracle"]
    expect(not missing, f"the scripts {missing} are missing; {suite.env} has {sorted(scripts)}")
    for task in subject.counted(_of_each_stratum(subject)):
        first = start(env, task).first
        expect(bool(first.text.strip()), f"task {task.id!r} starts with an empty observation")
        if "oracle" in scripts:
            record = play_script(env, task, scripts["oracle"](task, 0))
            expect(record.success, f"the oracle does not solve task {task.id!r}; {record.summary}")
    env.close()
    return None


def _of_each_stratum(subject: SuiteSubject) -> Sequence[Task]:
    """The tasks that the oracle plays, of all strata of all splits."""
    found: list[Task] = []
    for split, strata in subject.suite.splits.items():
        most = subject.tasks_a_stratum if split == "test" else min(subject.tasks_a_stratum, TASKS_BESIDE_TEST)
        for stratum in strata:
            found += subject.played([task for task in subject.suite.tasks(split) if task.stratum == stratum], most)
    return found


def check_scores(subject: SuiteSubject) -> str | None:
    """The oracle, null and random policies, and others with a declared score, reach the scores of the suite."""
    suite, tasks = subject.suite, subject.headline
    missing = [name for name in REQUIRED_SCRIPTS if name not in suite.scores]
    expect(not missing, f"suite.toml declares no scores of {missing}")
    scripts = subject.scripts
    env = make(suite.env, **suite.env_options)
    for name in suite.scores:
        expect(name in scripts, f"suite.toml declares a score of {name!r}; {suite.env} has {sorted(scripts)}")
    ends: dict[str, list[Step]] = {name: [] for name in suite.scores}
    rounds = [(index, task, name) for index, task in enumerate(tasks) for name in suite.scores]
    for index, task, name in subject.counted(rounds):  # by task: environments keep what they made for the last ones
        ends[name].append(play_script(env, task, scripts[name](task, index)).steps[-1])
    for name, declared in suite.scores.items():
        success = fmean(bool(step.success) for step in ends[name])
        score = fmean(step.score or 0.0 for step in ends[name])
        line = _declaration(name, success, None if declared.score is None else score, len(tasks))
        for measure, got, wanted in (("success", success, declared.success), ("score", score, declared.score)):
            expect(
                wanted is None or abs(got - wanted) <= declared.tolerance + 1e-9,
                f"{name} has a {measure} of {got:.4f} on {len(tasks)} tasks of {suite.headline!r}; "
                f"declared {wanted} +- {declared.tolerance}. Mend the script or the environment; or, if this is right, "
                f"declare in suite.toml: {line}",
            )
    env.close()
    return None


def _spread(tasks: Sequence[Task], count: int) -> Sequence[Task]:
    """So many of the tasks, as far apart as can be."""
    count = min(count, len(tasks))
    return [tasks[index * len(tasks) // count] for index in range(count)]


def _declaration(name: str, success: float, score: float | None, num_tasks: int) -> str:
    """The line of [scores] that says what was measured, and how its tolerance was chosen."""
    rates = [success] if score is None else [success, score]
    tolerance = max(ceil(200 * sqrt(max(0.0, rate * (1 - rate)) / num_tasks)) / 100 for rate in rates)
    values = ", ".join(f"{key} = {rate:#.4g}" for key, rate in zip(("success", "score"), rates, strict=False))
    if not tolerance:
        return f"{name} = {{ {values} }}"
    return (
        f"{name} = {{ {values}, tolerance = {tolerance:g} }} (two standard errors of {num_tasks} tasks, so that other "
        "draws stay within it)"
    )


def check_cheats(subject: SuiteSubject) -> str | None:
    """The environment lists its cheats, and none of them solves a task of the headline stratum."""
    scripts = subject.scripts
    cheats = [name for name in scripts if name.startswith(CHEAT_PREFIX)]
    expect(
        bool(cheats),
        f"{subject.suite.env} lists no scripts named {CHEAT_PREFIX}…, and a suite needs one: write one for each way to "
        "get reward without solving the task, or take `claiming` of agentgym.authoring.cheats",
    )
    expect("null" in scripts, f"the scripts ['null'] are missing; {subject.suite.env} has {sorted(scripts)}")
    env = make(subject.suite.env, **subject.suite.env_options)
    for task in subject.counted(subject.played(subject.headline)):
        null = play_script(env, task, scripts["null"](task, 0))
        for name in cheats:
            record = play_script(env, task, scripts[name](task, 0))
            expect(not record.success, f"{name} solves task {task.id!r}")
            gain = record.reward - null.reward
            expect(gain <= 1e-9, f"{name} earns {gain} more than doing nothing on task {task.id!r}")
    env.close()
    return None
