"""Held-out evaluation: playing a split, intervals clustered by task, paired comparison; recording a mix of policies.

`agentgym.rollout` collects the episodes, and `agentgym.view` draws pages.
"""

from agentgym.evaluation.compare import Comparison, compare, load_result
from agentgym.evaluation.env_suite import EnvSuite, suite_named
from agentgym.evaluation.recording import Player, RecordingResult, RecordingSettings, keep_episode, record
from agentgym.evaluation.result import EvaluationResult, StratumResult, TaskResult, summarise
from agentgym.evaluation.runner import EvaluationSettings, evaluate, open_evaluation_store
from agentgym.evaluation.statistics import Estimate, mean_interval, pass_at_k, pass_hat_k, task_means, tasks_needed
from agentgym.evaluation.tables import comparison_text, result_text

__all__ = [
    "Comparison",
    "EnvSuite",
    "Estimate",
    "EvaluationResult",
    "EvaluationSettings",
    "Player",
    "RecordingResult",
    "RecordingSettings",
    "StratumResult",
    "TaskResult",
    "compare",
    "comparison_text",
    "evaluate",
    "keep_episode",
    "load_result",
    "mean_interval",
    "open_evaluation_store",
    "pass_at_k",
    "pass_hat_k",
    "record",
    "result_text",
    "suite_named",
    "summarise",
    "task_means",
    "tasks_needed",
]
