"""Bringing an image that ours are built on: what is there, else from a registry, else Debian's from its packages."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING

from agentgym.errors import SandboxStartError
from agentgym.sandbox.images.debootstrap import SUITE_OF, make_root_tar, missing_for_debootstrap
from agentgym.sandbox.once import cache_folder, only_one

if TYPE_CHECKING:
    from docker import DockerClient  # type: ignore[import-untyped]


def provide_foreign_image(client: DockerClient, reference: str, report: Callable[[str], None]) -> None:
    """See to it that an engine has an image.

    Where it has none of that name and no registry gives it one, Debian's base is made from Debian's packages and
    imported under that name. An image that is there is never replaced.

    Args:
        client: The engine's.
        reference: Its full name, such as "debian:bookworm-slim".
        report: Told of what takes long.

    Raises:
        SandboxStartError: It cannot be had; says why and what to do.
    """
    if _is_there(client, reference):
        return
    with only_one(reference, lambda: report(f"waiting for another process that brings {reference}")):
        if _is_there(client, reference):
            return
        refusal = _pull(client, reference, report)
        if refusal is not None:
            _make(client, reference, refusal, report)


def _pull(client: DockerClient, reference: str, report: Callable[[str], None]) -> str | None:
    """Ask the registry; what it, or the engine, said where that failed."""
    import docker

    report(f"pulling {reference}")
    repository, _, tag = reference.partition(":")
    try:
        client.images.pull(repository, tag=tag or "latest")
    except docker.errors.APIError as error:
        return str(error.explanation or error).strip()
    except OSError as error:
        return str(error)
    return None


def _make(client: DockerClient, reference: str, refusal: str, report: Callable[[str], None]) -> None:
    suite = SUITE_OF.get(reference)
    obstacle = missing_for_debootstrap() if suite else "only Debian's base can be made from packages"
    if suite is None or obstacle is not None:
        raise SandboxStartError(
            f"image {reference} is not there and could not be pulled ({refusal}); making it from packages instead is "
            f"not possible either: {obstacle}. Or bring it yourself, with docker load or docker pull"
        )
    report(f"{reference} cannot be pulled ({refusal}); making it from Debian's packages, about a minute")
    folder = cache_folder() / f"debootstrap-{suite}"
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed; nothing can be mounted in it
    folder.mkdir()
    try:
        packed = make_root_tar(suite, folder)
        if _is_there(client, reference):
            return
        repository, _, tag = reference.partition(":")
        client.api.import_image_from_file(str(packed), repository, tag, changes=['CMD ["bash"]'])
        if not _is_there(client, reference):
            raise SandboxStartError(f"{reference} was imported, but the engine does not know it; try again")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_there(client: DockerClient, reference: str) -> bool:
    import docker

    try:
        client.images.get(reference)
    except docker.errors.ImageNotFound:
        return False
    return True
