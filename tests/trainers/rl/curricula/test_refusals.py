"""What is refused at the start, and what `--describe` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym.config import build
from agentgym.errors import ConfigError
from agentgym.suite import load_suite
from agentgym_rl.core.config.curriculum import CurriculumConfig
from agentgym_rl.core.roles import RolesConfig, training_cast
from agentgym_rl.curricula.requirements import make_curriculum
from agentgym_rl.run.config import load_config
from agentgym_rl.run.describe import describe
from tests.trainers.rl.steps import Drifting, install_steps

SUITE = ("run.suite=toys/steps", "run.iterations=1")
WEIGHTED = ("algorithm.prox=recompute", "algorithm.importance.mode=token_tis")
RUNS = ('algorithm.replay.runs=["runs/earlier"]',)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["curriculum.horizon.every=3"], "turns' is missing"),
        (["curriculum.horizon.turns=[]"], "growing numbers of at least 1"),
        (["curriculum.horizon.turns=[4, 4]"], "growing numbers of at least 1"),
        (["curriculum.horizon.turns=[0, 4]"], "must be at least 1, got 0"),
        (["curriculum.bands.low=0.8", "curriculum.bands.high=0.2"], "got 0.8 and 0.2; try"),
        (["curriculum.bands.high=1.5"], "must be from 0 to 1, got 1.5"),
        (["curriculum.bands.explore=0.0"], r"'curriculum\.bands\.explore' must be above 0 and at most 1, got 0\.0"),
        (["curriculum.bands.low=0.05", "curriculum.bands.prior=8.0"], "never tells tasks apart"),
        (["curriculum.bands={}", "curriculum.difficulty={}"], "both choose the tasks"),
        (["curriculum.difficulty.levels=0"], r"levels' must be at least 1, got 0"),
        (["curriculum.starts.stages=1"], r"stages' must be at least 2, got 1"),
        (["curriculum.guidance={}"], "needs importance weights"),
        (["curriculum.guidance.enough=0.0", *WEIGHTED], r"guidance\.enough' must be above 0 and at most 1, got 0\.0"),
        (["curriculum.difficulty={}", "algorithm.replay.hindsight={}"], "looks tasks up in the suite"),
        (
            ["curriculum.bands={}", "algorithm.preset=filtered_bc", *RUNS],
            "collects nothing that a curriculum could plan",
        ),
        (
            ["curriculum.durations={}", "algorithm.preset=archer", "run.iterations=99"],
            "weigh a policy gradient over groups",
        ),
        (["curriculum.durations.min_weight=2.0"], "must be from 0 to 1, got 2.0"),
        (["curriculum.band.low=0.1"], "did you mean bands"),
        (["curriculum.bands.hihg=0.9"], "did you mean high"),
    ],
)
def test_configurations_that_make_no_sense_are_refused(overrides: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(None, [*SUITE, *overrides])


def made(suite, roles: RolesConfig | None = None, **tables):
    config = build(CurriculumConfig, tables)
    return make_curriculum(config, suite, training_cast(roles or RolesConfig(), suite), 0)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("difficulty", "needs knobs, and environment 'toys/Drifting-v0' declares none"),
        ("starts", "'toys/Drifting-v0' is not deterministic"),
        ("guidance", "needs hints, and environment 'toys/Drifting-v0' gives none"),
    ],
)
def test_what_an_environment_cannot_do_is_refused(tmp_path: Path, table: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        made(install_steps(tmp_path, [1, 2], Drifting), **{table: {}})


def test_a_horizon_that_caps_nothing_is_refused(tmp_path: Path) -> None:
    suite = install_steps(tmp_path, [1, 2])
    with pytest.raises(ConfigError, match="no train task of 'toys/steps' has more than 8 turns"):
        made(suite, horizon={"turns": [8, 9]})
    made(suite, horizon={"turns": [7, 9]})


@pytest.mark.parametrize("table", ["starts", "guidance"])
def test_several_learning_roles_are_refused(table: str) -> None:
    roles = RolesConfig(learning=("guesser", "describer"))
    with pytest.raises(ConfigError, match=f"curriculum.{table} needs an environment of one agent"):
        made(load_suite("dialogue/taboo"), roles, **{table: {}})


@pytest.mark.parametrize(
    ("overrides", "line"),
    [
        (
            ["curriculum.horizon.turns=[4, 8]"],
            "horizon   H = 4, 8 turns, 20 iterations each; the cap truncates (include)",
        ),
        (
            ["curriculum.horizon.turns=[4]", "algorithm.preset=ppo"],
            "the cap truncates (valued at the last observation)",
        ),
        (["curriculum.bands.low=0.3"], "75% of groups: tasks with 0.3 <= p <= 0.8,  p = (s + 1.1) / (n + 2)"),
        (["curriculum.difficulty.levels=5"], "5 levels of difficulty, then the suite's tasks"),
        (["curriculum.guidance={}", *WEIGHTED], "hinted with probability 1 (1 - success)"),
        (["curriculum.starts={}"], "the last 1/4 of a recorded success"),
        (["curriculum.durations={}"], "A_t times clip(dt_t / mean dt, 0.25, 4)"),
    ],
)
def test_each_table_is_described(overrides: list[str], line: str) -> None:
    said = describe(load_config(None, [*SUITE, *overrides]))
    assert line in said
    assert max(map(len, said.splitlines())) <= 120
    assert line not in describe(load_config(None, SUITE))
