"""The check of MiniWoB-v0 that every page opens, those in no suite too, and that it names those that do not run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentgym.errors import ContractError
from agentgym.registration import spec
from agentgym.suite import load_suite
from agentgym_web.miniwob.env import MiniWoBEnv
from agentgym_web.miniwob.opening import check_pages
from agentgym_web.miniwob.pages import ALL_PAGES


@pytest.fixture
def env() -> Iterator[MiniWoBEnv]:
    made = MiniWoBEnv()
    yield made
    made.close()


def test_pages_in_no_suite_open(env: MiniWoBEnv) -> None:
    suites = [load_suite(name) for name in spec("agentgym/MiniWoB-v0").suites]
    played = {task.config["page"] for suite in suites for split in suite.splits for task in suite.tasks(split)}
    left = sorted(set(ALL_PAGES) - played)

    assert {"chase-circle", "hot-cold", "count-sides", "drag-cube", "hover-shape", "flight.AA"} < set(left)
    assert check_pages(env, (), left) == f"{len(left)} pages opened, each started 2 times"


def test_page_that_does_not_run_is_named(env: MiniWoBEnv) -> None:
    with pytest.raises(ContractError, match=r"1 of 2 pages of MiniWoB\+\+ do not run: no-page \("):
        check_pages(env, (), ("click-test", "no-page"))


def test_page_that_shows_no_element_is_named(env: MiniWoBEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym_web.miniwob.opening.content_text", lambda _: "Do it.")

    with pytest.raises(ContractError, match=r"click-test \(no element is shown: got 'Do it.'\)"):
        check_pages(env, (), ("click-test",))


def test_environment_brings_the_check_of_all_pages() -> None:
    assert spec("agentgym/MiniWoB-v0").load_checks() == {"pages": check_pages}
