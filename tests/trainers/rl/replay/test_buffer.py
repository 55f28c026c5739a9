"""A buffer as the options ask for it; trap D-28 (resume) for every kind, over two runs."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from agentgym.errors import CheckpointError, ConfigError, ContractError
from agentgym.message import content_text
from agentgym.prompting.renderer import ChatRenderer
from agentgym.store import RunStore
from agentgym.suite import load_suite
from agentgym_rl.core.demonstrations import collect_demonstrations
from agentgym_rl.core.part_state import PartState
from agentgym_rl.replay.admission import record_tokenizer
from agentgym_rl.replay.buffer import ReplayBuffer
from agentgym_rl.replay.draw import Draw
from agentgym_rl.replay.hindsight import RELABELLED
from agentgym_rl.replay.options import (
    ImitationReplay,
    NoReplay,
    PrioritisedBuffer,
    ReturnWeightedBuffer,
    SuccessReplay,
    UniformBuffer,
)
from agentgym_rl.replay.tables import HindsightConfig
from agentgym_rl.run.setup import suite_tokenizer
from tests.trainers.rl.replay.episodes import episode

SUITE = "dialogue/maze"


@pytest.fixture(scope="module")
def suite():
    return load_suite(SUITE)


@pytest.fixture(scope="module")
def tokenizer(suite):
    return suite_tokenizer(suite, [])


@pytest.fixture
def own(tmp_path):
    with RunStore.create(tmp_path / "own", {"suite": SUITE}) as store:
        yield store


BY_NAME = {
    "none": NoReplay,
    "successes": SuccessReplay,
    "imitation": ImitationReplay,
    "uniform": UniformBuffer,
    "prioritised": PrioritisedBuffer,
    "return_weighted": ReturnWeightedBuffer,
}


@pytest.fixture
def earlier(tmp_path, tokenizer):
    """The folder of an earlier run of three episodes."""
    with RunStore.create(tmp_path / "earlier", {"suite": SUITE}) as store:
        record_tokenizer(store, tokenizer)
        for reward in (0.0, 0.5, 1.0):
            store.write_episode(episode(reward=reward, suite=SUITE), iteration=900)
    return str(tmp_path / "earlier")


@pytest.fixture
def make_buffer(own, suite, tokenizer):
    made = []

    def make(seed=0, admitted="all", kind="none", **options):
        made.append(
            ReplayBuffer.open(
                BY_NAME[kind](**options),
                own,
                suite,
                tokenizer=tokenizer,
                renderer=ChatRenderer(tokenizer),
                tools=[],
                seed=seed,
                admitted=admitted,
            )
        )
        return made[-1]

    yield make
    for buffer in made:
        buffer.close()
        buffer.close()


KINDS = [
    {"kind": "uniform"},
    {"kind": "uniform", "unit": "episode"},
    {"kind": "prioritised"},
    {"kind": "return_weighted"},
    {"kind": "imitation"},
    {"kind": "successes"},
]


def drawn(buffer):
    """What a draw came to, by numbers of the store."""
    return [(draw.index.number[draw.episodes()].tolist(), draw.weights.tolist()) for draw in buffer.draw(6)]


@pytest.mark.parametrize("runs", [False, True], ids=["one run", "two runs"])
@pytest.mark.parametrize("options", KINDS, ids=lambda options: "-".join(options.values()))
def test_a_resumed_buffer_draws_what_it_would_have_drawn(options, runs, own, earlier, make_buffer):
    options = options | ({"runs": (earlier,)} if runs else {})
    for number in range(6):
        own.write_episode(episode(reward=number % 3 / 2, suite=SUITE), iteration=number + 1)
    buffer = make_buffer(max_age=4, **options)
    buffer.usual.observe(np.array([0.4, 0.4]))
    assert buffer.refresh(7, 7)["replay/dropped"] == 4.0
    for draw in buffer.draw(8) if options["kind"] == "prioritised" else []:
        buffer.update(draw, np.arange(8.0)[: len(draw.entries)])
    drawn(buffer)
    state = buffer.state()
    record = json.loads(json.dumps(state.record))
    expected = drawn(buffer)
    resumed = make_buffer(seed=9, max_age=4, **options)
    resumed.restore(PartState(record, state.tensors))
    assert drawn(resumed) == expected
    other = make_buffer(kind="none" if options["kind"] == "uniform" else "uniform")
    with pytest.raises(CheckpointError, match="resume with the same settings"):
        other.restore(state)


def test_a_share_of_each_draw_comes_from_earlier_runs(own, earlier, make_buffer):
    buffer = make_buffer(kind="uniform", unit="episode", runs=(earlier,), runs_share=0.25)
    assert [len(draw.entries) for draw in buffer.draw(8)] == [8]
    own.write_episode(episode(suite=SUITE, version=3), iteration=4)
    buffer.refresh(6, 5)
    draws = buffer.draw(8)
    assert [len(draw.entries) for draw in draws] == [6, 2]
    metrics = buffer.draw_metrics(draws)
    assert metrics["replay/other_runs_share"] == 0.25
    assert (metrics["replay/age_max"], metrics["replay/lag_max"]) == (2.0, 2.0)
    assert buffer.num_turns == 2 + 6


def test_what_can_be_drawn_is_counted_over_all_runs(own, earlier, make_buffer):
    own.write_episode(episode(num_turns=3, suite=SUITE), iteration=1)
    metrics = make_buffer(kind="uniform", runs=(earlier,)).refresh(1, 1)
    assert metrics["replay/episodes"] == 4
    assert metrics["replay/turns"] == 9
    assert metrics["replay/added"] == 3
    assert metrics["replay/other_runs_left_out"] == 0


def test_earlier_runs_keep_as_many_turns_as_the_capacity_says(own, earlier, make_buffer):
    own.write_episode(episode(suite=SUITE), iteration=1)
    buffer = make_buffer(kind="uniform", runs=(earlier,), capacity=4)
    metrics = buffer.refresh(1, 1)
    assert [index.num_turns for index in buffer.indices] == [2, 4]
    assert metrics["replay/other_runs_left_out"] == 1


def test_all_draws_of_an_iteration_are_reported_together(own, make_buffer):
    for number, reward in enumerate((0.0, 0.0, 1.0)):
        own.write_episode(episode(reward=reward, suite=SUITE, version=number), iteration=2 * number + 1)
    buffer = make_buffer(kind="uniform", unit="episode")
    buffer.refresh(5, 2)
    draws = [Draw.of(buffer.indices[0], "episode", np.array(entries)) for entries in ([0, 1, 2], [2, 2, 2, 2, 2])]
    metrics = buffer.draw_metrics(draws)
    assert (metrics["replay/age_mean"], metrics["replay/age_max"]) == (0.75, 4.0)
    assert (metrics["replay/lag_mean"], metrics["replay/lag_max"]) == (0.375, 2.0)
    assert (metrics["replay/return"], metrics["replay/distinct_share"]) == (0.75, 0.375)
    bands = {name: share for name, share in metrics.items() if "histogram" in name and share}
    assert bands == {
        f"replay/age/histogram/{band}": share for band, share in (("0_0", 0.75), ("2_2-3", 0.125), ("3_4-7", 0.125))
    }


def test_an_empty_buffer_and_priorities_that_are_none_are_refused(own, make_buffer):
    buffer = make_buffer(kind="uniform")
    with pytest.raises(ContractError, match="is empty"):
        buffer.draw(3)
    own.write_episode(episode(suite=SUITE), iteration=1)
    buffer.refresh(2, 1)
    with pytest.raises(ContractError, match="expected prioritised"):
        buffer.update(buffer.draw(1)[0], np.ones(1))


def test_failures_are_stored_as_successes_at_what_they_reached(own, suite, make_buffer):
    failed = [one for one in collect_demonstrations(suite, "random", 12, 0) if one.success is False]
    for one in failed:
        own.write_episode(one, iteration=1)
    buffer = make_buffer(kind="uniform", unit="episode", admitted="derived", hindsight=HindsightConfig())
    made = buffer.relabel(failed, 1)
    assert len(made) >= 4
    assert all(one.is_derived and one.success and one.group_id == "" for one in made)
    by_id = {one.id: one for one in failed}
    for one in made:
        old = by_id[one.metadata[RELABELLED]]
        assert content_text(one.turns[0].messages[-1]) != content_text(old.turns[0].messages[-1])
    buffer.refresh(2, 1)
    assert buffer.indices[0].is_derived.sum() == buffer.indices[0].num_episodes >= len(made)
    assert [one.id for one in own.episodes(purpose="train")][-len(made) :] == [one.id for one in made]
    own.rollback_after(0)
    assert own.counts()["episodes"] == 0


def test_no_hindsight_stores_nothing(own, make_buffer):
    assert make_buffer(kind="uniform").relabel([replace(episode(), success=False)], 1) == []
    assert own.counts()["episodes"] == 0


def test_hindsight_in_an_environment_that_cannot_relabel_is_refused(own, tokenizer):
    with pytest.raises(ConfigError, match=r"has no relabel\(\)"):
        ReplayBuffer.open(
            UniformBuffer(hindsight=HindsightConfig()),
            own,
            load_suite("dialogue/guess-number"),
            tokenizer=tokenizer,
            renderer=ChatRenderer(tokenizer),
            tools=[],
            seed=0,
        )
