"""Edits of a layer's files: a span of characters and the text that takes its place.

An edit holds no more of a file than what it puts in. Where it fits a layer is said by the layer's digest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentgym.errors import ConfigError, TaskError

if TYPE_CHECKING:
    from agentgym_swe.repositories.layer import Layer


MIN_DIGEST = 16
"""Digits of a layer's digest that tasks hold."""


@dataclass(frozen=True, order=True)
class Edit:
    """One replacement in a file.

    Attributes:
        file: Path in the layer, with "/".
        start: First character that is replaced, counted in the pristine text with its line ends as they are.
        end: The character after the last one.
        text: What takes their place.
    """

    file: str
    start: int
    end: int
    text: str

    def to_json(self) -> list[str | int]:
        """The form in which tasks hold it: [file, start, end, text]."""
        return [self.file, self.start, self.end, self.text]

    @classmethod
    def from_json(cls, values: Sequence[object]) -> Edit:
        """The inverse of `to_json`.

        Raises:
            TaskError: The values are no edit.
        """
        match values:
            case [str(file), int(start), int(end), str(text)] if 0 <= start <= end:
                return cls(file, start, end, text)
        raise TaskError(f"an edit is [file, start, end, text] with 0 <= start <= end: got {values!r}")


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text after edits of it, whose spans are all counted in the text as it was.

    Raises:
        TaskError: A span leaves the text, or two overlap.
    """
    parts, reached = [], 0
    for edit in sorted(edits):
        if edit.end > len(text):
            raise TaskError(f"an edit of {edit.file} ends at character {edit.end}, but the file has {len(text)}")
        if edit.start < reached:
            raise TaskError(f"two edits of {edit.file} overlap at character {edit.start}")
        parts += [text[reached : edit.start], edit.text]
        reached = edit.end
    return "".join([*parts, text[reached:]])


def apply_edits(layer: Layer, edits: Iterable[Edit], *, digest: str = "") -> Mapping[str, str]:
    """The new text of every file that edits change.

    Args:
        layer: The pristine files.
        edits: The edits, of any number of files.
        digest: The digest of the layer that the edits were made for, or its first 16 digits or more; "" asks for none.

    Raises:
        TaskError: An edit does not fit: another layer, no such file, a file outside the source roots, a span that
            leaves the file or overlaps another.
        ConfigError: The layer's folder was damaged.
    """
    if digest and not (layer.digest.startswith(digest) and len(digest) >= MIN_DIGEST):
        raise TaskError(
            f"the edits were made for the layer {digest[:12]} of {layer.name}, and {layer.digest[:12]} is prepared "
            f"here; run `agentgym swe prepare {layer.name}` with the agentgym that the task comes from"
        )
    of_file: dict[str, list[Edit]] = {}
    for edit in edits:
        of_file.setdefault(edit.file, []).append(edit)
    return {file: edited(_source(layer, file), own) for file, own in of_file.items()}


def _source(layer: Layer, file: str) -> str:
    if not layer.is_source(file):
        roots = ", ".join(layer.source_roots)
        raise TaskError(f"an edit names {file!r}, which is no source of {layer.name}; its sources are below {roots}")
    try:
        return layer.text(file)
    except FileNotFoundError:
        raise TaskError(f"an edit names {file!r}, but {layer.name} {layer.version} has no such file") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} of {layer.name} is not UTF-8; prepare the package again") from error
