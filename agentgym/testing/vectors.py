"""Checks that Gymnasium can use an environment: its own checker, vector environments, and a light import.

The other modules check what agentgym asks beyond Gymnasium.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from functools import partial
from typing import Any

import gymnasium
from gymnasium.utils.env_checker import check_env as gymnasium_check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv

from agentgym.registration import spec
from agentgym.testing.episodes import MAX_TURNS
from agentgym.testing.report import expect
from agentgym.testing.subject import EnvSubject

NUM_ENVS = 2
IMPORT_WITHIN_S = 120
HEAVY_MODULES = ("torch", "transformers", "playwright", "docker", "ray")


def check_gymnasium(subject: EnvSubject) -> str | None:
    """Gymnasium's own environment checker passes without a warning."""
    options: dict[str, Any] = {**subject.options, **({"role": subject.role} if subject.role else {})}
    env: gymnasium.Env[Any, Any] = gymnasium.make(subject.env_id, **options) if subject.env_id else subject.make()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            # Gymnasium would also render for people, which takes a display.
            needs_display = "human" in env.metadata["render_modes"]
            gymnasium_check_env(env.unwrapped, skip_render_check=needs_display or not subject.env_id)
        except (AssertionError, UserWarning, gymnasium.error.Error) as failure:
            expect(False, f"gymnasium's check_env: {failure}")
        finally:
            env.close()
    return None


def check_sync_vector(subject: EnvSubject) -> str | None:
    """A synchronous vector of the environment runs and keeps the final observation."""
    makers = [partial(_make, subject)] * NUM_ENVS
    _check_vector(SyncVectorEnv(makers, autoreset_mode=AutoresetMode.SAME_STEP))
    return None


def check_async_vector(subject: EnvSubject) -> str | None:
    """A vector of the environment in processes, as Gymnasium makes it, runs and keeps the final observation."""
    makers = [partial(_make, subject)] * NUM_ENVS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # with which gymnasium says what a worker raised before it raises
        _check_vector(AsyncVectorEnv(makers, autoreset_mode=AutoresetMode.SAME_STEP))
    return None


def _make(subject: EnvSubject) -> gymnasium.Env[Any, Any]:
    return subject.make()


def _check_vector(vector: VectorEnv[Any, Any, Any]) -> None:
    try:
        observations, info = vector.reset(seed=5)
        texts = observations["text"]
        expect(len(texts) == NUM_ENVS, f"the vector's reset() gives the texts {texts}, expected {NUM_ENVS}")
        for _ in range(MAX_TURNS):
            observations, _, terminations, truncations, info = vector.step([""] * NUM_ENVS)
            ended = terminations | truncations
            if not ended.any():
                continue
            index = int(ended.argmax())
            kept = "final_obs" in info and isinstance(info["final_obs"][index], dict)
            expect(kept, f"the final observation is not kept in the vector's info: {sorted(info)}")
            outcome = info["final_info"].get("outcome", [None] * NUM_ENVS)[index]
            expect(outcome is not None, f"the final info of the vector lacks the outcome: {sorted(info['final_info'])}")
            return
        expect(False, f"no episode of the vector ended within {MAX_TURNS} empty messages; set a limit in make_task")
    finally:
        vector.close()


def check_light_import(subject: EnvSubject) -> str | None:
    """Making and playing the environment imports no model, browser or container library that it does not declare."""
    if not subject.env_id:
        return "the environment is not registered"
    known = spec(subject.env_id)
    if known.extra:
        return f"it declares the extra {known.extra!r}"
    module, _, name = known.entry_point.partition(":")
    made = f"module.{name}(**{ ({**known.options, **subject.options})!r})"
    if known.roles:
        partners, _, table = known.partners.partition(":")
        made = f"RoleView({made}, {subject.role!r}, importlib.import_module({partners!r}).{table})"
    program = (
        f"import importlib, sys; sys.path[:0] = {sys.path!r}\n"
        f"import {module} as module\n"
        f"from agentgym.wrappers.role_view import RoleView\n"
        f"env = {made}; env.reset(seed=0); env.step('')\n"
        f"print([name for name in {HEAVY_MODULES!r} if name in sys.modules])"
    )
    ran = subprocess.run(  # noqa: S603 - our own interpreter and program
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=IMPORT_WITHIN_S, check=False
    )
    why = ran.stderr.strip().splitlines()[-1:]
    expect(ran.returncode == 0, f"playing {subject.env_id} in a fresh process fails: {' '.join(why)[:500]}")
    found = ran.stdout.strip().splitlines()[-1] if ran.stdout.strip() else "[]"
    expect(found == "[]", f"importing and playing {subject.env_id} imports {found}")
    return None
