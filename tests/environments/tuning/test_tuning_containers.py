"""Tuning-v0 with its servers in containers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.lender import lender_of
from agentgym.testing.episodes import play_script
from agentgym_swe.tuning.env import TuningEnv
from agentgym_swe.tuning.measuring import SPEC, ask, put_programs, request
from agentgym_swe.tuning.problem import to_task
from agentgym_swe.tuning.scripts import SCRIPTS
from agentgym_swe.tuning.servers.catalogue import LOADS, start_config
from agentgym_swe.tuning.servers.option import Value
from tests.environments.in_containers import needs_image

pytestmark = needs_image("tuning")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with lender_of("docker").lease(SPEC) as leased:
        put_programs(leased)
        yield leased


def told(sandbox: Sandbox, load: str, do: str, level: str = "", changes: Mapping[str, Value] | None = None) -> str:
    """What a program says of a configuration."""
    config = {**start_config(LOADS[load]), **(changes or {})}
    (answer,) = ask(sandbox, [request(LOADS[load], config, 1, do, level)])
    return str(answer)


def test_killed_and_cut_off_servers_lose_what_their_options_say(sandbox: Sandbox) -> None:
    assert told(sandbox, "ledger", "crash", "power") == "{'lost': []}"
    assert "are lost" in told(sandbox, "ledger", "crash", "power", {"appendfsync": "everysec"})
    assert told(sandbox, "ledger", "crash", "process", {"appendfsync": "everysec"}) == "{'lost': []}"
    assert told(sandbox, "pages", "crash", "process") == "{'lost': []}"
    assert "are lost" in told(sandbox, "pages", "crash", "process", {"access_log": "buffered"})


def test_postgres_outlives_a_power_cut_unless_pages_may_be_torn(sandbox: Sandbox) -> None:
    assert told(sandbox, "payments", "crash", "power") == "{'lost': []}"
    assert "could not be read again" in told(sandbox, "payments", "crash", "power", {"full_page_writes": "off"})


def test_strangers_are_found_failed_starts_explained_and_no_server_is_left(sandbox: Sandbox) -> None:
    assert "WAL streaming" in told(sandbox, "payments", "probe", changes={"wal_level": "minimal"})
    assert "DEBUG can be called" in told(sandbox, "sessions", "probe", changes={"enable-debug-command": "yes"})
    assert "shows a file outside" in told(sandbox, "shared", "probe", changes={"disable_symlinks": "off"})
    assert sandbox.exec(["pgrep", "redis|nginx|postgres"]).stdout == b""


def test_an_episode_with_a_live_server_pays_for_what_it_spares() -> None:
    load = LOADS["sessions"]
    weights = {"cpu": 0.0, "memory": 0.5, "syncs": 0.5, "bytes": 0.0}
    private = {"reference": {"appendfsync": "everysec", "hash-max-listpack-entries": 512}, "cost": 0.4}
    task = to_task(load, weights, ("process", False), seed=1, task_id="live", private=private)
    env = TuningEnv(sandbox="docker", rounds=1)
    assert play_script(env, task, SCRIPTS["oracle"](task, 0)).success
    record = play_script(env, task, SCRIPTS["cheat_unsafe"](task, 0))
    assert (record.reward, record.success) == (0.0, False)
    env.close()
