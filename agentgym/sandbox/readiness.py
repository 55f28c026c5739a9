"""Whether this machine can run sandboxes: engine, images, resets, bubblewrap, compiler; each tried, not guessed.

Nothing is installed or left behind. `agentgym doctor` prints it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentgym.errors import AgentGymError, MissingExtraError, SandboxStartError
from agentgym.sandbox.engines.bubblewrap import trial_command, without_rights
from agentgym.sandbox.engines.engine import EngineFault, connect_engine, engine_address, probe_engine
from agentgym.sandbox.images.build import image_states

_TRIAL_S = 20
_STATUS_OF_FAULT: dict[str, Literal["missing", "fault"]] = {
    "bad address": "fault",
    "no engine": "fault",
    "too old": "fault",
}
_STATIC_PROGRAM = "int main(void) { return 0; }\n"
# Mounts of this namespace end with it.
_OVERLAY_TRIAL = """
mount -t tmpfs none "$1" && mkdir "$1/lower" "$1/upper" "$1/work" "$1/merged" &&
mount -t overlay none "$1/merged" -o "lowerdir=$1/lower,upperdir=$1/upper,workdir=$1/work"
"""


@dataclass(frozen=True)
class Readiness:
    """One thing that sandboxes need.

    Attributes:
        name: What was looked at.
        status: ok; missing (something cannot be done here); fault (what is there does not work).
        detail: What was found.
        fix: The command or the next move; "" where there is nothing to do.
    """

    name: str
    status: Literal["ok", "missing", "fault"]
    detail: str
    fix: str = ""


def sandbox_readiness() -> Iterator[Readiness]:
    """Try everything that the providers need on this machine; takes about half a second."""
    engine = engine_readiness()
    yield engine
    if engine.status == "ok":
        yield image_readiness()
        yield reset_readiness()
    yield bubblewrap_readiness()
    yield namespace_readiness()
    yield compiler_readiness()
    yield _podman()


def engine_readiness(address: str | None = None) -> Readiness:
    """Whether a container engine answers.

    Args:
        address: Where; None for DOCKER_HOST or the default socket.
    """
    name = "container engine"
    try:
        found = probe_engine(address)
    except MissingExtraError as error:
        return Readiness(name, "missing", "the Docker SDK is not installed", str(error).partition("with: ")[2])
    if isinstance(found, EngineFault):
        detail = f"{found.kind}: {found.detail} ({address or engine_address()})"
        return Readiness(name, _STATUS_OF_FAULT.get(found.kind, "missing"), detail, found.fix)
    return Readiness(name, "ok", f"{found.name} {found.version}, API {found.api}, {found.address}")


def image_readiness() -> Readiness:
    """Which images are there as they should be; asks the engine."""
    try:
        client = connect_engine()
        states = image_states(client)
        client.close()
    except AgentGymError as error:
        return Readiness("images", "missing", str(error))
    except OSError as error:  # the engine went away meanwhile
        return Readiness("images", "missing", f"the engine did not answer: {error}", "agentgym images check")
    detail = ", ".join(f"{state.name} {state.status}" for state in states)
    wanting = [state.name for state in states if state.status != "ok"]
    if not wanting:
        return Readiness("images", "ok", detail)
    return Readiness("images", "missing", detail, f"agentgym images build {' '.join(wanting)}")


def reset_readiness() -> Readiness:
    """Whether Docker sandboxes can be reset in place, or have to be made anew (a quarter of a second each)."""
    name = "reset in place"
    if not engine_address().startswith("unix://"):
        return Readiness(name, "missing", "the engine is on another machine: resets make sandboxes anew")
    if os.geteuid() != 0:
        detail = "mounting an overlay takes root: resets make sandboxes anew"
        return Readiness(name, "missing", detail, "run as root where resets have to be quick")
    with tempfile.TemporaryDirectory(prefix="agentgym-overlay-") as folder:
        said = _failure(["unshare", "--mount", "--propagation", "private", "sh", "-c", _OVERLAY_TRIAL, "sh", folder])
    if said is not None:
        return Readiness(name, "missing", f"no overlay can be mounted ({said}): resets make sandboxes anew")
    return Readiness(name, "ok", "an overlay can be mounted")


def bubblewrap_readiness() -> Readiness:
    """Whether bubblewrap starts a program as it starts sandboxes."""
    name = "bubblewrap"
    path = shutil.which("bwrap")
    if path is None:
        return Readiness(name, "missing", "not on PATH", "sudo apt-get install bubblewrap")
    try:
        said = _failure(trial_command())
    except SandboxStartError as error:
        return Readiness(name, "missing", str(error))
    if said is None:
        return Readiness(name, "ok", path)
    if "nknown option" in said:
        fix = "install bubblewrap 0.8 or later"
    elif namespace_readiness().status == "ok":
        fix = "it does not work inside most containers: run on the host"
    else:
        fix = "see user namespaces"
    return Readiness(name, "missing", f"{path} is there, but does not work: {said}", fix)


def namespace_readiness() -> Readiness:
    """Whether the user of sandboxes, whom root becomes as well, may make user namespaces: bubblewrap needs them."""
    name = "user namespaces"
    try:
        said = _failure([*without_rights(), "unshare", "--user", "true"])
    except SandboxStartError as error:
        return Readiness(name, "missing", str(error))
    if said is None:
        return Readiness(name, "ok", "allowed")
    for switch, opened in (("kernel/unprivileged_userns_clone", 1), ("user/max_user_namespaces", 10_000)):
        setting = Path("/proc/sys") / switch
        if setting.exists() and setting.read_text().strip() == "0":
            key = switch.replace("/", ".")
            return Readiness(name, "missing", f"{key} is 0", f"sudo sysctl -w {key}={opened}")
    restriction = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
    if restriction.exists() and restriction.read_text().strip() == "1":
        fix = "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
        return Readiness(name, "missing", "AppArmor restricts them", fix)
    return Readiness(name, "missing", f"refused ({said})", "inside a container? allow them there, or run on the host")


def compiler_readiness() -> Readiness:
    """Whether the runner can be compiled, which bubblewrap, process and images of others need."""
    name = "C compiler"
    path = shutil.which("cc")
    if path is None:
        return Readiness(name, "missing", "cc is not on PATH", "sudo apt-get install gcc libc6-dev")
    with tempfile.TemporaryDirectory(prefix="agentgym-compile-") as folder:
        source = Path(folder, "trial.c")
        source.write_text(_STATIC_PROGRAM)
        said = _failure([path, "-static", "-o", str(source.with_suffix("")), str(source)])
    if said is not None:
        detail = f"{path} makes no static program ({said})"
        return Readiness(name, "missing", detail, "sudo apt-get install gcc libc6-dev")
    return Readiness(name, "ok", path)


def _podman() -> Readiness:
    path = shutil.which("podman")
    if path is None:
        return Readiness("Podman", "missing", "not on PATH; only an alternative", "sudo apt-get install podman")
    return Readiness("Podman", "ok", path)


def _failure(command: list[str]) -> str | None:
    """Run a trial; its last words where it failed."""
    try:
        ended = subprocess.run(  # noqa: S603 - fixed programs
            command, capture_output=True, stdin=subprocess.DEVNULL, text=True, timeout=_TRIAL_S, check=False
        )
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"no answer within {_TRIAL_S} s"
    if ended.returncode == 0:
        return None
    return (ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"])[-1]
