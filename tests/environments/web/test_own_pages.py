"""Pages of one's own: what the harness asks them for, and mistakes in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from gymnasium.error import ResetNeeded

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


@pytest.mark.parametrize("asked", ["pionts", "window"])
def test_first_page_that_cannot_answer_is_an_error_that_names_both(env: OwnEnv, asked: str) -> None:
    env.asked = asked
    why = "not defined" if asked == "pionts" else "too long"
    with pytest.raises(ContractError, match=rf"own/0.*, {env.first}, does not answer probe\(\) of OwnEnv: .*{why}"):
        env.reset(seed=0)
    env.asked = OwnEnv.asked
    env.reset(seed=0)
    assert env.sight.probe == 3


@pytest.mark.parametrize("asked", ["points", "null"])
@pytest.mark.parametrize(("first", "status"), [("http://own.test/none.html", 404), ("http://elsewhere.test/", 403)])
def test_first_page_with_an_error_is_refused(env: OwnEnv, asked: str, first: str, status: int) -> None:
    env.asked, env.first = asked, first
    with pytest.raises(ContractError, match=rf"own/0.*, {first}, came with status {status}; check its address"):
        env.reset(seed=0)
    env.first = OwnEnv.first
    env.reset(seed=0)
    assert env.sight.status == 200


def test_page_that_fails_the_probe_is_told_once(env: OwnEnv, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        env.reset(seed=0)
        for action in ('click("1")', "noop()"):
            env.step(action)
    assert [record.getMessage().partition(": ")[0] for record in caplog.records] == [
        "http://own.test/other.html does not answer probe() of OwnEnv"
    ] * 2


def test_folder_that_is_missing_is_named(env: OwnEnv, tmp_path: Path) -> None:
    env.folder = tmp_path / "pagess"
    with pytest.raises(ConfigError, match=r"there is none at .*pagess; check the path"):
        env.reset(seed=0)


def test_closed_environment_wants_a_reset_and_opens_no_window_before(env: OwnEnv) -> None:
    env.reset(seed=0)
    env.close()
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step("noop(0)")
    assert env._page is None
    env.reset(seed=0)
