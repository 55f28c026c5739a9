"""Removing what dead owners left: containers, networks, mounts and folders.

What is alive, or bears no label of this state folder, is never touched. Who is dead is in `owner`, when to look in
`watcher`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from agentgym.sandbox.leasing.mounts import mounts_below
from agentgym.sandbox.leasing.owner import (
    OWNER_LABEL,
    STATE_LABEL,
    dead_owner,
    is_owner_id,
    known_owners,
    owners_folder,
    state_folder,
    state_id,
)
from agentgym.sandbox.leasing.workspace import remove_tree

if TYPE_CHECKING:
    from docker import DockerClient  # type: ignore[import-untyped]

_REMOVAL_WAIT_S = 20.0
_POLL_S = 0.05
_POLLS_BEFORE_ASKING_AGAIN = 10


@dataclass(frozen=True)
class Leftover:
    """Something that a dead owner left.

    Attributes:
        kind: What it is.
        name: Its name at the engine, or its path.
        owner: Id of the dead owner.
        error: Why it could not be removed; "" where it was, or in a dry run.
    """

    kind: Literal["container", "network", "mount", "folder"]
    name: str
    owner: str
    error: str = ""


@dataclass(frozen=True)
class SweepReport:
    """What a sweep found.

    Attributes:
        leftovers: Everything that dead owners left; removed, unless it was a dry run or their `error` says why not.
        num_alive: Owners that are alive; theirs was left alone.
        engine: Why no engine was asked; "" where one was.
    """

    leftovers: tuple[Leftover, ...]
    num_alive: int
    engine: str = ""


def sweep(client: DockerClient | None, *, state: Path | None = None, dry_run: bool = False) -> SweepReport:
    """Remove what dead owners left.

    Args:
        client: The engine whose containers are looked at; None where there is none.
        state: The state folder of the owners; None for `state_folder()`.
        dry_run: Only say what would be removed.
    """
    place = state or state_folder()
    ids = dict.fromkeys((*known_owners(place), *_labelled_owners(client, place)))
    found: list[Leftover] = []
    num_alive = 0
    for owner_id in ids:
        with dead_owner(place, owner_id) as is_dead:
            if is_dead:
                found += _leftovers(client, place, owner_id, dry_run=dry_run)
            else:
                num_alive += 1
    return SweepReport(tuple(found), num_alive, "" if client is not None else "no engine was asked")


def _labelled_owners(client: DockerClient | None, state: Path) -> Iterator[str]:
    """Owners that an engine knows: one whose folder is gone may still have containers."""
    if client is None:
        return
    filters = {"label": [f"{STATE_LABEL}={state_id(state)}"]}
    for item in (*client.api.containers(all=True, filters=filters), *client.api.networks(filters=filters)):
        owner_id = item["Labels"].get(OWNER_LABEL, "")
        if is_owner_id(owner_id):  # it becomes part of paths
            yield owner_id


def _leftovers(client: DockerClient | None, state: Path, owner_id: str, *, dry_run: bool) -> Iterator[Leftover]:
    if client is not None:
        try:
            yield from _engine_leftovers(client, state, owner_id, dry_run=dry_run)
        except OSError as failure:  # the SDK's connection errors among them: the engine went away meanwhile
            yield Leftover("container", "", owner_id, str(failure))
    folder = owners_folder(state) / owner_id
    yield from (Leftover("mount", str(path), owner_id) for path in mounts_below(folder))
    if folder.is_dir():
        error = ""
        try:
            if not dry_run:
                remove_tree(folder)
        except OSError as refusal:
            error = str(refusal)
        yield Leftover("folder", str(folder), owner_id, error)


def _engine_leftovers(client: DockerClient, state: Path, owner_id: str, *, dry_run: bool) -> Iterator[Leftover]:
    filters = {"label": [f"{STATE_LABEL}={state_id(state)}", f"{OWNER_LABEL}={owner_id}"]}
    containers = client.api.containers(all=True, filters=filters)
    names = {item["Id"]: item["Names"][0].lstrip("/") for item in containers}
    refusals = {} if dry_run else remove_containers(client, list(names))
    for container_id, name in names.items():
        yield Leftover("container", name, owner_id, refusals.get(container_id, ""))
    for network in client.api.networks(filters=filters):
        error = "" if dry_run else _remove_network(client, network["Id"])
        yield Leftover("network", network["Name"], owner_id, error)


def remove_containers(client: DockerClient, containers: Sequence[str]) -> dict[str, str]:
    """Remove containers, by id or name, by force and wait until the engine knows them no more.

    Returns:
        Why it failed, by id or name; those that went are not in it, nor those that went by themselves.
    """
    refusals = _asked_to_go(client, containers)
    deadline = time.monotonic() + _REMOVAL_WAIT_S
    polls = 0
    while refusals and time.monotonic() < deadline:
        refusals = {container: why for container, why in refusals.items() if _is_there(client, container)}
        if refusals:
            time.sleep(_POLL_S)
            polls += 1
        # Two removals at once, such as this and the engine's own at a container's end, can each refuse for the other.
        if refusals and polls % _POLLS_BEFORE_ASKING_AGAIN == 0:
            refusals = _asked_to_go(client, list(refusals))
    return refusals


def _asked_to_go(client: DockerClient, container_ids: Sequence[str]) -> dict[str, str]:
    """Remove containers by force, without waiting for those that refuse; why they do, by id."""
    import docker

    refusals: dict[str, str] = {}
    for container_id in container_ids:
        try:
            client.api.remove_container(container_id, force=True, v=True)
        except docker.errors.NotFound:
            continue
        except docker.errors.APIError as error:  # mostly "removal is already in progress"
            refusals[container_id] = str(error.explanation or error)
    return refusals


def _is_there(client: DockerClient, container: str) -> bool:
    import docker

    try:
        client.api.inspect_container(container)
    except docker.errors.NotFound:
        return False
    return True


def _remove_network(client: DockerClient, network_id: str) -> str:
    import docker

    try:
        client.api.remove_network(network_id)
    except docker.errors.NotFound:
        return ""
    except docker.errors.APIError as error:
        return str(error.explanation or error)
    return ""
