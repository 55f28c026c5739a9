"""Gestures in a real browser: fingers and mice swipe, hold and pull."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym_web.sites.phone.app import SITE
from tests.environments.web.sites import player

pytestmark = pytest.mark.skipif(not Path(player.CHROMIUM).exists(), reason="no Chromium")


@pytest.fixture(scope="module")
def phone():
    with player.served(SITE) as (base, sessions), player.browser() as opened:
        page = player.new_page(opened, "phone")
        page.set_default_timeout(player.TIMEOUT_MS)
        yield page, base, sessions


@pytest.fixture
def page(phone):
    opened, base, sessions = phone
    sessions.reset("default", "noa")
    opened.goto(f"{base}/chats")
    return opened


def title_of(page):
    return page.locator("li.item a.cover").first.inner_text()


def row(sessions, title):
    return sessions.database("default").execute("SELECT * FROM chats WHERE title = ?", (title,)).fetchone()


def touch(page, verb, role, name, *values):
    player._gesture(page, player.find(page, role, name), verb, values)


def drag(page, title, dx, hold_ms=0):
    box = page.get_by_role("link", name=title, exact=True).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    if hold_ms:
        page.wait_for_timeout(hold_ms)
    page.mouse.move(x + dx / 2, y, steps=4)
    page.mouse.move(x + dx, y, steps=4)
    page.mouse.up()
    page.wait_for_load_state("load")


def test_finger_swipes_a_chat_into_the_archive(page, phone):
    title = title_of(page)
    touch(page, "swipe", "link", title, "left")
    page.get_by_text(f"Archived {title}.").wait_for()
    assert row(phone[2], title)["is_archived"] == 1


def test_mouse_swipes_a_chat_into_the_archive(page, phone):
    title = title_of(page)
    drag(page, title, -120)
    page.get_by_text(f"Archived {title}.").wait_for()
    assert row(phone[2], title)["is_archived"] == 1


def test_short_swipe_does_nothing(page, phone):
    title = title_of(page)
    drag(page, title, -30)
    assert page.url.endswith("/chats")
    assert not phone[2].changes("default")


def test_finger_opens_the_menu_by_holding(page, phone):
    title = title_of(page)
    was_pinned = row(phone[2], title)["is_pinned"]
    touch(page, "long_press", "link", title)
    touch(page, "tap", "menuitem", "Unpin" if was_pinned else "Pin")
    page.get_by_role("status").wait_for()
    assert row(phone[2], title)["is_pinned"] != was_pinned


def test_mouse_opens_the_menu_by_holding_and_escape_closes_it(page):
    title = title_of(page)
    drag(page, title, 0, hold_ms=700)
    page.get_by_role("menu", name=title).wait_for()
    page.keyboard.press("Escape")
    assert page.get_by_role("menu").count() == 0


def test_right_click_opens_the_menu(page):
    title = title_of(page)
    page.get_by_role("link", name=title, exact=True).click(button="right")
    page.get_by_role("menu", name=title).wait_for()


def test_tap_opens_the_chat(page, phone):
    title = title_of(page)
    touch(page, "tap", "link", title)
    page.get_by_role("heading", name=title, level=1).wait_for()


def test_pull_fetches_messages(page, phone):
    touch(page, "swipe", "note", "Pull down for new messages", "down")
    page.get_by_text("new messages.").wait_for()
    assert not phone[2].database("default").execute("SELECT * FROM waiting").fetchall()
