"""Recordings as runs to learn from: their messages are rendered once, for the trained model, into its run folder.

Such tokens are derived: they were not sampled, and have no behaviour log-probability. Not here: making recordings
(agentgym.evaluation.recording), drawing from stored runs (buffer.py, agentgym_rl/offline/stored_episodes.py).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from transformers import PreTrainedTokenizerFast

from agentgym.errors import HeldOutError, StoreError
from agentgym.evaluation.recording import RECORDING
from agentgym.message import ToolSchema
from agentgym.policies.sampler import Sampler
from agentgym.prompting.renderer import ChatRenderer
from agentgym.store import DATABASE, Purpose, RunStore
from agentgym.suite import Suite, is_held_out
from agentgym.trajectory import Trajectory
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.core.demonstrations import with_tokens
from agentgym_rl.core.roles import tools_of, training_cast
from agentgym_rl.replay.admission import TOKENIZER, tokenizer_digest

RENDERED = "recordings"
"""Folder within a run's that holds what its recordings were rendered into, numbered as they are configured."""
_TALLY = "rendered"
_CHUNK = 64
"""Episodes that are read at once: bounds memory."""


@dataclass(frozen=True)
class Rendering:
    """How a run makes token sequences of recordings."""

    suite: Suite
    """The suite that is trained on."""
    roles: tuple[str, ...]
    """The roles that are trained; none: every role."""
    tokenizer: PreTrainedTokenizerFast
    """Of the trained model."""
    tools: Sequence[ToolSchema]
    """The tools that its template presents."""
    history: str
    """The turns that prompts leave out."""
    longest: int
    """Most tokens of a segment; an episode with a longer one is left out."""
    held_out: frozenset[str] = field(repr=False)
    """Content hashes of the suite's held-out tasks."""

    @classmethod
    def of(cls, config: TrainConfig, suite: Suite, policy: Sampler) -> Rendering:
        """The rendering of a configured run."""
        cast = training_cast(config.roles, suite)
        return cls(
            suite=suite,
            roles=tuple(cast.learning),
            tokenizer=policy.tokenizer,
            tools=tools_of(cast),
            history=config.rollout.history,
            longest=config.longest_context(policy.max_context),
            held_out=suite.held_out_hashes,
        )


@dataclass
class Tally:
    """The result of rendering a recording.

    Attributes:
        episodes: Number of episodes that can be learned from.
        too_long: Number of episodes left out, because one of their segments is too long.
        most_tokens: Number of tokens in their longest segment.
        without_turns: Number of episodes left out, because the role said nothing in them.
    """

    episodes: int = 0
    too_long: int = 0
    most_tokens: int = 0
    without_turns: int = 0


def is_recording(folder: Path | str) -> bool:
    """Whether a run is a recording.

    Raises:
        StoreError: There is no run, or it cannot be read.
    """
    with RunStore.open(folder, read_only=True) as store:
        return store.meta.get("kind") == RECORDING


def require_learnable(config: TrainConfig, rendering: Rendering) -> tuple[str, ...]:
    """Refuse recordings that a run cannot learn from, before it is begun; nothing is written.

    Returns:
        The runs of `algorithm.replay.runs` that are not recordings.

    Raises:
        StoreError: A recording is of another suite or of other roles, holds nothing that fits, or the algorithm needs
            log-probabilities.
        HeldOutError: A recording is of tasks that are held out.
    """
    algorithm = config.algorithm
    recordings = [folder for folder in algorithm.runs if is_recording(folder)]
    for folder in recordings:
        if algorithm.needs_behaviour_logprobs:
            raise StoreError(
                f"{folder} is a recording, whose tokens have no behaviour log-probabilities, and algorithm.preset "
                f"{algorithm.preset!r} compares with them; clone it by warm_start.run, learn from it by an offline "
                'preset or an actor-critic with actor.kind "resampled" or "awr", or replay a training run'
            )
        with RunStore.open(folder, read_only=True) as source:
            tally = Tally()
            if next(_rendered(source, rendering, tally), None) is None:
                raise StoreError(_nothing_left(source, rendering, tally))
    return tuple(folder for folder in algorithm.runs if folder not in recordings)


def rendered_runs(
    runs: Sequence[str], rendering: Rendering, folder: Path, say: Callable[[str], None]
) -> tuple[str, ...]:
    """The runs to read: in the place of each recording what it was rendered into, which is made where it is missing.

    Rendered runs do not change with the recording, so that a resumed run goes on with the same episodes.

    Args:
        runs: The configured runs.
        rendering: How to render them.
        folder: The run's folder.
        say: Takes a line about each recording.

    Raises:
        HeldOutError: An episode is of a held-out task.
        StoreError: A recording cannot be read or holds nothing that fits, or the folder cannot be written.
    """
    return tuple(
        str(_rendered_run(Path(run), rendering, folder / RENDERED / str(number), say)) if is_recording(run) else run
        for number, run in enumerate(runs)
    )


