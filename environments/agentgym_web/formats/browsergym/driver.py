"""Runs one BrowserGym environment and answers JSON lines: `PYTHON driver.py`. It runs in BrowserGym's interpreter.

It imports nothing of agentgym. A request is {"do": "make" | "reset" | "step", …}; an answer has "ok" or "error".
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

_PARSE_WITHIN_S = 2.0


def main() -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what BrowserGym prints must not mix with answers
    env: Any = None
    answer: dict[str, Any]
    said: dict[str, Any]
    for line in sys.stdin:
        try:
            request = json.loads(line)
            if request["do"] == "make":
                env, answer = _make(request), {}
            elif request["do"] == "reset":
                observation, _ = env.reset(seed=request["seed"])
                answer = {"text": _text(observation), "goal": str(observation.get("goal", ""))}
            elif request["do"] == "step":
                observation, reward, terminated, truncated, _ = env.step(request["action"])
                answer = {"text": _text(observation), "reward": float(reward)}
                answer |= {"terminated": bool(terminated), "truncated": bool(truncated)}
            else:
                break
            said = {"ok": answer}
        except Exception as error:  # noqa: BLE001 - a boundary: another package may raise anything
            said = {"error": f"{type(error).__name__}: {error}"[:2000]}
        answers.write(json.dumps(said) + "\n")
        answers.flush()
    if env is not None:
        env.close()


def _make(request: dict[str, Any]) -> Any:
    name = request["id"].partition("/")[2].partition(".")[0]
    importlib.import_module("browsergym.core" if name == "openended" else f"browsergym.{name}")
    if request.get("browser"):
        _launch_with(request["browser"])
    env = importlib.import_module("gymnasium").make(request["id"], **request.get("options", {}))
    inner = env.unwrapped
    if getattr(inner, "action_mapping", None) is not None:
        inner.action_mapping = _in_time(inner.action_mapping)
    return env


def _in_time(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """A parser that gives up after `_PARSE_WITHIN_S`: BrowserGym's needs minutes for some messages.

    BrowserGym shows the error in its next observation.
    """

    def give_up(number: int, frame: object) -> None:
        raise TimeoutError(f"the action was not understood within {_PARSE_WITHIN_S:g} s; write a shorter one")

    def parse_in_time(action: str) -> Any:
        before = signal.signal(signal.SIGALRM, give_up)
        signal.setitimer(signal.ITIMER_REAL, _PARSE_WITHIN_S)
        try:
            return parse(action)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    return parse_in_time


def _launch_with(browser: str) -> None:
    """Let playwright start a program of ours: BrowserGym's second browser, for its chat, has no option for it."""
    from playwright.sync_api import BrowserType

    launch = BrowserType.launch

    def launch_ours(self: Any, **options: Any) -> Any:
        return launch(self, **{"executable_path": browser, **options})

    BrowserType.launch = launch_ours  # type: ignore[method-assign]


def _text(observation: dict[str, Any]) -> str:
    flatten = importlib.import_module("browsergym.utils.obs").flatten_axtree_to_str
    tree = flatten(observation["axtree_object"], observation["extra_element_properties"])
    error = observation.get("last_action_error") or ""
    return (f"error: {error}\n" if error else "") + f"page: {observation.get('url', '')}\n{tree}"


if __name__ == "__main__":
    main()
