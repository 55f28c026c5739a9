"""Likeness of texts and pictures against slow loops and worked numbers."""

import random

import numpy as np
import pytest

from agentgym_gui.osworld.metrics.similarity import WINDOW, ratio, structural_similarity


def slow_ratio(first, second):
    row = [0] * (len(second) + 1)
    for one in first:
        diagonal = 0
        for place, other in enumerate(second, 1):
            diagonal, row[place] = row[place], diagonal + 1 if one == other else max(row[place], row[place - 1])
    return 2 * row[-1] / (len(first) + len(second))


def test_ratio_is_twice_the_common_subsequence():
    assert ratio("abcd", "abxd") == 0.75
    assert ratio("", "") == 1.0
    assert ratio("a", "") == 0.0


def test_ratio_agrees_with_a_slow_loop():
    rng = random.Random(4)
    for _ in range(60):
        first, second = ("".join(rng.choices("abcd ", k=rng.randrange(1, 90))) for _ in range(2))
        assert ratio(first, second) == pytest.approx(slow_ratio(first, second))


def test_structural_similarity_agrees_with_a_slow_loop():
    rng = np.random.default_rng(2)
    first = rng.uniform(0, 255, (11, 9))
    second = (first + rng.normal(0, 40, first.shape)).clip(0, 255)
    found = []
    for down in range(first.shape[0] - WINDOW + 1):
        for right in range(first.shape[1] - WINDOW + 1):
            one = first[down : down + WINDOW, right : right + WINDOW]
            other = second[down : down + WINDOW, right : right + WINDOW]
            light, contrast = (0.01 * 255) ** 2, (0.03 * 255) ** 2
            covariance = np.cov(one.ravel(), other.ravel())
            above = (2 * one.mean() * other.mean() + light) * (2 * covariance[0, 1] + contrast)
            below = (one.mean() ** 2 + other.mean() ** 2 + light) * (covariance[0, 0] + covariance[1, 1] + contrast)
            found.append(above / below)
    assert structural_similarity(first, second) == pytest.approx(np.mean(found))
    assert structural_similarity(first, first) == pytest.approx(1.0)
