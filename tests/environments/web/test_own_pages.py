"""Pages of one's own: what the harness asks them for, and mistakes in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentgym import EnvReply, Task
from agentgym.errors import ConfigError, ContractError
from agentgym_web.browser.gate import Folder, Network
from agentgym_web.browser.settings import View
from agentgym_web.browser.sight import Sight
from agentgym_web.env import WebEnv

PAGES = {
    "index.html": "<script>let points = 3</script><a href=/other.html>Other</a>",
    "other.html": "<p>Nothing here</p>",
}


class OwnEnv(WebEnv):
    """Pages of a folder; `asked` is what they are asked for."""

    asked = "points"
    first = "http://own.test/"

    def __init__(self, folder: Path) -> None:
        super().__init__(View(), actions=["bid"])
        self.folder = folder

    def make_task(self, seed: int) -> Task:
        return Task(f"own/{seed}", seed, instruction="Look around.")

    def network(self, task: Task) -> Network:
        return Network({"own.test": Folder(self.folder)})

    def start(self, task: Task) -> Sight:
        self.page.start_over(self.network(task))
        return self.page.open(self.first, self.view, self.probe())

    def probe(self) -> str:
        return self.asked

    def judge(self, sight: Sight) -> EnvReply:
        return EnvReply()


@pytest.fixture
def env(tmp_path: Path) -> Iterator[OwnEnv]:
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    made = OwnEnv(tmp_path)
    yield made
    made.close()


def test_page_that_cannot_answer_stays_open_and_has_no_answer(env: OwnEnv) -> None:
    env.reset(seed=0)
    assert (env.sight.probe, env.sight.probe_error) == (3, "")
    observation, *_ = env.step('click("1")')
    assert "Nothing here" in observation["text"]
    assert "points" not in observation["text"]
    assert env.sight.probe is None
    assert "points is not defined" in env.sight.probe_error


@pytest.mark.parametrize(("name", "value"), [("asked", "pionts"), ("first", "http://own.test/none.html")])
def test_first_page_that_cannot_answer_is_an_error_that_names_both(env: OwnEnv, name: str, value: str) -> None:
    setattr(env, name, value)
    with pytest.raises(
        ContractError, match=rf"own/0.*, {env.first}, does not answer probe\(\) of OwnEnv: .*not defined"
    ):
        env.reset(seed=0)
    env.asked, env.first = OwnEnv.asked, OwnEnv.first
    env.reset(seed=0)
    assert env.sight.probe == 3


def test_folder_that_is_missing_is_named(env: OwnEnv, tmp_path: Path) -> None:
    env.folder = tmp_path / "pagess"
    with pytest.raises(ConfigError, match=r"there is none at .*pagess; check the path"):
        env.reset(seed=0)
