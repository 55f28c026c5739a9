"""Hindsight: a failed episode becomes a success at the task that it achieved, when its goal is replaced everywhere.

The idea is that of Andrychowicz et al. 2017, arXiv 1707.01495, for language agents as in Gaven et al. 2024, arXiv
2410.12481. The environment names the task that was achieved (`relabel`). The recorded actions are played in that task,
so every observation names the new goal and every reward is the environment's own. Because the prompts differ, the
recorded log-probabilities are invalid. Relabelled turns have none, and losses with a ratio refuse them. Messages are
kept unchanged, including thoughts about the old goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from agentgym.env import AgentEnv
from agentgym.errors import ConfigError
from agentgym.message import Message, ToolSchema
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.prompting.renderer import ChatRenderer
from agentgym.registration import make
from agentgym.rollout import Job, RolloutSettings, collect_episodes, draw_seed, game_maker
from agentgym.suite import Suite, require_trainable
from agentgym.task import Task
from agentgym.trajectory import HINDSIGHT, Trajectory
from agentgym_rl.core.demonstrations import with_tokens
from agentgym_rl.replay.tables import HindsightConfig

RELABELLED = "relabelled_from"
"""Key of a relabelled trajectory's metadata: the id of the episode that it was made from."""


class Hindsight:
    """Turns failed episodes of a suite into successes.

    Args:
        suite: The suite, whose environment names the achieved tasks.
        renderer: Renders the new prompts.
        tools: The environment's tools, as in training.
        config: The goals to use.
        history: The turns that prompts leave out, as `RolloutSettings.history`.

    Raises:
        ConfigError: The suite's environment cannot relabel.
    """

    def __init__(
        self,
        suite: Suite,
        renderer: ChatRenderer,
        tools: Sequence[ToolSchema],
        config: HindsightConfig,
        history: str = "full",
    ) -> None:
        self.suite, self.renderer, self.tools, self.config, self.history = suite, renderer, tools, config, history
        self._env = make(suite.env, **suite.env_options)
        if type(self._env).relabel is AgentEnv.relabel:
            self._env.close()
            raise ConfigError(
                f"hindsight needs an environment that knows what an episode achieved, but {suite.env} has no "
                "relabel(); write it, or leave hindsight out"
            )

    def relabel(self, trajectories: Sequence[Trajectory], seed: int) -> list[Trajectory]:
        """New records of failed episodes with goals that they met; other episodes give none.

        Args:
            trajectories: Graded episodes of train tasks; their tokens are not read.
            seed: Seed of the choice of turns with strategy future.

        Returns:
            Derived trajectories, in order, with tokens of the new prompts, without behaviour log-probabilities, and
            with rewards and score by the environment. An episode may end before its last recorded action. Episodes
            that do not meet the new goal are left out, and so are goals that give the same task as a held-out one.

        Raises:
            HeldOutError: An episode is of a held-out task.
        """
        jobs: list[Job] = []
        sources: dict[str, Trajectory] = {}
        for number, trajectory in enumerate(trajectories):
            if trajectory.success is not False:
                continue
            for goal, task in enumerate(self._achieved(trajectory, draw_seed(seed, "hindsight", number))):
                job = Job(replace(task), f"{trajectory.id}/{HINDSIGHT}-{goal}", 0, env_seed=trajectory.seed)
                jobs.append(job)
                sources[job.key] = trajectory
        require_trainable(job.task for job in jobs)
        played = [(one, sources[one.id.rpartition("/")[0]]) for one in self._play(jobs, sources)]
        return [
            self._record(one, source) for one, source in played if one.success and len(one.turns) <= len(source.turns)
        ]

    def close(self) -> None:
        """Close the environment."""
        self._env.close()

    def _achieved(self, trajectory: Trajectory, seed: int) -> list[Task]:
        """The distinct tasks that the episode achieved at its end, and at some earlier turns."""
        self._env.reset(options={"task": self.suite.task(trajectory.task_id)})
        cuts = [len(trajectory.turns)]
        if self.config.strategy == "future":
            others = np.random.default_rng(seed).permutation(np.arange(1, len(trajectory.turns)))
            cuts += others.tolist()
        found: dict[str, Task] = {}
        for cut in cuts:
            task = self._env.relabel(replace(trajectory, turns=trajectory.turns[:cut]))
            if task is not None and task.content_hash not in self.suite.held_out_hashes:
                found.setdefault(task.content_hash, task)
            if len(found) == (self.config.goals if self.config.strategy == "future" else 1):
                break
        return list(found.values())

    def _play(self, jobs: list[Job], sources: dict[str, Trajectory]) -> list[Trajectory]:
        """Play every job with the recorded messages of its source, with the same recording options."""
        if not jobs:
            return []
        recorded = {id(job.task): [turn.text for turn in sources[job.key].turns] for job in jobs}
        policies = {"*": ScriptedPolicy(HINDSIGHT, lambda task, seed: _Said(recorded[id(task)]))}
        turns = [turn for source in sources.values() for turn in source.turns]
        settings = RolloutSettings(
            max_concurrent=64,
            env_threads=1,
            record_anchors=any(turn.anchor is not None for turn in turns),
            record_progress=any(turn.progress is not None for turn in turns),
            record_legal_actions=any(turn.legal_actions is not None for turn in turns),
        )
        return collect_episodes(jobs, game_maker(self.suite), policies, settings)[0]

    def _record(self, played: Trajectory, source: Trajectory) -> Trajectory:
        """The record to learn from: the new record with the source's unchanged messages, and derived tokens."""
        pairs = zip(played.turns, source.turns[: len(played.turns)], strict=True)
        turns = [replace(turn, reply=said.reply) for turn, said in pairs]
        record = replace(played, turns=turns, metadata={**played.metadata, RELABELLED: source.id})
        return with_tokens([record], self.renderer, self.tools, self.history)[0]


class _Said:
    """A policy that says recorded messages, and then nothing."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts, self._turn = texts, 0

    def act(self, messages: Sequence[Message]) -> str:
        """The next message; "" if none is left."""
        self._turn += 1
        return self._texts[self._turn - 1] if self._turn <= len(self._texts) else ""
