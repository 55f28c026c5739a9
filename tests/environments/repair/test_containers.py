"""Repair-v0 in containers: the same verdicts as without them."""

from collections.abc import Iterator

import pytest

from agentgym.authoring.players import call_text
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.sandbox.source import provider_named
from agentgym.task import Task
from agentgym.testing.episodes import play_actions, play_script
from agentgym_swe.repair.env import RepairEnv
from agentgym_swe.repair.ground import close_judges
from agentgym_swe.repair.scripts import SCRIPTS
from agentgym_swe.repair.tampering.table import ATTACKS
from agentgym_swe.repair.task_view import read_task
from tests.environments.in_containers import needs_image

pytestmark = needs_image("swe")


@pytest.fixture(scope="module")
def contained() -> Iterator[RepairEnv]:
    with SandboxPool(provider_named("docker"), PoolConfig(ready=1)) as pool:
        made = RepairEnv(sandbox=pool)
        yield made
        made.close()
        close_judges()


def test_oracle_solves_and_attempts_do_not(contained: RepairEnv, task: Task) -> None:
    assert play_script(contained, task, SCRIPTS["oracle"](task, 0)).success
    for name in ("conftest_at_the_top", "patched_report"):
        attempt = call_text("shell", command=ATTACKS[name](read_task(task)).script())
        assert not play_actions(contained, task, [attempt, call_text("submit")]).success
