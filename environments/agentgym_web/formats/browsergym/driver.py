"""Runs one BrowserGym environment and answers JSON lines: `PYTHON driver.py`. It runs in BrowserGym's interpreter.

It imports nothing of agentgym. A request is {"do": "make" | "reset" | "step", …}; an answer has "ok" or "error".
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any


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
    return importlib.import_module("gymnasium").make(request["id"], **request.get("options", {}))


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
