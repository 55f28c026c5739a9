import dataclasses
import re
from collections import Counter
from random import Random

import pytest

from agentgym.suite import load_suite
from agentgym_swe.terminal import generate, kinds
from agentgym_swe.terminal.scripts import Demonstrator
from tests.testing.contracts import require_contract


def test_splits_have_the_declared_strata_and_sizes() -> None:
    suite = load_suite("swe/terminal")
    for split, strata in generate.SIZES.items():
        assert Counter(task.stratum for task in suite.tasks(split)) == Counter(strata)
    assert sum(len(suite.tasks(split)) for split in generate.SIZES) >= 100


def test_unseen_kinds_occur_in_the_test_split_alone() -> None:
    suite = load_suite("swe/terminal")
    seen = {task.config["kind"] for split in ("train", "validation") for task in suite.tasks(split)}
    unseen = {task.config["kind"] for task in suite.tasks("test") if task.stratum == "unseen_kinds"}
    assert len(unseen) == 5
    assert not unseen & seen


@pytest.mark.parametrize("family", kinds.FAMILIES)
def test_tasks_check_something_that_is_not_so_at_the_start(family: str) -> None:
    for seed in range(20):
        task = kinds.draw_task(family, Random(f"{seed}"), seed, number=seed)
        files = task.config["files"]
        untrue = [
            check
            for check in task.private["checks"]
            if "path" not in check
            or (check.get("absent") and check["path"] in files)
            or ("content" in check and _content(files.get(check["path"])) != check["content"])
            or ("mode" in check and _mode(files.get(check["path"])) != check["mode"])
            or "link" in check
        ]
        assert untrue, task.instruction


def test_players_show_nothing_that_differs_from_run_to_run() -> None:
    shown = re.compile(r"(?:^|\W)(?:stat (?!-c %a)|ls -[a-z]*[il]|date\b|ps\b|df\b|mktemp\b)")
    for task in load_suite("swe/terminal").tasks("test"):
        for seed in range(20):
            player = Demonstrator(task, seed, quality=0.3)
            said = [player.act([]) for _ in range(8)]
            assert not [line for line in said if shown.search(line)]


def _content(entry: object) -> object:
    return entry.get("content") if isinstance(entry, dict) else entry


def _mode(entry: object) -> object:
    return entry.get("mode") if isinstance(entry, dict) else None


@pytest.mark.slow
def test_suite_keeps_its_contract() -> None:
    suite = dataclasses.replace(load_suite("swe/terminal"), env_options={"sandbox": "process"})
    require_contract(suite, scored=12, played=1)
