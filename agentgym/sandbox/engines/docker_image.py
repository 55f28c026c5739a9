"""What a provider has to know of an image: whether it holds our runner, and who its users are.

`agentgym.sandbox.images.build` builds images of ours; nothing is pulled here.
"""

from __future__ import annotations

import io
import tarfile
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentgym.errors import SandboxStartError, UnsupportedSpecError
from agentgym.sandbox.images.named import NAMESPACE, RUNNER_LABEL, default_catalogue, resolve_image

if TYPE_CHECKING:
    from docker import DockerClient  # type: ignore[import-untyped]

AGENT = "agent"
AGENT_ID = 1000
_PASSWD_LIMIT = 1 << 20
_BAD_REQUEST = 400


@dataclass(frozen=True)
class User:
    """Who commands run as.

    Attributes:
        name: As in the passwd file.
        uid: User id.
        gid: Group id.
        home: Home folder.
        is_new: Whether the image's passwd file lacks it, so that a file with it has to be laid over.
    """

    name: str
    uid: int
    gid: int
    home: str
    is_new: bool = False


@dataclass(frozen=True)
class ImageFacts:
    """What is known of an image.

    Attributes:
        id: The engine's id of it.
        has_runner: Whether it holds the runner of this checkout at the usual place.
        passwd: Its passwd file.
        group: Its group file.
        volumes: Folders that it declares as volumes: engines put each on their own disk, writable and without a limit.
    """

    id: str
    has_runner: bool
    passwd: str
    group: str
    volumes: tuple[str, ...] = ()

    def user(self, name: str) -> User:
        """A user by name or number; "agent" is there whether the image has one or not.

        Raises:
            UnsupportedSpecError: The image has no such user.
        """
        wanted, _, wanted_group = name.partition(":")
        for line in self.passwd.splitlines():
            fields = line.split(":")
            if len(fields) >= 6 and wanted in (fields[0], fields[2]):
                gid = int(wanted_group) if wanted_group.isdigit() else int(fields[3])
                return User(fields[0], int(fields[2]), gid, fields[5] or "/")
        if wanted == AGENT or wanted.isdigit():
            uid = AGENT_ID if wanted == AGENT else int(wanted)
            new_name = wanted if wanted == AGENT else f"user{uid}"
            return User(new_name, uid, int(wanted_group or uid), f"/home/{new_name}", is_new=True)
        known = ", ".join(line.split(":")[0] for line in self.passwd.splitlines()[:20])
        raise UnsupportedSpecError(f"the image has no user {name!r}: it has {known or 'none'}; 'agent' always works")

    def files_with(self, user: User) -> tuple[str, str]:
        """Its passwd and group files with a user added."""
        entry = f"{user.name}:x:{user.uid}:{user.gid}::{user.home}:/bin/sh\n"
        has_group = any(line.split(":")[2:3] == [str(user.gid)] for line in self.group.splitlines())
        group = "" if has_group else f"{user.name}:x:{user.gid}:\n"
        return _with_line_end(self.passwd) + entry, _with_line_end(self.group) + group


class ImageShelf:
    """Facts about an engine's images, each looked up once.

    Args:
        client: The engine's.
        labels: Labels of the containers that are made, never started, to look into an image.
    """

    def __init__(self, client: DockerClient, labels: dict[str, str]) -> None:
        self._client, self._labels = client, labels
        self._facts: dict[str, ImageFacts] = {}
        self._lock = threading.Lock()

    def facts(self, reference: str) -> ImageFacts:
        """What is known of an image.

        Args:
            reference: As in `SandboxSpec.image`.

        Raises:
            SandboxStartError: The engine has no such image, or refuses the reference; the message says what to do.
        """
        tag = resolve_image(reference)
        with self._lock:
            if tag not in self._facts:
                self._facts[tag] = self._look(reference, tag)
            return self._facts[tag]

    def _look(self, reference: str, tag: str) -> ImageFacts:
        import docker

        try:
            found = self._client.api.inspect_image(tag)
        except docker.errors.NotFound as error:
            is_ours = reference.startswith(f"{NAMESPACE}/")
            short = reference.removeprefix(f"{NAMESPACE}/").partition(":")[0]
            way = f"agentgym images build {short}" if is_ours else f"docker pull {tag}"
            raise SandboxStartError(f"image {tag} is not there; make it with: {way}") from error
        except docker.errors.APIError as error:
            if error.status_code != _BAD_REQUEST:
                raise
            raise SandboxStartError(f"{tag!r} names no image; expected the form NAME:TAG, in lower case") from error
        label = (found["Config"].get("Labels") or {}).get(RUNNER_LABEL, "")
        has_runner = label != "" and label == default_catalogue().runner_digest("base")
        container = self._client.api.create_container(found["Id"], ["/none"], labels=self._labels)["Id"]
        try:
            passwd, group = (self._read(container, path) for path in ("/etc/passwd", "/etc/group"))
        finally:
            self._client.api.remove_container(container, force=True, v=True)
        volumes = tuple(sorted(found["Config"].get("Volumes") or ()))
        return ImageFacts(found["Id"], has_runner, passwd, group, volumes)

    def _read(self, container: str, path: str) -> str:
        """A small file of the image; "" where it has none."""
        import docker

        try:
            pieces, _ = self._client.api.get_archive(container, path)
        except docker.errors.NotFound:
            return ""
        packed = b"".join(pieces)[:_PASSWD_LIMIT]
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            member = archive.extractfile(archive.getmembers()[0])
            return "" if member is None else member.read().decode("utf-8", "replace")


def _with_line_end(text: str) -> str:
    return text if text.endswith("\n") or not text else f"{text}\n"
