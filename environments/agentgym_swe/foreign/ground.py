"""The sandboxes of other projects' images: which, and how a repository in one is made ready for an agent.

The agent's repository has one commit, of what it finds. The history that an image brings, with all later commits, tags,
logs and packed objects, is removed before the agent sees anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentgym.errors import ConfigError, SandboxError, SandboxStartError, TaskError
from agentgym.sandbox.base import ExecResult, Sandbox, SandboxProvider
from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.engines.engine import connect_engine
from agentgym.sandbox.spec import Limits, SandboxSpec
from agentgym_swe.foreign.instance import Instance
from agentgym_swe.repair.ground import GIT_ENV

FOLDER = "/testbed"
SHADOW = "/var/lib/agentgym.git"
"""A second copy of the one commit, by which changes are told, whatever the agent does to the repository's own."""
SET_UP_S = 300.0
LIMITS = Limits(cpus=2.0, memory_mib=4096, pids=512, work_mib=None, tmp_mib=1024, output_bytes=1 << 20, wall_s=None)
ENV = {**GIT_ENV, "LC_ALL": "C.UTF-8", "TZ": "UTC", "PAGER": "cat", "TERM": "dumb", "PYTHONDONTWRITEBYTECODE": "1"}
GIT = ("git", "-c", "safe.directory=*", "-c", "core.quotepath=false", "-c", "core.autocrlf=false")
ACTIVATE = (
    "if [ -f /opt/miniconda3/bin/activate ]; then . /opt/miniconda3/bin/activate testbed >/dev/null 2>&1 || true; "
    'elif [ -d .venv/bin ]; then PATH="$PWD/.venv/bin:$PATH"; export PATH; fi'
)
"""Makes the repository's interpreter the first one, as the images of these data sets have it."""
_CUT = f"""set -e
git="{" ".join(GIT)} -c gc.auto=0 -c core.hooksPath=/dev/null"
export GIT_CONFIG_GLOBAL=/dev/null
work=$(mktemp -d)
$git ls-files -z > "$work/tracked" 2>/dev/null || true
$git ls-files -z --others --exclude-standard --directory > "$work/others" 2>/dev/null || true
find . -name .git -prune -exec rm -rf {{}} +
for path in "$@"; do rm -rf -- "$path"; done
$git -c init.defaultBranch=main init -q .
tr '\\0' '\\n' < "$work/others" | sed 's/[][*?\\\\]/\\\\&/g; s/^/\\//' >> .git/info/exclude
if [ -s "$work/tracked" ]; then
  xargs -0 sh -c 'for path; do if [ -e "$path" ] || [ -L "$path" ]; then printf "%s\\0" "$path"; fi; done' sh \\
    < "$work/tracked" | xargs -0 -r $git add -f --
fi
$git add -A
$git commit -q --allow-empty -m "The state of the repository"
rm -rf .git/logs .git/hooks "$work"
rm -rf {SHADOW}
cp -a .git {SHADOW}
"""


def sandbox_spec(image: str, folder: str) -> SandboxSpec:
    """The sandbox of an image in which an agent works, or tests are run."""
    return SandboxSpec(image=image, user="root", env=ENV, work_dir=folder, limits=LIMITS, writable_root=True)


def require_image(provider: SandboxProvider, instance: Instance) -> None:
    """See to it that the image is there.

    Raises:
        ConfigError: The provider runs no images.
        TaskError: The engine has no such image; names the tag and what to do.
    """
    if not provider.capabilities().images:
        raise ConfigError(
            f"{instance.id} is played in the image {instance.image}, and the sandbox provider {provider.name!r} runs "
            "no images; start Docker and use sandbox='docker'"
        )
    if isinstance(provider, DockerProvider):
        try:
            provider.host.images.facts(instance.image)
        except SandboxStartError as error:
            raise TaskError(
                f"{instance.id} cannot be played: {error}. Or build it and name its tag with the option image=TAG, in "
                "which {id} stands for the row's id"
            ) from error


def missing_images(images: Iterable[str]) -> list[str]:
    """Those of the images that the engine does not have, in order of name.

    Raises:
        SandboxStartError: No engine answers.
    """
    client = connect_engine()
    try:
        listed = client.api.images()
    finally:
        client.close()
    there = {tag for each in listed for tag in (*(each.get("RepoTags") or ()), *(each.get("RepoDigests") or ()))}
    return sorted(image for image in images if image.removeprefix("docker.io/") not in there)


def plant(sandbox: Sandbox, instance: Instance) -> None:
    """Put the fault in, where the row's diff plants it; an image that has it already stays as it is.

    Raises:
        TaskError: The diff fits neither way.
    """
    if not instance.plants:
        return
    if apply(sandbox, instance.patch).is_ok or apply(sandbox, instance.patch, "-R", "--check").is_ok:
        return
    raise TaskError(
        f"the diff of {instance.id} that plants the fault does not fit the repository of {instance.image}; "
        "the tag may be that of another row"
    )


def require_folder(sandbox: Sandbox, instance: Instance) -> None:
    """See to it that there is a repository, and git.

    Raises:
        TaskError: There is none.
    """
    folder = sandbox.spec.work_dir
    if not sandbox.exec(["ls", "-A", folder], cwd="/").stdout:
        raise TaskError(
            f"the image {instance.image} has nothing in {folder}; name the repository's folder with the option "
            "folder=PATH"
        )
    if not sandbox.exec(["git", "--version"], cwd="/").is_ok:
        raise TaskError(f"the image {instance.image} has no git, by which changes are taken")


def cut_history(sandbox: Sandbox, instance: Instance) -> None:
    """Make the repository one of a single commit, without what the agent must not see.

    Raises:
        SandboxError: It could not be done.
    """
    done = sandbox.exec(["sh", "-c", _CUT, "sh", *instance.hidden], timeout_s=SET_UP_S)
    if not done.is_ok:
        raise SandboxError(f"the history of {instance.image} could not be cut off: {done.text()[-300:]}")


def require_fit(sandbox: Sandbox, instance: Instance) -> None:
    """See to it that the row's diff of tests fits the image, before anything is played on it.

    Raises:
        TaskError: It does not.
    """
    if not instance.test_patch:
        return
    checked = apply(sandbox, instance.test_patch, "--check")
    if not checked.is_ok:
        raise TaskError(
            f"the test_patch of {instance.id} does not fit the repository of {instance.image}; the tag may be that of "
            f"another row: {checked.text().strip()[-200:]}"
        )


def apply(sandbox: Sandbox, diff: str, *options: str) -> ExecResult:
    """Apply a diff to the repository, wholly or not at all."""
    command: Sequence[str] = (*GIT, "apply", "--whitespace=nowarn", *options, "-")
    return sandbox.exec(command, stdin=diff.encode(), timeout_s=SET_UP_S)
