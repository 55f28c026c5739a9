"""Grounding-v0: point at what a description means on the picture of a screen.

Scenes are opened in `opening`, drawn in `drawing`, or read from files in `files`; answers are judged in `scoring`.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures

from agentgym.action import Action
from agentgym.config import build
from agentgym.env import EnvReply
from agentgym.errors import ConfigError, TaskError
from agentgym.message import Message, tool_result, user
from agentgym.picture import Image, image_file, png_of
from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.pool import SandboxPool
from agentgym.sandbox.sandbox_env import SandboxEnv
from agentgym.sandbox.spec import SandboxSpec
from agentgym.spaces import observations
from agentgym.task import Task
from agentgym_gui.actions.events import Box, Frame
from agentgym_gui.desktop.pictures import scaled
from agentgym_gui.desktop.session import Desktop
from agentgym_gui.grounding.answers import Reader
from agentgym_gui.grounding.describing import Described, descriptions, draw
from agentgym_gui.grounding.drawing import draw_scene
from agentgym_gui.grounding.files import load_targets
from agentgym_gui.grounding.making import asked, live_task, recorded_task, words_of
from agentgym_gui.grounding.opening import KEYS, Opening, opening_of, read_opening, show_state, start_application
from agentgym_gui.grounding.options import GroundingOptions
from agentgym_gui.grounding.recorded import recorded_scene, recorded_scenes
from agentgym_gui.grounding.scenes import Scene
from agentgym_gui.grounding.scoring import Score, difficulty, reward_weights, score

ENDED = "The episode has ended."
Pixels = NDArray[np.uint8]


class GroundingEnv(SandboxEnv):
    """Point at what a description means on the picture of a screen.

    Observation:
        The description, such as 'Click the button to the right of "Save".', and the picture. With `listed`, also a line
        for each item with its place.

    Action:
        One call of `point`, `box` or `absent`; with `answers`, numbers in plain text, or a click in one of the syntaxes
        of actions.

    Reward:
        hit: 1 if the point, or the middle of the box, lies in the target, or if the target is rightly called absent.
        near: 1 - (d / dmax)^2 for the distance to the target's middle; weight 1 with reward="dense". overlap and edges:
        how well the box fits; weights 0.25 and 0.125 with reward="box", where small targets weigh more. format: -0.1
        for an invalid message.

    Termination:
        The first valid answer. Success is a hit. More invalid messages than allowed end the episode as invalid.

    Truncation:
        At the task's limit of turns.

    Info:
        As `AgentEnv`.

    Sandbox:
        None for recorded screens and files. With `live`, image agentgym/desktop as in Desktop-v0.

    Source and licence:
        Ours. Rewards are those of SE-GUI (arXiv:2505.12370) and GUI-G1 (arXiv:2505.15810). Files of others are the
        user's.

    Example:
        >>> point(640, 400)

    Args:
        options: What is shown, how it is answered, and what that earns. Its fields can be given by name instead, as in
            `reward="dense"`.
        sandbox: As in `SandboxEnv`.
        relaxed: As in `SandboxEnv`.
        render_mode: "ansi", or "rgb_array" for the pixels.
        fields: Fields of `GroundingOptions`.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}
    invalid_value = -0.1

    def __init__(
        self,
        options: GroundingOptions | None = None,
        sandbox: str | SandboxProvider | SandboxPool | None = None,
        relaxed: Sequence[str] = (),
        render_mode: str | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(sandbox, relaxed, render_mode)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigError(f"render_mode must be None, 'ansi' or 'rgb_array': got {render_mode!r}")
        if options is not None and fields:
            raise ConfigError(f"give options or their fields, not both: got {sorted(fields)}")
        self.options = chosen = build(GroundingOptions, fields) if options is None else options
        self.reward_weights = {**reward_weights(chosen.reward), "format": 1.0}
        self._reader = Reader(chosen.answers)
        self.tools = list(self._reader.tools)
        self.speaks = not self.tools
        images = Path(chosen.images) if chosen.images else None
        self._tasks = load_targets(Path(chosen.targets), images, chosen.boxes) if chosen.targets else []
        self.num_tasks = len(self._tasks) or None
        self.observation_space = observations(has_picture=True)
        self._scene: Scene | None = None
        self._pixels: Pixels | None = None
        self._sent: tuple[Pixels | None, Pixels | None] = (None, None)
        self._size = (1, 1)
        self._target: Box | None = None

    # The episode.

    def make_task(self, seed: int) -> Task:
        """A target of the file, of an application that is opened, or of a recorded screen."""
        if self._tasks:
            return self._tasks[seed % len(self._tasks)]
        rng = random.Random(seed)
        share = self.options.absent
        if self.options.live:
            return live_task(rng, seed, self.options.shown, share)
        keys = [key for key, scene in recorded_scenes().items() if scene.application in self.options.shown]
        if not keys:
            raise ConfigError(f"there are no recorded screens of {', '.join(self.options.shown)}; set live=True")
        return recorded_task(rng, seed, keys, share)

    def sandbox_spec(self, task: Task) -> SandboxSpec:
        """A desktop of the task's screen."""
        return self._opening(task).screen.spec()

    def vet(self, task: Task) -> None:
        """Refuse a picture of this machine that a client names."""
        if "picture" in task.config:
            raise TaskError(f"task {task.id!r} names a picture of this machine; give targets=… to the environment")

    def begin(self, task: Task) -> Sequence[Message]:
        """Show the scene; a sandbox is leased only where an application is opened."""
        return super().begin(task) if self._is_live(task) else self.set_up(task)

    def set_up(self, task: Task) -> Sequence[Message]:
        """Open, draw or read the screen, and ask for the target."""
        self._scene = self._pixels = None
        if "picture" in task.config:
            self._pixels = _read_picture(Path(task.config["picture"]))
            self._size = self._pixels.shape[1], self._pixels.shape[0]
            words = task.instruction
            self._target = _box(task.private)
        else:
            scene = self._open(task) if self._is_live(task) else _scene_of(task)
            self._scene, self._size = scene, (scene.width, scene.height)
            if self._pixels is None:
                self._pixels = draw_scene(scene)
            found = _described(task, scene)
            words = task.instruction or asked(found.words)
            self._target = found.box
        width, height = self._sent_size
        text = f"{words}\n\nThe picture has {width}x{height} pixels."
        if self.options.grid:
            text += f" Coordinates go from 0 to {self.options.grid} in both directions."
        guide = f"\n{self._reader.guide}" if self._reader.guide else ""
        listed = f"\n\n{self._list()}" if self.options.listed and self._scene is not None else ""
        return [user(f"{text}{guide}{listed}")]

    def parse(self, text: str) -> Action:
        """The message with its tool calls; it is read into an answer by `respond`."""
        return self._reader.action(text)

    def respond(self, action: Action) -> EnvReply:
        """Judge the answer and end the episode."""
        width, height = self._size
        answer = self._reader.read(action.text, self._frame())
        found = score(answer, self._target, width, height)
        events = self._events(found)
        said = [*("" for _ in action.tool_calls[:-1]), ENDED]
        messages = [
            tool_result(call.id, call.name, each) for call, each in zip(action.tool_calls, said, strict=False)
        ] or [user(ENDED)]
        return EnvReply(messages, events, terminated=True, success=found.hit == 1.0, score=found.hit)

    def observe(self, messages: Sequence[Message], image: Pixels | None) -> dict[str, Any]:
        """The observation: the description and the picture."""
        shown = self._image() if image is None else image
        return super().observe(messages, None if shown is None else shown.copy())

    def anchor(self) -> str | None:
        """The screen, the description, and the invalid messages so far."""
        assert self.task is not None
        key = self.task.content_hash if self._scene is None else self._scene.key
        return f"{key} {self.task.instruction} {self.num_invalid}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing is random."""
        twin = type(self)(self.options, self._wanted, self._relaxed, self.render_mode)
        for name in ("task", "episode_seed", "last_messages", "_scene", "_pixels", "_size", "_target"):
            setattr(twin, name, getattr(self, name))
        twin.books = copy.deepcopy(self.books)
        if seed is not None:
            twin.episode_seed = seed
        return twin

    def screenshot(self) -> Image | None:
        """The picture as a PNG file."""
        return None if self._pixels is None else image_file("image/png", png_of(self._pixels))

    def render(self) -> Any:
        """The last messages as text, or the pixels."""
        return self._pixels if self.render_mode == "rgb_array" else super().render()

    # Its parts.

    @property
    def scene(self) -> Scene | None:
        """The scene of the episode, for tests and players on the harness's side; None for a picture of a file."""
        return self._scene

    def _is_live(self, task: Task) -> bool:
        return "application" in task.config or (self.options.live and "scene" in task.config)

    def _opening(self, task: Task) -> Opening:
        if "application" in task.config:
            return read_opening({key: task.config[key] for key in KEYS if key in task.config})
        return opening_of(_scene_of(task))

    def _open(self, task: Task) -> Scene:
        """The live scene; its desktop is given back at once."""
        opening = self._opening(task)
        with closing(Desktop(self.sandbox, opening.screen)) as desktop:
            start_application(desktop, opening)
            scene, self._pixels = show_state(desktop, opening)
        self.release()
        return scene

    def _events(self, found: Score) -> list[Any]:
        weight = difficulty(self._target, *self._size) if self.options.reward == "box" else 1.0
        detail = {"difficulty": round(weight, 3)} if self.options.reward == "box" else None
        return [
            self.event(name, value * weight, source="verifier", detail=detail) for name, value in found.values().items()
        ]

    @property
    def _sent_size(self) -> tuple[int, int]:
        scale = self.options.scale
        return max(round(self._size[0] * scale), 1), max(round(self._size[1] * scale), 1)

    def _frame(self) -> Frame:
        width, height = self._size
        if self.options.grid:
            return Frame(width, height, grid=self.options.grid)
        sent_width, sent_height = self._sent_size
        return Frame(width, height, sent_width / width, sent_height / height)

    def _image(self) -> Pixels | None:
        if self._pixels is None:
            return None
        source, sent = self._sent
        if source is not self._pixels:  # many questions are about one picture
            sent = scaled(self._pixels, *self._sent_size)
            self._sent = self._pixels, sent
        return sent

    def _list(self) -> str:
        assert self._scene is not None
        frame = self._frame()
        lines = []
        for each in self._scene.items:
            x, y = frame.from_pixel(each.box.x, each.box.y)
            right, bottom = frame.from_pixel(each.box.x + each.box.width - 1, each.box.y + each.box.height - 1)
            lines.append(f'{each.role} "{each.name}" [{x}, {y}, {right}, {bottom}]')
        return "\n".join(lines)


def _scene_of(task: Task) -> Scene:
    try:
        return recorded_scene(task.config["scene"])
    except KeyError:
        raise TaskError(
            f"task {task.id!r} has no screen; expected a config with application, scene or picture"
        ) from None


def _described(task: Task, scene: Scene) -> Described:
    """What the task asks for on a scene: what its private part says, found again by its words where it is live."""
    if "box" not in task.private:
        seed = str(task.config.get("pick", task.seed))
        found = draw(scene, random.Random(seed), float(task.config.get("absent", 0.1)))
        if found is None:
            raise TaskError(f"task {task.id!r}: there is nothing on its screen that can be asked for")
        return found
    box, words = _box(task.private), words_of(task.instruction)
    if box is not None and "scene" in task.config and scene.key != task.config["scene"]:
        box = next((each.box for each in descriptions(scene) if each.words == words), box)
    return Described("", words, box)


def _box(private: Mapping[str, Any]) -> Box | None:
    numbers = private.get("box")
    return None if numbers is None else Box(*(int(each) for each in numbers))


@lru_cache(maxsize=8)
def _read_picture(path: Path) -> Pixels:
    try:
        with Pictures.open(path) as picture:
            pixels = np.asarray(picture.convert("RGB"), np.uint8).copy()
    except (OSError, ValueError, Pictures.DecompressionBombError) as error:
        raise TaskError(f"the picture {path} cannot be read: {error}") from error
    pixels.flags.writeable = False
    return pixels
