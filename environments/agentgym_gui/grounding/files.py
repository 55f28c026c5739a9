"""Files of grounding data: ScreenSpot's boxes are x, y, width and height; those of ScreenSpot-Pro are two corners.

The two look alike, and mixing them up shifts every box, so a file is read as what fits all of its pictures, and is
refused where both do.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from PIL import Image, UnidentifiedImageError

from agentgym.errors import ConfigError, TaskError
from agentgym.task import Limits, Task
from agentgym_gui.actions.events import Box

Form = Literal["xywh", "corners"]
FORMS: Mapping[str, Callable[[Sequence[float]], tuple[float, float, float, float]]] = {
    "xywh": lambda box: (box[0], box[1], box[0] + box[2], box[1] + box[3]),
    "corners": lambda box: (box[0], box[1], box[2], box[3]),
}
"""By form the left, upper, right and lower edge of a box."""
MAX_BYTES = 256 << 20
MAX_ROWS = 500_000
MAX_TURNS = 3
_SLACK = 1.0
"""Pixels by which a box of foreign data may reach over its picture."""


def load_targets(path: Path, images: Path | None = None, form: str = "") -> list[Task]:
    """Tasks of a file of ScreenSpot's, or of all files below a folder.

    Args:
        path: A JSON file: a list of objects with img_filename, bbox and instruction.
        images: The folder of the pictures; None looks for `images` beside the file, and one folder up.
        form: "xywh" or "corners"; "" for what fits the pictures.

    Raises:
        ConfigError: A file is missing or malformed, or its boxes can be read both ways.
    """
    if form not in ("", *FORMS):
        raise ConfigError(f"boxes are '' (found out), 'xywh' or 'corners': got {form!r}")
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    tasks = [task for file in files for task in _tasks_of(file, images, form)]
    if not tasks:
        raise ConfigError(f"{path} holds no targets; expected JSON lists with img_filename, bbox and instruction")
    return tasks


def form_of(boxes: Sequence[Sequence[float]], sizes: Sequence[tuple[int, int]], name: str = "the file") -> Form:
    """How the boxes of a file are written.

    Args:
        boxes: Four numbers each.
        sizes: Width and height of the picture of each.
        name: What an error calls the file.

    Raises:
        ConfigError: They fit both ways or none; the message says which box tells, or what to say.
    """
    wrong = {form: _first_wrong(boxes, sizes, form) for form in FORMS}
    fitting: list[Form] = [form for form in ("xywh", "corners") if wrong[form] is None]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise ConfigError(
            f"{name}: its {len(boxes)} boxes can be read as x, y, width, height (ScreenSpot) and as left, top, right, "
            "bottom (ScreenSpot-Pro), since all fit their pictures both ways. Say boxes='xywh' or boxes='corners'."
        )
    raise ConfigError(
        f"{name}: its boxes fit their pictures neither way: entry {wrong['xywh']} as x, y, width, height, and entry "
        f"{wrong['corners']} as left, top, right, bottom. Check that the pictures belong to the file."
    )


def picture_size(path: Path) -> tuple[int, int]:
    """Width and height of a picture, read from its head.

    Raises:
        ConfigError: It is missing, or no picture.
    """
    try:
        with Image.open(path) as picture:
            return picture.size
    except FileNotFoundError:
        raise ConfigError(f"there is no picture {path}; name the folder with images=…") from None
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError, ValueError) as error:
        raise ConfigError(f"{path} is no picture that can be read: {error}") from error


def _tasks_of(file: Path, images: Path | None, form: str) -> Iterator[Task]:
    rows = _rows(file)
    folder = images if images is not None else _images_of(file)
    paths = [folder / row["img_filename"] for row in rows]
    home = folder.resolve()
    for path in dict.fromkeys(paths):
        if not path.resolve().is_relative_to(home):
            raise ConfigError(f"{file}: its picture {path} lies outside the folder {folder}")
    known = {path: picture_size(path) for path in dict.fromkeys(paths)}
    sizes = [known[path] for path in paths]
    present = [number for number, row in enumerate(rows) if row["bbox"] is not None]
    boxes = [rows[number]["bbox"] for number in present]
    told = form or ("xywh" if not boxes else "") or form_of(boxes, [sizes[number] for number in present], str(file))
    at = _first_wrong(boxes, [sizes[number] for number in present], told)
    if at is not None:
        raise ConfigError(f"{file}, entry {present[at]}: the box {boxes[at]} does not fit its picture as {told}")
    counts: Counter[str] = Counter()
    for number, row in enumerate(rows):
        key = str(row.get("id") or f"{file.stem}-{number}")
        counts[key] += 1
        yield _task(key if counts[key] == 1 else f"{key}-{counts[key]}", row, paths[number], sizes[number], told)


def _task(task_id: str, row: Mapping[str, Any], path: Path, size: tuple[int, int], form: str) -> Task:
    private: dict[str, Any] = {"box": None}
    if row["bbox"] is not None:
        left, top, right, bottom = FORMS[form](row["bbox"])
        x, y = max(int(left), 0), max(int(top), 0)
        box = Box(x, y, max(round(right) - x, 1), max(round(bottom) - y, 1)).within(*size)
        if box is None:
            raise ConfigError(f"task {task_id!r}: its box {row['bbox']} lies outside its picture of {size}")
        private["box"] = [box.x, box.y, box.width, box.height]
    kind = str(row.get("data_type") or row.get("ui_type") or "")
    source = str(row.get("data_source") or row.get("application") or "")
    return Task(
        id=task_id,
        seed=0,
        instruction=str(row["instruction"]),
        stratum=kind or "all",
        config={"picture": str(path), "width": size[0], "height": size[1], "source": source},
        limits=Limits(max_turns=MAX_TURNS),
        private=private,
    )


def _rows(file: Path) -> list[dict[str, Any]]:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise ConfigError(f"{file} has more than {MAX_BYTES >> 20} MiB")
        rows = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no file {file}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{file} is no JSON: {error}") from error
    if not isinstance(rows, list) or len(rows) > MAX_ROWS:
        raise ConfigError(f"{file} must be a JSON list of at most {MAX_ROWS} targets")
    for number, row in enumerate(rows):
        try:
            _require(row)
        except TaskError as error:
            raise ConfigError(f"{file}, entry {number}: {error}") from None
    return rows


def _require(row: Any) -> None:
    if not isinstance(row, dict):
        raise TaskError(f"expected an object, got {type(row).__name__}")
    for key in ("img_filename", "instruction"):
        if not isinstance(row.get(key), str) or not row[key] or "\0" in row[key]:
            raise TaskError(f"{key} must be a text")
    box = row.get("bbox", ())
    is_box = isinstance(box, list) and len(box) == 4 and all(_is_number(each) for each in box)
    if box is not None and not is_box:
        raise TaskError("bbox must be four numbers, or null where the target is not in the picture")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e6


def _first_wrong(boxes: Sequence[Sequence[float]], sizes: Sequence[tuple[int, int]], form: str) -> int | None:
    """The first box that cannot be in its picture; None if all can."""
    for number, (box, (width, height)) in enumerate(zip(boxes, sizes, strict=True)):
        left, top, right, bottom = FORMS[form](box)
        inside = -_SLACK <= left < right <= width + _SLACK and -_SLACK <= top < bottom <= height + _SLACK
        if not inside:
            return number
    return None


def _images_of(file: Path) -> Path:
    places = (file.parent / "images", file.parent.parent / "images", file.parent)
    return next((place for place in places if place.is_dir()), file.parent)
