"""A sandbox in which a package's tests run: its tree as the work folder, pytest at hand, no network.

In Docker it is the image agentgym/swe. Bubblewrap runs the host's Python, with the image's packages mounted and those
of the host hidden.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentgym.errors import SandboxError
from agentgym.sandbox.base import ExecResult, Sandbox, SandboxProvider
from agentgym.sandbox.images.context import fetch_packages
from agentgym.sandbox.images.named import default_catalogue
from agentgym.sandbox.leasing.owner import state_folder
from agentgym.sandbox.lender import lender_of
from agentgym.sandbox.once import only_one
from agentgym.sandbox.pool import SandboxPool
from agentgym.sandbox.spec import Limits, Mount, SandboxSpec
from agentgym_swe.repositories.catalogue import packages

IMAGE = "agentgym/swe"
PROGRAMS = "/tmp/.agentgym-swe"  # noqa: S108 - inside the sandbox
PACKAGES = "/agentgym/packages"
"""Where a sandbox without images finds what the image holds."""
_FORMAT = 3
"""Number of the way in which those are laid out and packages of the host hidden."""
_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where sandboxes without images find the host's Python."""
_INSIDE = Path(__file__).with_name("inside")
_HOST_PACKAGES: tuple[str, ...] = (
    "usr/lib/python3*/dist-packages",
    "usr/lib/python3*/site-packages",
    "usr/share/python-wheels",
)
_HOST_PACKAGES += ("usr/local/lib/python3*/dist-packages", "usr/local/lib/python3*/site-packages")
ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
LIMITS = Limits(cpus=2.0, memory_mib=2048, pids=256, work_mib=256, tmp_mib=256, exec_s=1800.0, wall_s=None)
"""Wide: what runs here is pinned, and CPU time is limited by the programs themselves."""

Wanted = str | SandboxProvider | SandboxPool | None


@dataclass(frozen=True)
class Tools:
    """The Python packages of an image, as a sandbox without images has them.

    Attributes:
        name: What the folder on the host begins with.
        images: The image, and those below it that have packages too.
        without: Folders among the packages that the image removes.
    """

    name: str
    images: tuple[str, ...]
    without: tuple[str, ...] = ()


SWE_TOOLS = Tools("swe", (IMAGE,))


def with_tools(spec: SandboxSpec, *, has_images: bool, tools: Tools = SWE_TOOLS) -> SandboxSpec:
    """A spec of an image, as a provider runs it that may have no images.

    Args:
        spec: With that image.
        has_images: Whether the provider runs images; where not, the image's Python packages are mounted and those of
            the host hidden.
        tools: The packages of the image.

    Raises:
        SandboxStartError: The packages cannot be fetched.
    """
    if has_images:
        return spec
    laid_out = _on_host(tools)
    hidden = json.loads((laid_out / "hidden.json").read_text(encoding="utf-8"))
    mounts = [Mount(str(laid_out / ("empty" if os.path.isdir(path) else "nothing.py")), path) for path in hidden]
    return dataclasses.replace(
        spec,
        image="agentgym/base",
        mounts=(*spec.mounts, *mounts, Mount(str(laid_out / "packages"), PACKAGES)),
        env={**spec.env, "PYTHONPATH": PACKAGES},
    )


@dataclass(frozen=True)
class Room:
    """A sandbox with a tree and the programs of `inside`.

    Attributes:
        sandbox: The sandbox.
    """

    sandbox: Sandbox

    def call(
        self, program: str, asked: Mapping[str, Any], *, hash_seed: int = 0, timeout_s: float | None = None
    ) -> dict[str, Any]:
        """Run a program of `inside` and read its answer.

        Args:
            program: Name of its file without ".py".
            asked: What it reads.
            hash_seed: PYTHONHASHSEED.
            timeout_s: Wall time; None for the limit of the room.

        Raises:
            SandboxError: It gave no answer; the message holds the end of what it printed.
        """
        ended = self.sandbox.exec(
            ["python3", "-B", f"{PROGRAMS}/{program}.py"],
            stdin=json.dumps(asked).encode(),
            env={"PYTHONHASHSEED": str(hash_seed)},
            max_output_bytes=64 << 20,
            timeout_s=timeout_s,
        )
        return answer_of(ended, program)


