"""Our container images: what each is made of, and the tag that says exactly that.

No engine is asked here; `build` builds them.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from agentgym.data_folder import data_folder
from agentgym.errors import ConfigError, UnknownNameError
from agentgym.sandbox.images.installed_site import files_below, requirement_pins, site_files

NAMESPACE = "agentgym"
IMAGE_LABEL = "agentgym.image"
"""Label of every image of ours: its short name."""
RUNNER_LABEL = "agentgym.runner"
"""Label of every image that holds our runner: the hash of the runner's sources."""
SITE_IMAGE = "env"
"""The image that carries this installation of agentgym beside its folder."""
EXTRAS: Mapping[str, tuple[str, frozenset[str]]] = {
    SITE_IMAGE: ("serve", frozenset()),
    "web": ("web", frozenset({"playwright", "selenium"})),
}
"""Images that hold what an extra needs, as it is installed here; and what of it no environment imports."""
ON_DEMAND = frozenset({"desktop-bus", "desktop-office"})
"""Images that are built only where they are named: large, and needed by few tasks."""
PINS_FILE = "packages.txt"
"""File of an image's folder that names the Python packages it holds, as "name==version" a line."""
PACKAGES_FOLDER = "packages"
"""Where an image's Dockerfile finds those packages, unpacked."""

_FROM = re.compile(r"^[ \t]*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?\s*$", re.IGNORECASE | re.MULTILINE)
_TAG_DIGITS = 16
_UNCOPIED = "README.md"


@dataclass(frozen=True)
class ImageSource:
    """What one image is made of.

    Attributes:
        name: Its short name, that of its folder.
        files: Content of its build context by path: its folder but for the README, and what it copies from elsewhere.
        pins: Python packages that it holds, as "name==version"; they are fetched when it is built.
        own_parents: Short names of images of ours that its Dockerfile builds on.
        foreign_parents: Other images that it builds on, as named there.
    """

    name: str
    files: Mapping[str, Path]
    pins: tuple[str, ...] = ()
    own_parents: tuple[str, ...] = ()
    foreign_parents: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hex of everything named above, parents' content excepted."""
        digest = hashlib.sha256("\n".join((*self.pins, "")).encode())
        for target, path in sorted(self.files.items()):
            is_program = os.access(path, os.X_OK)
            content = path.read_bytes()
            digest.update(f"{target}\0{is_program:d}\0{len(content)}\0".encode())
            digest.update(content)
        return digest.hexdigest()


