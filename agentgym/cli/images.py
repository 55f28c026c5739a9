"""`agentgym images`: builds, lists, checks and removes the container images of sandboxes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Literal

import tyro
from rich.console import Console
from rich.markup import escape

from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, note, print_json, print_table
from agentgym.sandbox.engines.engine import connect_engine
from agentgym.sandbox.images.build import (
    BuiltImage,
    ImageState,
    Report,
    build_images,
    image_states,
    remove_superseded,
)

_MB = 1e6
_SHOWN_WIDTH = 100


@with_options
def run(
    action: tyro.conf.Positional[Literal["build", "list", "check", "prune"]],
    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[NAME ...]")] = (),
    /,
    *,
    as_json: AsJson = False,
) -> int:
    """Build, list, check or remove the container images that sandboxes run.

    Args:
        action: `build` builds what is missing. `list` shows all images. `check` shows them too, and exits with 1 if an
            image is missing or stale. `prune` removes outdated versions of images.
        names: Names of images, such as base or python. The default is all but
            desktop-bus and desktop-office, which are built only if they are named.
        as_json: Print JSON.
    """
    client = connect_engine()
    if action == "build":
        with _progress() as report:
            built = build_images(client, names, report=report)
        _show_built(built, as_json)
        return 0
    if action == "prune":
        removed = remove_superseded(client, names)
        print_json(removed) if as_json else print_table(("removed",), ((tag,) for tag in removed))
        return 0
    states = image_states(client, names)
    _show_states(states, as_json)
    wanting = [state.name for state in states if state.status != "ok"]
    if wanting:
        note(f"to do: agentgym images build {' '.join(wanting)}")
    return 1 if wanting and action == "check" else 0


def _show_built(built: list[BuiltImage], as_json: bool) -> None:
    if as_json:
        print_json([asdict(image) for image in built])
        return
    rows = []
    for image in built:
        how = f"built in {image.seconds:.0f} s" if image.was_built else "was there"
        rows.append((image.name, how, _size(image.size_bytes), image.tag))
    print_table(("image", "", "size", "tag"), rows)


def _show_states(states: list[ImageState], as_json: bool) -> None:
    if as_json:
        print_json([asdict(state) for state in states])
        return
    rows = [(s.name, s.status, _size(s.size_bytes), len(s.superseded), s.tag) for s in states]
    print_table(("image", "status", "size", "other versions", "tag"), rows)


def _size(num_bytes: int | None) -> str:
    return "-" if num_bytes is None else f"{num_bytes / _MB:.0f} MB"


@contextmanager
def _progress() -> Iterator[Report]:
    """Steps as lines on stderr; on a terminal the present line as well, over and over in one place."""
    console = Console(file=sys.stderr, highlight=False)
    if not console.is_terminal:
        yield lambda name, line: _note_step(name, line)
        return
    with console.status("images") as status:

        def show(name: str, line: str) -> None:
            if _is_step(line):
                console.print(f"[bold]{name}[/bold] {escape(line)}", overflow="ellipsis", no_wrap=True)
            status.update(f"[bold]{name}[/bold] {escape(line[:_SHOWN_WIDTH])}")

        yield show


def _note_step(name: str, line: str) -> None:
    if _is_step(line):
        note(f"{name}: {line}")


def _is_step(line: str) -> bool:
    """Whether a line opens something; the rest is what programs print."""
    return line.startswith(("Step ", "STEP ", "pulling ", "fetching ", "waiting ")) or "making it from" in line
