"""Arms of training differ in what they say they differ in, and in nothing else."""

import pytest

from agentgym.config import Source
from agentgym.suite import load_suite
from agentgym_rl.run.config import config_from_tables
from benchmarks.studies.__main__ import reported
from benchmarks.studies.arms import STUDIES, TWO, Arm, register_arms, suite_of
from benchmarks.studies.runs import tables_of

ARMS = [(study, name) for study, arms in STUDIES.items() for name in arms]


@pytest.fixture(scope="module", autouse=True)
def _registered(tmp_path_factory):
    register_arms(tmp_path_factory.mktemp("arms"))


@pytest.mark.parametrize("study", STUDIES)
def test_arms_of_a_study_play_the_same_tasks_with_options_of_their_own(study):
    shipped = load_suite(next(iter(STUDIES[study].values())).base.suite)
    suites = {name: load_suite(suite_of(arm)) for name, arm in STUDIES[study].items()}
    for split in ("train", "test"):
        played = [[task.seed for task in suite.tasks(split)] for suite in suites.values()]
        assert played[0]
        assert all(each == played[0] for each in played)
    for name, arm in STUDIES[study].items():
        assert suites[name].env_options == {**shipped.env_options, **arm.options}


def test_models_are_tested_on_the_headline_or_on_the_stratum_of_the_study():
    for arm in (Arm(), Arm(stratum=TWO)):
        tested = load_suite(suite_of(arm)).tasks("test")
        shipped = load_suite(arm.base.suite)
        wanted = [task for task in shipped.tasks("test") if task.stratum == (arm.stratum or shipped.headline)]
        assert [task.seed for task in tested] == [task.seed for task in wanted]


@pytest.mark.parametrize(("study", "name"), [(study, name) for study, arms in STUDIES.items() for name in arms])
def test_settings_of_every_arm_are_a_configuration(study, name):
    arm = STUDIES[study][name]
    tables = tables_of(arm, 1, "models/cloned", {})
    config = config_from_tables(tables, Source())
    assert (config.run.seed, config.run.iterations, config.model.path) == (1, arm.base.iterations, "models/cloned")
    assert config.warm_start.demonstrations == 0


def part(arm, seed, **scores):
    taken = {"seconds": 60.0, "cpu_seconds": 30.0}
    return {"study": "answers", "arm": arm, "seed": seed, "scores": {"trained": scores}, **taken}


def test_an_arm_is_compared_with_the_first_by_seed_and_task():
    parts = [part("tests", 0, a=0.0, b=0.0), part("tests", 1, a=1.0, b=0.0)]
    found = reported([*parts, part("verdict", 0, a=1.0, b=0.0), part("verdict", 1, a=1.0, b=1.0)])
    first, second = found.figures["answers"]["tests"], found.figures["answers"]["verdict"]
    assert (first["trained"]["mean"], first["over_first"]["mean"]) == (0.25, 0.0)
    assert (second["trained"]["mean"], second["over_first"]["mean"]) == (0.75, 0.5)
    assert second["by_seed"] == {"0": 0.5, "1": 1.0}


def test_arms_of_the_menu_say_what_they_gain_on_their_start_and_what_they_spent():
    spent = {"test": {"env_seconds": 1.5, "models": {"linear": 1.0}}}
    scores = {"untrained": {"a": 0.5, "b": 0.95}, "trained": {"a": 0.9, "b": 1.0}}
    own = {**part("plain", 0), "study": "durations", "scores": scores, "spent": spent}
    found = reported([own]).figures["durations"]["plain"]
    assert (found["start"]["mean"], found["trained"]["mean"], found["over_start"]["mean"]) == (0.5, 1.0, 0.5)
    assert found["spent"] == {"0": spent}
