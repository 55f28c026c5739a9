"""`agentgym new NAME`: a package with an environment of one's own, to be changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from agentgym.scaffold import write_package


def run(
    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")],
    *,
    parent: Annotated[Path, tyro.conf.arg(name="dir")] = Path(),
) -> int:
    """Write a package with one environment, its suite, players and tests; nothing is overwritten.

    Args:
        name: Lower-case words joined by hyphens, such as treasure-hunt.
        parent: Folder that the new folder is made in.
    """
    folder = write_package(name, parent)
    print(folder)
    print(f"next: cd {folder} && make test; then make install, and agentgym list names the environment")
    return 0
