import dataclasses
from collections.abc import Iterator

import pytest

from agentgym.errors import ConfigError, SandboxStartError, UnknownNameError, UnsupportedSpecError
from agentgym.sandbox import lender as lender_module
from agentgym.sandbox.base import Capabilities, Sandbox, SandboxProvider
from agentgym.sandbox.engines.process import ProcessProvider
from agentgym.sandbox.lender import SandboxLender, lender_of
from agentgym.sandbox.pool import PoolConfig, SandboxPool, close_shared_pools, shared_pool
from agentgym.sandbox.spec import SandboxSpec

SPEC = SandboxSpec(image="agentgym/python")
LIMITS = ("cpus", "memory_mib", "pids", "work_mib", "tmp_mib")


class Isolating(SandboxProvider):
    """A provider that isolates, but limits nothing and runs no images."""

    name = "isolating"

    def capabilities(self) -> Capabilities:
        return Capabilities(frozenset({"work_mib", "tmp_mib"}), frozenset({"none"}), False, True, False, False, {})

    def start(self, spec: SandboxSpec) -> Sandbox:
        raise AssertionError("not started here")

    def sweep(self, *, dry_run: bool = False) -> list[str]:
        return []


@pytest.fixture
def pool() -> Iterator[SandboxPool]:
    with SandboxPool(ProcessProvider(), PoolConfig(ready=0)) as made:
        yield made


def test_provider_that_isolates_nothing_is_asked_for_no_limits() -> None:
    fitted = lender_of(ProcessProvider()).fit(SPEC)
    assert fitted.image == "agentgym/base"
    assert [getattr(fitted.limits, name) for name in LIMITS] == [None] * 5


def test_limits_that_an_isolating_provider_lacks_are_refused_unless_relaxed() -> None:
    with pytest.raises(UnsupportedSpecError, match=r"cpus, memory_mib, pids.*spec\.relaxed") as raised:
        lender_of(Isolating()).fit(SPEC)
    assert """--env-option 'relaxed=["cpus","memory_mib","pids"]' on a command line""" in str(raised.value)
    fitted = lender_of(Isolating(), ("cpus", "memory_mib", "pids")).fit(SPEC)
    assert fitted.limits.work_mib == SPEC.limits.work_mib


def test_relaxed_limits_are_a_list() -> None:
    with pytest.raises(ConfigError, match=r'relaxed must be a list of limits, such as \["cpus"\]: got \'cpus\''):
        lender_of(Isolating(), "cpus")


def test_refusal_of_a_provider_that_nobody_named_tells_the_choice() -> None:
    chosen = SandboxLender(Isolating(), chosen_because="no container engine can be used")
    with pytest.raises(UnsupportedSpecError, match=r"no container engine.*Start an engine.*sandbox=\"isolating\""):
        chosen.fit(SPEC)


def test_foreign_image_is_refused_where_no_images_run() -> None:
    with pytest.raises(UnsupportedSpecError, match="runs no images: got 'ubuntu'"):
        lender_of(ProcessProvider()).fit(dataclasses.replace(SPEC, image="ubuntu"))


def test_pool_is_used_and_gets_the_sandbox_back(pool: SandboxPool) -> None:
    with lender_of(pool).lease(SPEC) as sandbox:
        assert sandbox.exec(["true"]).is_ok
        assert pool.stats().leased == 1
    assert pool.stats().leased == 0


def test_provider_starts_and_closes_a_sandbox_of_its_own() -> None:
    with lender_of(ProcessProvider()).lease(SPEC) as sandbox:
        assert sandbox.exec(["echo", "hi"]).stdout == b"hi\n"
    with pytest.raises(Exception, match=sandbox.id):
        sandbox.exec(["true"])


def test_name_takes_the_pool_of_this_process() -> None:
    assert lender_of("process").pool is shared_pool("process")


@pytest.mark.parametrize(("wanted", "error"), [("dokcer", UnknownNameError), (3, ConfigError)])
def test_what_is_no_provider_is_refused(wanted: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        lender_of(wanted)  # type: ignore[arg-type]


def test_default_is_docker_where_an_engine_answers_and_never_process(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def pool_of(name: str) -> SandboxPool:
        asked.append(name)
        return shared_pool("process")

    monkeypatch.setattr(lender_module, "shared_pool", pool_of)
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    assert "no container engine can be used" in lender_of(None).chosen_because
    assert asked == ["bubblewrap"]


def test_closed_shared_pools_are_closed_and_the_next_use_makes_new_ones() -> None:
    first = shared_pool("process")
    close_shared_pools()
    assert shared_pool("process") is not first
    with pytest.raises(SandboxStartError, match="closed"):
        first.lease(SandboxSpec())
