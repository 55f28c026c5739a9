"""Files that are written as a whole or not at all, and what is said where that fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentgym.errors import ConfigError, StoreError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Where to write a file; at the end it takes the place of `path`, and it is removed if writing fails.

    Args:
        path: The file; replaced if it exists.

    Raises:
        OSError: It cannot be written.
    """
    partial = path.with_name(f"{path.name}.partial")
    try:
        yield partial
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def require_file_place(path: Path, content: str) -> None:
    """Refuse a folder where a file is to be written.

    Args:
        path: Where.
        content: What the file holds, such as "predictions".

    Raises:
        ConfigError: It is a folder.
    """
    if path.is_dir():
        raise ConfigError(f"{path} is a folder; {content} are written to a file, such as {path / content}.jsonl")


def require_folder_place(path: Path, content: str) -> None:
    """Refuse a file where a folder is to be written.

    Args:
        path: Where.
        content: What the folder holds, such as "a dataset".

    Raises:
        ConfigError: It is a file.
    """
    if path.exists() and not path.is_dir():
        raise ConfigError(f"{path} is a file; {content} is written to a folder: name a new one, or one that is there")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Tell what goes wrong with the files of a user's folder as an error that says what to do.

    Raises:
        StoreError: They cannot be written.
    """
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}; choose a folder that can be written") from error
