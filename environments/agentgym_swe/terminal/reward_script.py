"""Grading by a task's own script: tests uploaded after the agent, run there, and the reward that they write read.

Which sandbox they run in is decided by the caller: the agent's, or a fresh one with what the agent produced.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from agentgym.errors import InfrastructureError, SandboxFileError
from agentgym.sandbox.base import Sandbox

REWARD_FOLDER = "/logs/verifier"
MAX_REWARD_BYTES = 1 << 20
MAX_PRODUCED_BYTES = 512 << 20


def run_script(sandbox: Sandbox, script: Mapping[str, Any]) -> dict[str, float]:
    """Upload the tests, run them, and read the rewards.

    Args:
        sandbox: Where they run.
        script: `folder` of the task on the host, `timeout_s`, `env`.

    Returns:
        Rewards by name; "reward" where the script wrote one number.

    Raises:
        InfrastructureError: The script ran out of time, or wrote no reward that is a finite number.
    """
    _prepare(sandbox, f"mkdir -p {REWARD_FOLDER} /tests && find {REWARD_FOLDER} /tests -mindepth 1 -delete")
    sandbox.upload(Path(script["folder"]) / "tests", "/tests")
    command = ["bash", "/tests/test.sh"]
    result = sandbox.exec(command, cwd=sandbox.spec.work_dir, env=script["env"], timeout_s=script["timeout_s"])
    if result.timed_out:
        raise InfrastructureError(f"the tests of {script['folder']} did not end within {script['timeout_s']:g} s")
    try:
        return read_rewards(_read(sandbox, "reward.json"), _read(sandbox, "reward.txt"))
    except ValueError as error:
        raise InfrastructureError(
            f"the tests of {script['folder']} gave no verdict: {error}; they ended with {result.exit_code} and wrote "
            f"{result.text()[-300:]!r}"
        ) from error


def replace_work_folder(sandbox: Sandbox, folder: Path) -> None:
    """Make a sandbox's work folder what a folder of the host is."""
    _prepare(sandbox, f"find {sandbox.spec.work_dir} -mindepth 1 -delete")
    sandbox.upload(folder, sandbox.spec.work_dir)


def read_rewards(as_json: bytes | None, as_text: bytes | None) -> dict[str, float]:
    """Rewards from the content of reward.json, else of reward.txt.

    Raises:
        ValueError: Neither is there, or what is there holds no finite number.
    """
    if as_json is not None:
        try:
            values = json.loads(as_json, parse_constant=_refuse)
        except (UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"reward.json: {error}") from error
        if not isinstance(values, dict) or not values:
            raise ValueError(f"reward.json holds {values!r}, expected an object of numbers"[:300])
        return {str(name): _finite(value, name) for name, value in values.items()}
    if as_text is None:
        raise ValueError("there is neither reward.json nor reward.txt")
    return {"reward": _finite(as_text.decode("utf-8", "replace").strip(), "reward.txt")}


def score_of(rewards: Mapping[str, float]) -> float:
    """The one number of several: "reward" where it is there, else their mean."""
    return rewards["reward"] if "reward" in rewards else math.fsum(rewards.values()) / len(rewards)


def _prepare(sandbox: Sandbox, command: str) -> None:
    result = sandbox.exec(["sh", "-c", command])
    if not result.is_ok:
        raise InfrastructureError(f"grading could not be prepared: {command!r} failed: {result.text()[-300:]}")


def _read(sandbox: Sandbox, name: str) -> bytes | None:
    try:
        return sandbox.read_file(f"{REWARD_FOLDER}/{name}", max_bytes=MAX_REWARD_BYTES)
    except SandboxFileError:
        return None


def _finite(value: Any, name: str) -> float:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise ValueError(f"{name} holds {value[:80]!r}, expected a number") from None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{name} holds {value!r}, expected a finite number")
    return float(value)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"reward.json holds {name}, expected finite numbers")
