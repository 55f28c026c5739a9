"""The environment under check: how to make it, tasks to play, and actions that mean something in them.

The modules of checks say what is expected of it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from agentgym.env import AgentEnv
from agentgym.errors import ConfigError, ContractError, TaskError, UnknownNameError
from agentgym.policy import ScriptFactory
from agentgym.registration import EnvSpec, make, spec
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.testing.episodes import Record, play_actions, play_script
from agentgym.wrappers.role_view import RoleView

MAX_TASKS = 4
_SHARE_OF_COSTLY = 8
"""Where an episode takes seconds, a check plays one in this many of what it plays elsewhere, and two at least."""
_PLAYERS = ("random", "demo", "oracle")
_NONSENSE = ("", "?")


@dataclass(frozen=True)
class EnvSubject:
    """An environment under check.

    Attributes:
        name: What the report calls it.
        factory: Makes a fresh environment.
        tasks: Tasks to play, at least one.
        scripts: Script factories by name; may be empty.
        env_id: Its registered id; "" for one that is not registered.
        role: The role of a registered game that is checked; "" for an environment of one agent.
        disclosed: Keys of the tasks' private part that the rules tell the agent.
        why_no_oracle: The declared reason why there is no oracle; "" if there is one.
        options: What a registered environment is made with, such as the interpreter that it needs.
        unread: Which of its suites could not be read, and why; "" where all could.
        is_costly: Whether an episode takes seconds.
        answers: By task what is said at its start and to hostile messages; a check that hears it notes it for others.
    """

    name: str
    factory: Callable[[], AgentEnv]
    tasks: Sequence[Task]
    scripts: Mapping[str, ScriptFactory]
    env_id: str = ""
    role: str = ""
    disclosed: frozenset[str] = frozenset()
    why_no_oracle: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    unread: str = ""
    is_costly: bool = False
    answers: dict[str, list[str]] = field(default_factory=dict, repr=False)
    _sequences: dict[str, list[list[str]]] = field(default_factory=dict, repr=False)
    _scripted: dict[tuple[str, str, int], Record] = field(default_factory=dict, repr=False)
    _records: list[tuple[Task, Record]] = field(default_factory=list, repr=False)
    _made: list[AgentEnv] = field(default_factory=list, repr=False)

    def make(self) -> AgentEnv:
        """A fresh environment, closed at the end of the check; a caller that makes many closes each itself."""
        env = self.factory()
        self._made.append(env)
        return env

    def few(self, count: int) -> int:
        """How many episodes of one kind a check plays, where it plays `count` of a quick environment."""
        return min(count, max(2, count // _SHARE_OF_COSTLY)) if self.is_costly else count

    def close(self) -> None:
        """Close all environments made so far."""
        while self._made:
            self._made.pop().close()

    def play(self, task: Task | None, actions: Sequence[str], seed: int | None = None) -> Record:
        """Play actions in a fresh environment and close it."""
        env = self.factory()
        try:
            return play_actions(env, task, actions, seed)
        finally:
            env.close()

    def scripted(self, name: str, task: Task, seed: int = 0) -> Record:
        """The episode of a script in a fresh environment, which is played once for all checks."""
        key = (name, task.id, seed)
        if key not in self._scripted:
            env = self.factory()
            try:
                self._scripted[key] = play_script(env, task, self.scripts[name](task, seed))
            finally:
                env.close()
        return self._scripted[key]

    def sequences(self, task: Task) -> list[list[str]]:
        """Different lists of actions for a task: those of its players, and a random mix of these with nonsense."""
        if task.id not in self._sequences:
            self._sequences[task.id] = self._play_all(task)
        return self._sequences[task.id]

    def records(self) -> list[tuple[Task, Record]]:
        """Each task with the record of each of its sequences, which are played once for all checks."""
        if not self._records:
            env = self.factory()
            for task in self.tasks:
                known = self._known_of(task) if self.is_costly else {}
                for actions in self.sequences(task):
                    record = known.get(tuple(actions)) or play_actions(env, task, actions)
                    self._records.append((task, record))
            env.close()
        return self._records

    def _known_of(self, task: Task) -> dict[tuple[str, ...], Record]:
        """Episodes of scripts that were played of a task, by their actions."""
        return {tuple(record.actions): record for (_, of, _), record in self._scripted.items() if of == task.id}

    def mixtures(self, task: Task, count: int, max_length: int, seed: int = 0) -> list[list[str]]:
        """Random lists of actions for a task, drawn from its players' actions and from nonsense."""
        rng = random.Random(seed)
        pool = sorted({action for actions in self.sequences(task) for action in actions})
        return [rng.choices(pool, k=rng.randint(1, max_length)) for _ in range(count)]

    def _play_all(self, task: Task) -> list[list[str]]:
        players = [name for name in _PLAYERS if name in self.scripts]
        seeds = range(1 if self.is_costly else 2)
        played = [self.scripted(name, task, seed).actions for name in players for seed in seeds]
        if not played:
            env = self.factory()
            env.action_space.seed(0)
            played = [[env.action_space.sample() for _ in range(4)] for _ in range(4)]
            env.close()
        rng = random.Random(task.seed)
        pool = [*(action for actions in played for action in actions), *_NONSENSE]
        return different([*played, rng.choices(pool, k=6), list(_NONSENSE)])


