"""Draws the pictures of docs/environments/web.md: a page of each site, and the report of an episode with screenshots.

Run it from the repository's root: python -m scripts.docs_pictures. It needs the extra web and a browser.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from agentgym.evaluation import EvaluationSettings, evaluate, open_evaluation_store
from agentgym.policies.by_name import load
from agentgym.registration import make
from agentgym.rollout import RolloutSettings
from agentgym.view import write_report
from agentgym_web.browser.gate import Folder, Network
from agentgym_web.browser.hub import the_hub
from agentgym_web.browser.settings import PageSettings, View
from agentgym_web.env import WebEnv

FOLDER = Path("docs/images/web")
PAGES = {
    "shop": ("agentgym/Shop-v0", "/search?q=desk+lamp"),
    "forum": ("agentgym/Forum-v0", "/t/326"),
    "wiki": ("agentgym/Wiki-v0", "/wiki/Pennholm"),
    "admin": ("agentgym/Admin-v0", "/reports"),
    "mail": ("agentgym/Mail-v0", "/folder/11"),
    "phone": ("agentgym/Phone-v0", "/chats/12"),
}
"""By site, its environment and the page that is shown."""
_TO_A_TURN = """{
  const shots = [...document.querySelectorAll(".shot")];
  shots[1].open = true;
  shots[1].closest(".message").scrollIntoView();
}"""


def draw_site(name: str) -> None:
    """Draw a page of a site, with somebody logged in."""
    env_id, path = PAGES[name]
    env = make(env_id)
    assert isinstance(env, WebEnv)
    try:
        env.reset(seed=1)
        env.page.open(f"http://{name}.test{path}", env.view)
        _write(name, env.page.screenshot())
    finally:
        env.close()


def draw_report() -> None:
    """Draw the report of an evaluation that recorded screenshots, scrolled to a turn whose picture is large."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        settings = EvaluationSettings(limit=1, rollout=RolloutSettings(record_screenshots=True))
        with open_evaluation_store(folder) as store:
            evaluate(load("oracle", "web/shop"), "web/shop", "test", settings, store=store)
        write_report(folder)
        page = the_hub().open(PageSettings(width=1080, height=1040), Network({"report.test": Folder(folder)}))
        page.open("http://report.test/report.html", View(tree=False))
        page.run_script(_TO_A_TURN)
        page.look(View(tree=False))
        _write("report", page.screenshot())
        page.close()


def _write(name: str, content: bytes) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.webp"
    path.write_bytes(content)
    print(f"{path}: {len(content):,} bytes")


if __name__ == "__main__":
    for site in PAGES:
        draw_site(site)
    draw_report()
