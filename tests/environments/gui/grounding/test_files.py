"""Files of ScreenSpot and ScreenSpot-Pro are told apart by their boxes, or refused."""

import json

import numpy as np
import pytest

from agentgym.errors import ConfigError
from agentgym.picture import png_of
from agentgym_gui.grounding.env import GroundingEnv
from agentgym_gui.grounding.files import form_of, load_targets

SIZE = (200, 100)


def write(folder, boxes, name="targets.json", **fields):
    (folder / "images").mkdir(exist_ok=True)
    (folder / "images" / "a.png").write_bytes(png_of(np.zeros((SIZE[1], SIZE[0], 3), np.uint8)))
    rows = [{"img_filename": "a.png", "bbox": box, "instruction": f"find {n}", **fields} for n, box in enumerate(boxes)]
    (folder / name).write_text(json.dumps(rows))
    return folder / name


def test_boxes_are_told_apart_by_what_fits_the_pictures():
    sizes = [SIZE, SIZE]
    assert form_of([[150, 60, 40, 30], [10, 10, 20, 20]], sizes) == "xywh"
    assert form_of([[150, 60, 190, 90], [10, 10, 20, 20]], sizes) == "corners"


@pytest.mark.parametrize(
    ("boxes", "expected"), [([[150, 60, 40, 30]], [150, 60, 40, 30]), ([[150, 60, 190, 90]], [150, 60, 40, 30])]
)
def test_both_formats_become_the_same_target(tmp_path, boxes, expected):
    [task] = load_targets(write(tmp_path, boxes))
    assert task.private["box"] == expected


def test_a_file_that_fits_both_ways_is_refused_until_it_is_said(tmp_path):
    file = write(tmp_path, [[10, 10, 50, 40], [20, 5, 60, 50]])
    with pytest.raises(ConfigError, match=r"2 boxes can be read as x, y, width, height .* Say boxes='xywh'"):
        load_targets(file)
    assert load_targets(file, form="corners")[0].private["box"] == [10, 10, 40, 30]
    assert load_targets(file, form="xywh")[0].private["box"] == [10, 10, 50, 40]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([[190, 90, 50, 5]], "fit their pictures neither way"),
        ("{", "no JSON"),
        ({"a": 1}, "must be a JSON list"),
        ([[1, 2, 3]], "entry 0: bbox must be four numbers"),
        ([[1, 2, 3, "4"]], "entry 0: bbox must be four numbers"),
        ([[float("nan"), 2, 3, 4]], "entry 0: bbox must be four numbers"),
        ([], "holds no targets"),
    ],
)
def test_malformed_files_are_explained(tmp_path, rows, why):
    file = write(tmp_path, rows if isinstance(rows, list) else [])
    if not isinstance(rows, list):
        file.write_text(rows if isinstance(rows, str) else json.dumps(rows))
    with pytest.raises(ConfigError, match=why):
        load_targets(file)


def test_pictures_outside_their_folder_are_refused(tmp_path):
    file = write(tmp_path, [[1, 1, 5, 5]], img_filename="../../secret.png")
    with pytest.raises(ConfigError, match="outside the folder"):
        load_targets(file)


def test_a_missing_picture_is_named(tmp_path):
    file = write(tmp_path, [[1, 1, 5, 5]], img_filename="b.png")
    with pytest.raises(ConfigError, match=r"no picture .*b\.png"):
        load_targets(file)


def test_files_are_played_with_their_pictures(tmp_path):
    file = write(tmp_path, [[150, 60, 40, 30], None])
    env = GroundingEnv(targets=str(file), answers="text", scale=0.5)
    assert env.num_tasks == 2
    observation, _ = env.reset(seed=0)
    assert observation["image"].shape == (50, 100, 3)
    assert "find 0" in observation["text"]
    assert env.step("It is at [85, 37].")[4]["success"]
    env.reset(seed=1)
    assert env.step("That is absent.")[4]["success"]