def answer_of(ended: ExecResult, program: str) -> dict[str, Any]:
    """The JSON object that a program printed last.

    Raises:
        SandboxError: It printed none.
    """
    try:
        answer = json.loads(ended.stdout.decode("utf-8").splitlines()[-1])
    except (ValueError, IndexError):
        how = "ran out of time" if ended.timed_out else f"ended with {ended.exit_code}"
        raise SandboxError(f"the program {program!r} {how} without an answer: {ended.text()[-1500:]}") from None
    assert isinstance(answer, dict)
    return answer


@contextmanager
def open_room(tree: Path, sandbox: Wanted = None, *, limits: Limits = LIMITS) -> Iterator[Room]:
    """A fresh sandbox over a tree, given back at the end.

    Args:
        tree: Folder whose copy is the work folder.
        sandbox: As in `SandboxEnv`.
        limits: What it may use up; a provider without images enforces neither memory nor CPU shares.

    Raises:
        SandboxError: No sandbox can be started.
    """
    lender = lender_of(sandbox, () if _has_images(sandbox) else ("cpus", "memory_mib"))
    has_images = lender.provider.capabilities().images
    spec = SandboxSpec(image=IMAGE, env=ENVIRONMENT, work=str(tree), limits=limits)
    with lender.lease(with_tools(spec, has_images=has_images)) as leased:
        put_programs(leased)
        yield Room(leased)


def put_programs(sandbox: Sandbox, more: Sequence[Path] = ()) -> None:
    """Lay the programs of `inside` out in a sandbox, outside its work folder.

    Raises:
        SandboxError: There is no room for them.
    """
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path in (*sorted(_INSIDE.glob("*.py")), *more):
            archive.add(path, arcname=path.name)
    script = f"mkdir -p {PROGRAMS} && tar -x --no-same-owner -C {PROGRAMS}"
    ended = sandbox.exec(["sh", "-c", script], stdin=packed.getvalue())
    if not ended.is_ok:
        raise SandboxError(f"programs could not be laid out in a sandbox: {ended.text()[-500:]}")


def _has_images(sandbox: Wanted) -> bool:
    return lender_of(sandbox).provider.capabilities().images


def _on_host(tools: Tools) -> Path:
    """A folder that every user may read: the image's Python packages, compiled, and what hides those of the host."""
    catalogue = default_catalogue()
    fetched = [fetch_packages(catalogue.source(image).pins) for image in tools.images]
    place = state_folder() / f"{'-'.join((tools.name, *(each.name for each in fetched)))}-{_FORMAT}"
    with only_one(str(place)):
        if not place.is_dir():
            unfinished = place.with_suffix(".new")
            shutil.rmtree(unfinished, ignore_errors=True)
            for each in fetched:
                shutil.copytree(each, unfinished / "packages", dirs_exist_ok=True)
            for name in tools.without:
                shutil.rmtree(unfinished / "packages" / name)
            _compile(unfinished / "packages")
            (unfinished / "empty").mkdir()
            (unfinished / "nothing.py").touch()
            (unfinished / "hidden.json").write_text(json.dumps(sorted(_packages_of_host())), encoding="utf-8")
            for folder, _, files in os.walk(unfinished):
                os.chmod(folder, 0o755)  # noqa: S103 - others read it
                for name in files:
                    os.chmod(Path(folder, name), 0o644)
            unfinished.rename(place)
    return place


def _compile(packages: Path) -> None:
    """Write byte code beside the sources, so that runs of pytest need not compile them. They also work without it."""
    python = shutil.which("python3", path=_PATH)
    if python is not None:
        command = [python, "-I", "-m", "compileall", "-q", "-s", str(packages), "-p", PACKAGES, str(packages)]
        environment = {"PATH": _PATH}  # without what forbids byte code
        subprocess.run(command, env=environment, capture_output=True, check=False)  # noqa: S603 - of the host


def _packages_of_host() -> Iterator[str]:
    """Folders of Python packages below /usr, and whatever there is named as a package that faults are planted in."""
    patterns = (path for pattern in _HOST_PACKAGES for path in Path("/").glob(pattern))
    hidden = {str(path) for path in patterns if path.is_dir() and not path.is_symlink()}
    yield from hidden
    planted = {source.rpartition("/")[2] for package in packages().values() for source in package.sources}
    for folder, folders, files in os.walk("/usr"):
        folders[:] = [name for name in folders if f"{folder}/{name}" not in hidden]
        yield from (f"{folder}/{name}" for name in files if name in planted and not os.path.islink(f"{folder}/{name}"))
        for name in [name for name in folders if name in planted]:
            if os.path.isfile(f"{folder}/{name}/__init__.py") and not os.path.islink(f"{folder}/{name}"):
                folders.remove(name)
                yield f"{folder}/{name}"
