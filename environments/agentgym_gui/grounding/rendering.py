"""Rendering screens of live applications with every target on them, in ScreenSpot's format: `agentgym gui render`.

Each desktop shows one application after another, and each at several places and in all its states.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentgym.errors import SandboxError, UnknownNameError
from agentgym.picture import png_of
from agentgym.sandbox.pool import SandboxPool
from agentgym_gui.actions.keys import combination, pressed
from agentgym_gui.desktop.session import Desktop, Pixels
from agentgym_gui.desktop.settings import DesktopSettings
from agentgym_gui.grounding.applications import START, application_named
from agentgym_gui.grounding.describing import askable, descriptions
from agentgym_gui.grounding.opening import Opening, draw_opening, draw_place, show_state, start_application
from agentgym_gui.grounding.scenes import Scene

DESKTOPS = 2
"""How many desktops work at once: most of the time each of them is waited for."""
PLACES = 6
"""At how many places an application that was started is shown in each of its states."""
SCREENS, TARGETS = "scenes.jsonl", "targets.json"
_APPLICATIONS_A_DESKTOP = 8
_GONE_S = 10.0
MAX_FAILURES = 10
"""After how many failed openings in a row rendering gives up."""
Note = Callable[[str], None]
_Shown = tuple[Scene, Pixels] | SandboxError
"""A scene with its picture, or why an opening failed."""


@dataclass(frozen=True)
class Rendered:
    """What was rendered.

    Attributes:
        num_screens: Pictures that were written.
        num_items: Items on them that can be asked for, with their boxes.
        num_targets: Descriptions of items.
        num_failed: Openings that showed nothing that stands still.
        seconds: How long it took, desktops and applications included.
    """

    num_screens: int
    num_items: int
    num_targets: int
    num_failed: int
    seconds: float


def render(
    folder: Path,
    pool: SandboxPool,
    num_screens: int,
    applications: Sequence[str],
    *,
    seed: int = 0,
    places: int = PLACES,
    states: Sequence[str] = (),
    fixed_look: bool = False,
    desktops: int = DESKTOPS,
    note: Note = lambda text: None,
) -> Rendered:
    """Write pictures, scenes and targets into a folder; after an interrupt or a fault, it holds what was shown before.

    Args:
        folder: Gets `images/`, `scenes.jsonl` with every item, and `targets.json` in ScreenSpot's format.
        pool: Lends the desktops.
        num_screens: How many pictures.
        applications: Names of the applications.
        seed: Seed of what is shown.
        places: At how many places an application is shown in each state before it is started anew.
        states: Names of the states that are shown; none for all.
        fixed_look: Whether size, theme and text are those by default.
        desktops: How many desktops work at once; with the seed, it says what is shown.
        note: Is told how far it is.

    Raises:
        UnknownNameError: An application, or a state that none of the applications has.
        SandboxError: Openings failed `MAX_FAILURES` times in a row.
    """
    require_states(states, applications)
    began = time.monotonic()
    (folder / "images").mkdir(parents=True, exist_ok=True)
    targets: list[dict[str, Any]] = []
    num_failed = num_items = done = in_a_row = 0
    with ExitStack() as stack:
        stack.callback(_write_targets, folder, targets)  # runs after an interrupt, too
        scenes = stack.enter_context((folder / SCREENS).open("w", encoding="utf-8"))
        wanted = _Wanted(applications, frozenset(states), places, fixed_look)
        sources = [_shown(pool, random.Random(f"{seed} {number}"), wanted) for number in range(desktops)]
        for shown in stack.enter_context(closing(_in_turn(sources))):
            if isinstance(shown, SandboxError):
                num_failed, in_a_row = num_failed + 1, in_a_row + 1
                if in_a_row >= MAX_FAILURES:
                    raise SandboxError(f"{in_a_row} openings in a row failed, the last because {shown}") from shown
                continue
            in_a_row = 0
            scene, pixels = shown
            name = f"{scene.application}-{done:05}.png"
            (folder / "images" / name).write_bytes(png_of(pixels))
            scenes.write(json.dumps({"picture": name, **scene.row()}, separators=(",", ":")) + "\n")
            num_items += len(askable(scene))
            targets += screenspot_rows(scene, name)
            done += 1
            if done % 20 == 0:
                note(f"{done} screens, {len(targets)} targets")
            if done >= num_screens:
                break
    return Rendered(done, num_items, len(targets), num_failed, time.monotonic() - began)


def _write_targets(folder: Path, targets: Sequence[Mapping[str, Any]]) -> None:
    rows = ",\n".join(json.dumps(each, ensure_ascii=False) for each in targets)
    (folder / TARGETS).write_text(f"[\n{rows}\n]\n", encoding="utf-8")


def require_states(states: Sequence[str], applications: Sequence[str]) -> None:
    """Refuse a state that none of some applications has.

    Raises:
        UnknownNameError: There is one, or no such application.
    """
    known = list(dict.fromkeys(state for name in applications for state in application_named(name).all_states))
    for state in states:
        if state not in known:
            raise UnknownNameError("state", state, known, owner=", ".join(applications))


def screenspot_rows(scene: Scene, picture: str) -> list[dict[str, Any]]:
    """The targets of a scene in ScreenSpot's format: boxes are x, y, width and height."""
    rows: list[dict[str, Any]] = []
    for each in descriptions(scene):
        if each.box is not None:
            box = [each.box.x, each.box.y, each.box.width, each.box.height]
            words = f"click {each.words}"
            rows.append(
                {
                    "img_filename": picture,
                    "bbox": box,
                    "instruction": words,
                    "data_type": each.kind,
                    "data_source": scene.application,
                }
            )
    return rows


