"""Windows side by side: steps from several threads, and steps that are given up."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from agentgym.errors import CancelledEpisode
from agentgym_web.browser.errors import BrowserLostError
from agentgym_web.browser.gate import Network
from agentgym_web.browser.hub import the_hub
from agentgym_web.browser.page import WebPage
from agentgym_web.browser.settings import PageSettings, View
from tests.environments.web.browser.driving import Browser
from tests.environments.web.browser.string_site import StringSite, Text

COUNTER = """<p id=p>0</p><input aria-label=Name><button onclick="p.textContent = Number(p.textContent) + 1;
    document.cookie = 'who=' + location.pathname">Go</button>"""


def test_two_windows_are_used_at_once_from_two_threads(site: StringSite, network: Network) -> None:
    site.pages |= {"/one": COUNTER, "/two": COUNTER}
    pages = [the_hub().open(PageSettings(virtual_time=True), network) for _ in range(2)]
    together = threading.Barrier(2, timeout=60)

    def play(page: WebPage, path: str) -> tuple[list[str], str]:
        page.open(f"http://a.test{path}", View())
        for _ in range(5):
            together.wait()
            page.step([("click", {"bid": "2"}), ("fill", {"bid": "1", "value": path})], View())
        return list(page.look(View()).lines), str(page.run_script("document.cookie"))

    try:
        with ThreadPoolExecutor(2) as pool:
            played = list(pool.map(play, pages, ("/one", "/two")))
    finally:
        for page in pages:
            page.close()

    for (lines, cookie), path in zip(played, ("/one", "/two"), strict=True):
        assert lines == ['"5"', f'[1] textbox "Name" value="{path}" focused', '[2] button "Go"']
        assert cookie == f"who={path}"


def test_steps_of_one_window_may_come_from_different_threads(browser: Browser) -> None:
    browser.show(COUNTER)
    for _ in range(3):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(browser.do, "click", bid="2").result()

    assert browser.sight.lines[0] == '"3"'


def test_interrupt_gives_up_a_running_step(browser: Browser) -> None:
    browser.site.pages["/slow"] = Text("slow", wait_s=60)
    browser.show("<p>here</p>")

    def interrupt() -> None:
        while "/slow" not in browser.site.asked:
            time.sleep(0.01)
        browser.page.interrupt()

    interrupting = threading.Thread(target=interrupt)
    interrupting.start()
    began = time.monotonic()

    with pytest.raises(CancelledEpisode, match="the step was interrupted"):
        browser.do("goto", url="http://a.test/slow")
    assert time.monotonic() - began < 50
    interrupting.join()
    assert browser.show("<p>next</p>").lines == ['"next"']


def test_interrupt_without_a_step_does_nothing(browser: Browser) -> None:
    browser.page.interrupt()

    assert browser.show("<p>here</p>").lines == ['"here"']


def test_page_that_was_closed_is_lost(network: Network) -> None:
    page = the_hub().open(PageSettings(), network)
    page.close()
    page.close()

    with pytest.raises(BrowserLostError):
        page.look(View())


def test_probe_is_asked_when_the_page_is_quiet(browser: Browser) -> None:
    browser.show("<script>setTimeout(() => { window.late = 7 }, 300)</script>")

    assert browser.page.look(View(), probe="window.late").probe == 7


def test_history_tells_where_each_tab_was(browser: Browser) -> None:
    browser.site.pages["/two"] = "<p>Two</p>"
    browser.do("new_tab")
    browser.show("<p>One</p>")
    browser.do("goto", url="http://a.test/two")

    assert browser.page.history()[-1] == (2, ["about:blank", "http://a.test/", "http://a.test/two"])
    browser.do("tab_close")


def test_new_episode_has_no_cookies_tabs_or_notes_of_the_last(browser: Browser) -> None:
    browser.show("<button onclick=\"document.cookie = 'a=1'; alert('x')\">Go</button>")
    browser.do("new_tab")
    browser.do("tab_focus", index=0)
    browser.do("click", bid="1")
    browser.page.start_over()
    sight = browser.show("<p>here</p>")

    assert (len(sight.tabs), sight.notes, browser.value("document.cookie")) == (1, [], "")
