"""Writes the tasks of `SUITES`: `python -m agentgym_gui.grounding.generate [SUITE [FOLDER]]`.

They are asked of the recorded screens beside them, which `agentgym gui render` wrote; suite.toml and README are written
by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_gui.grounding.applications import HELD_OUT
from agentgym_gui.grounding.describing import ABSENT, KINDS, Described, describe
from agentgym_gui.grounding.making import task_of
from agentgym_gui.grounding.recorded import SUITE, recorded_scene, recorded_scenes

OTHERS = "unseen_applications"
SHARES: Mapping[str, int] = {"name": 2, "role": 2, "place": 2, "relation": 2, "function": 1, ABSENT: 1}
"""Of ten tasks how many are of each kind."""
SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {"train": 1000},
    "validation": {"validation": 100},
    "test": {"unseen_screens": 200, OTHERS: 100},
}
"""Strata of each split with their numbers of tasks."""
_CYCLE = tuple(kind for kind in (*KINDS, ABSENT) for _ in range(SHARES[kind]))


def generate(folder: Path, suite: str) -> None:
    """Write the three splits of gui/grounding into a folder; splits share no screen, and no question occurs twice."""
    seen: set[tuple[str, str]] = set()
    screens = screens_of_splits()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        rng = random.Random(task_id)
        kind = _CYCLE[index % len(_CYCLE)]
        keys = screens[stratum]

        def draw() -> tuple[str, Described]:
            while True:
                key = keys[rng.randrange(len(keys))]
                found = describe(recorded_scene(key), rng, kind)
                if found is not None:
                    return key, found

        key, found = draw_unseen(draw, seen, lambda drawn: (drawn[0], drawn[1].words))
        return task_of(task_id, key, found, stratum=stratum)

    write_suite(folder, suite, SIZES, make)


def screens_of_splits() -> Mapping[str, Sequence[str]]:
    """Keys of the recorded screens of each stratum: every fifth is for tests, every tenth for validation."""
    known = [key for key, scene in recorded_scenes().items() if scene.application not in HELD_OUT]
    test = known[4::5]
    validation = known[7::10]
    held_out = {*test, *validation}
    return {
        "train": [key for key in known if key not in held_out],
        "validation": [key for key in validation if key not in test],
        "unseen_screens": test,
        OTHERS: [key for key, scene in recorded_scenes().items() if scene.application in HELD_OUT],
    }


SUITES: Suites = {SUITE: generate}

if __name__ == "__main__":
    write_suites(SUITES)
