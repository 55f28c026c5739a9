import pytest

from benchmarks.rollout_overhead import WORKLOADS, Collector, growth, token_bytes


def test_growth_is_the_exponent_of_time():
    assert growth([1, 10, 100], [2.0, 20.0, 200.0]) == pytest.approx(1.0)
    assert growth([1, 10, 100], [1.0, 100.0, 10_000.0]) == pytest.approx(2.0)


@pytest.mark.parametrize("name", WORKLOADS)
def test_collector_plays_as_many_episodes_as_asked(name):
    records = Collector(WORKLOADS[name]).collect(6).records
    assert len({record.id for record in records}) == 6
    assert all(record.outcome.is_graded for record in records)
    assert all((token_bytes(record) > 0) == WORKLOADS[name].has_tokens for record in records)


def test_scripted_tokens_are_played_as_their_texts():
    records = Collector(WORKLOADS["tokens"]).collect(8).records
    assert any(record.success for record in records)
    assert not any(turn.was_invalid for record in records if record.success for turn in record.turns[-1:])
