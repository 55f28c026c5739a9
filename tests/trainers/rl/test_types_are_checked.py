"""Tests check the shapes and dtypes that the trainer's maths declares, whatever was imported before."""

import jaxtyping
import numpy as np
import pytest

from agentgym_rl.maths.gae import GaeConfig, gae


def test_a_wrong_dtype_is_refused():
    with pytest.raises(jaxtyping.TypeCheckError):
        gae(np.ones(3, np.float32), np.ones(3), None, GaeConfig())
