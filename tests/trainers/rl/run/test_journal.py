from __future__ import annotations

import io
import re
import resource

import pytest
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agentgym.cli.main import main
from agentgym.errors import StoreError
from agentgym.store import RunStore
from agentgym_rl.core.metrics import success_metrics
from agentgym_rl.run.journal import Journal, success_text


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
    rates = [0.0, 1.0] * 8
    journal.iteration(2, 10, {**success_metrics(rates), "tokens/sampled": 100}, 2.0)
    journal.close()
    assert out.getvalue().count("\n") == 1
    assert re.search(r"iteration 2/10 · success 0\.500 \[0\.\d+, 0\.\d+\] of 16 tasks · ", out.getvalue())
    assert "50 tok/s" in out.getvalue()


def test_text_in_brackets_is_said_as_it_is(store, tmp_path):
    out = io.StringIO()
    journal = Journal(store, tmp_path, Console(file=out))
    journal.say("report: runs/[bold]/report.html [/x]")
    journal.close()
    assert out.getvalue().endswith("report: runs/[bold]/report.html [/x]\n")


def test_a_rate_whose_interval_a_few_tasks_widen_says_so():
    assert success_text(success_metrics([1.0] * 15 + [0.75])).endswith("] of 16 tasks, all but 1 alike")
    assert success_text(success_metrics([1.0] * 16)).endswith("] of 16 tasks")
    assert success_text(success_metrics([1.0] * 12 + [0.5] * 4)).endswith("] of 16 tasks")
    assert success_text(success_metrics([0.5])).endswith("] of 1 task")


def test_an_iteration_that_collected_nothing_says_what_it_learnt(store, tmp_path):
    out = io.StringIO()
    journal = Journal(store, tmp_path, Console(file=out, width=60))
    metrics = {"loss/cloning": 1.25, "critic/loss": 0.5, "updates": 20.0, "time/iteration_s": 2.0}
    journal.iteration(2, 10, metrics, 2.0)
    journal.close()
    assert "iteration 2/10 · cloning loss 1.25 · critic loss 0.5 · policy updates 20 · 2.0s" in out.getvalue()
    assert "success" not in out.getvalue()


@pytest.fixture
def full_disk():
    """Files of this process cannot grow, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_an_error_of_tensorboard_too(tmp_path, full_disk, capfd):
    with pytest.raises(
        StoreError, match=r"cannot write .*tensorboard/events\.out\.tfevents.*: File too large; free space"
    ):
        Journal(None, tmp_path, Console(file=io.StringIO()))
    assert capfd.readouterr() == ("", "")


def test_a_disk_that_fills_up_during_the_run_is_an_error_at_the_metric(tmp_path):
    journal = Journal(None, tmp_path, Console(file=io.StringIO()))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60, hard))
    try:
        with pytest.raises(StoreError, match="File too large"):
            journal.record(1, {"success/mean": 0.5, "return/mean": 0.25})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_writer_without_a_message_of_its_own_gets_one_line_on_the_command_line(full_disk, tmp_path, capsys):
    def write() -> int:
        (tmp_path / "file").write_text("more than eight bytes")
        return 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agentgym.cli.list.run", write)
        assert main(["list"]) == 1
    assert capsys.readouterr().err == "agentgym list: cannot write: File too large; free space and run it again\n"


def line(store, tmp_path, **metrics):
    out = io.StringIO()
    journal = Journal(store, tmp_path, Console(file=out, width=60))
    journal.iteration(1, 2, {"tokens/sampled": 1, **metrics}, 2.0)
    journal.close()
    return out.getvalue()


def test_an_iteration_says_how_many_pairs_the_ranking_of_a_critic_rests_on(store, tmp_path):
    said = line(store, tmp_path, **{"critic/ranking": 0.75, "critic/ranking_pairs": 12.0})
    assert "ranks 0.75 of 12 pairs right" in said
    assert "flat groups" not in said, "a learner that compares no groups has none"


def test_an_iteration_says_that_the_policy_waits(store, tmp_path):
    said = line(store, tmp_path, **{"start/lacking_episodes": 2.0, "groups/zero_variance_share": 0.5})
    assert "the policy waits for better episodes (2 more)" in said
    assert "flat groups 50%" in said
