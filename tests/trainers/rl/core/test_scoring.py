from __future__ import annotations

import numpy as np
import pytest

from agentgym.outcome import Outcome
from agentgym.trajectory import FINAL_PROMPT
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.packing import pack
from agentgym_rl.core.scoring import fill_scores, score_segments
from tests.trainers.rl.core.test_batch import episode, sealed
from tests.trainers.rl.tiny import random_segments, tiny_llama

PACKING = PackingConfig(64, 128)


@pytest.fixture
def model() -> PolicyModel:
    """The tiny model with a value head that reads something."""
    made = PolicyModel(tiny_llama(), has_value_head=True).double()
    made.value_head.weight.data.fill_(0.1)
    return made


def test_scores_come_back_in_the_order_of_the_segments(model: PolicyModel) -> None:
    segments = random_segments(9)
    logprobs, values = score_segments(model, segments, PACKING, 0.7)
    for segment, scored, valued in zip(segments, logprobs, values, strict=True):
        alone, _, its_values = model.score(pack([segment], PACKING)[0], 0.7)
        mask = segment.completion_mask
        assert scored[mask] == pytest.approx(alone.tolist(), abs=1e-5)
        assert valued[mask] == pytest.approx(its_values.tolist(), abs=1e-5)
        assert len(scored) == segment.num_tokens


def test_no_segments_are_no_scores(model: PolicyModel) -> None:
    assert score_segments(model, [], PACKING, 1.0) == ([], [])
    assert score_segments(PolicyModel(tiny_llama()), random_segments(1), PACKING, 1.0)[1] is None


def truncated(name: str, final: list[int] | None):
    made = episode(name, [(5, 2)])
    for turn in made.turns:
        turn.action_ids = turn.action_ids % 50
    made.outcome = Outcome("truncated", "turns")
    if final is not None:
        made.metadata[FINAL_PROMPT] = final
    return made


def value_after(model: PolicyModel, tokens: list[int]) -> float:
    """V of the state after some tokens, by a forward pass of its own."""
    import torch

    ids = torch.tensor([tokens])
    hidden = model.causal_lm.model(ids).last_hidden_state[0, -1]
    return model.value_head(hidden).item()


def test_truncated_episodes_are_valued_at_their_final_observation(model: PolicyModel) -> None:
    """Trap D-13: not at the last action, and not at padding."""
    finals = [0, 1, 2, 3, 4, 0, 1, 30, 31, 32]
    ended = episode("d", [(5, 2)])
    ended.turns[0].action_ids = ended.turns[0].action_ids % 50
    members = [truncated("a", finals), truncated("b", None), truncated("c", list(range(60)) * 2), ended]
    batch = TrainBatch.of([sealed(*members)])
    fill_scores(batch, model, None, PACKING, 1.0, recompute_prox=False)
    last = batch.segments[1].tokens.tolist()
    expected = [value_after(model, finals), value_after(model, last), value_after(model, last), None]
    assert batch.final_values[3] is None
    assert batch.final_values[:3] == pytest.approx(expected[:3], abs=1e-5)
    assert batch.final_values[0] != pytest.approx(batch.final_values[1], abs=1e-5)


def test_streams_are_filled_as_the_algorithm_needs_them(model: PolicyModel) -> None:
    batch = TrainBatch.of([sealed(truncated("a", None))])
    plain = PolicyModel(tiny_llama())
    fill_scores(batch, plain, None, PACKING, 1.0, recompute_prox=False)
    assert (batch.old_values, batch.reference_logprobs, batch.final_values) == (None, None, [])
    assert batch.prox_logprobs[0][batch.segments[0].completion_mask].tolist() == [-1.0, -1.0]
    fill_scores(batch, model, plain, PACKING, 1.0, recompute_prox=True)
    mask = batch.segments[0].completion_mask
    assert batch.prox_logprobs[0][mask] == pytest.approx(batch.reference_logprobs[0][mask])
    assert np.isfinite(batch.old_values[0][mask]).all()
    assert batch.prox_logprobs[0][mask].tolist() != [-1.0, -1.0]
