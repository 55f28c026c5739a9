"""`agentgym new NAME`: writes a package with an environment, as a start for one of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from agentgym.cli.options import with_options
from agentgym.cli.output import show
from agentgym.scaffold import Kind, write_package


@with_options
def run(
    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")],
    *,
    kind: Kind = "tools",
    parent: Annotated[Path, tyro.conf.arg(name="dir")] = Path(),
) -> int:
    """Write a package with one environment, its suite, its scripted players and its tests.

    Existing files are never overwritten.

    Args:
        name: The name of the package: lower-case words joined by hyphens, such as treasure-hunt.
        kind: What the environment is: tools is a game whose actions are tool calls, web is a page in a browser.
        parent: The folder in which the package's folder is created.
    """
    folder = write_package(name, parent, kind)
    show(str(folder))
    show(f"next: cd {folder} && make test; after make install, agentgym list shows the environment")
    return 0
