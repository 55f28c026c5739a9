"""What `benchmarks.sandbox` times: a repository, what an episode does to it, and the engine's own containers.

The engine's are made with the options of our sandboxes, word for word, but for the program that they run. Nothing is
timed here.
"""

from __future__ import annotations

import os
import random
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.engines.docker_options import ContainerPlan, creation_arguments
from agentgym.sandbox.leasing.owner import SANDBOX_LABEL
from agentgym.sandbox.leasing.sweeper import remove_containers
from agentgym.sandbox.leasing.workspace import remove_tree
from agentgym.sandbox.runner.binary import runner_binary
from agentgym.sandbox.spec import SandboxSpec

NUM_FILES = 2500
REPOSITORY_MB = 81
GIT_RESET = "git reset --quiet --hard && git clean --quiet -fdx"
_LINE = "line {:016x}\n"
_FILES_A_FOLDER = 50
_EPISODE = """
for number in 1 2 3 4 5; do echo changed >> "src$number/file${number}.txt"; done
rm -r src20
mkdir new
head -c 1000000 /dev/zero > new/large
echo left > /tmp/left
sleep 1000 >/dev/null 2>&1 &
"""


def make_repository(folder: Path, *, num_files: int = NUM_FILES, megabytes: int = REPOSITORY_MB) -> None:
    """A git repository with so many files of text, all committed; .git comes on top."""
    drawn = random.Random(0)
    num_lines = megabytes * 1_000_000 // num_files // len(_LINE.format(0))
    for number in range(num_files):
        path = folder / f"src{number // _FILES_A_FOLDER}" / f"file{number % _FILES_A_FOLDER}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(_LINE.format(drawn.getrandbits(64)) for _ in range(num_lines)))
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    for command in (["init", "--quiet"], ["add", "."], [*who, "commit", "--quiet", "--message", "start"]):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)


def live_an_episode(sandbox: Sandbox) -> None:
    """Change files, remove some, make others, and leave a process running."""
    lived = sandbox.exec(["sh", "-c", _EPISODE], keep_background=True)
    if not lived.is_ok:
        raise RuntimeError(f"the episode failed: {lived.text()}")


def check_restored(sandbox: Sandbox) -> None:
    """Raise RuntimeError unless the repository is as it was committed."""
    found = sandbox.exec(["git", "status", "--porcelain"])
    if not found.is_ok or found.stdout:
        raise RuntimeError(f"the repository did not come back: {found.text()[:500]}")


def times_ms(call: Callable[[], object], repeats: int, *, before: Callable[[], object] | None = None) -> list[float]:
    """Milliseconds of each call, in order of size.

    Args:
        call: What is timed.
        repeats: How often.
        before: Called before each, not timed.
    """
    taken = []
    for _ in range(repeats):
        if before is not None:
            before()
        began = perf_counter()
        call()
        taken.append(1e3 * (perf_counter() - began))
    return sorted(taken)


class EngineContainers:
    """Containers made by the engine's SDK alone, with the options of our sandboxes; a sleeping program runs in each.

    Args:
        provider: Whose options they have, and whose engine they are of.
        spec: What they are.
    """

    def __init__(self, provider: DockerProvider, spec: SandboxSpec) -> None:
        self._host, self._spec = provider.host, spec
        self._image = self._host.images.facts(spec.image)
        self._user = self._image.user(spec.user)
        self._folders: dict[str, Path] = {}
        self._lock = threading.Lock()

    def plan(self) -> ContainerPlan:
        """A container with the folders that it binds."""
        name = f"agentgym-{os.urandom(6).hex()}"
        folder = self._host.owner.new_folder(name)
        for bound in ("control", "view"):
            (folder / bound).mkdir()
        passwd = (folder / "passwd", folder / "group") if self._user.is_new else None
        if passwd is not None:
            for path, text in zip(passwd, self._image.files_with(self._user), strict=True):
                path.write_text(text)
        hosts = folder / "hosts"
        hosts.write_text("127.0.0.1\tlocalhost\n")
        return ContainerPlan(
            name=name,
            spec=self._spec,
            image=self._image,
            user=self._user,
            control=folder / "control",
            view=folder / "view",
            runner=None if self._image.has_runner else runner_binary(),
            passwd=passwd,
            network="",
            is_podman=self._host.is_podman,
            hosts=hosts,
            labels={**self._host.owner.labels(), SANDBOX_LABEL: name},
        )

    def start(self, plan: ContainerPlan) -> str:
        """Create and start a container; gives its id."""
        arguments = creation_arguments(self._host.client, plan)
        arguments["entrypoint"] = ["/bin/sleep", "infinity"]
        container_id: str = self._host.client.api.create_container(**arguments)["Id"]
        with self._lock:
            self._folders[container_id] = plan.control.parent
        self._host.client.api.start(container_id)
        return container_id

    def remove(self, container_ids: Sequence[str]) -> None:
        """Remove containers with their folders."""
        remove_containers(self._host.client, list(container_ids))
        for container_id in container_ids:
            remove_tree(self._folders.pop(container_id))

    def remove_all(self) -> None:
        """Remove all that are there."""
        self.remove(list(self._folders))
