"""Collecting trajectories concurrently: episodes, groups, retries and progress.

Policies sample the messages. Evaluation and trainers use the trajectories.
"""

from agentgym.policy import draw_seed
from agentgym.rollout.collect import Progress, collect_episodes, game_maker
from agentgym.rollout.engine import RolloutEngine
from agentgym.rollout.episode import Job
from agentgym.rollout.faults import RolloutStats
from agentgym.rollout.groups import GroupCollector, shuffled_tasks
from agentgym.rollout.opening import Opening
from agentgym.rollout.play import play_episode
from agentgym.rollout.progress import ProgressDisplay
from agentgym.rollout.ray_hosts import HostSettings
from agentgym.rollout.settings import RolloutSettings

__all__ = [
    "GroupCollector",
    "HostSettings",
    "Job",
    "Opening",
    "Progress",
    "ProgressDisplay",
    "RolloutEngine",
    "RolloutSettings",
    "RolloutStats",
    "collect_episodes",
    "draw_seed",
    "game_maker",
    "play_episode",
    "shuffled_tasks",
]
