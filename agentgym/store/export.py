"""Writing a run's episodes as JSON lines, for tools that do not read SQLite.

The other direction does not exist: what was sampled enters a run through `RunStore.write_episode`.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Unpack

from agentgym.picture import Image, data_url
from agentgym.reward import event_to_json
from agentgym.store.query import EpisodeFilter
from agentgym.store.run_store import RunStore
from agentgym.store.whole_file import whole_file, writing
from agentgym.trajectory import Trajectory, Turn


def export_jsonl(store: RunStore, path: Path, *, with_tokens: bool = False, **where: Unpack[EpisodeFilter]) -> int:
    """Write the matching episodes, one JSON object per line; the file is written as a whole or not at all.

    Args:
        store: The run.
        path: The file to write; replaced if it exists.
        with_tokens: Whether to write token ids and log-probabilities too.
        where: Which episodes, as in `RunStore.episodes`.

    Returns:
        Number of lines.

    Raises:
        StoreError: The file cannot be written.
    """
    rows = store.episode_rows(**where)
    with writing(path), whole_file(path) as partial, partial.open("w", encoding="utf-8") as file:
        for row, trajectory in zip(rows, store.load(rows, with_tokens=with_tokens), strict=True):
            fields = {"purpose": row.purpose, "iteration": row.iteration, **_to_json(trajectory, with_tokens)}
            file.write(json.dumps(fields) + "\n")
    return len(rows)


def _to_json(trajectory: Trajectory, with_tokens: bool) -> dict[str, Any]:
    fields = {name: getattr(trajectory, name) for name in Trajectory.__slots__ if name not in ("turns", "events")}
    fields["outcome"] = str(trajectory.outcome)
    fields["last_screenshot"] = _url(trajectory.last_screenshot)
    fields["reward"] = trajectory.total_reward
    fields["events"] = [event_to_json(event) for event in trajectory.events]
    fields["turns"] = [_turn_to_json(turn, with_tokens) for turn in trajectory.turns]
    return fields


def _turn_to_json(turn: Turn, with_tokens: bool) -> dict[str, Any]:
    arrays = ("prompt_ids", "action_ids", "behaviour_logprobs")
    fields = {name: getattr(turn, name) for name in Turn.__slots__ if name not in (*arrays, "times")}
    fields["times"] = asdict(turn.times)
    fields["pictures"] = [place._asdict() for place in turn.pictures]
    fields["screenshot"] = _url(turn.screenshot)
    if with_tokens:
        for name in arrays:
            array = getattr(turn, name)
            fields[name] = None if array is None else array.tolist()
    return fields


def _url(image: Image | None) -> str | None:
    return None if image is None else data_url(image)
