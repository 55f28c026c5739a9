"""Runs environments of BrowserGym and answers JSON lines: `PYTHON browsergym_driver.py`, in BrowserGym's interpreter.

It imports nothing of agentgym. A request is {"do": METHOD, …} with a method of `Player` and its arguments; an answer
has "ok" or "error".
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any


class Player:
    """One environment of BrowserGym for each page that was opened."""

    def __init__(self) -> None:
        self._envs: dict[str, Any] = {}
        self._env: Any = None

    def open(self, name: str, task: str, browser: str, options: Mapping[str, Any]) -> None:
        """Make an environment, and make it the present one."""
        use_browser(browser)
        importlib.import_module("browsergym.miniwob")
        actions = importlib.import_module("browsergym.core.action.highlevel").HighLevelActionSet
        mapping = actions(subsets=["bid", "coord"], strict=False, multiaction=True).to_python_code
        self._env = importlib.import_module("gymnasium").make(
            f"browsergym/miniwob.{task}", disable_env_checker=True, action_mapping=mapping, **options
        )
        self._envs[name] = self._env

    def hide_scrollbars(self) -> None:
        """Hide the page's scrollbars in this episode, as agentgym does: they take room from the page."""
        page = self._env.unwrapped.page
        page.context.new_cdp_session(page).send("Emulation.setScrollbarsHidden", {"hidden": True})

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page."""
        return self._env.unwrapped.page.evaluate(script)

    def reset(self, seed: int) -> None:
        """Start an episode."""
        self._env.reset(seed=seed)

    def place(self, script: str, element: Mapping[str, Any]) -> Any:
        """Where an element is."""
        asked = f"(element) => {script}(element.path, element.at)"
        return self._env.unwrapped.page.evaluate(asked, dict(element))

    def step(self, action: str) -> dict[str, Any]:
        """Carry out an action."""
        observation, reward, terminated, _, info = self._env.step(action)
        told = info.get("task_info", {})
        return {
            "reward": float(reward),
            "raw": float(told.get("RAW_REWARD_GLOBAL") or 0),
            "over": bool(terminated),
            "error": str(observation.get("last_action_error") or ""),
        }

    def replay(self, name: str, episodes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Play episodes with known actions; returns how long it took, the number of steps, and the raw rewards."""
        self._env = self._envs[name]
        num_steps, rewards = 0, []
        began = time.perf_counter()
        for episode in episodes:
            self.reset(episode["seed"])
            last: dict[str, Any] = {"raw": 0.0}
            for action in episode["actions"]:
                last = self.step(action)
            num_steps += len(episode["actions"])
            rewards.append(last["raw"])
        return {"seconds": time.perf_counter() - began, "steps": num_steps, "rewards": rewards}

    def end(self, name: str) -> None:
        """End an environment with its browsers."""
        self._envs.pop(name).close()

    def close(self) -> None:
        """End all browsers."""
        for env in self._envs.values():
            env.close()


def use_browser(path: str) -> None:
    """Let playwright start a program of ours: BrowserGym's second browser, for its chat, has no option for it."""
    from playwright.sync_api import BrowserType

    if getattr(BrowserType.launch, "is_ours", False):
        return
    launch = BrowserType.launch

    def launch_ours(self: Any, **options: Any) -> Any:
        return launch(self, **{"executable_path": path, **options})

    launch_ours.is_ours = True  # type: ignore[attr-defined]
    BrowserType.launch = launch_ours  # type: ignore[method-assign]


def main() -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what BrowserGym prints must not mix with answers
    player = Player()
    said: dict[str, Any]
    for line in sys.stdin:
        request = json.loads(line)
        try:
            said = {"ok": getattr(player, request.pop("do"))(**request)}
        except Exception as error:  # noqa: BLE001 - a boundary: another package may raise anything
            said = {"error": f"{type(error).__name__}: {error}"[:2000]}
        answers.write(json.dumps(said) + "\n")
        answers.flush()
    player.close()


if __name__ == "__main__":
    main()
