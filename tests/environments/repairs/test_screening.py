"""Screening: what a collected session must not try, and the runs that the benchmark compares it with."""

from agentgym_swe.making.candidates import Sources, candidates
from agentgym_swe.making.coverage_map import read_lines
from agentgym_swe.making.workers import Workers
from agentgym_swe.room import open_room
from benchmarks.swe.screening import plain_suite, put

FILE = "small/__init__.py"


def line_of(layer, text):
    return next(number for number, line in enumerate(layer.text(FILE).splitlines(), start=1) if text in line)


def test_what_runs_before_the_tests_is_tried_from_nothing(small_layer):
    layer = small_layer.layer
    text = layer.text(FILE).replace("return start", "return start / 0")
    with Workers(layer, "bubblewrap") as workers:
        coverage = read_lines(layer, workers.measure())
        early, late = ((FILE, [line_of(layer, line)]) for line in ("return start", "start += value"))
        assert (coverage.is_early([late]), coverage.is_early([late, early])) == (False, True)
        tests = coverage.tests_of(*early)
        assert 0 < len(tests) < len(layer.tests)
        assert workers.hot.run({FILE: text}, tests, is_early=True).how == "cold"
        assert workers.fresh.run({FILE: text}).how == "broken"
        broken = workers.fresh.run({FILE: text}, limit=41)
        assert (broken.how, broken.failing) == ("tried", layer.tests)
        whole = workers.fresh.run({FILE: layer.text(FILE).replace("value < low", "value > low")}, limit=41)
        assert (whole.how, whole.failing) == ("tried", (layer.tests[0],))


def test_all_tests_of_a_loop_can_notice_a_return_that_slips_into_it(small_layer, small_catalogue):
    layer = small_layer.layer
    found = [each for each in candidates(Sources(layer), "seed") if each.operator == "late_return"]
    assert [each.lines for each in found] == [((FILE, (line_of(layer, "for value in values"),)),)]


def test_plain_runs_see_changes_of_equal_length_within_a_second(small_layer):
    layer = small_layer.layer
    fault = layer.text(FILE).replace("value < low", "value > low")
    with open_room(layer.folder, "bubblewrap") as room:
        for text, failing in 2 * ((fault, {layer.tests[0]}), (layer.text(FILE), set())):
            put(room.sandbox, {FILE: text.encode()})
            assert plain_suite(room.sandbox, layer)[0] == failing