@dataclass(frozen=True)
class ImageCatalogue:
    """The images of one folder, each a subfolder with a Dockerfile.

    What is read is kept: a process sees the images as they were when it first asked.

    Attributes:
        root: The folder; `default_catalogue()` has that of agentgym itself.
    """

    root: Path
    _sources: dict[str, ImageSource] = field(default_factory=dict, compare=False)
    _tags: dict[str, str] = field(default_factory=dict, compare=False)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Short names, each image after those that it builds on."""
        found = sorted(path.parent.name for path in self.root.glob("*/Dockerfile"))
        ordered: list[str] = []
        for name in found:
            self._visit(name, ordered, ())
        return tuple(ordered)

    @property
    def usual_names(self) -> tuple[str, ...]:
        """Those that are built where none is named."""
        return tuple(name for name in self.names if name not in ON_DEMAND)

    def source(self, name: str) -> ImageSource:
        """What an image is made of.

        Raises:
            UnknownNameError: There is no such image.
        """
        short = name.removeprefix(f"{NAMESPACE}/")
        if short not in self._sources:
            self._sources[short] = self._read(short)
        return self._sources[short]

    def tag(self, name: str) -> str:
        """The full name of an image as it stands now: "agentgym/NAME:HASH".

        The hash covers its folder, what it copies from elsewhere, and the tags of the images that it builds on.

        Raises:
            UnknownNameError: There is no such image.
        """
        source = self.source(name)
        if source.name not in self._tags:
            parts = (source.digest, *map(self.tag, source.own_parents), *source.foreign_parents)
            digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_TAG_DIGITS]
            self._tags[source.name] = f"{NAMESPACE}/{source.name}:{digest}"
        return self._tags[source.name]

    def closure(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Those images and all that they build on, in the order of building."""
        ordered: list[str] = []
        for name in names:
            self._visit(self.source(name).name, ordered, ())
        return tuple(ordered)

    def dockerfile(self, name: str) -> str:
        """An image's Dockerfile, with the images of ours that it builds on named by their full tags."""
        source = self.source(name)
        text = source.files["Dockerfile"].read_text(encoding="utf-8")
        for parent in source.own_parents:
            text = re.sub(rf"^(FROM\s+){NAMESPACE}/{parent}(?=\s|$)", rf"\g<1>{self.tag(parent)}", text, flags=re.M)
        return text

    def runner_digest(self, name: str) -> str:
        """SHA-256 in hex of the sources of the runner that an image is built from; "" for one that builds none."""
        files = self.source(name).files
        sources = {target: path for target, path in files.items() if target.startswith("runner/")}
        return ImageSource(name, sources).digest if sources else ""

    def _read(self, name: str) -> ImageSource:
        folder = self.root / name
        if "/" in name or not (folder / "Dockerfile").is_file():
            raise UnknownNameError("image", name, [path.parent.name for path in self.root.glob("*/Dockerfile")])
        files = {inner: path for inner, path in files_below(folder).items() if path.name != _UNCOPIED}
        pins: tuple[str, ...] = ()
        if PINS_FILE in files:
            pins = tuple(files.pop(PINS_FILE).read_text(encoding="utf-8").split())
        if name == SITE_IMAGE:
            files |= {f"site/{target}": path for target, path in site_files().items()}
        bases = base_images((folder / "Dockerfile").read_text(encoding="utf-8"))
        own = [base.removeprefix(f"{NAMESPACE}/") for base in bases if base.startswith(f"{NAMESPACE}/")]
        foreign = [base for base in bases if not base.startswith(f"{NAMESPACE}/")]
        if name in EXTRAS:
            inherited = {pin for parent in own for pin in self.source(parent).pins}
            pins += tuple(pin for pin in requirement_pins(*EXTRAS[name]) if pin not in inherited)
        return ImageSource(name, files, pins, tuple(own), tuple(foreign))

    def _visit(self, name: str, ordered: list[str], path: tuple[str, ...]) -> None:
        if name in path:
            raise ConfigError(f"images build on each other in a circle: {' -> '.join((*path, name))}; break it")
        for parent in self.source(name).own_parents:
            self._visit(parent, ordered, (*path, name))
        if name not in ordered:
            ordered.append(name)


def base_images(dockerfile: str) -> list[str]:
    """The images that a Dockerfile builds on, each once: neither stages of its own nor the empty `scratch`."""
    stages, found = {"scratch"}, []
    for base, stage in _FROM.findall(dockerfile):
        if base.lower() not in stages:
            found.append(base)
        stages.add(stage.lower())
    return list(dict.fromkeys(found))


@cache
def default_catalogue() -> ImageCatalogue:
    """The images that come with agentgym."""
    return ImageCatalogue(data_folder("containers"))


def image_tag(name: str) -> str:
    """The full name of an image of ours by its short one, such as "python" or "agentgym/python".

    Raises:
        UnknownNameError: There is no such image.
    """
    return default_catalogue().tag(name)


def resolve_image(reference: str) -> str:
    """What a `SandboxSpec.image` means to an engine: short names of ours get their full tag, others stay as they are.

    Raises:
        UnknownNameError: A short name of ours that does not exist.
    """
    is_short = reference.startswith(f"{NAMESPACE}/") and ":" not in reference
    return image_tag(reference) if is_short else reference
