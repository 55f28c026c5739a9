"""The files of a package as they are sent to a judge: those of the layer, with the agent's changes in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from agentgym_swe.repositories.layer import Layer


class File(NamedTuple):
    """One file on its way.

    Attributes:
        content: Its bytes.
        seconds: Its time of change, by which byte code knows it; 0 for now.
    """

    content: bytes
    seconds: int = 0


FIXED_TIME = 1_700_000_000
"""Time of change of pristine files, seconds since 1970."""
Tree = Mapping[str, File]
"""Files by path."""


def tree_of(layer: Layer, *, with_tests: bool, changes: Mapping[str, str | None] | None = None) -> dict[str, File]:
    """The files of a layer, without byte code, and changed.

    Args:
        layer: The package.
        with_tests: Whether its tests, and the byte code that pytest makes of them, are part of it.
        changes: New texts by path; None for a file that is gone.
    """
    files = dict(_pristine(layer) if with_tests else _sources(layer))
    for path, text in (changes or {}).items():
        if text is None:
            files.pop(path, None)
        else:
            files[path] = File(text.encode("utf-8"))
    return files


def header(tree: Tree) -> list[list[str | int]]:
    """What is said of the files before their content."""
    return [[path, file.seconds, len(file.content)] for path, file in tree.items()]


def content(tree: Tree) -> bytes:
    """Their content in the same order."""
    return b"".join(file.content for file in tree.values())


def text_of(layer: Layer, path: str) -> str | None:
    """The pristine text of a file; None where there is none."""
    file = _pristine(layer).get(path)
    return None if file is None else file.content.decode("utf-8", "replace")


def _sources(layer: Layer) -> Iterable[tuple[str, File]]:
    pristine = _pristine(layer)
    return ((path, file) for path, file in pristine.items() if not layer.is_test(path))


@lru_cache(maxsize=64)
def _read(folder: str, digest: str, paths: tuple[str, ...]) -> dict[str, File]:
    found = {}
    for path in paths:
        with open(f"{folder}/{path}", "rb") as file:
            found[path] = File(file.read(), FIXED_TIME)
    return found


def _pristine(layer: Layer) -> dict[str, File]:
    return _read(str(layer.folder), layer.digest, layer.files)
