"""A run's patches as SWE-bench's predictions: a JSON object a line, which its harness and those like it read.

Environments of repositories say in the detail of their `success` event which instance it was and what was changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from agentgym.errors import WrongRunError
from agentgym.outcome import GRADED
from agentgym.store.query import EpisodeRow, rows_of_policies
from agentgym.store.run_store import RunStore
from agentgym.store.whole_file import require_file_place, whole_file, writing
from agentgym.trajectory import Trajectory

INSTANCE, PATCH = "instance_id", "model_patch"
MODEL = "model_name_or_path"


class Written(NamedTuple):
    """What was written.

    Attributes:
        predictions: Lines.
        empty: Those of them without a change.
        without: Episodes that hold no patch, such as those that failed for infrastructure.
    """

    predictions: int
    empty: int
    without: int


def export_predictions(
    store: RunStore, path: Path, *, policies: Sequence[str] = (), attempt: int = 0, overwrite: bool = False
) -> Written:
    """Write one prediction for each instance that a policy played, in the order of their ids.

    Args:
        store: The run.
        path: The file to write; written as a whole or not at all.
        policies: The policy, where several played.
        attempt: Which of several attempts at each task, from 0.
        overwrite: Whether a file that is there is replaced.

    Raises:
        ConfigError: The file is a folder.
        WrongRunError: No episode of the attempt holds a patch, several policies played and none was named, or the file
            is there.
        UnknownNameError: No policy of that name played.
        StoreError: The file cannot be written.
    """
    require_file_place(path, "predictions")
    own = rows_of_policies(store.episode_rows(), policies)
    playing = sorted({row.policy for row in own})
    if len(playing) > 1:
        _require_patch(store, own)
        raise WrongRunError(
            f"{store.folder} holds episodes of {', '.join(playing)}; a file of predictions is of one policy: "
            "name it with --policy"
        )
    if path.exists() and not overwrite:
        raise WrongRunError(f"{path} is there already; --overwrite replaces it, or name another one")
    wanted = [row for row in own if row.attempt == attempt]
    found = {each[INSTANCE]: each for _, each in _predictions(store, wanted)}
    if not found:
        _require_patch(store, own)
        attempts = ", ".join(map(str, sorted({row.attempt for row, _ in _predictions(store, own)})))
        raise WrongRunError(
            f"{store.folder} holds no patch of attempt {attempt}; it holds patches of attempt {attempts}: choose one "
            "with --attempt"
        )
    _write(path, [found[name] for name in sorted(found)])
    empty = sum(not each[PATCH] for each in found.values())
    return Written(len(found), empty, len(wanted) - len(found))


def _require_patch(store: RunStore, rows: Sequence[EpisodeRow]) -> None:
    """Refuse episodes of which none holds a patch."""
    if next(_predictions(store, rows), None) is None:
        raise WrongRunError(
            f"{store.folder} holds no patch in these episodes; patches come from environments of repositories, such as "
            "agentgym/Repair-v0"
        )


def _predictions(store: RunStore, rows: Sequence[EpisodeRow]) -> Iterator[tuple[EpisodeRow, dict[str, Any]]]:
    """The graded episodes that hold a patch, each with its prediction."""
    graded = [row for row in rows if row.outcome in GRADED]
    for row, trajectory in zip(graded, store.load(graded, with_tokens=False), strict=True):
        prediction = _prediction(trajectory, row.policy)
        if prediction is not None:
            yield row, prediction


def _prediction(trajectory: Trajectory, policy: str) -> dict[str, Any] | None:
    for event in reversed(trajectory.events):
        detail = event.detail or {}
        if event.component == "success" and isinstance(detail.get(PATCH), str) and detail.get(INSTANCE):
            return {INSTANCE: str(detail[INSTANCE]), MODEL: policy, PATCH: detail[PATCH]}
    return None


def _write(path: Path, predictions: Sequence[dict[str, Any]]) -> None:
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as partial:
            partial.write_text("".join(f"{json.dumps(each)}\n" for each in predictions), encoding="utf-8")
