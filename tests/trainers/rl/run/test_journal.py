from __future__ import annotations

import io

import pytest
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agentgym.store import RunStore
from agentgym_rl.run.journal import Journal


@pytest.fixture
def store(tmp_path):
    with RunStore.create(tmp_path, {"kind": "train"}) as opened:
        yield opened


def steps(folder, tag):
    events = EventAccumulator(str(folder / "tensorboard"))
    events.Reload()
    return [event.step for event in events.Scalars(tag)]


def test_record_goes_to_the_store_and_to_tensorboard(store, tmp_path):
    journal = Journal(store, tmp_path, Console(file=io.StringIO()))
    journal.record(1, {"success/mean": 0.25})
    journal.close()
    assert store.metrics(["success/mean"])["success/mean"][1].tolist() == [0.25]
    assert steps(tmp_path, "train/success/mean") == [1]


def test_restore_leaves_no_point_of_what_was_rolled_back(store, tmp_path):
    journal = Journal(store, tmp_path, Console(file=io.StringIO()))
    for iteration in (1, 2, 3):
        journal.record(iteration, {"success/mean": 0.1 * iteration})
    journal.record(5, {"loss": 1.0}, phase="cloning")
    journal.close()
    store.rollback_after(2)
    resumed = Journal(store, tmp_path, Console(file=io.StringIO()))
    resumed.restore()
    resumed.record(3, {"success/mean": 0.3})
    resumed.close()
    assert steps(tmp_path, "train/success/mean") == [1, 2, 3]


def test_iteration_prints_one_line(store, tmp_path):
    out = io.StringIO()
    journal = Journal(store, tmp_path, Console(file=out, width=60))
    journal.iteration(2, 10, {"success/mean": 0.5, "success/low": 0.4, "success/high": 0.6, "tokens/sampled": 100}, 2.0)
    journal.close()
    assert out.getvalue().count("\n") == 1
    assert "iteration 2/10 · success 0.500 [0.400, 0.600]" in out.getvalue()
    assert "50 tok/s" in out.getvalue()


def test_an_iteration_that_collected_nothing_says_what_it_learnt(store, tmp_path):
    out = io.StringIO()
    journal = Journal(store, tmp_path, Console(file=out, width=60))
    metrics = {"loss/cloning": 1.25, "critic/loss": 0.5, "updates": 20.0, "time/iteration_s": 2.0}
    journal.iteration(2, 10, metrics, 2.0)
    journal.close()
    assert "iteration 2/10 · cloning loss 1.25 · critic loss 0.5 · policy updates 20 · 2.0s" in out.getvalue()
    assert "success" not in out.getvalue()
