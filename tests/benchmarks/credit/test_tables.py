from dataclasses import replace

import pytest

from agentgym.config import Source
from agentgym.errors import ConfigError, UnknownNameError
from agentgym.suite import load_suite
from agentgym_rl.run.config import config_from_tables
from benchmarks.credit import tables
from benchmarks.credit.suites import register_all
from benchmarks.credit.tables import (
    MethodTable,
    Piece,
    digest,
    method_named,
    methods,
    run_tables,
    runs_on,
    start_digest,
    task_named,
    tasks,
)

LOOP = Piece("key-door", "loop", 0, {"optimiser.learning_rate": 1e-3})


def test_every_method_has_as_many_trials_and_a_valid_configuration_on_each_task_it_runs_on():
    register_all()
    for task_name, task in tasks().items():
        assert len(load_suite(task.suite).train_tasks()) > 0
        for name, method in methods().items():
            if runs_on(name, task_name):
                assert len(method.trials(task)) == 6
                for chosen in (*method.trials(task), method.untuned(task_name)):
                    config = config_from_tables(run_tables(Piece(task_name, name, 3, chosen)), Source())
                    assert config.run.seed == 3


def test_a_task_may_have_its_own_cpu_seconds():
    method = replace(method_named("archer_awr"), max_cpu_s=45.0, cpu_s_on={"maze": 150.0})
    assert (method.cpu_s("maze"), method.cpu_s("key-door")) == (150.0, 45.0)


def test_reduced_tasks_run_reduced_methods_alone():
    names = {name for name in methods() if runs_on(name, "guess-my-city")}
    assert names < set(methods())
    assert "loop" in names


def test_a_task_may_name_methods_that_run_on_it_too():
    assert runs_on("arpo", "key-door-rare")
    assert not runs_on("arpo", "kr-k")
    assert not runs_on("her", "key-door-rare"), "a house cannot say what else was achieved"


def test_a_digest_tells_what_was_chosen_seed_budget_and_start(monkeypatch):
    others = [
        Piece("key-door", "loop", 1, LOOP.chosen),
        Piece("key-door", "reinforce", 0, LOOP.chosen),
        Piece("key-door", "loop", 0, {"optimiser.learning_rate": 2e-3}),
        Piece("key-door", "loop", 0, LOOP.chosen, is_trial=True),
    ]
    known = {digest(piece) for piece in (LOOP, *others)}
    assert len(known) == 5
    assert digest(Piece("key-door", "loop", 0, dict(LOOP.chosen))) == digest(LOOP)
    monkeypatch.setattr(tables, "NUMERICS", tables.NUMERICS + 1)
    assert digest(LOOP) not in known


def test_a_digest_does_not_hold_where_the_start_lies():
    assert run_tables(LOOP, "/one/place")["model"]["path"] == "/one/place"
    assert "size" not in run_tables(LOOP)["model"]
    assert start_digest(task_named("key-door"), 0) != start_digest(task_named("key-door"), 1)


def test_all_methods_share_everything_but_their_own_settings():
    ours, theirs = (run_tables(Piece("maze", name, 0, {})) for name in ("loop", "gigpo"))
    assert {key: value for key, value in ours.items() if key != "algorithm"} == {
        key: value for key, value in theirs.items() if key != "algorithm"
    }


def test_a_method_with_another_number_of_trials_is_refused():
    with pytest.raises(ConfigError, match="2 values"):
        MethodTable("Much tuned", "step", {}, {"algorithm.minibatches": [1, 2, 4]})
    with pytest.raises(ConfigError, match="kind"):
        MethodTable("Odd", "odd", {}, {"algorithm.minibatches": [1, 2]})  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError):
        task_named("draughts")
