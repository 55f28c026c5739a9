"""Wrappers: for users of the Gymnasium interface, around environments of Gymnasium, and for several tries at a task.

Trainers and evaluation need no recording wrapper: `agentgym.rollout` keeps these records itself.
"""

from agentgym.wrappers.record_trajectory import RecordTrajectory
from agentgym.wrappers.text_observation import TextObservation
from agentgym.wrappers.unary_feedback import UnaryFeedback

__all__ = ["RecordTrajectory", "TextObservation", "UnaryFeedback"]
