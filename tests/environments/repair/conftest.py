"""One prepared package, faults planted in it, and an environment that plays them under bubblewrap."""

from collections.abc import Callable, Iterator

import pytest

from agentgym.sandbox.lender import lender_of
from agentgym.task import Limits, Task
from agentgym_swe.repair.env import RepairEnv
from agentgym_swe.repair.ground import close_judges
from agentgym_swe.repair.verdict.judge import Judge
from agentgym_swe.repositories.layer import Layer
from agentgym_swe.repositories.preparing import prepare

RELAXED = ("cpus", "memory_mib")
FREQUENCIES = ("toolz/tests/test_itertoolz.py::test_frequencies", "toolz/tests/test_recipes.py::test_countby")
Plant = Callable[..., Task]


@pytest.fixture(scope="package")
def layer() -> Layer:
    return prepare(["toolz"], sandbox="bubblewrap")[0].layer


@pytest.fixture(scope="package")
def plant(layer: Layer) -> Plant:
    """Makes a task of a fault: a text of a file and what takes its place."""

    def planted(
        old: str = "d[item] += 1",
        new: str = "d[item] += 2",
        failing: tuple[str, ...] = FREQUENCIES,
        function: str = "toolz.itertoolz.frequencies",
        path: str = "toolz/itertoolz.py",
    ) -> Task:
        start = layer.text(path).index(old, layer.text(path).index(f"def {function.rpartition('.')[2]}"))
        config = {"package": "toolz", "digest": layer.digest, "edits": [[path, start, start + len(old), new]]}
        relevant = sorted({test.partition("::")[0] for test in failing})
        private = {"failing": list(failing), "relevant": relevant, "functions": [function]}
        return Task("planted", 0, "It counts wrong.", config=config, private=private, limits=Limits(max_turns=20))

    return planted


@pytest.fixture(scope="package")
def task(plant: Plant) -> Task:
    return plant()


@pytest.fixture(scope="module")
def env() -> Iterator[RepairEnv]:
    made = RepairEnv(sandbox="bubblewrap", relaxed=RELAXED)
    yield made
    made.close()
    close_judges()


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(lender_of("bubblewrap", RELAXED))
