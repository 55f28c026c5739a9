"""Seeds of the suites whose tasks the oracle of the page does not solve; they are left out.

On some a button lies wholly under another one, on some a slider's steps jump over the value, on some the slice of a pie
is chosen from the start and cannot be chosen again, and against some moves the player of tic-tac-toe cannot win: the
best player wins 85 % of the games on average. `python -m agentgym_web.miniwob.unsolved` plays all tasks of the suites
and prints those that the oracle does not solve.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentgym.suite import load_suite
from agentgym.task import Split
from agentgym_web.miniwob.env import MiniWoBEnv
from agentgym_web.miniwob.oracles.player import OraclePlayer

UNSOLVED: Mapping[str, tuple[int, ...]] = {
    "button-delay": (10013,),
    "click-button-sequence": (10014,),
    "click-pie-nodelay": (10000, 10002, 10006, 10008, 10014, 10019, 10020, 10026, 10029),
    "click-test-2": (10014,),
    "click-test-transfer": (40003,),
    "email-inbox-forward": (10002, 10006),
    "email-inbox-noscroll": (10006,),
    "tic-tac-toe": (10002, 10003, 10012, 10023, 10024, 10026, 20002, 30000, 30004),
    "use-slider": (10004,),
}
"""Seeds by page."""
LEFT_OUT: Mapping[str, str] = {
    "chase-circle": "its reward is above 0 for whoever does nothing",
    "hot-cold": "its oracle solves 30 of the 38 seeds",
}
"""Pages with an oracle that are in no suite, and why."""
_SUITES = ("web/miniwob-easy", "web/miniwob-medium", "web/miniwob-hard", "web/miniwob-small")
_SPLITS: tuple[Split, ...] = ("train", "validation", "test")


def main() -> None:
    """Play all tasks of the suites and print a line for each page with seeds that are not solved."""
    found: dict[str, list[int]] = {}
    env = MiniWoBEnv()
    for suite in _SUITES:
        for split in _SPLITS:
            for task in load_suite(suite).tasks(split):
                _, info = env.reset(options={"task": task})
                player = OraclePlayer(task, 0)
                while "outcome" not in info:
                    info = env.step(player.act(info["messages"]))[-1]
                if not info["success"]:
                    found.setdefault(task.config["page"], []).append(task.seed)
    env.close()
    for page, seeds in sorted(found.items()):
        print(f'    "{page}": {tuple(seeds)},')  # noqa: T201 - what was asked for


if __name__ == "__main__":
    main()
