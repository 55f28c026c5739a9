"""A run's episodes as a dataset of Parquet files that Hugging Face's `datasets` loads: one row per episode.

Pictures are a separate dataset, each of them once. Token ids are left out, because they belong to one tokenizer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentgym.errors import MissingExtraError, WrongRunError
from agentgym.message import Message, content_text
from agentgym.outcome import GRADED
from agentgym.picture import PlacedPicture, placed_pictures
from agentgym.store.query import EpisodeRow, rows_of_policies
from agentgym.store.run_store import RunStore
from agentgym.store.whole_file import require_folder_place, whole_file, writing
from agentgym.trajectory import Trajectory

if TYPE_CHECKING:
    from types import ModuleType

_NO_SPLIT = "train"
"""Where episodes of tasks without a split go, such as those made from a seed."""
_CHUNK = 1000
"""Episodes that are in memory at once."""
_SURROGATES = re.compile("[\ud800-\udfff]")
_CARD = """\
---
configs:
- config_name: default
  data_files:
{files}{pictures}
---
Episodes of agents, one a row: `messages` in chat form; by turn `actions`, `rewards` and `components`; `return`,
`score`, `success` and `outcome` of the whole; `policy` says who played. Splits are those of the tasks: train on
`train` alone. `pictures` says where pictures stand: index of the message, index of its content part, and `hash`, by
which the configuration `pictures` has the file.
"""
_PICTURES_CARD = "\n- config_name: pictures\n  data_files: pictures/pictures.parquet"


def export_dataset(
    store: RunStore, folder: Path, *, policies: Sequence[str] = (), overwrite: bool = False
) -> dict[str, int]:
    """Write a run's graded episodes, a file for each split of their tasks, in the order of their ids.

    Args:
        store: The run.
        folder: The folder to write, which `datasets.load_dataset(str(folder))` reads. It is created if it is missing.
        policies: Only episodes of these policies; all if none is given.
        overwrite: Whether files of an earlier export may be replaced.

    Returns:
        Number of episodes by split.

    Raises:
        MissingExtraError: pyarrow is not installed.
        UnknownNameError: No policy of that name played a graded episode.
        ConfigError: The folder is a file.
        WrongRunError: There are no graded episodes, or the folder holds a dataset already.
        StoreError: The folder cannot be written.
    """
    try:
        import pyarrow as arrow  # type: ignore[import-untyped]
        import pyarrow.parquet as parquet  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtraError("a dataset of Parquet files", "data") from None
    require_folder_place(folder, "a dataset")
    rows = _chosen(store, policies)
    files = {split: folder / "data" / f"{split}-00000-of-00001.parquet" for split in rows}
    present = sorted(folder.glob("data/*.parquet"))
    if present and not overwrite:
        raise WrongRunError(
            f"{folder} holds a dataset already: {present[0]}; --overwrite replaces it, or name another one"
        )
    with writing(folder):
        (folder / "data").mkdir(parents=True, exist_ok=True)
        for split, own in rows.items():
            with whole_file(files[split]) as partial, parquet.ParquetWriter(partial, schema(arrow)) as writer:
                for start in range(0, len(own), _CHUNK):
                    loaded = store.load(own[start : start + _CHUNK], with_tokens=False)
                    records = [_without_surrogates(_record(each)) for each in loaded]
                    writer.write_table(arrow.Table.from_pylist(records, schema(arrow)))
        has_pictures = _write_pictures(store, [row for own in rows.values() for row in own], folder)
        for path in set(present) - set(files.values()):
            path.unlink()
        lines = (f"  - split: {split}\n    path: data/{path.name}" for split, path in files.items())
        card = _CARD.format(files="\n".join(lines), pictures=_PICTURES_CARD if has_pictures else "")
        with whole_file(folder / "README.md") as partial:
            partial.write_text(card, encoding="utf-8")
    return {split: len(own) for split, own in rows.items()}


def _write_pictures(store: RunStore, rows: Sequence[EpisodeRow], folder: Path) -> bool:
    """Write each picture of episodes once, in the order of their hashes; whether there are any."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    path = folder / "pictures" / "pictures.parquet"
    keys = {place.hash for each in store.load(rows, with_tokens=False) for place in _places(each)} - {""}
    if not keys:
        path.unlink(missing_ok=True)
        return False
    path.parent.mkdir(exist_ok=True)
    columns = arrow.schema([("hash", arrow.string()), ("media_type", arrow.string()), ("content", arrow.binary())])
    with whole_file(path) as partial, parquet.ParquetWriter(partial, columns) as writer:
        for key in sorted(keys):
            writer.write_table(arrow.Table.from_pylist([store.image(key)._asdict()], columns))
    return True


