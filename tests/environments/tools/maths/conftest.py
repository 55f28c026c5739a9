from collections.abc import Iterator

import pytest

from agentgym_tools.maths.env import MathsEnv


@pytest.fixture
def env() -> Iterator[MathsEnv]:
    made = MathsEnv(sandbox="process")
    yield made
    made.close()
