"""Collecting a given list of episodes: evaluation, demonstrations, recording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from agentgym.errors import ConfigError
from agentgym.game import Game, SoloGame
from agentgym.policies.cast import Cast
from agentgym.policy import Policy
from agentgym.registration import make, make_game
from agentgym.rollout.engine import RolloutEngine
from agentgym.rollout.episode import Job
from agentgym.rollout.faults import RolloutStats
from agentgym.rollout.settings import RolloutSettings
from agentgym.suite import Suite
from agentgym.task import Task
from agentgym.trajectory import Trajectory


class Progress(Protocol):
    """Receives the progress of a collection; `agentgym.rollout.progress.ProgressDisplay` draws it."""

    def start(self, total: int) -> None:
        """This number of episodes is wanted."""

    def update(self, stats: RolloutStats) -> None:
        """An episode ended."""

    def stop(self) -> None:
        """The collection ended."""


def game_maker(suite: Suite, runtime: str = "", cast: Cast | None = None) -> Callable[[Task], Game]:
    """Makes games for the tasks of a suite.

    Args:
        suite: The suite.
        runtime: Where they run; see `agentgym.make`.
        cast: Who plays the roles; `cast.policies` are then the policies. None: as the suite's options say. If only one
            role is not scripted, the others play within the environment.

    Raises:
        ConfigError: Policies play several roles, which is possible only in this process.
    """
    env_id = suite.env  # what is returned travels to the nodes of a cluster, and takes no tasks with it
    if cast is None or cast.is_view:
        options = suite.env_options if cast is None else cast.view_options
        return lambda _: SoloGame(make(env_id, runtime=runtime, **options))
    if runtime not in ("", "local"):
        raise ConfigError(f"a game of {suite.env!r} whose roles policies play runs here: got runtime {runtime!r}")
    game_options = cast.options
    return lambda _: make_game(env_id, **game_options)


def collect_episodes(
    jobs: Iterable[Job],
    make_game: Callable[[Task], Game],
    policies: Mapping[str, Policy],
    settings: RolloutSettings,
    *,
    on_finish: Callable[[list[Trajectory]], None] | None = None,
    progress: Progress | None = None,
) -> tuple[list[Trajectory], RolloutStats]:
    """Play all jobs; a keyboard interrupt stops cleanly and keeps complete episodes.

    Args:
        jobs: The episodes.
        make_game: Makes the game of a task; see `game_maker`.
        policies: The policy of each role; "*" stands for all others. Roles of a `PartnerPolicy` have no records.
        settings: Concurrency and limits.
        on_finish: Called with the records of each episode when it ends, such as a store's writer.
        progress: A display.

    Returns:
        The records, in the order of the jobs, and the counters. After an interrupt, there are fewer records than jobs.

    Raises:
        InfrastructureError: More than the declared share of the episodes failed.
    """
    wanted = list(jobs)
    records: dict[str, list[Trajectory]] = {}
    with RolloutEngine(make_game, policies, settings, on_finish) as engine:
        if progress is not None:
            progress.start(len(wanted))
        try:
            for job in wanted:
                engine.submit(job)
            while (finished := engine.next()) is not None:
                records[finished[0].id.rpartition("/")[0]] = finished
                if progress is not None:
                    progress.update(engine.stats)
        except KeyboardInterrupt:
            engine.cancel()
        finally:
            if progress is not None:
                progress.stop()
        ordered = [record for job in wanted for record in records.get(job.key, [])]
        return ordered, engine.stats
