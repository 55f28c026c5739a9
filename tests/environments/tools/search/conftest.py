"""Episodes over the small corpus; the index is built once, in a cache folder of the tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agentgym.message import Message
from agentgym.policy import Script
from agentgym.suite import Suite, load_suite
from agentgym.task import Task
from agentgym_tools.search.env import SearchEnv

SMALL = 300
ARTICLES = (
    ("7", "Ravel Bridge", "The bridge was built by Oda Lind in 1931."),
    ("8", "Oda Lind", "Oda Lind was born on 3 May 1887 in Ekely."),
    ("9", "Ekely", "Ekely is a town of 1,250 people. The Ravel Bridge crosses its river."),
)


class Episode(NamedTuple):
    messages: list[Message]
    total_reward: float
    sums: dict[str, float]
    info: dict[str, Any]


Play = Callable[..., Episode]


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture
def env() -> SearchEnv:
    return SearchEnv(articles=SMALL)


@pytest.fixture(scope="session")
def suite() -> Suite:
    return load_suite("tools/search-small")


@pytest.fixture
def task_of(suite: Suite) -> Callable[[str], Task]:
    """The first training task of a kind."""
    return lambda kind: next(task for task in suite.train_tasks() if task.private["kind"] == kind)


@pytest.fixture
def play(env: SearchEnv) -> Play:
    """Plays one episode by a script."""

    def play_episode(task: Task, script: Script, env: SearchEnv = env) -> Episode:
        _, info = env.reset(options={"task": task})
        messages = list(info["messages"])
        total, sums = 0.0, dict[str, float]()
        while "outcome" not in info:
            text = script.act(messages)
            _, reward, _, _, info = env.step(text)
            messages += [{"role": "assistant", "content": text}, *info["messages"]]
            total += reward
            for event in info["reward_events"]:
                sums[event.component] = sums.get(event.component, 0.0) + event.value
        return Episode(messages, total, sums, info)

    return play_episode


@pytest.fixture
def corpus_file(tmp_path: Path) -> Path:
    path = tmp_path / "articles.jsonl"
    lines = [json.dumps(dict(zip(("id", "title", "text"), article, strict=True))) for article in ARTICLES]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def questions_file(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    questions: list[tuple[str, Any, list[str]]] = [
        ("Who built the Ravel Bridge?", "Oda Lind", ["7"]),
        ("When was the builder of the Ravel Bridge born?", "1887-05-03", ["7", "8"]),
        ("How many people live in Ekely?", 1250, ["9"]),
        ("Who was the mentor of Oda Lind?", None, ["8"]),
        ("Which articles name Ekely?", ["Oda Lind", "Ekely"], ["8", "9"]),
    ]
    keys = ("question", "answer", "evidence")
    path.write_text("\n".join(json.dumps(dict(zip(keys, each, strict=True))) for each in questions))
    return path