@dataclass(frozen=True)
class _Wanted:
    """What is shown, as `render` is told."""

    applications: Sequence[str]
    states: frozenset[str]
    places: int
    fixed_look: bool

    @property
    def shown(self) -> Sequence[str]:
        """The applications that have a state that is wanted."""
        if not self.states:
            return self.applications
        return [name for name in self.applications if self.states & set(application_named(name).all_states)]

    def look(self, opening: Opening) -> DesktopSettings:
        """How a desktop looks."""
        return DesktopSettings() if self.fixed_look else opening.screen


def _in_turn(sources: Sequence[Generator[_Shown, None, None]]) -> Generator[_Shown, None, None]:
    """What several sources yield, one after the other, while the others work on their next."""
    with ThreadPoolExecutor(len(sources)) as threads:
        pending = [threads.submit(next, source) for source in sources]
        try:
            while True:
                for number, source in enumerate(sources):
                    shown = pending[number].result()
                    pending[number] = threads.submit(next, source)
                    yield shown
        finally:
            wait(pending)
            for source in sources:
                source.close()


def _shown(pool: SandboxPool, rng: random.Random, wanted: _Wanted) -> Generator[_Shown, None, None]:
    """Scenes without end, and why openings failed."""
    while True:
        first = draw_opening(rng, wanted.shown)
        size = wanted.look(first)
        try:
            with pool.lease(size.spec()) as sandbox, closing(Desktop(sandbox, size)) as desktop:
                for number in range(_APPLICATIONS_A_DESKTOP):
                    opening = first if number == 0 else draw_opening(rng, wanted.shown)
                    look = replace(wanted.look(opening), width=size.width, height=size.height)
                    yield from _of_application(desktop, replace(opening, screen=look), rng, wanted)
        except SandboxError as error:
            yield error


def _of_application(
    desktop: Desktop, opening: Opening, rng: random.Random, wanted: _Wanted
) -> Generator[_Shown, None, None]:
    """One application at several places, in every state that is wanted; it is ended afterwards."""
    start_application(desktop, opening)
    states = [
        each for each in application_named(opening.application).all_states if not wanted.states or each in wanted.states
    ]
    for _ in range(wanted.places):
        place = draw_place(rng, opening.screen)
        for state in rng.sample(states, len(states)):
            try:
                yield show_state(desktop, replace(opening, state=state, place=place))
            except SandboxError as error:
                yield error
            if state != START:
                desktop.act([*pressed(combination("Escape")), *pressed(combination("Escape"))])
                if not desktop.look().screen.windows:  # some dialogs are the whole application
                    start_application(desktop, opening)
    _end_all(desktop)


def _end_all(desktop: Desktop) -> None:
    """End the applications of a desktop.

    Raises:
        SandboxError: One stays.
    """
    deadline = time.monotonic() + _GONE_S
    while windows := desktop.look().screen.windows:
        if time.monotonic() > deadline:
            raise SandboxError("an application does not end")
        pids = sorted({str(window.pid) for window in windows if window.pid > 0})
        desktop.sandbox.exec(["kill", "-KILL", *pids])
