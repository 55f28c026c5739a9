"""The rows of the table of speed, on few steps: what is measured, not how fast it is."""

from contextlib import closing
from dataclasses import replace

import pytest

from benchmarks.web import own_costs, speed
from benchmarks.web.floor import Floor
from benchmarks.web.speed_sides import AgentGym, recorded


@pytest.fixture(scope="module")
def episodes():
    return recorded(("click-button", "click-checkboxes"), 1)


@pytest.mark.parametrize("is_full", [False, True])
def test_pass_of_ours_counts_all_actions(episodes, is_full):
    with closing(AgentGym(episodes, is_full=is_full)) as side:
        taken = side.play()
        sight = next(iter(side.envs.values())).sight
    assert taken.steps == sum(len(episode.moves) for episode in episodes)
    assert taken.seconds > 0
    assert (sight.picture is not None, bool(sight.dom)) == (is_full, is_full)


@pytest.mark.parametrize("is_full", [False, True])
def test_floor_solves_the_same_episodes(episodes, is_full):
    with closing(Floor(episodes, is_full=is_full)) as side:
        taken = side.play()
    assert taken.steps == sum(len(episode.moves) for episode in episodes)


def test_floor_that_misses_the_button_is_no_floor(episodes):
    with closing(Floor(episodes[:1])) as side:
        [(episode, [deed])] = side._script
        side._script = [(episode, [replace(deed, x=1, y=1)])]
        with pytest.raises(ValueError, match="did not solve click-button"):
            side.play()


def test_step_is_set_beside_its_calls(episodes):
    found = own_costs.step_beside_calls(episodes[1], 3, 2)
    assert found["times_the_bare_calls"]["repeats"] == 2
    assert found["step_ms"]["low"] > 0
    assert found["bare_calls_ms"]["low"] > 0


def test_resets_are_counted_in_the_page_and_with_a_fresh_context():
    found = own_costs.resets("click-button", 5)
    counts = [found[name]["count"] for name in ("in_page_ms", "fresh_context_ms", "bare_context_ms")]
    assert counts == [5, 3, 3]
    assert 0 < found["in_page_ms"]["p50"] <= found["in_page_ms"]["p95"]


def test_resets_of_all_sites_are_timed():
    found = own_costs.site_resets(3)
    assert set(found["ms_by_site"]) == {"shop", "forum", "wiki", "admin", "mail", "phone"}
    assert min(found["ms_by_site"].values()) <= found["median_ms"] <= max(found["ms_by_site"].values())


def test_environments_at_once_play_all_their_pages(episodes):
    found = own_costs.together(episodes, 0.2, 1)
    assert found["one_steps_per_s"]["median"] > 0
    assert found["8_steps_per_s"]["median"] > 0


def test_large_pages_have_the_elements_that_they_are_named_for(monkeypatch):
    monkeypatch.setattr(own_costs, "SIZES", (100, 200))
    found = own_costs.observations(1)
    assert list(found["ms_by_elements"]) == ["100", "200"]


def test_goals_are_those_of_the_table():
    ratio = {"median": 3.0}
    times = {
        "text": dict.fromkeys(("farama", "browsergym", "browsergym, delays off"), ratio),
        "pictures": dict.fromkeys(("farama, pictures", "browsergym, delays off"), ratio),
    }
    own = {
        "together": {"times_one": ratio},
        "step": {"times_the_bare_calls": ratio},
        "reset": {"in_page_ms": {"p50": 3.0}, "fresh_context_ms": {"p50": 70.0}},
        "memory": {"mib_per_env": 12.0},
        "observation": {"ms_by_elements": {"10000": 40.0}, "growth": 0.9},
        "site_reset": {"median_ms": 25.0},
    }
    met = [goal.is_met for goal in speed._goals(times, own)]
    assert met == [False, False, False, True, False, False, False, True, False, False, True, True, True]
