"""The verdicts of BFCL's and AgentDojo's graders alone and through the adapter, task by task, and ours beside them.

Alone, a peer's own code carries out the calls and judges them (`alone_bfcl`, `alone_agentdojo`). Through the adapter,
an agent of agentgym makes the same calls as messages. Each task is played as `variants` says. Both peers run in their
own interpreters, named by AGENTGYM_BFCL_PYTHON and AGENTGYM_AGENTDOJO_PYTHON.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from agentgym.registration import make
from agentgym.task import Task
from agentgym.wrappers.role_view import RoleView
from agentgym_tools.adapters.game import AGENT, PeerGame
from agentgym_tools.adapters.pipe import Pipe
from agentgym_tools.adapters.scripts import playing
from benchmarks.report import Goal, Report, main, progress
from benchmarks.tool_adapters.variants import VARIANTS, Turns, variants

PACKAGES = ("agentgymnasium",)
PARTS = {"bfcl": "bfcl/multi_turn", "agentdojo": "agentdojo/all"}
QUICK_STEP = {"bfcl": 20, "agentdojo": 12}
_MOST_SHOWN = 25


class Found(NamedTuple):
    """The verdicts on one play.

    Attributes:
        alone: The peer's, without the adapter.
        through: The peer's, through the adapter.
        own: Ours: all changes of the reference and no other.
        why: What the events say of it.
    """

    alone: bool
    through: bool
    own: bool
    why: str


def measure(quick: bool) -> Report:
    """The verdicts by peer and variant; `quick` plays a part of the tasks."""
    report = Report(setting={"tasks": "a part" if quick else "all"})
    for peer, part in PARTS.items():
        env = make(part)
        assert isinstance(env, RoleView)
        assert isinstance(env.game, PeerGame)
        alone = Pipe(env.game.interpreter, str(Path(__file__).with_name(f"alone_{peer}.py")), {}, env.game.peer.remedy)
        report.setting[peer] = env.game.peer.version
        with closing(env), closing(alone):
            assert env.num_tasks is not None
            numbers = range(0, env.num_tasks, QUICK_STEP[peer] if quick else 1)
            found = _compared(peer, env, alone, [env.make_task(number) for number in numbers])
        report.figures[peer] = {"tasks": len(numbers), **{name: _row(found[name]) for name in VARIANTS}}
        for name in VARIANTS:
            row = report.figures[peer][name]
            report.goals.append(
                Goal(f"{peer}, {name}: verdicts that the adapter changes", row["changed"], 0, "at most")
            )
        report.goals.append(
            Goal(
                f"{peer}: references accepted",
                report.figures[peer]["reference"]["through"],
                len(numbers),
                "at least",
            )
        )
    return report


def _compared(peer: str, env: RoleView, alone: Pipe, tasks: Sequence[Task]) -> dict[str, dict[str, Found]]:
    found: dict[str, dict[str, Found]] = {name: {} for name in VARIANTS}
    for number, task in enumerate(tasks):
        if number % 50 == 0:
            progress(f"{peer}: {number} of {len(tasks)}")
        env.reset(options={"task": task})
        tools = [tool["function"]["name"] for tool in env.tools]
        name = task.config["task"]
        for variant, plays in variants(peer, name, task.private["turns"], tools):
            for turns in plays:
                through, own, has_extra, why = play(env, task, turns)
                if variant == "extra write" and not has_extra:
                    continue
                said = alone.ask("verdict", task_id=name, turns=None if variant == "reference" else turns)
                found[variant][name] = Found(said, through, own, why)
                break
    return found


def play(env: RoleView, task: Task, turns: Turns) -> tuple[bool, bool, bool, str]:
    """The peer's verdict, ours, whether there were changes that the reference lacks, and what the events say."""
    env.reset(options={"task": task})
    player, is_over = playing(turns), False
    info: Mapping[str, Any] = {}
    while not is_over:
        _, _, terminated, truncated, info = env.step(player.act(()))
        is_over = terminated or truncated
    events = {event.component: event for event in info["reward_events"] if event.role == AGENT}
    state, collateral = bool(events["own_state"].value), bool(events["own_collateral"].value)
    parts: Mapping[str, Any] = events["success"].detail or {}
    ours = "" if state and collateral else "missing changes" if collateral else "further changes" if state else "both"
    return bool(info["success"]), state and collateral, not collateral, f"{parts.get('error_type', '')} {ours}".strip()


def _row(found: Mapping[str, Found]) -> dict[str, Any]:
    """How many of a variant's plays each verdict accepts, and where they differ."""
    changed = {name: each for name, each in found.items() if each.alone != each.through}
    only_theirs = {name: each for name, each in found.items() if each.through and not each.own}
    only_ours = {name: each for name, each in found.items() if each.own and not each.through}
    return {
        "plays": len(found),
        "alone": sum(each.alone for each in found.values()),
        "through": sum(each.through for each in found.values()),
        "changed": len(changed),
        "changed tasks": sorted(changed)[:_MOST_SHOWN],
        "ours": sum(each.own for each in found.values()),
        "only theirs": len(only_theirs),
        "only theirs, why": dict(Counter(each.why for each in only_theirs.values())),
        "only theirs, tasks": sorted(only_theirs)[:_MOST_SHOWN],
        "only ours": len(only_ours),
        "only ours, why": dict(Counter(each.why for each in only_ours.values())),
        "only ours, tasks": sorted(only_ours)[:_MOST_SHOWN],
    }


if __name__ == "__main__":
    sys.exit(main("tool_adapters", measure, PACKAGES))
