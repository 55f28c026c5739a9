import dataclasses
import json
from collections.abc import Iterator

import pytest

from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.source import provider_named
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_tools.python.env import PythonEnv
from agentgym_tools.python.interpreter_env import SPEC

UNLIMITED = ("cpus", "memory_mib", "pids", "work_mib", "tmp_mib")


@pytest.fixture
def env() -> Iterator[PythonEnv]:
    made = PythonEnv(sandbox="process")
    yield made
    made.close()


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    spec = dataclasses.replace(SPEC, image="agentgym/base").relaxed(*UNLIMITED)
    with provider_named("process").start(spec) as started:
        yield started


@pytest.fixture(scope="session")
def function_task() -> Task:
    return next(task for task in load_suite("tools/python").tasks("test") if task.stratum == "lists")


@pytest.fixture(scope="session")
def answer_task() -> Task:
    return load_suite("tools/python-arithmetic").tasks("test")[0]


def call(name: str, **arguments: str) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def run(env: PythonEnv, code: str) -> str:
    return str(env.step(call("run_python", code=code))[0]["text"])
