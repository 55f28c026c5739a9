"""A run's screenshots as files: one for each turn, and one of the end, with a list that says what each shows."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from agentgym.errors import WrongRunError
from agentgym.picture import Image
from agentgym.store.query import EpisodeRow, rows_of_policies
from agentgym.store.run_store import RunStore
from agentgym.store.whole_file import require_folder_place, whole_file, writing
from agentgym.trajectory import Trajectory

LIST = "screenshots.jsonl"
"""Says of each file the episode, its task, policy, role, attempt and success, the number of the turn, and what was said
at it; the picture of the end has no turn."""
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_CHUNK = 20
"""Episodes whose screenshots are in memory at once."""


class Written(NamedTuple):
    """What was written.

    Attributes:
        screenshots: Files.
        episodes: Episodes that have any.
        without: Episodes without screenshots.
    """

    screenshots: int
    episodes: int
    without: int


def export_screenshots(
    store: RunStore, folder: Path, *, policies: Sequence[str] = (), overwrite: bool = False
) -> Written:
    """Write the screenshots of a run's episodes, each episode into a folder `TASK/POLICY-ROLE-ATTEMPT` of its own.

    `turn-001.png` is what a person would have seen before the first turn, `end.png` what there was at the end.

    Args:
        store: The run.
        folder: The folder to write; created if it is missing.
        policies: Only episodes of these policies; all if none is given.
        overwrite: Whether screenshots of an earlier export may be replaced.

    Raises:
        ConfigError: The folder is a file.
        UnknownNameError: No policy of that name played.
        WrongRunError: No episode has a screenshot, or the folder holds screenshots already.
        StoreError: The folder cannot be written.
    """
    require_folder_place(folder, "a set of screenshots")
    wanted = rows_of_policies(store.episode_rows(), policies)
    if (folder / LIST).exists() and not overwrite:
        raise WrongRunError(f"{folder} holds screenshots already; --overwrite replaces them, or name another one")
    lines: list[dict[str, Any]] = []
    names: Counter[str] = Counter()
    with writing(folder):
        for trajectory in _with_screenshots(store, wanted):
            if not lines:
                _remove_earlier(folder)
            name = _name_of(trajectory)
            names[name] += 1
            lines += _write_episode(trajectory, folder, name if names[name] == 1 else f"{name}-{names[name]}")
        if not lines:
            raise WrongRunError(
                f"{store.folder} holds no screenshots of these episodes; 'agentgym eval --screenshots' takes them of "
                "episodes that it plays: give it another folder with --run"
            )
        with whole_file(folder / LIST) as partial:
            partial.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    episodes = names.total()
    return Written(len(lines), episodes, len(wanted) - episodes)


def _with_screenshots(store: RunStore, rows: Sequence[EpisodeRow]) -> Iterator[Trajectory]:
    for start in range(0, len(rows), _CHUNK):
        for trajectory in store.load(rows[start : start + _CHUNK], with_tokens=False):
            if trajectory.last_screenshot is not None or any(turn.screenshot for turn in trajectory.turns):
                yield trajectory


def _remove_earlier(folder: Path) -> None:
    """Remove the screenshots that the list of an earlier export names.

    Raises:
        WrongRunError: The file of that name is no list of screenshots.
    """
    if not (folder / LIST).exists():
        return
    try:
        lines = (folder / LIST).read_text(encoding="utf-8").splitlines()
        paths = [(folder / json.loads(line)["file"]).resolve() for line in lines]
    except (ValueError, KeyError, TypeError) as error:
        raise WrongRunError(f"{folder / LIST} is no list of screenshots, so it stays; name another folder") from error
    for path in paths:
        if path.is_relative_to(folder.resolve()):
            path.unlink(missing_ok=True)
    (folder / LIST).unlink()


def _name_of(trajectory: Trajectory) -> str:
    """The folder of an episode, below that of the export; episodes may share it."""
    who = f"{_name(trajectory.policy)}-{_name(trajectory.role)}-{trajectory.attempt}"
    return f"{_name(trajectory.task_id)}/{who}"


def _write_episode(trajectory: Trajectory, folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """Write the screenshots of an episode into a folder below `folder`; yields what the list says of each."""
    own = folder / name
    shots: list[tuple[int | None, str, Image | None, str]] = [
        (number, f"turn-{number:03d}", turn.screenshot, turn.text) for number, turn in enumerate(trajectory.turns, 1)
    ]
    shots.append((None, "end", trajectory.last_screenshot, ""))
    for number, moment, image, text in shots:
        if image is None:
            continue
        own.mkdir(parents=True, exist_ok=True)
        path = own / f"{moment}{_suffix(image)}"
        with whole_file(path) as partial:
            partial.write_bytes(image.content)
        yield {
            "file": str(path.relative_to(folder)),
            "episode": trajectory.id,
            "task": trajectory.task_id,
            "policy": trajectory.policy,
            "role": trajectory.role,
            "attempt": trajectory.attempt,
            "success": trajectory.success,
            "turn": number,
            "said": text,
        }


def _suffix(image: Image) -> str:
    kind = image.media_type.removeprefix("image/")
    return f".{kind}" if kind.isalnum() else ".bin"


def _name(text: str) -> str:
    """A text as a file name."""
    return _NO_NAME.sub("-", text).strip(".-")[:100] or "none"
