"""Gymnasium's asynchronous vectors in their default form: texts and pictures of any size through shared memory."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory

import agentgym
from agentgym.spaces import Message, Picture, observations
from tests.toys.pictured import Pictured

GUESS = "agentgym/GuessNumber-v0"


def test_make_vec_async_plays_as_one_environment_does() -> None:
    vector = gymnasium.make_vec(GUESS, num_envs=2, vectorization_mode="async")
    try:
        seen, _ = vector.reset(seed=5)
        first = seen["text"]
        stepped, rewards, *_ = vector.step(("33", "not a number"))
    finally:
        vector.close()
    for index, action in enumerate(("33", "not a number")):
        env = agentgym.make(GUESS)
        observation, _ = env.reset(seed=5 + index)
        assert first[index] == observation["text"]
        observation, reward, *_ = env.step(action)
        assert (stepped["text"][index], rewards[index]) == (observation["text"], reward)
    assert isinstance(first, tuple)


def test_an_async_vector_shares_pictures_of_different_sizes() -> None:
    vector = AsyncVectorEnv([Pictured] * 2)
    try:
        seen, _ = vector.reset(seed=1)
        shapes = [picture.shape for picture in seen["image"]]
        assert shapes == [(4, 6, 3), (5, 6, 3)]
        assert [int(picture.max()) for picture in seen["image"]] == [1, 2]
    finally:
        vector.close()


@pytest.mark.parametrize("text", ["", "plain", "né 名前 👋", "\ud800 lone", "x" * 1_000_000, "👋" * 1_000_000])
def test_every_text_of_the_space_passes(text: str) -> None:
    space = Message()
    assert space.contains(text)
    memory = create_shared_memory(space, n=3)
    write_to_shared_memory(space, 1, text, memory)
    read = read_from_shared_memory(space, memory, n=3)
    assert list(read) == ["", text, ""]
    assert read[-1] == ""
    assert read[1:] == (text, "")
    write_to_shared_memory(space, 1, "later", memory)
    assert read[1] == "later"


def test_a_picture_that_is_too_large_is_refused() -> None:
    space = observations(True)["image"]
    assert isinstance(space, Picture)
    memory = create_shared_memory(space, n=1)
    with pytest.raises(ValueError, match="make the vector with shared_memory=False"):
        write_to_shared_memory(space, 0, np.zeros((6000, 6000, 3), np.uint8), memory)
