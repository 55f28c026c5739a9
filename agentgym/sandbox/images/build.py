"""Building our images: missing ones and what they build on, once, whoever asks at the same time.

What belongs into an image is in `images`; a Debian base from packages is in `debootstrap`.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from agentgym.errors import SandboxStartError
from agentgym.sandbox.images.context import write_context
from agentgym.sandbox.images.foreign import provide_foreign_image
from agentgym.sandbox.images.named import IMAGE_LABEL, NAMESPACE, RUNNER_LABEL, ImageCatalogue, default_catalogue
from agentgym.sandbox.once import only_one

if TYPE_CHECKING:
    from docker import DockerClient  # type: ignore[import-untyped]

Report = Callable[[str, str], None]
"""Called with an image's name and a line of what happens to it."""
SILENCE_S = 600.0
"""How long a step of a build may print nothing before it is given up."""
SHOWN_LINES = 15

_CHATTER = (" --->", "Removing intermediate container")  # the engine's own lines between those of programs
_PODMAN_PREFIX = re.compile(r"^(docker\.io|localhost)/")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class ImageState:
    """How one image stands in an engine.

    Attributes:
        name: Its short name.
        tag: The full name that it should have.
        status: ok; stale (only versions of other contents are there); missing.
        size_bytes: With everything that it builds on; None where it is not there.
        superseded: Tags of other contents.
    """

    name: str
    tag: str
    status: Literal["ok", "stale", "missing"]
    size_bytes: int | None
    superseded: tuple[str, ...] = ()


@dataclass(frozen=True)
class BuiltImage:
    """What `build_images` did for one image.

    Attributes:
        name: Its short name.
        tag: Its full name.
        was_built: Whether it had to be built.
        seconds: How long that took.
        size_bytes: With everything that it builds on.
    """

    name: str
    tag: str
    was_built: bool
    seconds: float
    size_bytes: int


def image_states(
    client: DockerClient, names: Iterable[str] = (), *, catalogue: ImageCatalogue | None = None
) -> list[ImageState]:
    """How images stand in an engine; () for all that are not built on demand."""
    images = catalogue or default_catalogue()
    # One answer of the engine: asked for one by one, an image may be gone by then.
    found = [(tag, item["Size"]) for item in client.api.images() for tag in item["RepoTags"] or ()]
    sizes = {_PODMAN_PREFIX.sub("", tag): size for tag, size in found}
    states = []
    for name in (images.source(wanted).name for wanted in tuple(names) or images.usual_names):
        tag = images.tag(name)
        others = sorted(other for other in sizes if _repository(other) == f"{NAMESPACE}/{name}" and other != tag)
        status: Literal["ok", "stale", "missing"] = "ok" if tag in sizes else "stale" if others else "missing"
        states.append(ImageState(name, tag, status, sizes.get(tag), tuple(others)))
    return states


def build_images(
    client: DockerClient,
    names: Iterable[str] = (),
    *,
    catalogue: ImageCatalogue | None = None,
    report: Report = lambda name, line: None,
) -> list[BuiltImage]:
    """Build those images that are missing, and what they build on, in order.

    A second process that asks for the same image waits for the first and then finds it there.

    Args:
        client: The engine's.
        names: Short names; () for all that are not built on demand.
        catalogue: Where the images are described; None for those of agentgym.
        report: Told of every line of progress.

    Raises:
        UnknownNameError: There is no such image.
        SandboxStartError: A build failed, with the end of the failing step's output; nothing of it is left.
    """
    images = catalogue or default_catalogue()
    built = []
    for name in images.closure(tuple(names) or images.usual_names):
        started = time.monotonic()
        tag = images.tag(name)
        size = _size(client, tag)
        was_built = size is None
        if size is None:
            with only_one(tag, partial(report, name, "waiting for another process that builds it")):
                size = _size(client, tag)
                was_built = size is None
                if size is None:
                    size = _build(client, images, name, report)
        built.append(BuiltImage(name, tag, was_built, time.monotonic() - started, size))
    return built


def remove_superseded(
    client: DockerClient, names: Iterable[str] = (), *, catalogue: ImageCatalogue | None = None
) -> list[str]:
    """Remove versions that no container uses of images whose present version is there.

    What compiled the runner goes too, which costs the next build of the base some seconds. A checkout of other contents
    on this machine would have to build its versions again.

    Returns:
        Their tags, or ids where they have none.
    """
    states = [state for state in image_states(client, names, catalogue=catalogue) if state.status == "ok"]
    wanted = [tag for state in states for tag in state.superseded]
    for state in states:
        stages = client.api.images(filters={"dangling": True, "label": f"{IMAGE_LABEL}={state.name}"})
        wanted += [stage["Id"] for stage in stages]
    return [name for name in wanted if _remove(client, name)]


def _build(client: DockerClient, images: ImageCatalogue, name: str, report: Report) -> int:
    import docker

    tag = images.tag(name)
    for parent in images.source(name).foreign_parents:
        provide_foreign_image(client, parent, partial(report, name))
    with tempfile.TemporaryFile(prefix="agentgym-image-") as context:
        write_context(images, name, context, partial(report, name))
        context.seek(0)
        steps = client.api.build(
            fileobj=context,
            custom_context=True,
            tag=tag,
            labels=_labels(images, name),
            rm=True,
            forcerm=True,
            decode=True,
            timeout=SILENCE_S,
        )
        try:
            with closing(steps):
                _follow(steps, name, report)
        except (docker.errors.DockerException, OSError) as error:
            raise SandboxStartError(f"image {name!r} could not be built: {error}") from error
    size = _size(client, tag)
    if size is None:
        raise SandboxStartError(f"image {name!r} was built, but the engine does not know {tag}; build it again")
    return size


def _labels(images: ImageCatalogue, name: str) -> dict[str, str]:
    """Labels of an image; those of its parents come on top."""
    runner = images.runner_digest(name)
    return {IMAGE_LABEL: name} | ({RUNNER_LABEL: runner} if runner else {})


def _follow(steps: Iterator[Mapping[str, Any]], name: str, report: Report) -> None:
    """Report the lines of a build until it ends.

    Raises:
        SandboxStartError: A step failed.
    """
    step, lines, rest = "the context", deque[str](maxlen=SHOWN_LINES), ""
    for part in steps:
        if "error" in part:
            lines.extend(line for line in [rest.rstrip()] if line)
            shown = "\n".join(f"    {line}" for line in lines) or "    (it printed nothing)"
            raise SandboxStartError(
                f"image {name!r} could not be built: {step} failed: {part['error'].strip()}\n  its last lines:\n{shown}"
            )
        *whole, rest = (rest + _COLOUR.sub("", part.get("stream", ""))).split("\n")
        for line in filter(None, map(str.rstrip, whole)):
            if line.startswith(("Step ", "STEP ")):  # Docker's word, Podman's
                step = line
                lines.clear()
            elif not line.startswith(_CHATTER):
                lines.append(line)
            report(name, line)


def _remove(client: DockerClient, image: str) -> bool:
    """Remove an image unless it is in use, or builds one that is."""
    import docker

    try:
        client.images.remove(image)
    except docker.errors.APIError:
        return False
    return True


def _size(client: DockerClient, tag: str) -> int | None:
    """Size of an image in bytes; None where there is none."""
    import docker

    try:
        size: int = client.images.get(tag).attrs["Size"]
    except docker.errors.ImageNotFound:
        return None
    return size


def _repository(tag: str) -> str:
    return tag.rpartition(":")[0]
