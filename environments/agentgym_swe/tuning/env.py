"""Tuning-v0: a real server is tuned for a load; its cost is what it uses up, counted live or read from a recording.

What is counted is in `scoring`, how in `measuring` and `surface`; what is said about it is in `telling`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, get_args

from agentgym.env import EnvReply
from agentgym.errors import ConfigError, UnknownNameError
from agentgym.message import Message, user
from agentgym.reward import FORMAT
from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.pool import SandboxPool
from agentgym.sandbox.sandbox_env import SandboxEnv
from agentgym.sandbox.spec import SandboxSpec
from agentgym.task import Task
from agentgym.tools import said, tool
from agentgym_swe.tuning import telling
from agentgym_swe.tuning.bench import Bench, LiveBench, Measured, RecordedBench
from agentgym_swe.tuning.drawing import TRAINED, draw_task
from agentgym_swe.tuning.host import sandbox_spec
from agentgym_swe.tuning.problem import Problem, changes, read_task
from agentgym_swe.tuning.scoring import SUCCESS, cost, score
from agentgym_swe.tuning.servers.catalogue import LOADS, OPTIONS
from agentgym_swe.tuning.servers.option import Config, RefusedValueError, Value

Mode = Literal["free", "menu"]
Source = Literal["live", "recorded"]
PARTS = ("valid", "improvement")
MAX_MEASURED = 12


class TuningEnv(SandboxEnv):
    """Tune Redis, nginx or PostgreSQL for a load, so that it uses up less and still keeps its promises.

    Observation:
        First the load, what counts how much, and what must hold. Then what each call did: an option that is refused and
        why, the counters of a measurement beside those at the start, or the end of a server's log that did not start.

    Action:
        free: calls of options(), configure(values), measure(), counters() and submit(). menu: calls of change(option,
        value), measure() and submit(). At most 4 in a message, carried out in order.
    Reward:
        score: where the cost lies between that at the start and that of a reference, in [0, 1]; the first 15 per cent
        of the way earn nothing. 0 where acknowledged data is lost, a stranger gets in, requests fail or the server
        does not start; violated says so, weight 0. valid, improvement: 1 for the first valid change, and how far the
        best measurement came; weight `parts_weight`, 0 by default. format: -0.1 for a message without a valid call.
    Termination:
        submit(); the third invalid message. Success is a score of at least 0.75.
    Truncation:
        After 16 turns; the configuration is then graded as it is.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        Image agentgym/tuning, no network, 2 CPUs, 1 GiB, 128 processes; none with source="recorded". The agent runs
        nothing in it: it names values of options, which are checked outside.
    Source and licence:
        Written for agentgym, Apache-2.0; its tasks are generated, CC0-1.0. The servers are Debian's: Redis 7.0 (BSD-3),
        nginx 1.22 (BSD-2), PostgreSQL 15 (PostgreSQL licence), ab (Apache-2.0).

    Example:
        configure(values={"appendfsync": "everysec"}); measure(); submit() -> The configuration is graded.

    Args:
        mode: free, or menu for small models.
        source: live measures in a sandbox, and costs differ by a few per cent each time; recorded answers with a
            recorded measurement, at once and always the same.
        load: Load of the tasks made from seeds, a key of `LOADS`; None draws one that training shows.
        parts_weight: Weight of the components valid and improvement.
        rounds: How often start and configuration are measured in turn for the score.
        sandbox: As in `SandboxEnv`.
        relaxed: As in `SandboxEnv`.
        render_mode: As in Gymnasium.
    """

    leases_late: ClassVar[bool] = True
    deterministic: ClassVar[bool] = False
    max_calls = 4
    invalid_value = -0.1

    def __init__(
        self,
        mode: Mode = "free",
        source: Source = "live",
        load: str | None = None,
        parts_weight: float = 0.0,
        *,
        rounds: int = 3,
        sandbox: str | SandboxProvider | SandboxPool | None = None,
        relaxed: Sequence[str] = (),
        render_mode: str | None = None,
    ) -> None:
        super().__init__(sandbox, relaxed, render_mode)
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode must be None or 'ansi': got {render_mode!r}")
        for name, value, allowed in (("mode", mode, Mode), ("source", source, Source)):
            if value not in get_args(allowed):
                raise ConfigError(f"{name} must be one of {', '.join(get_args(allowed))}: got {value!r}")
        if load is not None and load not in LOADS:
            raise UnknownNameError("load", load, LOADS)
        if not 0 <= parts_weight <= 1 or not 1 <= rounds <= 20:
            raise ConfigError(f"parts_weight is from 0 to 1, rounds from 1 to 20: got {parts_weight!r} and {rounds!r}")
        kind = type(self)
        menu = [kind.change, kind.measure, kind.submit]
        self.tools = menu if mode == "menu" else [
            kind.options, kind.configure, kind.measure, kind.counters, kind.submit
        ]  # fmt: skip
        self.reward_weights = {"score": 1.0, "violated": 0.0, **dict.fromkeys(PARTS, parts_weight), FORMAT: 1.0}
        self.deterministic = source == "recorded"  # type: ignore[misc] # it depends on where measurements come from
        self._mode, self._source, self._load, self._rounds = mode, source, load, rounds
        self._problem: Problem | None = None
        self._config: dict[str, Value] = {}
        self._measured: list[tuple[Config, Measured]] = []
        self._best = 0.0
        self._has_changed = False
        self._bench: Bench | None = None

    def make_task(self, seed: int) -> Task:
        """A task drawn from the seed, with the best recorded configuration as its reference."""
        rng = random.Random(f"tuning {seed}")
        return draw_task(rng, LOADS[self._load or rng.choice(TRAINED)], task_id=f"tuning:{seed}")

    def sandbox_spec(self, task: Task) -> SandboxSpec:
        """The same for every task; without images the host's servers stand in."""
        return sandbox_spec(self._lender_of_sandboxes().provider, read_task(task).load.server)

    def begin(self, task: Task) -> Sequence[Message]:
        """Set the episode up; only live measurements need a sandbox."""
        return self.set_up(task) if self._source == "recorded" else super().begin(task)

    def set_up(self, task: Task) -> Sequence[Message]:
        """State the task; the sandbox is taken with the first measurement."""
        self._problem = problem = read_task(task)
        self._config, self._measured, self._best = dict(problem.start), [], 0.0
        self._has_changed = False
        if self._source == "recorded":
            self._bench = RecordedBench(problem)
        else:
            self._bench = LiveBench(problem, lambda: self.sandbox, self._rounds)
        text = telling.menu(problem) if self._mode == "menu" else telling.how_to(problem)
        return [user(f"{task.instruction}\n{text}")]

    # Tools.

    @tool
    def options(self) -> str:
        """Show the options: their values now, their ranges, and what they mean."""
        problem, _ = self._running()
        return telling.options_table(OPTIONS[problem.load.server], self._config)

    @tool
    def configure(self, values: dict[str, str | int | float | bool]) -> EnvReply:
        """Set options. If one of them is refused, nothing is changed.

        Args:
            values: By the names of options their new values.
        """
        problem, _ = self._running()
        known, read, refused = OPTIONS[problem.load.server], dict[str, Value](), []
        for name, value in values.items():
            if name not in known:
                refused.append(telling.unknown_option(name, known))
                continue
            try:
                read[name] = known[name].read(value)
            except RefusedValueError as refusal:
                refused.append(str(refusal))
        if refused or not read:
            return said(telling.refused(refused))
        return self._set(read)

    @tool
    def change(self, option: str, value: str) -> EnvReply:
        """Set one option to one of its values.

        Args:
            option: Its name.
            value: The value.
        """
        problem, _ = self._running()
        levels = problem.load.levels.get(option)
        if levels is None:
            return said(f"There is no option {option[:40]!r}; there are {', '.join(problem.load.levels)}.")
        chosen = [level for level in levels if str(level) == value.strip()]
        if not chosen:
            return said(f"{option} takes one of {', '.join(map(str, levels))}.")
        return self._set({option: chosen[0]})

    @tool
    def measure(self) -> EnvReply:
        """Run the load with the configuration, and see what the server used up."""
        problem, bench = self._running()
        if len(self._measured) >= MAX_MEASURED:
            return said(f"At most {MAX_MEASURED} measurements are made; submit the best configuration.")
        try:
            found = bench.measure(self._config)
        except RefusedValueError as refusal:
            return said(str(refusal))
        self._measured.append((dict(self._config), found))
        events = []
        if found.is_clean:
            reached = score(cost(found.shares, problem.weights), problem.reference_cost)
            if reached > self._best:
                events.append(self.event("improvement", reached - self._best, source="shaping"))
                self._best = reached
        return said(telling.short(problem, found) if self._mode == "menu" else telling.full(problem, found), events)

    @tool
    def counters(self) -> str:
        """Show the counters of all measurements so far."""
        problem, _ = self._running()
        return telling.history(problem, [(changes(problem, config), found) for config, found in self._measured])

    @tool
    def submit(self) -> EnvReply:
        """Have the configuration graded, and end the episode."""
        return self.grade()._replace(messages=[user(telling.GRADED)], terminated=True)

    def grade(self) -> EnvReply:
        """Look for what the configuration loses and lets in, and measure it beside the start."""
        problem, bench = self._running()
        verdict = bench.judge(self._config)
        reached = 0.0
        detail: dict[str, Any] = {"changes": changes(problem, self._config), "why": list(verdict.violations)}
        if not verdict.violations:
            found = cost(verdict.shares, problem.weights)
            reached = score(found, problem.reference_cost)
            detail |= {"cost": round(found, 4), "reference": round(problem.reference_cost, 4)}
        events = [
            self.event("score", reached, source="verifier", detail=detail),
            *([self.event("violated", 1.0, source="verifier")] if verdict.violations else []),
        ]
        return EnvReply((), events, success=reached >= SUCCESS, score=reached)

    def progress(self) -> float | None:
        """How far the best measurement came; at most 0.9."""
        return None if self._problem is None else 0.9 * self._best

    def _running(self) -> tuple[Problem, Bench]:
        assert self._problem is not None
        assert self._bench is not None
        return self._problem, self._bench

    def _set(self, values: Config) -> EnvReply:
        problem, _ = self._running()
        is_first = not self._has_changed and any(problem.start[name] != value for name, value in values.items())
        self._config |= values
        self._has_changed = self._has_changed or is_first
        events = [self.event("valid", 1.0, source="shaping")] if is_first else []
        return said(telling.was_set(values), events)
