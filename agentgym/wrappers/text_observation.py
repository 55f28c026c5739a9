"""The observation as a bare string, for code that expects text in, text out.

Images are dropped; use the dictionary if you need them.
"""

from __future__ import annotations

import gymnasium

from agentgym.env import Observation
from agentgym.spaces import Message as MessageSpace


class TextObservation(gymnasium.ObservationWrapper[str, str, Observation]):
    """Returns `observation["text"]` as the observation.

    Args:
        env: An environment whose observation is a dictionary with `text`.
    """

    def __init__(self, env: gymnasium.Env[Observation, str]) -> None:
        super().__init__(env)
        self.observation_space = MessageSpace()

    def observation(self, observation: Observation) -> str:
        """The text."""
        text: str = observation["text"]
        return text
