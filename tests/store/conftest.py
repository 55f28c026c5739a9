import numpy as np
import pytest

from agentgym.outcome import Outcome
from agentgym.reward import RewardEvent
from agentgym.store import RunStore
from agentgym.trajectory import Trajectory, Turn, TurnTimes


def make_turn(index, generator):
    action_ids = generator.integers(0, 4000, 12, dtype=np.int32)
    return Turn(
        index=index,
        messages=[
            {"role": "tool", "tool_call_id": f"call_{index}", "name": "search", "content": "Ada → Turing \ud83d"}
        ],
        reply={"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "search"}}]},
        text='search("Ada \x00 <script>")',
        prompt_ids=generator.integers(0, 4000, 40, dtype=np.int32),
        action_ids=action_ids,
        behaviour_logprobs=-generator.random(12, dtype=np.float32),
        version=index,
        opens_segment=index == 0,
        was_invalid=index == 1,
        anchor=None if index else "start",
        progress=None if index == 1 else index / 3,
        legal_actions=None if index == 2 else ("up", 'say "ja\ud83d"'),
        times=TurnTimes(0.1, 0.2, 0.3, 0.05),
    )


@pytest.fixture
def make_trajectory():
    def make(name, num_turns=5, seed=0, **fields):
        generator = np.random.default_rng(seed)
        settings = {
            "task_id": "tools/lookup:train-00001",
            "suite": "tools/lookup",
            "split": "train",
            "stratum": "unseen",
            "content_hash": "ab" * 32,
            "seed": 2**70,
            "policy": "tiny",
            "turns": [make_turn(index, generator) for index in range(num_turns)],
            "events": [RewardEvent(num_turns - 1, num_turns - 1, "agent", "success", 1.0, "verifier", {"why": ["x"]})],
            "weights": {"success": 1.0, "format": 0.1},
            "outcome": Outcome("terminated"),
            "score": 0.75,
            "success": True,
            "usage": {"prompt_tokens": 7.0},
            "metadata": {"weights": [1, None, "x"]},
        }
        return Trajectory(id=name, **(settings | fields))

    return make


@pytest.fixture
def store(tmp_path):
    with RunStore.create(tmp_path / "run", {"seed": 1}) as opened:
        yield opened


@pytest.fixture
def same():
    """Exact equality of trajectories, arrays with their dtypes included."""

    def compare(first, second):
        for name in Trajectory.__slots__:
            if name != "turns":
                assert getattr(first, name) == getattr(second, name), name
        assert len(first.turns) == len(second.turns)
        for one, other in zip(first.turns, second.turns, strict=True):
            for name in Turn.__slots__:
                left, right = getattr(one, name), getattr(other, name)
                if isinstance(left, np.ndarray):
                    assert left.dtype == right.dtype, name
                    np.testing.assert_array_equal(left, right)
                else:
                    assert left == right, name
        return True

    return compare
