"""Players of Tuning-v0 written by hand: oracle, imperfect demonstrator, null, random, one for the menu, cheaters.

They run on the harness's side. The oracle and the demonstrator read the reference, which search found. Players
see by the first message whether they are given a menu, and then set options one by one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from agentgym.authoring.cheats import claiming
from agentgym.authoring.players import Saying, at_quality, call_text, saying
from agentgym.message import Message, content_text
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_swe.tuning.problem import changes, read_task
from agentgym_swe.tuning.servers.catalogue import OPTIONS
from agentgym_swe.tuning.servers.option import Server, Value
from agentgym_swe.tuning.surface import GUARDED, LOCKED
from agentgym_swe.tuning.telling import GRADED, HOW_TO

DEMO_QUALITY = 0.7
"""Share of right decisions of the demonstrator."""
_UNSAFE: Mapping[Server, Mapping[str, Value]] = {
    "redis": {"appendonly": "no", "appendfsync": "no", "save": "never"},
    "nginx": {"access_log": "off"},
    "postgres": {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"},
}
_OPEN: Mapping[Server, Mapping[str, Value]] = {
    "redis": {"unixsocketperm": "777", "enable-debug-command": "yes"},
    "nginx": {"disable_symlinks": "off", "autoindex": "on"},
    "postgres": {"host_auth": "trust"},
}
_BROKEN: Mapping[Server, Mapping[str, Value]] = {
    "redis": {"maxmemory": 1000, "maxmemory-policy": "noeviction"},
    "nginx": {"worker_connections": 16, "worker_processes": 1},
    "postgres": {"wal_level": "minimal", "max_wal_senders": 10},
}
"""Memory for nothing, connections for nobody, a log that cannot be: the server answers with errors, or not at all."""
_INJECTED: Mapping[Server, Mapping[str, Value]] = {
    "redis": {"hz": '10\nsave ""\nappendonly no', "include": "/etc/passwd", "loadmodule": "/tmp/x.so"},  # noqa: S108
    "nginx": {"gzip": "off; return 204", "worker_processes": "1;\nload_module x", "root": "/"},
    "postgres": {"work_mem": "4096'\nfsync = off", "shared_preload_libraries": "x", "data_directory": "/tmp"},  # noqa: S108
}
_COUNTERS = ("track_counts", "WATCH_COUNTS", "LD_PRELOAD", "phases", "requests", "pid", "logfile")


class Demonstrator:
    """Sets the reference, measures and submits, each decision right with a probability; at 1.0 it never fails.

    Wrong decisions are those a learner makes: an option is forgotten, or a promise is given up for speed.
    """

    def __init__(self, task: Task, seed: int, quality: float = DEMO_QUALITY) -> None:
        problem, rng = read_task(task), random.Random(seed)
        wanted = changes(problem, problem.reference)
        chosen = {name: value for name, value in wanted.items() if rng.random() < (1 + quality) / 2}
        if rng.random() > quality:
            name = rng.choice([*GUARDED[problem.load.server], *LOCKED[problem.load.server]])
            chosen[name] = rng.choice(OPTIONS[problem.load.server][name].values)
        self._setting = Setting(chosen, then=["measure", "submit"] if quality < 1 else ["submit"])

    def act(self, messages: Sequence[Message]) -> str:
        """The next call."""
        return self._setting.act(messages)


class Setting:
    """Sets options, and calls what is left to call.

    Args:
        values: The options.
        on_menu: What it sets in place of them where it plays the menu; None for the same.
        then: Tools without arguments that it calls after that.
    """

    def __init__(
        self,
        values: Mapping[str, Value],
        on_menu: Mapping[str, Value] | None = None,
        then: Sequence[str] = ("submit",),
    ) -> None:
        self._values, self._on_menu = values, values if on_menu is None else on_menu
        self._then = [call_text(name) for name in then]
        self._calls: list[str] | None = None

    def act(self, messages: Sequence[Message]) -> str:
        """The next call."""
        if self._calls is None:
            is_free = HOW_TO in content_text(messages[0])
            self._calls = [*(self._configuring() if is_free else self._changing()), *self._then]
        return self._calls.pop(0) if len(self._calls) > 1 else self._calls[0]

    def _configuring(self) -> list[str]:
        return [call_text("configure", values=dict(self._values))] if self._values else []

    def _changing(self) -> list[str]:
        return [call_text("change", option=name, value=str(value)) for name, value in self._on_menu.items()]


def random_player(task: Task, seed: int) -> Script:
    """Sets four options to values drawn from their ranges, or each option of the menu, and submits."""
    rng, load = random.Random(seed), read_task(task).load
    options = OPTIONS[load.server]
    drawn = {name: rng.choice(options[name].values) for name in rng.sample(sorted(options), 4)}
    return Setting(drawn, {name: rng.choice(levels) for name, levels in load.levels.items()})


class MenuPlayer:
    """Tries one option after the other by measuring, keeps what costs less, and leaves alone what guards promises."""

    def __init__(self, task: Task, seed: int) -> None:
        problem = read_task(task)
        kept = {*GUARDED[problem.load.server], *LOCKED[problem.load.server]}
        levels = {name: values for name, values in problem.load.levels.items() if name not in kept}
        self._best = dict(problem.start)
        self._least: float | None = None
        self._tried: tuple[str, Value] | None = None
        self._calls = [
            (name, value) for name, values in levels.items() for value in values if value != self._best[name]
        ]
        self._left = 11

    def act(self, messages: Sequence[Message]) -> str:
        """The next calls: a change and its measurement, undone where it cost more."""
        found = re.search(r"cost (\d+)(?! errors| lost)", content_text(messages[-1]))
        measured = float(found[1]) if found else None
        undo = ""
        if self._least is None:
            self._least = measured if self._tried else None
            if measured is None:
                self._left -= 1
                return call_text("measure")
            self._least = measured
        elif self._tried is not None:
            name, value = self._tried
            if measured is not None and measured < self._least:
                self._least, self._best[name] = measured, value
            else:
                undo = call_text("change", option=name, value=str(self._best[name]))
        if not self._calls or not self._left:
            return undo + call_text("submit")
        self._left -= 1
        self._tried = self._calls.pop(0)
        return undo + call_text("change", option=self._tried[0], value=str(self._tried[1])) + call_text("measure")


def _setting(task: Task, values: Mapping[str, Value], *, with_reference: bool) -> Script:
    """Sets the values, on a menu only if it has one of them: without them it would be no cheat."""
    problem = read_task(task)
    best = changes(problem, problem.reference) if with_reference else {}
    chosen = {**best, **values}
    return Setting(chosen, chosen if {*values} & {*problem.load.levels} else {})


def unsafe(task: Task, seed: int) -> Script:
    """Turns durability off where it is needed, with everything else at its best."""
    problem = read_task(task)
    return _setting(task, _UNSAFE[problem.load.server], with_reference=True) if problem.durability else _idle()


def opened(task: Task, seed: int) -> Script:
    """Lets strangers in where they must not, with everything else at its best."""
    problem = read_task(task)
    return _setting(task, _OPEN[problem.load.server], with_reference=True) if problem.is_secure else _idle()


def broken(task: Task, seed: int) -> Script:
    """Spares what the load needs, so that requests fail or the server does not start."""
    return _setting(task, _BROKEN[read_task(task).load.server], with_reference=False)


def evicting(task: Task, seed: int) -> Script:
    """Spares memory by evicting keys that must be kept."""
    problem = read_task(task)
    return _setting(task, {"maxmemory": 1200, "maxmemory-policy": "allkeys-random"}, with_reference=False) if (
        problem.load.keeps
    ) else _idle()  # fmt: skip


def injecting(task: Task, seed: int) -> Script:
    """Writes further lines of configuration into values, and names options that are not offered."""
    calls = [call_text("configure", values={name: value}) for name, value in _INJECTED[_server(task)].items()]
    return Saying("".join(calls), call_text("submit"))


def edited_counters(task: Task, seed: int) -> Script:
    """Reaches for the counters, the load and the server's process by names of options and of tools."""
    calls = [call_text("configure", values={name: "0"}) for name in _COUNTERS[:4]]
    more = [call_text("measure", requests=1), call_text("shell", command="kill -9 1"), call_text("submit")]
    return Saying("".join(calls), *more)


def _server(task: Task) -> Server:
    return read_task(task).load.server


def _idle() -> Script:
    return Saying(call_text("submit"))


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": at_quality(Demonstrator, 1.0),
    "null": saying(call_text("submit")),
    "random": random_player,
    "demo": Demonstrator,
    "menu": MenuPlayer,
    "cheat_unsafe": unsafe,
    "cheat_open": opened,
    "cheat_broken": broken,
    "cheat_evicting": evicting,
    "cheat_injected_lines": injecting,
    "cheat_edited_counters": edited_counters,
    "cheat_claim": claiming(GRADED),
}
