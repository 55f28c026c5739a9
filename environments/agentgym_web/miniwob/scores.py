"""What a player written by hand scores on each page: `python -m agentgym_web.miniwob.scores --player oracle`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from agentgym.message import Message
from agentgym.policy import Script, ScriptFactory
from agentgym_web.miniwob.env import MiniWoBEnv, make_task
from agentgym_web.miniwob.oracles.player import all_oracles
from agentgym_web.miniwob.pages import ALL_PAGES
from agentgym_web.miniwob.scripts import SCRIPTS

_SHOWN = 3
"""Failures that a printed line names."""


@dataclass(frozen=True)
class Played:
    """How one episode ended.

    Attributes:
        seed: Seed of the task.
        success: Whether it was solved.
        reward: The page's own reward; 0 where the page did not come to an end.
        turns: Messages of the player.
        why: Why it failed; "" if it did not.
    """

    seed: int
    success: bool
    reward: float
    turns: int
    why: str = ""


@dataclass(frozen=True)
class PageScore:
    """Means over the episodes of a page.

    Attributes:
        page: The page.
        episodes: How many.
        success: Share of solved episodes.
        reward: Mean of the page's own reward.
        turns: Mean number of messages.
        failures: Seed and reason of each failed episode.
    """

    page: str
    episodes: int
    success: float
    reward: float
    turns: float
    failures: Sequence[tuple[int, str]] = field(default_factory=list)


def play(env: MiniWoBEnv, page: str, seed: int, factory: ScriptFactory) -> Played:
    """Play one episode; what a player raises is the reason of a failure.

    Args:
        env: The environment, whose window is used.
        page: The page.
        seed: Seed of the task and of the player.
        factory: Makes the player.
    """
    task = make_task(page, seed)
    _, info = env.reset(options={"task": task})
    messages: list[Message] = list(info["messages"])
    reward = 0.0
    try:
        script: Script = factory(task, seed)
        while "outcome" not in info:
            info = env.step(script.act(messages))[-1]
            messages += info["messages"]
            reward += sum(event.value for event in info["reward_events"] if event.component == "page")
    except Exception as error:  # noqa: BLE001 - a boundary: one player's fault is a line of the table
        return Played(seed, False, reward, info.get("turn", -1) + 1, f"{type(error).__name__}: {error}")
    why = "" if info["success"] else f"{info['outcome']}, reward {reward:g}"
    return Played(seed, bool(info["success"]), reward, info["turn"] + 1, why)


def score(pages: Sequence[str], factory: ScriptFactory, num_seeds: int) -> Iterator[PageScore]:
    """The scores of pages, one after the other in one window.

    Args:
        pages: The pages.
        factory: Makes the player.
        num_seeds: Seeds a page, from 0.
    """
    env = MiniWoBEnv()
    try:
        for page in pages:
            played = [play(env, page, seed, factory) for seed in range(num_seeds)]
            yield PageScore(
                page,
                num_seeds,
                fmean(each.success for each in played),
                fmean(each.reward for each in played),
                fmean(each.turns for each in played),
                [(each.seed, each.why) for each in played if not each.success],
            )
    finally:
        env.close()


def line_of(score: PageScore) -> str:
    """A score as a line of the printed table."""
    reasons = "; ".join(f"{seed}: {why}" for seed, why in score.failures[:_SHOWN])
    more = f" and {len(score.failures) - _SHOWN} more" if len(score.failures) > _SHOWN else ""
    return f"{score.page:28} {score.success:5.2f} {score.reward:6.2f} {score.turns:5.1f}  {reasons}{more}".rstrip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Score a player on pages and print the table; with `--out`, write it as JSON too.

    Args:
        arguments: Those of the command line; None takes the process's.
    """
    parser = argparse.ArgumentParser(prog="python -m agentgym_web.miniwob.scores", description=__doc__)
    parser.add_argument("--pages", nargs="+", metavar="PAGE", help="default: all that the player can play")
    parser.add_argument("--player", choices=sorted(SCRIPTS), default="oracle")
    parser.add_argument("--seeds", type=int, default=20, help="seeds a page, from 0")
    parser.add_argument("--out", type=Path, help="a file that the table is also written to, as JSON")
    chosen = parser.parse_args(arguments)
    solved = all_oracles()
    known = [page for page in ALL_PAGES if page in solved or chosen.player in ("null", "random")]
    unknown = [page for page in chosen.pages or () if page not in known]
    if unknown:
        parser.error(f"player {chosen.player!r} cannot play {', '.join(unknown)}")
    if chosen.seeds < 1:
        parser.error("--seeds must be at least 1")
    table: list[dict[str, Any]] = []
    _say(f"{'page':28} solved reward turns")
    for found in score(chosen.pages or known, SCRIPTS[chosen.player], chosen.seeds):
        _say(line_of(found))
        table.append(asdict(found))
        if chosen.out is not None:
            chosen.out.write_text(json.dumps({"player": chosen.player, "pages": table}, indent=1))
    _say(f"{'mean':28} {fmean(row['success'] for row in table):5.2f} {fmean(row['reward'] for row in table):6.2f}")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
