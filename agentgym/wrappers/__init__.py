"""Wrappers for users of the Gymnasium interface, where Gymnasium has none of its own.

Trainers and evaluation do without them: `agentgym.rollout` keeps these records itself.
"""

from agentgym.wrappers.record_trajectory import RecordTrajectory
from agentgym.wrappers.text_observation import TextObservation

__all__ = ["RecordTrajectory", "TextObservation"]
