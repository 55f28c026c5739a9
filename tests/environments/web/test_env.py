"""What people get of web environments beside the agent: screenshots and Playwright's traces."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import agentgym
from agentgym.arguments import tool_name
from agentgym.errors import ActionSyntaxError, ConfigError
from agentgym.suite import load_suite
from agentgym_web.browser.sight import estimate_tokens
from agentgym_web.miniwob.env import MiniWoBEnv
from agentgym_web.miniwob.env import make_task as make_miniwob_task
from agentgym_web.sites.envs import PhoneEnv, ShopEnv

ACTIONS = ('fill("2", "lamp")', 'click("3")', "go_back()", 'send_msg_to_user("none")')


def played(env: ShopEnv, *, with_screenshots: bool = False) -> tuple[list[str], list[bytes]]:
    """The observations of an episode, and what a person would have seen before each action and at the end."""
    task = load_suite("web/shop").train_tasks()[0]
    texts, shots = [env.reset(options={"task": task})[0]["text"]], []
    for action in ACTIONS:
        if with_screenshots:
            shots.append(env.screenshot())
        texts.append(env.step(action)[0]["text"])
    return texts, [shot.content for shot in [*shots, env.screenshot()] if shot is not None]


@pytest.fixture(scope="module")
def plain() -> Iterator[tuple[ShopEnv, list[str]]]:
    env = ShopEnv()
    assert env.screenshot() is None, "no window is open yet"
    yield env, played(env)[0]
    env.close()


@pytest.mark.parametrize("text", ["click(3", "hello", '{"name": "click", "arguments"', "3 + f(1)"])
def test_message_without_a_readable_action_is_answered_with_one_as_the_documentation_writes_it(text: str) -> None:
    with pytest.raises(ActionSyntaxError, match=r'Answer with an action, such as click\("12"\)\.$') as refusal:
        ShopEnv().parse(text)
    assert "Expected" not in str(refusal.value)


def test_screenshots_show_the_window_and_change_nothing(plain: tuple[ShopEnv, list[str]]) -> None:
    env, texts = plain
    again, shots = played(env, with_screenshots=True)
    assert again == texts
    assert len(shots) == 5
    assert [Image.open(io.BytesIO(shot)).size for shot in shots] == [(1280, 720)] * 5
    assert len(set(shots)) >= 3, "the search and its results look different"
    assert max(map(len, shots)) < 100_000


def lines(file: zipfile.ZipFile, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read(name).splitlines()]


def test_trace_holds_actions_pictures_and_requests_and_changes_nothing(
    plain: tuple[ShopEnv, list[str]], tmp_path: Path
) -> None:
    env = ShopEnv(trace=str(tmp_path / "traces"))
    try:
        assert played(env)[0] == plain[1]
        assert played(env)[0] == plain[1]
    finally:
        env.close()
    first, second = sorted((tmp_path / "traces").iterdir())
    with zipfile.ZipFile(second) as file:
        events = lines(file, "trace.trace")
        requests = [each["snapshot"]["request"]["url"] for each in lines(file, "trace.network")]
        pictures = [name for name in file.namelist() if name.endswith(".jpeg")]
    groups = {each["callId"]: each for each in events if each["type"] == "before" and each["method"] == "tracingGroup"}
    ends = {each["callId"]: each["endTime"] for each in events if each["type"] == "after"}
    assert [each["title"] for each in groups.values()] == list(ACTIONS[:-1])
    assert all(each["startTime"] < ends[call] for call, each in groups.items())
    assert {"http://shop.test/", "http://shop.test/search?q=lamp"} <= set(requests)
    assert pictures
    # The trace is recorded beside the episode: on a busy machine a page can be gone before it is taken.
    assert any(each["type"] == "frame-snapshot" for each in events)
    assert zipfile.ZipFile(first).testzip() is None


@pytest.mark.parametrize("is_ended", [True, False])
def test_trace_leaves_nothing_in_the_temporary_folder(
    is_ended: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))  # Playwright's driver reads it
    env = ShopEnv(trace=str(tmp_path / "traces"))
    try:
        played(env)
        if not is_ended:
            for _ in range(2):
                env.reset(options={"task": load_suite("web/shop").train_tasks()[0]})
                env.step(ACTIONS[0])
    finally:
        env.close()
    assert len(list((tmp_path / "traces").iterdir())) == 1
    assert list(temporary.glob("playwright-*")) == []


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder whose path leaves room for names of sockets, and that the browser's user passes through."""
    with tempfile.TemporaryDirectory(prefix="w", dir="/tmp") as name:
        Path(name).chmod(0o777)
        yield Path(name)