def different(sequences: Iterable[Sequence[str]]) -> list[list[str]]:
    """The sequences without those that came before."""
    return [list(actions) for actions in dict.fromkeys(map(tuple, sequences))]


def env_subject(
    target: str | Callable[[], AgentEnv],
    tasks: Sequence[Task] | None = None,
    scripts: Mapping[str, ScriptFactory] | None = None,
    runtime: str = "",
    role: str = "",
    given: Mapping[str, Any] | None = None,
) -> EnvSubject:
    """Gather what the checks of an environment need.

    Args:
        target: A registered id, or something that makes an environment when called without arguments.
        tasks: Tasks to play; by default one of each stratum of its suites' test splits and some made from seeds, or the
            first of those that an option names.
        scripts: Script factories by name; by default the registered ones.
        runtime: Where an environment that is given by its id runs; see `agentgym.make`.
        role: The role of a game that is given by its id; "" is its first.
        given: Options of an environment that is given by its id.

    Raises:
        UnknownNameError: Nothing is registered under the id, or the game has no such role.
        ConfigError: The target is an environment, or the list of tasks is empty.
        ContractError: The environment cannot be loaded, or its spec names a suite that does not exist.
    """
    if isinstance(target, AgentEnv):
        raise ConfigError(
            f"check_env makes environments of its own, and got one {type(target).__name__}; give it what makes them, "
            f"such as check_env(lambda: {type(target).__name__}(...))"
        )
    if tasks is not None and not tasks:
        raise ConfigError("check_env got an empty list of tasks; give at least one, or None for tasks made from seeds")
    if not isinstance(target, str):
        chosen, disclosed = _looked_at(target, tasks, lambda env: [env.make_task(seed) for seed in (0, 1)])
        return EnvSubject(getattr(target, "__name__", repr(target)), target, chosen, scripts or {}, disclosed=disclosed)
    known = spec(target)
    role = known.role_named(role)
    options = {**(given or {}), **({"role": role} if role else {})}
    here = partial(make, target, **options)  # a server keeps what is private in tasks
    chosen, disclosed = list(tasks or ()), frozenset[str]()
    unread: list[str] = []
    if tasks is None or known.roles:
        choose = _own_tasks if options.get(known.own_tasks) else _chosen_tasks
        chosen, disclosed = _looked_at(here, tasks, partial(choose, known, role, unread))
    disclosed |= set(known.disclosed)
    scripts = known.load_scripts(role) if scripts is None else scripts
    name = " ".join([target, *(["as", role] if role else []), *(["in", runtime] if runtime else [])])
    factory: Callable[[], AgentEnv] = partial(make, target, runtime=runtime, **options)
    env_id = "" if runtime else target
    return EnvSubject(
        *(name, factory, chosen, scripts, env_id, role, disclosed, known.why_no_oracle, given or {}, "; ".join(unread)),
        is_costly=known.is_costly,
    )


def _looked_at(
    factory: Callable[[], AgentEnv], tasks: Sequence[Task] | None, choose: Callable[[AgentEnv], list[Task]]
) -> tuple[list[Task], frozenset[str]]:
    """The tasks to play, and which keys of their private part the agent is told."""
    env = factory()
    try:
        disclosed = env.game.disclosed.get(env.role, ()) if isinstance(env, RoleView) else ()
        return (choose(env) if tasks is None else list(tasks)), frozenset(disclosed)
    finally:
        env.close()


def _chosen_tasks(known: EnvSpec, role: str, unread: list[str], env: AgentEnv) -> list[Task]:
    """One task of each stratum of the test splits of the role's suites, and two made from seeds.

    What is wrong with a suite that cannot be read is added to `unread`.
    """
    firsts: dict[tuple[str, str], Task] = {}
    for name in known.suites:
        try:
            suite = load_suite(name)
            if not known.roles or known.role_named(suite.role) == role:
                firsts |= {(task.suite, task.stratum): task for task in reversed(suite.tasks("test"))}
        except UnknownNameError as error:
            raise ContractError(f"the spec of {known.id!r} names suites={list(known.suites)}: {error}") from error
        except TaskError as error:
            unread.append(str(error))
    most, seeds = (2, range(1)) if known.is_costly else (MAX_TASKS, range(2))
    return [*list(firsts.values())[:most], *(env.make_task(seed) for seed in seeds)]


def _own_tasks(known: EnvSpec, role: str, unread: list[str], env: AgentEnv) -> list[Task]:
    """The first of the tasks that the user named."""
    most = 2 if known.is_costly else MAX_TASKS
    return [env.make_task(seed) for seed in range(min(most, env.num_tasks or most))]
