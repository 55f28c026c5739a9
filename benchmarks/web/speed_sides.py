"""The same episodes on the same pages under agentgym, Farama's miniwob and BrowserGym, as passes that a clock can time.

The oracle's actions are written down first, one a step, and put into each library's own action space on its own copy
of the page; a pass then plays what was written down. Browsers are open before the clock starts, but BrowserGym starts
new ones at each reset.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Protocol

from agentgym.task import Limits, Task
from agentgym_web.miniwob.env import MiniWoBEnv, make_task
from benchmarks.web import browsergym_peer, farama_peer
from benchmarks.web.browsergym_peer import BrowserGym
from benchmarks.web.farama_peer import FaramaPage
from benchmarks.web.recording import Episode, Recorder

PAGES = ("click-button", "click-checkboxes", "click-dialog", "enter-text", "login-user", "navigate-tree")
"""Pages whose actions are one action in each of the three action spaces."""
SEEDS = 2


@dataclass(frozen=True)
class Pass:
    """What a pass took.

    Attributes:
        steps: Number of steps.
        seconds: Time, resets counted.
    """

    steps: int
    seconds: float


class Side(Protocol):
    """One library with its pages open."""

    def play(self) -> Pass:
        """Play all episodes once."""

    def close(self) -> None:
        """End its browsers."""


def recorded(pages: Sequence[str] = PAGES, num_seeds: int = SEEDS) -> list[Episode]:
    """The oracle's episodes, by page."""
    with closing(Recorder()) as recorder:
        found = [
            recorder.play(page, seed) for page in pages for seed in map(browsergym_peer.page_seed, range(num_seeds))
        ]
    for episode in found:
        check_solved("agentgym's oracle", episode, episode.reward)
    return found


class AgentGym:
    """Ours: an environment a page.

    Args:
        episodes: What is played.
        is_full: Whether each step gives a screenshot and the DOM beside the tree.
    """

    def __init__(self, episodes: Sequence[Episode], *, is_full: bool = False) -> None:
        self._episodes = episodes
        self.envs = {episode.page: own_env(is_full=is_full) for episode in episodes}
        self.play()

    def play(self) -> Pass:
        num_steps, began = 0, time.perf_counter()
        for episode in self._episodes:
            num_steps += play_own(self.envs[episode.page], episode)
        return Pass(num_steps, time.perf_counter() - began)

    def close(self) -> None:
        for env in self.envs.values():
            env.close()


def own_env(*, is_full: bool = False) -> MiniWoBEnv:
    """An environment of ours."""
    env = MiniWoBEnv(reward="raw", screenshot=is_full)
    env.view = replace(env.view, dom=is_full)
    return env


def play_own(env: MiniWoBEnv, episode: Episode) -> int:
    """Play an episode in an environment of ours; returns the number of steps."""
    env.reset(options={"task": long_task(episode)})
    reward = 0.0
    for move in episode.moves:
        _, reward, _, _, _ = env.step(move.call)
    check_solved("agentgym", episode, reward)
    return len(episode.moves)


def long_task(episode: Episode) -> Task:
    """The task of an episode, without a limit of turns that matters: the oracle's messages are now an action each."""
    return replace(make_task(episode.page, episode.seed), limits=Limits(max_turns=1000))


class Farama:
    """Farama's miniwob: an environment a page, each with a browser.

    Args:
        episodes: What is played.
    """

    def __init__(self, episodes: Sequence[Episode]) -> None:
        self._pages = {page: FaramaPage(page) for page in dict.fromkeys(episode.page for episode in episodes)}
        self._scripts = [(episode, self._translated(episode)) for episode in episodes]
        self.has_screenshots = False

    def play(self) -> Pass:
        for page in self._pages.values():
            page.env.instance.record_screenshots = self.has_screenshots
        num_steps, began = 0, time.perf_counter()
        for episode, actions in self._scripts:
            page, reward = self._pages[episode.page], 0.0
            page.reset(episode.seed)
            for action in actions:
                reward, _ = page.step(action)
            num_steps += len(actions)
            check_solved("Farama's miniwob", episode, reward)
        return Pass(num_steps, time.perf_counter() - began)

    def close(self) -> None:
        for page in self._pages.values():
            page.close()

    def _translated(self, episode: Episode) -> list[Mapping[str, Any]]:
        page = self._pages[episode.page]
        page.reset(episode.seed)
        actions: list[Mapping[str, Any]] = []
        for move in episode.moves:
            made = farama_peer.translated(page, move)
            if len(made) != 1:
                raise ValueError(f"{move.call} on {episode.page} is {len(made)} actions of Farama's: expected one")
            page.step(made[0])
            actions.append(made[0])
        return actions


class BrowserGymSide:
    """BrowserGym: an environment a page, whose browsers are closed after the page.

    Args:
        episodes: What is played; their seeds are `page_seed` of 0, 1 and so on.
        options: Of its environments.
    """

    def __init__(self, episodes: Sequence[Episode], options: Mapping[str, Any]) -> None:
        self._process = BrowserGym()
        self._options = options
        self._episodes: dict[str, list[Episode]] = {}
        for episode in episodes:
            self._episodes.setdefault(episode.page, []).append(episode)
        self._scripts = {page: self._translated(page) for page in self._episodes}

    def play(self) -> Pass:
        num_steps, seconds = 0, 0.0
        for page, script in self._scripts.items():
            self._process.open(page, page, self._options)
            found = self._process.ask("replay", name=page, episodes=script)
            self._process.ask("end", name=page)
            num_steps, seconds = num_steps + found["steps"], seconds + found["seconds"]
            for episode, reward in zip(self._episodes[page], found["rewards"], strict=True):
                check_solved("BrowserGym", episode, reward)
        return Pass(num_steps, seconds)

    def close(self) -> None:
        self._process.close()

    def _translated(self, page: str) -> list[dict[str, Any]]:
        self._process.open(page, page, browsergym_peer.DELAYS_OFF)
        scripts = []
        for seed, episode in enumerate(self._episodes[page]):
            self._process.ask("reset", seed=seed)
            actions = []
            for move in episode.moves:
                actions.append(browsergym_peer.translated(self._process, move))
                self._process.ask("step", action=actions[-1])
            scripts.append({"seed": seed, "actions": actions})
        self._process.ask("end", name=page)
        return scripts


def check_solved(side: str, episode: Episode, reward: float) -> None:
    if reward <= 0:
        raise ValueError(f"{side} did not solve {episode.page} with seed {episode.seed}: reward {reward:g}")
