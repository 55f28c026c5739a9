"""Oracles of MiniWoB++ solve their pages from what is shown; the other players can play every page."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentgym.errors import ConfigError, InfrastructureError
from agentgym.message import user
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_web.miniwob.env import MiniWoBEnv, make_task
from agentgym_web.miniwob.oracles.player import all_oracles, do
from agentgym_web.miniwob.pages import ALL_PAGES, html_folder
from agentgym_web.miniwob.scores import main, play
from agentgym_web.miniwob.scripts import SCRIPTS, mistyped
from agentgym_web.miniwob.unsolved import LEFT_OUT, UNSOLVED

SAMPLE = (
    "click-button", "click-color", "click-tab-2-easy", "enter-time", "login-user-popup", "read-table-2", "use-slider",
    "use-autocomplete", "social-media-some", "scroll-text-2", "form-sequence-3", "phone-book", "simon-says",
)  # fmt: skip


@pytest.fixture(scope="module")
def env() -> Iterator[MiniWoBEnv]:
    made = MiniWoBEnv()
    yield made
    made.close()


@pytest.mark.parametrize("page", SAMPLE)
def test_oracle_solves_page(env: MiniWoBEnv, page: str) -> None:
    played = [play(env, page, seed, SCRIPTS["oracle"]) for seed in (0, 1)]

    assert [each.why for each in played] == ["", ""]


def test_icon_and_colour_of_an_instruction_are_shown(env: MiniWoBEnv) -> None:
    by_icon = [play(env, "click-menu-2", seed, SCRIPTS["oracle"]) for seed in (2, 3)]
    by_color = play(env, "use-colorwheel-2", 0, SCRIPTS["oracle"])

    assert [each.success for each in by_icon] == [True, True]
    assert by_color.reward > 0.95


def test_page_with_short_flashes_has_a_finer_clock_of_its_own(env: MiniWoBEnv) -> None:
    """The first flash ends 0.85 s after the start, between two looks of half a second and a whole one."""
    for page, step_ms in (("click-test", 500), ("simon-says", 100), ("click-test", 500)):
        env.reset(options={"task": make_task(page, 0)})
        assert env.page_settings().step_ms == step_ms
        assert env.page.run_script("document.querySelector('#query').textContent.length") > 0
        assert env._step_ms == step_ms


def test_page_is_not_shown_after_its_end(env: MiniWoBEnv) -> None:
    env.reset(options={"task": make_task("click-test", 0)})
    observation, _, is_over, _, _ = env.step('click("1")')

    assert is_over
    assert observation["text"] == "The episode has ended."


def test_pages_that_are_left_out_are_in_no_suite() -> None:
    names = ("web/miniwob-easy", "web/miniwob-medium", "web/miniwob-hard")
    tasks = [
        task for name in names for split in ("train", "validation", "test") for task in load_suite(name).tasks(split)
    ]

    assert set(LEFT_OUT) <= set(all_oracles())
    assert {task.config["page"] for task in tasks} == set(all_oracles()) - set(LEFT_OUT)
    assert not any(task.seed in UNSOLVED.get(task.config["page"], ()) for task in tasks)


def test_doing_nothing_is_above_zero_on_the_page_that_is_left_out_for_it(env: MiniWoBEnv) -> None:
    assert play(env, "chase-circle", 0, SCRIPTS["null"]).success


def test_oracles_are_of_pages_that_exist() -> None:
    assert set(all_oracles()) <= set(ALL_PAGES)
    assert len(all_oracles()) >= 60


def test_page_without_oracle_is_refused() -> None:
    with pytest.raises(ConfigError, match="no oracle"):
        SCRIPTS["oracle"](Task("any", 0, config={"page": "no-page"}), 0)


@pytest.mark.parametrize("player", ["null", "random"])
def test_player_acts_validly_on_page_without_end(env: MiniWoBEnv, player: str) -> None:
    script = SCRIPTS[player](make_task("enter-text", 3), 3)
    _, info = env.reset(options={"task": make_task("enter-text", 3)})
    messages = list(info["messages"])
    while "outcome" not in info:
        info = env.step(script.act(messages))[-1]
        messages += info["messages"]
        assert not info["is_invalid"]


def test_random_player_repeats_itself() -> None:
    seen = user('Click the button.\n\n[1] button "One"\n[2] textbox\n[3] combobox\n [4] option "Red"')
    moves = [[SCRIPTS["random"](make_task("click-test", 0), seed).act([seen]) for seed in range(20)] for _ in (0, 1)]

    assert moves[0] == moves[1]
    assert len(set(moves[0])) > 3


def test_demonstrator_slips_now_and_then(env: MiniWoBEnv) -> None:
    solved = [play(env, "read-table-2", seed, SCRIPTS["demo"]).success for seed in range(12)]

    assert 0 < sum(solved) < 12


def test_mistyped_text_differs() -> None:
    assert all(mistyped("Ada", random.Random(seed)) != "Ada" for seed in range(20))


def test_call_with_quotes_is_readable(env: MiniWoBEnv) -> None:
    assert env.parse(do("fill", "3", 'it\'s "so"\n')).tool_calls[0].arguments["value"] == 'it\'s "so"\n'


def test_scores_writes_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "scores.json"

    main(["--pages", "click-test", "--seeds", "2", "--out", str(out)])

    row = json.loads(out.read_text())["pages"][0]
    assert (row["page"], row["success"], row["failures"]) == ("click-test", 1.0, [])
    assert "click-test" in capsys.readouterr().out


def test_page_whose_script_was_not_loaded_is_loaded_again(
    env: MiniWoBEnv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, broken = html_folder(), tmp_path / "html"
    shutil.copytree(whole, broken, ignore=shutil.ignore_patterns("flight", "ui_utils.js"))
    served = [broken, broken, whole]
    monkeypatch.setattr("agentgym_web.miniwob.env.html_folder", lambda: served.pop(0) if served else whole)
    env.reset(options={"task": make_task("choose-list", 1)})
    assert "Select" in env.goal(make_task("choose-list", 1))

    served = [broken] * 9
    with pytest.raises(InfrastructureError, match=r"'enter-time' .* not loaded whole in 3 attempts: .*ui_utils"):
        env.reset(options={"task": make_task("enter-time", 1)})
    served = []
    assert play(env, "enter-time", 1, SCRIPTS["oracle"]).why == ""
