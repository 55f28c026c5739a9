"""Draws pictures of docs/environments: a page of each site, the desktop's applications, and reports of episodes.

Run it from the repository's root: python -m scripts.docs_pictures [NAME…], with names such as shop, report or repair.
It needs the extra web and a browser; repair needs Docker and a prepared package. Those of the desktop need Docker, the
extra gui and the image agentgym/desktop; on_demand needs the images desktop-office and desktop-bus.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
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
from scripts.contact_sheet import SHOWN, SHOWN_ON_DEMAND, applications_sheet

FOLDER = Path("docs/images")
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
_TO_THE_FIRST = """{
  for (const each of document.querySelectorAll("details")) each.open = true;
  document.querySelector(".message").scrollIntoView();
}"""
_WITH_PICTURES = RolloutSettings(record_screenshots=True)


def draw_site(name: str) -> None:
    """Draw a page of a site, with somebody logged in."""
    env_id, path = PAGES[name]
    env = make(env_id)
    assert isinstance(env, WebEnv)
    try:
        env.reset(seed=1)
        env.page.open(f"http://{name}.test{path}", env.view)
        _write(f"web/{name}", env.page.screenshot())
    finally:
        env.close()


def draw_report() -> None:
    """Draw the report of an evaluation that recorded screenshots, scrolled to a turn whose picture is large."""
    _draw_episode("web/report", "web/shop", "oracle", EvaluationSettings(limit=1, rollout=_WITH_PICTURES), _TO_A_TURN)


def draw_repair() -> None:
    """Draw the report of a repair by the imperfect demonstrator, up to where it shows a package."""
    _draw_episode("repair", "swe/repair", "demo", EvaluationSettings(limit=1), _TO_THE_FIRST, height=852)


def draw_desktop() -> None:
    """Draw the report of an episode on a desktop, scrolled to a turn whose picture is large."""
    settings = EvaluationSettings(limit=1, rollout=_WITH_PICTURES)
    _draw_episode("gui/report", "gui/desktop", "oracle", settings, _TO_A_TURN)


def draw_applications() -> None:
    """Draw each application of the desktop, with its name."""
    _write("gui/applications", applications_sheet(SHOWN))


def draw_on_demand() -> None:
    """Draw each application of the images that are built on demand."""
    _write("gui/on_demand", applications_sheet(SHOWN_ON_DEMAND))


def _draw_episode(
    name: str, suite: str, policy: str, settings: EvaluationSettings, scroll: str, *, height: int = 1040
) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "run"
        with open_evaluation_store(folder) as store:
            evaluate(load(policy, suite), suite, "test", settings, store=store)
        write_report(folder)
        page = the_hub().open(PageSettings(width=1080, height=height), Network({"report.test": Folder(folder)}))
        page.open("http://report.test/report.html", View(tree=False))
        page.run_script(scroll)
        page.look(View(tree=False))
        _write(name, page.screenshot())
        page.close()


def _write(name: str, content: bytes) -> None:
    path = FOLDER / f"{name}.webp"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    print(f"{path}: {len(content):,} bytes")


def main(names: Sequence[str]) -> None:
    """Draw the pictures that are named, or all."""
    others = {
        "report": draw_report,
        "repair": draw_repair,
        "applications": draw_applications,
        "on_demand": draw_on_demand,
        "desktop": draw_desktop,
    }
    for name in names or [*PAGES, *others]:
        if name in PAGES:
            draw_site(name)
        else:
            others[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
