"""Counters of a rollout, and what becomes of episodes that fail: another try, or an end of the run when there are many.

What broke an episode is recorded by `agentgym.rollout.episode`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from agentgym.errors import AgentGymError, ContractError, InfrastructureError, PartnerForfeitError, RewardError
from agentgym.rollout.settings import RolloutSettings
from agentgym.trajectory import Trajectory

_MIN_EPISODES_FOR_SHARE = 20
_MIN_REPEATED = 3


@dataclass
class RolloutStats:
    """Counters of one engine; times in seconds, summed over episodes."""

    episodes: int = 0
    successes: int = 0
    turns: int = 0
    action_tokens: int = 0
    faults: int = 0
    repeated_errors: int = 0
    retries: int = 0
    abandoned_calls: int = 0
    queue_s: float = 0.0
    model_s: float = 0.0
    env_s: float = 0.0
    model_busy_s: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)

    def add(self, records: Sequence[Trajectory]) -> None:
        """Count an episode that has ended, by the records of its roles."""
        outcome = records[0].outcome
        assert outcome is not None
        self.episodes += 1
        self.outcomes[str(outcome)] += 1
        self.faults += not outcome.is_graded
        self.successes += any(record.success for record in records)
        for record in records:
            self.turns += len(record.turns)
            # Of a policy of text only its server knows them, if it says so.
            self.action_tokens += int(record.usage.get("completion_tokens", record.num_action_tokens))


class FaultWatch:
    """Decides whether a failed episode is played again, and whether so many failed that the run must stop.

    Args:
        settings: How many retries there are, and which share of the episodes may fail.
        stats: Where retries and errors are counted.
    """

    def __init__(self, settings: RolloutSettings, stats: RolloutStats) -> None:
        self._settings, self._stats = settings, stats
        self._raised: dict[str, str] = {}

    def may_retry(self, key: str, record: Trajectory, error: Exception, retry: int) -> bool:
        """Whether an episode that failed is to be played again.

        Args:
            key: The key of its job.
            record: One of its records.
            error: What broke it.
            retry: How often it was tried before.
        """
        stats, what, outcome = self._stats, record.error, record.outcome
        assert outcome is not None
        stats.errors[what[:300]] += 1
        # Files and connections may be back at the next try; other errors that return are the environment's.
        may_pass = isinstance(error, AgentGymError | OSError | MemoryError) and not isinstance(error, RewardError)
        is_repeated = self._raised.get(key) == what and not may_pass
        can_help = outcome.is_retryable and not is_repeated and not isinstance(error, PartnerForfeitError)
        if can_help and retry < self._settings.retries:
            self._raised[key] = what
            stats.retries += 1
            return True
        self.forget(key)
        stats.repeated_errors += is_repeated
        return False

    def forget(self, key: str) -> None:
        """Drop what is known of a job that has ended."""
        self._raised.pop(key, None)

    def check(self, last: Exception) -> None:
        """Stop the run where too many episodes failed.

        Args:
            last: What broke the last of them.

        Raises:
            ContractError: Some failed again with the same error of the environment's code, for the same seed.
            InfrastructureError: More than the allowed share failed.
        """
        stats, allowed = self._stats, self._settings.max_fault_share
        if stats.faults <= allowed * stats.episodes:
            return
        top = "; ".join(f"{count} x {error}" for error, count in stats.errors.most_common(3))
        if stats.repeated_errors >= _MIN_REPEATED:
            raise ContractError(
                f"the environment fails: {stats.repeated_errors} of {stats.episodes} episodes raised the same error "
                f"when they were played again with the same seed: {top}. Mend the environment."
            ) from last
        if stats.episodes >= _MIN_EPISODES_FOR_SHARE:
            ways = "" if stats.faults == stats.episodes else ", or raise max_fault_share (--max-fault-share)"
            raise InfrastructureError(
                f"{stats.faults} of {stats.episodes} episodes failed for infrastructure, over the allowed share of "
                f"{allowed:.0%}: {top}. Mend the cause{ways}."
            ) from last
