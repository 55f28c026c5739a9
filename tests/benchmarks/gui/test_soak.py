"""The soak of desktops, made short: one killed from within, one whose container is killed."""

from __future__ import annotations

from benchmarks.gui.soak import FAILED, KINDS, jobs_of, soak
from benchmarks.sandbox.holdings import LEFT_OVER
from tests.environments.in_containers import needs_image

pytestmark = needs_image("desktop")


def test_killed_desktops_lose_no_episode_and_leave_nothing():
    soaked = soak(8, one_in=4)
    assert {kind: soaked.struck[kind] for kind in KINDS} == dict.fromkeys(KINDS, 1)
    assert soaked.ends == dict.fromkeys((f"{job.key}/agent" for job in jobs_of(8)), 1)
    assert (soaked.stats.episodes, soaked.stats.faults, soaked.stats.retries) == (8, 0, 1)
    assert len(soaked.successes) == 8 - soaked.struck[FAILED]
    assert soaked.after is not None
    for name in LEFT_OVER:
        assert getattr(soaked.after, name) <= getattr(soaked.before, name), name
