"""An environment of BrowserGym as an environment of agentgym; its process is `driver`."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from agentgym.action import Action, parse_text
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ConfigError, InfrastructureError
from agentgym.message import Message, user
from agentgym.task import Limits, Task
from agentgym_web.browser.program.finding import find_browser

VARIABLE = "AGENTGYM_BROWSERGYM_PYTHON"
"""The environment variable that names the interpreter."""
_ADVICE = "make one with: python3 -m venv PATH; PATH/bin/pip install -r benchmarks/peers/browsergym/requirements.txt"
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {"browsergym/openended": {"task_kwargs": {"start_url": "about:blank"}}}


class BrowserGymEnv(AgentEnv):
    """A task of BrowserGym, played through a process of BrowserGym's own interpreter.

    Args:
        env_id: Such as "browsergym/miniwob.click-dialog".
        python: The interpreter with BrowserGym; "" takes AGENTGYM_BROWSERGYM_PYTHON.
        browser: The browser's program; "" takes AGENTGYM_BROWSER, else an installed one, else its playwright's own.
        miniwob_url: Where the pages of MiniWoB++ are, for its tasks; "" leaves MINIWOB_URL.
        options: Further keyword arguments of the environment. Unless they say otherwise, `browsergym/openended` starts
            on an empty page.
        render_mode: As in Gymnasium.
        answer_within_s: Seconds that its process has for a reset or a step; one that takes longer is killed.
    """

    deterministic = False
    reward_weights = {"task": 1.0, "format": 1.0}

    def __init__(
        self,
        env_id: str = "browsergym/openended",
        python: str = "",
        browser: str = "",
        miniwob_url: str = "",
        options: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
        *,
        answer_within_s: float = 120.0,
    ) -> None:
        super().__init__(render_mode)
        self._python = python or os.environ.get(VARIABLE, "")
        if not self._python or not Path(self._python).is_file():
            raise ConfigError(
                f"{env_id} needs an interpreter with BrowserGym in the option python or {VARIABLE}: got "
                f"{self._python!r}; {_ADVICE}"
            )
        self._id = env_id
        kwargs = {**_DEFAULTS.get(env_id, {}), **(options or {})}
        self._request = {"do": "make", "id": env_id, "browser": browser or _installed(), "options": kwargs}
        self._answer_within_s = answer_within_s
        self._variables = {"MINIWOB_URL": miniwob_url} if miniwob_url else {}
        self._process: subprocess.Popen[str] | None = None
        self._log: Any = None

    def make_task(self, seed: int) -> Task:
        """The environment at a seed."""
        limits = Limits(max_turns=30, step_timeout_s=180)
        return Task(f"{self._id}/{seed}", seed, instruction=self._id, limits=limits, seed_is_content=True)

    def begin(self, task: Task) -> Sequence[Message]:
        """Start the process where there is none, and reset the environment."""
        if self._process is None:
            self._start()
            self._ask(self._request)
        first = self._ask({"do": "reset", "seed": task.seed})
        return [user(f"{first['goal']}\n\n{first['text']}")]

    def parse(self, text: str) -> Action:
        """BrowserGym parses the message itself."""
        return parse_text(text)

    def respond(self, action: Action) -> EnvReply:
        """Send the message; BrowserGym's reward is the component `task`."""
        found = self._ask({"do": "step", "action": action.content})
        reward = float(found["reward"])
        is_over = found["terminated"] or found["truncated"]
        events = [self.event("task", reward)] if reward or is_over else []
        success = reward > 0 if is_over else None
        return EnvReply([user(found["text"])], events, terminated=is_over, success=success)

    def close(self) -> None:
        """End the process; a second call does nothing."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        self._log.close()

    def _start(self) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(  # noqa: S603 - the interpreter that the user named
            [self._python, str(Path(__file__).with_name("driver.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, **self._variables},
            text=True,
            cwd="/",
        )

    def _ask(self, request: Mapping[str, Any]) -> Any:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        watch = threading.Timer(self._answer_within_s, self._process.kill)
        began = time.monotonic()
        watch.start()
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline())
        except (OSError, ValueError) as error:
            is_late, said = time.monotonic() - began >= self._answer_within_s, self._last_words()
            self.close()
            ended = f"gave no answer within {self._answer_within_s:g} s and was killed" if is_late else "ended"
            raise InfrastructureError(f"the process of {self._id} {ended} during {request['do']}: {said}") from error
        finally:
            watch.cancel()
        if "error" in answer:
            self.close()
            raise InfrastructureError(f"{self._id} failed at {request['do']}: {answer['error']}; {_ADVICE}")
        return answer["ok"]

    def _last_words(self) -> str:
        self._log.seek(0)
        return " ".join(self._log.read().decode(errors="replace").split())[-300:] or "it said nothing"


def _installed() -> str:
    """The path of the browser that agentgym itself uses, or "" if none is installed."""
    with suppress(ConfigError):
        return find_browser().path
    return ""
