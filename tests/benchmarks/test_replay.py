import pytest

from agentgym.store import RunStore
from benchmarks.replay import BATCH, measure_run, write_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("replay") / "run"
    write_run(folder, 2000)
    return folder


def test_the_run_holds_what_was_asked_for(run):
    with RunStore.open(run, read_only=True) as store:
        counts = store.counts()
    assert (counts["episodes"], counts["turns"], counts["groups"]) == (200, 2000, 4)


def test_every_figure_is_taken(run):
    found = measure_run(run, repeats=2)
    assert found["turns"] == 2000
    assert found["memory_mib"] >= 0
    for kind in ("uniform", "prioritised", "by return"):
        assert found[f"{kind} draw and read"]["median"] > 0
    assert found["uniform draw and read"]["high"] > found["uniform draw"]["low"]
    assert BATCH == 256