def _places(trajectory: Trajectory) -> list[PlacedPicture]:
    return placed_pictures(list(trajectory.transcript()))


def schema(arrow: ModuleType) -> Any:
    """The columns, given pyarrow."""
    text, number, whole = arrow.string(), arrow.float64(), arrow.int64()
    call = {"id": text, "type": text, "function": _struct(arrow, {"name": text, "arguments": text})}
    message = {
        "role": text,
        "content": text,
        "reasoning_content": text,
        "tool_calls": arrow.list_(_struct(arrow, call)),
        "tool_call_id": text,
        "name": text,
    }
    component = {"component": text, "value": number, "weight": number}
    picture = {"message": whole, "part": whole, "hash": text}
    columns = {
        **dict.fromkeys(("episode", "task", "suite", "split", "stratum", "policy", "role"), text),
        "seed": whole,
        "attempt": whole,
        "messages": arrow.list_(_struct(arrow, message)),
        "pictures": arrow.list_(_struct(arrow, picture)),
        "actions": arrow.list_(text),
        "rewards": arrow.list_(number),
        "components": arrow.list_(arrow.list_(_struct(arrow, component))),
        "return": number,
        "score": number,
        "success": arrow.bool_(),
        "outcome": text,
    }
    return arrow.schema(list(columns.items()))


def _struct(arrow: ModuleType, fields: Mapping[str, Any]) -> Any:
    return arrow.struct(list(fields.items()))


def _chosen(store: RunStore, policies: Sequence[str]) -> dict[str, list[EpisodeRow]]:
    """The graded episodes by split, in the order of their ids: who finished first is chance."""
    graded = [row for row in store.episode_rows() if row.outcome in GRADED]
    if not graded:
        raise WrongRunError(f"{store.folder} holds no graded episodes to export; play some: agentgym record")
    by_split: dict[str, list[EpisodeRow]] = {}
    for row in sorted(rows_of_policies(graded, policies), key=lambda row: row.id):
        by_split.setdefault(row.split or _NO_SPLIT, []).append(row)
    return by_split


def _record(trajectory: Trajectory) -> dict[str, Any]:
    components: list[list[dict[str, Any]]] = [[] for _ in trajectory.turns]
    for event in trajectory.events if components else ():
        place = min(max(event.turn, 0), len(components) - 1)
        weight = trajectory.weights[event.component]
        components[place].append({"component": event.component, "value": event.value, "weight": weight})
    return {
        "episode": trajectory.id,
        "task": trajectory.task_id,
        "suite": trajectory.suite,
        "split": trajectory.split,
        "stratum": trajectory.stratum,
        "policy": trajectory.policy,
        "role": trajectory.role,
        "seed": trajectory.seed,
        "attempt": trajectory.attempt,
        "messages": [_message(message) for message in trajectory.transcript()],
        "pictures": [place._asdict() for place in _places(trajectory)],
        "actions": [turn.text for turn in trajectory.turns],
        "rewards": trajectory.step_rewards().tolist(),
        "components": components,
        "return": trajectory.total_reward,
        "score": trajectory.score,
        "success": trajectory.success,
        "outcome": str(trajectory.outcome),
    }


def _without_surrogates(value: Any) -> Any:
    """The same with a replacement character for each lone surrogate in its texts, which pyarrow cannot write."""
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", value)
    if isinstance(value, dict):
        return {key: _without_surrogates(each) for key, each in value.items()}
    return [_without_surrogates(each) for each in value] if isinstance(value, list) else value


def _message(message: Message) -> dict[str, Any]:
    """A chat message whose content is text, images reading as `[image]`, and whose arguments are JSON text."""
    calls = [
        {
            "id": call.get("id"),
            "type": call.get("type", "function"),
            "function": {**call["function"], "arguments": _json_text(call["function"].get("arguments", {}))},
        }
        for call in message.get("tool_calls") or ()
    ]
    kept = {key: message.get(key) for key in ("role", "reasoning_content", "tool_call_id", "name")}
    return {**kept, "content": content_text(message), "tool_calls": calls or None}


def _json_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
