"""Every hostile case in a real browser, beside a neighbour; and what is left when the browser ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import agentgym
from agentgym_web.browser.gate import Network
from agentgym_web.browser.settings import PageSettings
from tests.environments.web.hostile.arena import NOTHING, VIEW, Arena
from tests.environments.web.hostile.case import SITE, Case, MessageCase
from tests.environments.web.hostile.cases import CASES, MESSAGES, table

DOCUMENT = Path(__file__).parents[4] / "docs/environments/web-hostile.md"


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    made = Arena(tmp_path_factory.mktemp("arena"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def env() -> Iterator[Any]:
    made = agentgym.make("agentgym/MiniWoB-v0")
    yield made
    made.close()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace("`", ""))
def test_case_has_its_outcome_and_leaves_nothing_behind(arena: Arena, case: Case) -> None:
    played = arena.play(case)
    for text in case.says:
        assert text in played.text
    for text in case.never:
        assert text not in played.text
    is_closed = played.sight.url == "about:blank"
    assert is_closed == (case.fate == "page closed")
    if case.url:
        assert played.sight.url.startswith(arena.filled(case.url))
    assert played.num_outside == 0

    assert (played.left, played.next_sight.notes, played.next_sight.error) == (NOTHING, [], "")
    assert (played.next_sight.title, len(played.next_sight.tabs)) == ("Plain", 1)

    assert played.num_clicks > 0
    assert f'heading "{arena.num_clicks}"' in played.counted
    assert len(arena.hub.processes()) == 1


@pytest.mark.parametrize("case", MESSAGES, ids=lambda case: case.name)
def test_message_is_read_and_never_run(env: Any, case: MessageCase, tmp_path: Path) -> None:
    planted = tmp_path / "planted"
    first, _ = env.reset(seed=1)
    page = first["text"].partition("\n\n")[2]
    observation, _, _, _, info = env.step(case.text.replace("PLANTED", str(planted)))
    assert case.says in observation["text"]
    assert bool(info["is_invalid"]) == case.is_invalid
    if case.is_invalid:
        assert observation["text"].endswith(f"\n\n{page}")
    assert not planted.exists()


def test_table_of_the_documentation_is_made_of_the_cases() -> None:
    said = DOCUMENT.read_text(encoding="utf-8")
    assert table() in said, "print it with: python -m tests.environments.web.hostile.cases"


def test_there_are_enough_cases_and_no_two_share_a_name() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 40


def test_decoy_notices_what_is_let_through(arena: Arena) -> None:
    before = arena.decoy.num_reached
    page = arena.hub.open(PageSettings(), Network(allow=(f"127.0.0.1:{arena.decoy.port}",)))
    assert "Decoy" in page.open(f"http://127.0.0.1:{arena.decoy.port}/", VIEW).text(VIEW)
    page.close()
    assert arena.decoy.num_reached > before


def test_crashed_page_is_replaced_and_said(arena: Arena) -> None:
    page = arena.hub.open(PageSettings(), arena.network())
    page.open(f"{SITE}/plain", VIEW)
    window = page._window
    crashed = arena.hub.run(_crash(page))
    assert crashed
    said = page.look(VIEW)
    assert (said.notes, said.url) == (["The page crashed and was closed."], "about:blank")
    page.start_over(arena.network())
    assert page.open(f"{SITE}/plain", VIEW).title == "Plain"
    assert window.context
    page.close()


async def _crash(page: object) -> bool:
    window = page._window  # type: ignore[attr-defined]
    window.tab.post("Page.crash").add_done_callback(lambda done: done.cancelled() or done.exception())
    while not window.tab.is_crashed:
        await window.tab._changed.wait()
        window.tab._changed.clear()
    return True
