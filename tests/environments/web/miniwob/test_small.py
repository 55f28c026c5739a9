"""The small suites: what their observations leave out, and that oracles solve what is left."""

from __future__ import annotations

import json

import pytest

from agentgym.errors import ConfigError
from agentgym.message import content_text
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_web.miniwob.env import MiniWoBEnv, make_task
from agentgym_web.miniwob.generate import SUITES
from agentgym_web.miniwob.pages import SMALL, UNSEEN
from agentgym_web.miniwob.scripts import SCRIPTS as MINIWOB
from agentgym_web.sites.envs import ShopEnv
from agentgym_web.sites.scripts import SCRIPTS as SITES


def shown(env: MiniWoBEnv | ShopEnv, task: Task) -> str:
    _, info = env.reset(options={"task": task})
    return content_text(info["messages"][-1])


def test_no_pages_are_refused_with_an_example() -> None:
    with pytest.raises(ConfigError, match=r'got \[\]; give \["click-test"\], or leave it out'):
        MiniWoBEnv(pages=[])


@pytest.mark.parametrize("given", ["click-test", "['click-test']", "[click-test]"])
def test_pages_that_are_no_list_are_refused_with_json_that_can_be_pasted(given: str) -> None:
    with pytest.raises(ConfigError, match="must be a list of names") as refusal:
        MiniWoBEnv(pages=given)
    pasted = str(refusal.value).rpartition("'pages=")[2].removesuffix("'")
    env = MiniWoBEnv(pages=json.loads(pasted))
    assert env.make_task(3).config["page"] == "click-test"


def test_shapes_are_left_out_by_option() -> None:
    task = make_task("click-dialog", 3)
    texts = []
    for shapes in (True, False):
        env = MiniWoBEnv(shapes=shapes)
        texts.append(shown(env, task))
        env.close()
    with_shapes, without = texts
    assert "class=" in with_shapes
    assert "class=" not in without
    assert 'button "Close"' in without


def test_parts_of_a_site_are_left_out_by_selectors() -> None:
    task = load_suite("web/shop-small").tasks("test")[0]
    assert task.config["template"] == "put_into_cart"
    texts = []
    for skip in ((), ("head", "nav", "footer", "section[aria-label=Reviews]")):
        env = ShopEnv(skip=skip)
        texts.append(shown(env, task))
        env.close()
    whole, cut = texts
    for part in ("page: ", "http://shop.test/", 'navigation "Account"', "contentinfo", 'region "Reviews"'):
        assert part in whole
        assert part not in cut
    assert 'button "Add to cart"' in cut


@pytest.mark.parametrize("name", ["web/miniwob-small", "web/shop-small"])
def test_oracle_solves_what_the_cut_trees_show(name: str) -> None:
    suite = load_suite(name)
    is_shop = name == "web/shop-small"
    env = ShopEnv(**suite.env_options) if is_shop else MiniWoBEnv(**suite.env_options)
    from_each = {str(task.config.get("template", task.config.get("page"))): task for task in suite.tasks("validation")}
    for task in from_each.values():
        _, info = env.reset(options={"task": task})
        player = (SITES if is_shop else MINIWOB)["oracle"](task, 0)
        while "outcome" not in info:
            info = env.step(player.act(info["messages"]))[-1]
        assert info["success"], task.id
    env.close()


def test_small_suite_trains_on_pages_that_its_unseen_stratum_lacks() -> None:
    suite = load_suite("web/miniwob-small")
    trained = {task.config["page"] for task in suite.tasks("train")}
    unseen = {task.config["page"] for task in suite.tasks("test") if task.stratum == "unseen_pages"}
    assert trained == set(SMALL) - set(UNSEEN)
    assert unseen == set(SMALL) & set(UNSEEN)
    assert "web/miniwob-small" in SUITES
