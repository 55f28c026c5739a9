"""A file that is written as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
