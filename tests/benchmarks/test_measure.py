import pytest

from benchmarks.measure import Spread, interleaved, machine, ratios, significant, versions


def test_spread_tells_median_and_range():
    spread = Spread.of([3.0, 1.0, 2.0, 10.0])
    assert spread.to_json() == {"median": 2.5, "low": 1.0, "high": 10.0, "repeats": 4}


def test_interleaved_runs_every_side_in_each_round_and_turns_the_order_around():
    calls = []
    sides = {name: lambda name=name: calls.append(name) or len(calls) for name in ("a", "b")}
    assert interleaved(sides, 3) == {"a": [1, 4, 5], "b": [2, 3, 6]}
    assert calls == ["a", "b", "b", "a", "a", "b"]


def test_ratios_are_taken_within_rounds():
    assert ratios([10.0, 30.0], [1.0, 2.0]) == Spread(12.5, 10.0, 15.0, 2)


@pytest.mark.parametrize(("number", "rounded"), [(123456.0, 123500.0), (0.00123456, 0.001235), (0.0, 0.0)])
def test_significant_keeps_four_digits(number, rounded):
    assert significant(number) == rounded


def test_machine_is_described_without_names_of_hosts():
    described = machine()
    assert described["cores"] >= 1
    assert described["memory_gib"] > 0
    assert set(described) == {
        "cpu",
        "cores",
        "memory_gib",
        "python",
        "system",
        "omp_num_threads",
        "load_1min_at_start",
    }


def test_versions_say_what_is_absent():
    found = versions(["gymnasium", "no-such-distribution-here"])
    assert found["gymnasium"].count(".") == 2
    assert found["no-such-distribution-here"] == "absent"
