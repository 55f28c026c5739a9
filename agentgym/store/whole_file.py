"""Files that are written as a whole or not at all, and what is said where that fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentgym.errors import StoreError


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
