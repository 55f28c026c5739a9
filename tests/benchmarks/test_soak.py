import os

import pytest

from benchmarks import soak
from benchmarks.sandbox.holdings import growth
from benchmarks.soak import KINDS, make_jobs
from tests.sandbox.engine import has_engine

pytestmark = [
    pytest.mark.skipif(not has_engine(), reason="no container engine answers"),
    pytest.mark.skipif(os.geteuid() != 0, reason="work folders as overlays need root"),
]


@pytest.mark.slow
def test_sixty_episodes_under_faults_are_each_accounted_for_and_leave_nothing(monkeypatch):
    monkeypatch.setattr(soak, "EVERY", 20)
    soaked = soak.soak(60, one_in=10)
    stats, faults = soaked.stats, soaked.faults
    assert {fault.kind for fault in faults} == set(KINDS)
    assert soaked.ends == dict.fromkeys((f"{job.key}/agent" for job in make_jobs(60)), 1)
    assert (stats.episodes, stats.faults, soaked.num_different) == (60, 0, 0)
    assert stats.retries == sum(fault.is_felt for fault in faults) >= 3
    kinds = {error.partition(":")[0] for error in stats.errors}
    kinds.discard("APIError")  # the engine may refuse to freeze what is about to end
    assert kinds == {"SandboxLostError", "SandboxStartError", "StepTimeoutError"}
    before, after = soaked.before, soaked.after
    assert (after.containers, after.mounts, after.folders) == (before.containers, before.mounts, before.folders)
    # What other tests of this process left open before may be closed by now.
    assert after.threads <= before.threads
    assert after.descriptors <= before.descriptors
    assert max(sample.containers for sample in soaked.samples) >= soak.AT_ONCE
    assert len(soaked.samples) == 3


def test_twins_are_of_one_task_and_seed_and_far_apart():
    jobs = make_jobs(200)
    assert len({job.key for job in jobs}) == 200
    assert len({(job.task.id, job.seed) for job in jobs}) == 40
    assert (jobs[0].task, jobs[0].seed) == (jobs[40].task, jobs[40].seed)


def test_growth_compares_the_halves_of_a_run():
    def sample(threads):
        return soak.Holdings(1.0, 1, threads, 1, 1, 1)

    assert growth([sample(count) for count in (1, 10, 10, 10, 10, 10, 20, 20, 20, 20, 20)], "threads") == 2.0