def _rendered_run(recording: Path, rendering: Rendering, target: Path, say: Callable[[str], None]) -> Path:
    meta = {
        "kind": _TALLY,
        "suite": rendering.suite.name,
        TOKENIZER: tokenizer_digest(rendering.tokenizer),
        "recording": str(recording),
        "longest": rendering.longest,
        "history": rendering.history,
    }
    if (target / DATABASE).exists():
        with RunStore.open(target, read_only=True, expected_meta=meta) as made:
            say(f"{recording}: {_summary(Tally(**made.meta[_TALLY]), rendering)}, as rendered before")
        return target
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        tally = _render(recording, partial, rendering, meta)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    partial.rename(target)
    say(f"{recording}: {_summary(tally, rendering)}")
    return target


def _render(recording: Path, target: Path, rendering: Rendering, meta: dict[str, object]) -> Tally:
    tally = Tally()
    with ExitStack() as stack:
        source = stack.enter_context(RunStore.open(recording, read_only=True))
        made = stack.enter_context(RunStore.create(target, meta))
        for trajectory in _rendered(source, rendering, tally):
            made.write_episode(trajectory)
        if not tally.episodes:
            raise StoreError(_nothing_left(source, rendering, tally))
        made.set_meta({_TALLY: asdict(tally)})
    return tally


def _rendered(source: RunStore, rendering: Rendering, tally: Tally) -> Iterator[Trajectory]:
    """The episodes of a recording that fit, with derived tokens, in order of writing; a chunk in memory at a time."""
    _require_trainable(source, rendering)
    renderer = ChatRenderer(rendering.tokenizer)
    for numbers, _ in _graded(source, rendering.roles):
        for start in range(0, len(numbers), _CHUNK):
            found = source.numbered(numbers[start : start + _CHUNK], with_tokens=False)
            for each in with_tokens(found, renderer, rendering.tools, rendering.history):
                _require_train_task(each, source, rendering)
                most = max((segment.num_tokens for segment in each.segments()), default=0)
                if most > rendering.longest:
                    tally.too_long, tally.most_tokens = tally.too_long + 1, max(tally.most_tokens, most)
                elif not most:
                    tally.without_turns += 1
                else:
                    tally.episodes += 1
                    yield each


def _graded(
    source: RunStore, roles: Sequence[str], purpose: Purpose = "demo"
) -> Iterator[tuple[list[int], np.ndarray]]:
    """Numbers and returns of the graded episodes of some roles, some thousand at a time."""
    for found in source.columns(purpose=purpose):
        is_own = np.array([not roles or role in roles for _, role in found.task], np.bool_)
        yield found.number[is_own].tolist(), found.reward[is_own]


def stored_returns(folder: Path | str, rendering: Rendering) -> np.ndarray:
    """The returns of all episodes of a run that may be learned from."""
    with RunStore.open(folder, read_only=True) as store:
        is_recorded = store.meta.get("kind") == RECORDING
        found = _graded(store, rendering.roles if is_recorded else (), "demo" if is_recorded else "train")
        return np.concatenate([np.zeros(0), *(returns for _, returns in found)])


def _require_trainable(source: RunStore, rendering: Rendering) -> None:
    """Refuse a recording as a whole: of another suite, or of held-out tasks."""
    meta, suite = source.meta, rendering.suite.name
    if meta.get("suite") != suite:
        raise StoreError(
            f"{source.folder} is a recording of the suite {meta.get('suite')!r}, expected {suite!r}; learn from "
            "recordings of the same suite only"
        )
    split = meta[RECORDING]["split"]
    held_out = sorted(id_ for id_, task in source.tasks().items() if task["content_hash"] in rendering.held_out)
    if split != "train" or held_out:
        raise HeldOutError(
            f"{source.folder} is a recording of the split {split!r} with the held-out tasks {held_out[:3]}; what is "
            "learnt from must be of the train split: record that one"
        )


def _require_train_task(trajectory: Trajectory, source: RunStore, rendering: Rendering) -> None:
    if is_held_out(trajectory.split, trajectory.content_hash, rendering.held_out):
        raise HeldOutError(
            f"episode {trajectory.id!r} of {source.folder} is of the held-out task {trajectory.task_id!r}; record the "
            "train split into a new folder"
        )


def _nothing_left(source: RunStore, rendering: Rendering, tally: Tally) -> str:
    if tally.too_long:
        return (
            f"{source.folder} holds nothing that fits: {_summary(tally, rendering)}; raise packing.row_length, "
            "rollout.max_context or the context of the model, or leave turns out by rollout.history"
        )
    roles = f" of the role {' or '.join(rendering.roles)}" if rendering.roles else ""
    return (
        f"{source.folder} is a recording without a graded episode{roles} on the train split; record some, by "
        "`agentgym record`, or leave this run out"
    )


def _summary(tally: Tally, rendering: Rendering) -> str:
    parts = [f"{tally.episodes:,} recorded episodes to learn from"]
    if tally.too_long:
        parts.append(
            f"{tally.too_long:,} left out, with up to {tally.most_tokens:,} tokens where {rendering.longest:,} fit"
        )
    if tally.without_turns:
        parts.append(f"{tally.without_turns:,} left out without a message")
    return ", ".join(parts)
