"""The chain: what is missing of all pieces, one process a piece, until all is there or it is stopped.

A piece that is stopped leaves nothing behind; what was finished is not run again. Processes are forked from one that
has imported what they need, so that none pays for imports.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from agentgym.errors import ConfigError
from benchmarks.credit.runs import Places, kept, run_piece
from benchmarks.credit.tables import Piece, method_named, runs_on
from benchmarks.credit.tuning import TUNED, conclude, trial_pieces, tuned
from benchmarks.report import progress


@dataclass(frozen=True)
class Plan:
    """Which pieces are wanted.

    Attributes:
        tasks: Names of tasks.
        methods: Names of methods.
        seeds: Seeds of the runs.
        is_tuned: Whether methods that were not tuned are tuned first; else they run with the settings of their files.
        places: Where results are kept.
        tuned_folder: Where what tuning chose is kept.
    """

    tasks: Sequence[str]
    methods: Sequence[str]
    seeds: Sequence[int]
    is_tuned: bool = True
    places: Places = field(default_factory=Places)
    tuned_folder: Path = TUNED

    def pairs(self) -> list[tuple[str, str]]:
        """Each task with each method that runs on it.

        Raises:
            UnknownNameError: There is no task or method of a name.
        """
        return [(task, method) for task in self.tasks for method in self.methods if runs_on(method, task)]

    def missing(self) -> Iterator[Piece]:
        """Pieces whose results are not there: trials, then runs, all methods with one seed before the next seed."""
        for task, method in self.pairs():
            if self.is_tuned and tuned(task, method, self.tuned_folder) is None:
                yield from (piece for piece in trial_pieces(task, method) if not self._is_there(piece))
        by_pair = [self.runs(task, method) for task, method in self.pairs()]
        for runs_of_seed in zip(*(pieces for pieces in by_pair if pieces), strict=True):
            yield from (piece for piece in runs_of_seed if not self._is_there(piece))

    def runs(self, task: str, method: str) -> list[Piece]:
        """The runs of a method on a task, a seed each; none where it is yet to be tuned."""
        chosen = tuned(task, method, self.tuned_folder)
        if chosen is None and self.is_tuned:
            return []
        settings = chosen or method_named(method).untuned(task)
        return [Piece(task, method, seed, settings) for seed in self.seeds]

    def following(self, taken: AbstractSet[str]) -> Piece | None:
        """The first missing piece whose result is none of those; None where there is none."""
        return next((piece for piece in self.missing() if str(self.places.result(piece)) not in taken), None)

    def conclude_tuning(self) -> None:
        """Choose for each task and method whose trials have all been run."""
        for task, method in self.pairs() if self.is_tuned else ():
            is_open = tuned(task, method, self.tuned_folder) is None
            if is_open and all(self._is_there(piece) for piece in trial_pieces(task, method)):
                conclude(task, method, self.places, self.tuned_folder)

    def _is_there(self, piece: Piece) -> bool:
        return kept(piece, self.places) is not None


def work(plan: Plan, workers: int = 1, seconds: float | None = None) -> int:
    """Run what is missing.

    Args:
        plan: What is wanted.
        workers: Processes at once.
        seconds: Wall time after which no piece is started; None: until all is there.

    Returns:
        How many pieces failed; each is tried once.

    Raises:
        ConfigError: There is not at least one worker.
    """
    if workers < 1:
        raise ConfigError(f"workers must be at least 1: got {workers}")
    began = time.monotonic()
    running: dict[str, BaseProcess] = {}
    failed: set[str] = set()
    try:
        while True:
            plan.conclude_tuning()
            while len(running) < workers and (seconds is None or time.monotonic() - began < seconds):
                piece = plan.following(running.keys() | failed)
                if piece is None:
                    break
                progress(f"{piece.name} {piece.chosen}{' (trial)' if piece.is_trial else ''}")
                running[str(plan.places.result(piece))] = _started(piece, plan.places)
            if not running:
                return len(failed)
            _wait_for_one(running, failed)
    finally:
        for process in running.values():
            process.terminate()
            process.join()


def _wait_for_one(running: dict[str, BaseProcess], failed: set[str]) -> None:
    """Until a process has ended; take it out, and its result among those that failed where there is none."""
    wait([process.sentinel for process in running.values()])
    for result, process in list(running.items()):
        if process.exitcode is not None:
            del running[result]
            if not Path(result).exists():
                failed.add(result)
                progress(f"{Path(result).stem} failed with exit code {process.exitcode}")


def _started(piece: Piece, places: Places) -> BaseProcess:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.credit.runs"])
    process = context.Process(target=run_piece, args=(piece, places), name=piece.name)
    process.start()
    return process