def test_trace_of_a_killed_harness_leaves_nothing_in_the_temporary_folder(short_folder: Path, tmp_path: Path) -> None:
    temporary = short_folder
    program = (
        "import time; from agentgym_web.sites.envs import ShopEnv\n"
        f"env = ShopEnv(trace={str(tmp_path / 'traces')!r}); env.reset(seed=1); env.step('noop(0)')\n"
        "print('ready', flush=True); time.sleep(60)"
    )
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        assert list(temporary.glob("*/playwright-*")), "the driver writes into a folder of ours"
        child.kill()
    ends = time.monotonic() + 60
    while list(temporary.iterdir()) and time.monotonic() < ends:
        time.sleep(0.1)
    assert list(temporary.iterdir()) == []


def test_trace_of_dialogs_leaves_them_to_the_window(tmp_path: Path) -> None:
    env = ShopEnv(trace=str(tmp_path))
    try:
        env.reset(seed=1)
        env.page.run_script("setTimeout(() => { document.title = confirm('Sure?') ? 'yes' : 'no' }, 10)")
        text = env.step("noop()")[0]["text"]
    finally:
        env.close()
    assert 'The page showed a dialog (confirm), which was accepted: "Sure?"' in text
    assert "page: yes" in text


def test_trace_into_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    env = ShopEnv(trace=str(tmp_path / "file"))
    try:
        with pytest.raises(ConfigError, match=r"traces cannot be written.*name another folder"):
            env.reset(seed=1)
    finally:
        env.close()


def names(env: ShopEnv | PhoneEnv) -> list[str]:
    return [tool_name(each) for each in env.tools]


def test_site_without_ids_is_used_by_place() -> None:
    env = ShopEnv(tree=False, screenshot=True)
    try:
        assert {"mouse_click", "keyboard_type", "goto", "send_msg_to_user"} <= set(names(env))
        assert "click" not in names(env)
        env.reset(seed=3)
        before = env.sight.url
        box = "document.querySelector('main a').getBoundingClientRect()"
        x, y = env.page.run_script(f"(() => {{ const box = {box}; return [box.x + 5, box.y + 5] }})()")
        env.step(f"mouse_click({x}, {y})")
        assert env.sight.url != before
    finally:
        env.close()


def test_phone_without_ids_is_used_by_a_finger_at_places() -> None:
    assert names(PhoneEnv(tree=False, screenshot=True))[:4] == ["noop", "tap_at", "long_press_at", "swipe_at"]
    assert names(PhoneEnv())[-4:] == ["keyboard_press", "tap", "long_press", "swipe"]


def test_site_takes_other_sets_of_actions_and_says_only_what_they_can() -> None:
    env = ShopEnv(actions=["coord", "nav", "chat"])
    try:
        assert "report_infeasible" not in names(env)
        text = env.reset(seed=3)[0]["text"]
        assert "send_msg_to_user" in text
        assert "report_infeasible" not in text
    finally:
        env.close()
    with pytest.raises(ConfigError, match="actions must be a list of names"):
        ShopEnv(actions="coord")


def test_skip_that_is_a_text_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"""skip must be a list of names: got 'nav'; give \["nav"\]"""):
        ShopEnv(skip="nav")


@pytest.mark.parametrize("kind", [ShopEnv, MiniWoBEnv])
def test_view_that_shows_nothing_is_refused(kind: type[ShopEnv | MiniWoBEnv]) -> None:
    with pytest.raises(ConfigError, match="set dom, screenshot or marks to True"):
        kind(tree=False)


def test_sites_and_miniwob_take_the_same_options_of_views() -> None:
    shared = {"screenshot", "marks", "tree", "dom", "visible_only", "max_tokens", "actions"}
    for env_id in ("agentgym/Shop-v0", "agentgym/MiniWoB-v0", "agentgym/Phone-v0"):
        assert shared <= set(agentgym.spec(env_id).suite_options), env_id


def test_site_as_dom_within_a_budget_hides_what_the_tree_skips() -> None:
    env = ShopEnv(tree=False, dom=True, skip=["nav"], max_tokens=600)
    try:
        text = env.reset(seed=3)[0]["text"]
    finally:
        env.close()
    dom = text[text.index("<") :]
    assert "<nav" not in dom
    assert '<button bid="' in dom
    assert estimate_tokens(dom) <= 600
    assert "lines left out)" in dom


def test_miniwob_has_marks_the_dom_and_the_visible_part() -> None:
    task = make_miniwob_task("click-button", 1)
    plain, marked = MiniWoBEnv(screenshot=True), MiniWoBEnv(marks=True, dom=True, visible_only=True, tree=False)
    try:
        first, second = (env.reset(options={"task": task})[0] for env in (plain, marked))
    finally:
        plain.close()
        marked.close()
    assert "<button bid=" in second["text"]
    assert "] button" not in second["text"]
    assert not np.array_equal(first["image"], second["image"])
