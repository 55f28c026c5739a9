"""What the tests of the docker provider share: a provider on a state folder of the test's own, and a count of leaks."""

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import docker

from agentgym.sandbox.base import ExecResult, Sandbox
from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.leasing.mounts import mounts_below, unmount
from agentgym.sandbox.leasing.owner import STATE_LABEL, state_id
from agentgym.sandbox.leasing.sweeper import remove_containers
from agentgym.sandbox.leasing.workspace import remove_tree
from agentgym.sandbox.spec import Limits, SandboxSpec
from tests.sandbox.holdings import Holdings

IMAGE = "debian:bookworm-slim"
SPEC = SandboxSpec(image=IMAGE, limits=Limits(memory_mib=128, work_mib=16, tmp_mib=8, pids=64))


@dataclass(frozen=True)
class Footprint:
    """What a process holds of the machine."""

    containers: int
    networks: int
    mounts: int
    folders: int
    new_descriptors: int
    new_threads: int


class TestedProvider(DockerProvider):
    """A provider that can say what its owner holds."""

    __test__ = False

    def __init__(self, *args, **settings) -> None:
        self.at_first = Holdings(count_streams=False)  # the SDK keeps as many connections to the engine as it likes
        super().__init__(*args, **settings)

    def footprint(self) -> Footprint:
        filters = {"label": [f"{STATE_LABEL}={state_id(self.owner.state)}"]}
        sandboxes = self.owner.folder / "sandboxes"
        return Footprint(
            len(self.containers()),
            len(self.host.client.api.networks(filters=filters)),
            len(mounts_below(self.owner.state)),
            len(os.listdir(sandboxes)) if sandboxes.exists() else 0,
            len(self.at_first.new_descriptors()),
            len(self.at_first.new_threads()),
        )

    def containers(self) -> list[tuple[str, str, str]]:
        """Name, state and status of each container of this owner's state folder."""
        filters = {"label": [f"{STATE_LABEL}={state_id(self.owner.state)}"]}
        listed = self.host.client.api.containers(all=True, filters=filters)
        found = [item for item in listed if self.is_known(item["Id"])]
        return [((item["Names"] or [item["Id"]])[0], item["State"], item["Status"]) for item in found]

    def is_known(self, container: str) -> bool:
        """Whether the engine knows a container; one that was killed at work may list some that it cannot remove."""
        with contextlib.suppress(docker.errors.NotFound):
            return bool(self.host.client.api.inspect_container(container))
        return False

    def settled(self, expected: Footprint, timeout_s: float = 60.0) -> Footprint:
        """The footprint once it is as expected, or after the time-out."""
        deadline = time.monotonic() + timeout_s
        while (found := self.footprint()) != expected and time.monotonic() < deadline:
            time.sleep(0.05)
        return found


def new_state() -> Path:
    """A state folder of a test's own, not in pytest's: a mount left by a killed test would break its next clean-up."""
    return Path(tempfile.mkdtemp(prefix="agentgym-test-", dir="/var/tmp"))


def provider_on(state: Path, **settings) -> TestedProvider:
    return TestedProvider(state=state, **settings)


def shell(sandbox: Sandbox, script: str, **options) -> ExecResult:
    """Run a script in a sandbox."""
    return sandbox.exec(["sh", "-c", script], **options)


@contextlib.contextmanager
def running_provider(*, is_warm: bool = True, **settings) -> Iterator[TestedProvider]:
    """A provider with a state folder of its own, taken down at the end.

    Args:
        is_warm: Whether it has looked into the image, and the runner is compiled, before it is handed out.
        settings: As for `DockerProvider`.
    """
    provider = provider_on(new_state(), **settings)
    try:
        if is_warm:
            provider.start(SPEC).close()
        yield provider
    finally:
        take_down(provider)


def take_down(provider: TestedProvider) -> None:
    """Remove a provider's owner with its state folder."""
    state, client = provider.owner.state, provider.host.client
    labels = [f"{name}={value}" for name, value in provider.owner.labels().items()]
    remove_containers(client, [item["Id"] for item in client.api.containers(all=True, filters={"label": labels})])
    provider.owner.release()
    provider.close()
    remove_tree(state / "owners")
    with contextlib.suppress(OSError):  # never mounted
        unmount(state, lazily=True)
    remove_tree(state)
