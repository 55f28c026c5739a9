"""Plays the walkthrough of a draft in a real browser, against a site served on the loopback interface."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from agentgym_web.sites.core.drafts import Draft
from agentgym_web.sites.core.sessions import Sessions
from agentgym_web.sites.core.site import Site
from agentgym_web.sites.core.verify import Ending, Part, Verdict, all_checks, grade
from agentgym_web.sites.core.web import web_app

CHROMIUM = "/usr/bin/chromium"
TIMEOUT_MS = 60_000
PARTS = ("row", "listitem", "article", "region", "group", "form", "dialog", "section")
"""Roles that a step may be narrowed to with `within`; the smallest match is taken."""


@contextlib.contextmanager
def served(site: Site) -> Iterator[tuple[str, Sessions]]:
    """A site on a free port of the loopback interface, with its sessions."""
    sessions = Sessions(site)
    config = uvicorn.Config(web_app(site, sessions), port=0, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}", sessions
    finally:
        server.should_exit = True
        thread.join()


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--headless"])
        try:
            yield opened
        finally:
            opened.close()


def new_page(opened: Browser, site: str) -> Page:
    """A page of the size that a site is made for, with touch."""
    size = {"width": 390, "height": 844} if site == "phone" else {"width": 1280, "height": 900}
    return opened.new_page(viewport=size, has_touch=True)  # type: ignore[arg-type]


def play(page: Page, base: str, sessions: Sessions, draft: Draft, *, do_nothing: bool = False) -> Verdict:
    """Reset the default session for a draft, play its walkthrough and grade it.

    Args:
        page: A page of a browser.
        base: Address of the site.
        sessions: The site's sessions.
        draft: The draft.
        do_nothing: Whether to skip the walkthrough, as an agent would that stops at once.
    """
    sessions.reset("default", draft.user, draft.plants)
    page.set_default_timeout(TIMEOUT_MS)
    page.goto(base + draft.path)
    ending = Ending()
    private = draft.private()
    for step in () if do_nothing else draft.walkthrough:
        try:
            ending = _do(page, base, step, draft.files) or ending
        except Exception as error:
            raise AssertionError(
                f"step {step} failed on {page.url}: {error}\n{page.locator('body').aria_snapshot()}"
            ) from error
    results = sessions.check("default", all_checks(private))
    site = sessions.site
    part = Part(private, sessions.changes("default"), results, site.written_along)
    return grade(private, {site.name: part}, ending)


def _do(page: Page, base: str, step: Sequence[Any], files: Mapping[str, str]) -> Ending | None:
    options = step[-1] if isinstance(step[-1], dict) else {}
    verb, *rest = step[:-1] if options else step
    if verb == "answer":
        return Ending("answer", str(rest[0]))
    if verb == "infeasible":
        return Ending("infeasible", str(rest[0]))
    if verb == "goto":
        page.goto(base + rest[0])
        return None
    target = find(page, rest[0], rest[1], **options)
    _touch(page, target, verb, rest[2:], files)
    page.wait_for_load_state("load")
    return None


def _touch(page: Page, target: Locator, verb: str, values: Sequence[Any], files: Mapping[str, str]) -> None:
    if verb == "click":
        target.click()
    elif verb == "fill":
        target.fill(values[0])
    elif verb == "select":
        target.select_option(label=values[0])
    elif verb == "press":
        target.press(values[0])
    elif verb == "upload":
        file = {"name": values[0], "mimeType": "text/plain", "buffer": files[values[0]].encode()}
        target.set_input_files(file)  # type: ignore[arg-type]
    elif verb in ("tap", "long_press", "swipe"):
        _gesture(page, target, verb, values)
    else:
        raise ValueError(f"no such verb: {verb!r}")


def _gesture(page: Page, target: Locator, verb: str, values: Sequence[Any]) -> None:
    """Touch events through the browser's protocol, as a finger makes them."""
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    dx, dy = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}.get(values[0] if values else "", (0, 0))
    client = page.context.new_cdp_session(page)
    send = lambda kind, points: client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})  # noqa: E731
    send("touchStart", [{"x": x, "y": y}])
    if verb == "long_press":
        page.wait_for_timeout(800)
    for part in range(1, 11) if verb == "swipe" else ():
        send("touchMove", [{"x": x + dx * 20 * part, "y": y + dy * 20 * part}])
        page.wait_for_timeout(10)
    send("touchEnd", [])
    page.wait_for_timeout(100)
    client.detach()


def find(page: Page, role: Any, name: str, within: str | None = None, nth: int = 0) -> Locator:
    """The element of a role and an accessible name.

    Args:
        page: The page.
        role: Its role.
        name: Its name, exactly.
        within: Text that the nearest row, list item, article or other part around it contains.
        nth: Which of several, from 0.
    """
    if within is None:
        found = page.get_by_role(role, name=name, exact=True)
    else:
        found = _smallest(page, within, role, name).get_by_role(role, name=name, exact=True)
    found.first.wait_for(state="attached")
    if nth == 0 and found.count() > 1:
        raise ValueError(f"{found.count()} elements of role {role} are called {name!r}; say which")
    return found.nth(nth)


def _smallest(page: Page, text: str, role: Any, name: str) -> Locator:
    wanted = page.get_by_role(role, name=name, exact=True)
    parts: list[tuple[int, Locator]] = []
    for part in PARTS:
        found = page.locator("section") if part == "section" else page.get_by_role(part)
        for one in found.filter(has_text=text).filter(has=wanted).all():
            parts.append((len(one.inner_text()), one))
    if not parts:
        raise ValueError(f"no part of the page holds {text!r} and a {role} called {name!r}")
    return min(parts, key=lambda sized: sized[0])[1]


def screenshot(
    site: Site, path: str, file: Path, *, user: str | None = None, size: tuple[int, int] = (1280, 900)
) -> None:
    """Save a picture of a page, for whoever works on its looks."""
    with served(site) as (base, sessions), browser() as opened:
        sessions.reset("default", user)
        page = opened.new_page(viewport={"width": size[0], "height": size[1]})
        page.goto(base + path)
        page.screenshot(path=file, full_page=True)
