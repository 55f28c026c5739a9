import io

import numpy as np
import pytest
from PIL import Image

from agentgym.errors import ConfigError
from agentgym_web.formats.webarena.pictures import alike, read_picture


def test_pictures_are_alike_by_what_they_show():
    rng = np.random.default_rng(0)
    one = rng.integers(0, 256, (40, 60, 3), np.uint8)
    noisy = np.clip(one.astype(int) + rng.integers(-4, 5, one.shape), 0, 255).astype(np.uint8)
    assert alike(one, one) == pytest.approx(1)
    assert 0.9 < alike(one, noisy) < 1
    assert alike(one, rng.integers(0, 256, one.shape, np.uint8)) < 0.2
    larger = np.asarray(Image.fromarray(one).resize((120, 80), Image.Resampling.NEAREST))
    assert alike(one, larger) > 0.6


def test_similarity_is_that_of_its_formula():
    """Each square by a slow loop."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 256, (2, 9, 8)).astype(np.uint8)
    found = []
    for top in range(3):
        for left in range(2):
            x, y = (each[top : top + 7, left : left + 7].astype(float).ravel() for each in (a, b))
            cov = np.cov(x, y)
            c1, c2 = 6.5025, 58.5225
            above = (2 * x.mean() * y.mean() + c1) * (2 * cov[0, 1] + c2)
            found.append(above / ((x.mean() ** 2 + y.mean() ** 2 + c1) * (cov[0, 0] + cov[1, 1] + c2)))
    assert alike(np.dstack([a] * 3), np.dstack([b] * 3)) == pytest.approx(np.mean(found))


def test_file_that_is_no_picture_is_named(tmp_path):
    (tmp_path / "a.png").write_bytes(b"no picture")
    with pytest.raises(ConfigError, match=r"a\.png is no picture"):
        read_picture("task 1", "a.png", tmp_path, None)
    with pytest.raises(ConfigError, match=r"b\.png cannot be read"):
        read_picture("task 1", "b.png", tmp_path, None)
    kept = io.BytesIO()
    Image.new("RGB", (3, 2), "red").save(kept, "GIF")
    (tmp_path / "c.gif").write_bytes(kept.getvalue())
    assert read_picture("task 1", "c.gif", tmp_path, None).tolist() == [[[255, 0, 0]] * 3] * 2
