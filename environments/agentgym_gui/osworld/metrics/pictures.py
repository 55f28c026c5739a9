"""Metrics over pictures: size and structural similarity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from PIL.Image import Image, Resampling

from agentgym_gui.osworld.metrics.similarity import WINDOW, structural_similarity
from agentgym_gui.osworld.metrics.texts import File
from agentgym_gui.osworld.metrics.values import Metric
from agentgym_gui.verify.pictures import opened

SAME = 0.9
"""The similarity from which two pictures count as the same in structure."""


def compare_images(result: File, expected: File, **options: Any) -> float:
    """The structural similarity of two pictures in grey, at the smaller one's size.

    With `reference_base_result`, what exceeds it by over .01 counts, scaled to reach 1.
    """
    if result is None or expected is None:
        return 0.0
    pictures = [opened(each).convert("L") for each in (result, expected)]
    size = min(each.size for each in pictures)
    if min(size) < WINDOW:
        return 0.0
    grey = [np.asarray(each.resize(size, Resampling.LANCZOS), dtype=np.float64) for each in pictures]
    found = structural_similarity(grey[0], grey[1])
    base = options.get("reference_base_result")
    if base is None:
        return max(0.0, found)
    return (found - base) / (1 - base) if found >= base + 0.01 else 0.0


def check_structure_sim(result: File, expected: File) -> float:
    """Whether two pictures have one size and a structural similarity of at least .9, colour by colour."""
    if result is None or expected is None:
        return 0.0
    return float(_are_alike(opened(result), opened(expected)))


def _are_alike(first: Image, second: Image) -> bool:
    if first.size != second.size or min(first.size) < WINDOW:
        return False
    one, other = (np.asarray(each.convert("RGB"), dtype=np.float64) for each in (first, second))
    found = [structural_similarity(one[:, :, colour], other[:, :, colour]) for colour in range(3)]
    return sum(found) / 3 >= SAME


def check_image_size(result: File, rules: Mapping[str, Any]) -> float:
    """Whether a picture has the expected `width` and `height`, without its transparent margin if asked so."""
    if result is None:
        return 0.0
    picture = opened(result)
    width, height = picture.size
    is_clear = picture.mode in ("RGBA", "LA") and rules.get("ignore_transparent", False)
    if is_clear or "transparency" in picture.info:
        box = picture.convert("RGBA").getchannel("A").getbbox() or (0, 0, 0, 0)
        width, height = box[2] - box[0], box[3] - box[1]
    wanted = (rules.get("width"), rules.get("height"))
    return float(all(want is None or want == found for want, found in zip(wanted, (width, height), strict=True)))


METRICS: Mapping[str, Metric] = {
    "compare_images": compare_images,
    "check_structure_sim": check_structure_sim,
    "check_file_exists_and_structure_sim": check_structure_sim,
    "check_image_size": check_image_size,
}
"""The metrics over pictures, by name."""
