"""Rendered screens that need no desktop: a bright square, or a plate with two marks, at drawn places on black."""

import json
import random
from pathlib import Path

import numpy as np

from agentgym.picture import png_of

WIDTH, HEIGHT = 256, 128


def write_screens(folder: Path, count: int) -> Path:
    """Pictures of a plate with a bright and a dim square, and their targets in ScreenSpot's format."""
    rng = random.Random(7)
    (folder / "images").mkdir(parents=True)
    rows = []
    for number in range(count):
        x, y = rng.randrange(0, WIDTH - 96, 8), rng.randrange(0, HEIGHT - 48, 8)
        pixels = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        pixels[y : y + 48, x : x + 96] = 60
        pixels[y + 8 : y + 40, x + 8 : x + 40] = 255
        pixels[y + 8 : y + 40, x + 56 : x + 88] = 150
        name = f"plate-{number}.png"
        (folder / "images" / name).write_bytes(png_of(pixels))
        for words, left in (("click the bright one", x + 8), ("click the dim one", x + 56)):
            box = [left, y + 8, 32, 32]
            rows.append({"img_filename": name, "bbox": box, "instruction": words, "data_type": "name"})
    path = folder / "targets.json"
    path.write_text(json.dumps(rows))
    return path
