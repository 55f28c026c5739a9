"""Tests check the shapes and dtypes that the trainer's maths declares, whatever was imported before."""

import jaxtyping
import numpy as np
import pytest

from agentgym_rl.discounting import discounted_suffix_sums


def test_a_wrong_dtype_is_refused():
    with pytest.raises(jaxtyping.TypeCheckError):
        discounted_suffix_sums(np.ones(3, np.float32), 0.9)
