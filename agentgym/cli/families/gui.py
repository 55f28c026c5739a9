"""`agentgym gui`: checks task files in OSWorld's form, and renders screens of live applications with their targets."""

from __future__ import annotations

import importlib
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import tyro

from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, note, print_json, show
from agentgym.errors import ConfigError, MissingExtraError
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.sandbox.source import default_provider, provider_named


@with_options
def run(
    action: tyro.conf.Positional[Literal["osworld", "render"]],
    path: tyro.conf.Positional[Path],
    /,
    *,
    cache: Path | None = None,
    app: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME ...")] = (),
    screens: int = 100,
    state: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME ...")] = (),
    places: int = 6,
    fixed_look: bool = False,
    seed: int = 0,
    as_json: AsJson = False,
) -> int:
    """Check task files of OSWorld, or write pictures of live applications with every target on them.

    Args:
        action: `osworld PATH` reads a task file, or all below a folder: each is loaded, or refused with its reason.
            `render PATH` writes pictures into a folder, with targets in ScreenSpot's format.
        path: The file or folder.
        cache: osworld: the folder of the files that the tasks need; the default is `cache` beside the tasks.
        app: osworld: further applications of your desktop, such as libreoffice_calc. render: the applications to
            show; the default is all but those that only tests show.
        screens: render: how many pictures.
        state: render: the states that are shown, such as start; the default is all.
        places: render: at how many places an application is shown before another is started.
        fixed_look: render: size of the screen, theme and text do not change.
        seed: render: seed of what is shown.
        as_json: Print JSON.
    """
    wanted = Wanted(screens, state, places, fixed_look, seed)
    if action == "osworld":
        if wanted != Wanted():
            raise ConfigError("--screens, --state, --places, --fixed-look and --seed are for render")
        if cache is not None and not cache.is_dir():
            raise ConfigError(f"there is no folder {cache}; name the folder of the files that the tasks need")
        return _osworld(path, cache, app, as_json)
    if cache is not None:
        raise ConfigError("render reads no task files: --cache is for osworld")
    if screens < 1 or places < 1:
        raise ConfigError(f"screens and places are at least 1: got {screens} and {places}")
    return _render(path, app, wanted, as_json)


class Wanted(NamedTuple):
    """What is rendered: pictures, states, places of an application, whether the look is fixed, and the seed."""

    screens: int = 100
    states: tuple[str, ...] = ()
    places: int = 6
    fixed_look: bool = False
    seed: int = 0


def _osworld(path: Path, cache: Path | None, app: tuple[str, ...], as_json: bool) -> int:
    loading = _module("agentgym_gui.osworld.loading")
    found = loading.load_osworld(path, cache or path.parent / "cache", loading.APPLICATIONS | set(app))
    rows = [{"file": str(file), "id": task.id, "notes": list(task.notes)} for file, task in found.tasks.items()]
    refused = [{"file": str(each.path), "reason": each.reason} for each in found.refused]
    if as_json:
        print_json({"loaded": rows, "refused": refused})
        return 0
    for row in rows:
        show(f"{row['file']}  loaded{''.join(f'; {each}' for each in row['notes'])}")
    for each in refused:
        show(f"{each['file']}  refused: {each['reason']}")
    for reason, count in Counter(each["reason"] for each in refused).most_common():
        note(f"{count:4}  {reason}")
    note(f"{len(rows)} loaded, {len(refused)} refused")
    return 0


def _render(path: Path, app: tuple[str, ...], wanted: Wanted, as_json: bool) -> int:
    rendering = _module("agentgym_gui.grounding.rendering")
    known = _module("agentgym_gui.grounding.applications")
    names = app or tuple(name for name in known.APPLICATIONS if name not in known.HELD_OUT)
    rendering.require_states(wanted.states, names)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ConfigError(f"{path} is there already; name a new folder")
    with SandboxPool(provider_named(default_provider()[0]), PoolConfig(ready=0)) as pool:
        made = rendering.render(
            path,
            pool,
            wanted.screens,
            names,
            seed=wanted.seed,
            places=wanted.places,
            states=wanted.states,
            fixed_look=wanted.fixed_look,
            note=note,
        )
    if as_json:
        print_json(asdict(made))
        return 0
    show(
        f"{path}: {made.num_screens} screens with {made.num_items} items and {made.num_targets} descriptions in "
        f"{made.seconds:.0f} s ({made.num_screens / made.seconds:.2f} screens/s, {made.num_items / made.seconds:.0f} "
        f"items/s); {made.num_failed} openings failed"
    )
    return 0


def _module(name: str) -> Any:
    """A module of the gui family, which commands look up by name."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"agentgym gui ({error.name})", "gui") from error
