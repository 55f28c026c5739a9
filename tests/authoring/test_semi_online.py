"""Semi-online episodes: patches, where they end, and their measures."""

import pytest

from agentgym.authoring.semi_online import Course, semi_online_performance, what_follows
from agentgym.reward import CUTS_CREDIT


def walk(agreements, **options):
    course = Course(**{"num_steps": 4, "first": 0, "max_patches": 0, **options})
    return course, [course.take(agrees) for agrees in agreements]


def test_steps_that_agree_lead_to_the_end():
    course, taken = walk([True] * 4)
    assert [each.value for each in taken] == [0.25] * 4
    assert [each.is_over for each in taken] == [False, False, False, True]
    assert course.score == 1


def test_difference_without_a_patch_ends_the_episode():
    course, taken = walk([True, False])
    assert (taken[1].value, taken[1].is_over, taken[1].is_patched) == (0, True, False)
    assert course.score == 0.25


def test_patch_goes_on_cuts_credit_and_stops_the_score():
    course, taken = walk([True, False, True, True], max_patches=1)
    assert [each.detail[CUTS_CREDIT] for each in taken] == [False, True, False, False]
    assert [each.value for each in taken] == [0.25, 0, 0.25, 0.25]
    assert (taken[-1].is_over, course.score) == (True, 0.25)


def test_second_difference_is_not_patched_where_one_patch_is_allowed():
    _, taken = walk([False, False], max_patches=1)
    assert [(each.is_patched, each.is_over) for each in taken] == [(True, False), (False, True)]


def test_anchor_tells_states_apart_that_go_on_differently():
    patched, _ = walk([False, True], max_patches=1)
    right, _ = walk([True, True], max_patches=1)
    assert patched.at == right.at
    assert patched.anchor(0) != right.anchor(0)
    assert right.anchor(0) != right.anchor(1)


def test_episode_that_begins_later_counts_the_steps_that_are_left():
    course, [taken] = walk([True], first=3)
    assert (taken.value, taken.is_over, course.score) == (1, True, 1)


def test_what_the_agent_is_told():
    _, [right, patched, last] = walk([True, False, False], max_patches=1)
    assert what_follows(right, "click", lambda: "page") == "page"
    assert what_follows(patched, "click", lambda: "page") == "Instead, this was done: click\n\npage"
    assert what_follows(last, "click", lambda: "page") == "The expert did: click"
    _, [end] = walk([False], first=3, max_patches=1)
    assert what_follows(end, "click", lambda: "page") == "Instead, this was done: click\n\nThe trace has ended."


def test_performance_is_the_mean_of_progress_and_success():
    assert semi_online_performance([1, 0, 0], [1, 0.25, 0]) == pytest.approx((1.25 / 3 + 1 / 3) / 2)
