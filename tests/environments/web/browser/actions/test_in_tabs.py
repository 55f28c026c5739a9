"""Addresses, history and tabs."""

from __future__ import annotations

import pytest

from agentgym_web.browser.settings import View
from tests.environments.web.browser.driving import Browser


def test_goto_opens_an_address(browser: Browser) -> None:
    browser.site.pages["/two"] = "<title>Two</title><p>Second</p>"
    browser.show("<p>First</p>")

    sight = browser.do("goto", url="http://a.test/two")
    assert (sight.url, sight.title, sight.lines) == ("http://a.test/two", "Two", ['"Second"'])


@pytest.mark.parametrize("url", ["a.test/two", "a.test:80/two", "HTTP://a.test/two"])
def test_goto_takes_addresses_as_people_write_them(browser: Browser, url: str) -> None:
    browser.site.pages["/two"] = "<p>Second</p>"

    assert browser.do("goto", url=url).url == "http://a.test/two"


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "chrome://version", "javascript:alert(1)", "data:text/html,a", "ftp://a.test"]
)
def test_goto_of_another_scheme_is_refused(browser: Browser, url: str) -> None:
    browser.show("<p>First</p>")

    sight = browser.do("goto", url=url)
    assert "cannot be opened here. Expected http or https." in sight.error
    assert sight.lines == ['"First"']


@pytest.mark.parametrize("url", ["http://", "http://["])
def test_goto_of_no_address_is_explained(browser: Browser, url: str) -> None:
    browser.show("<p>First</p>")

    sight = browser.do("goto", url=url)
    assert "is no address. Expected one such as http://shop.test/." in sight.error
    assert sight.lines == ['"First"']


def test_back_and_forward_go_through_the_history(browser: Browser) -> None:
    browser.site.pages["/two"] = "<p>Second</p>"
    browser.show("<p>First</p><a href=/two>Next</a>")
    browser.do("click", bid="1")

    assert browser.do("go_back").lines[0] == '"First"'
    assert browser.do("go_forward").lines == ['"Second"']


def test_back_within_a_page_that_changes_its_address(browser: Browser) -> None:
    browser.show("""<p id=p>First</p>
        <button onclick="history.pushState(0, '', '/two'); p.textContent = 'Second'">Go</button>
        <script>onpopstate = () => { p.textContent = 'First' }</script>""")
    assert browser.do("click", bid="1").url == "http://a.test/two"

    sight = browser.do("go_back")
    assert (sight.url, sight.lines[0]) == ("http://a.test/", '"First"')


def test_history_that_ends_is_explained(browser: Browser) -> None:
    browser.do("new_tab")
    browser.show("<p>First</p>")

    assert browser.do("go_back").error == "There is no page to go back to."
    assert browser.do("go_forward").error == "There is no page to go forward to."
    browser.do("tab_close")


def test_tabs_are_listed_switched_and_closed(browser: Browser) -> None:
    browser.show("<title>One</title><p>First</p>")
    browser.do("new_tab")
    browser.site.pages["/two"] = "<title>Two</title><p>Second</p>"
    sight = browser.do("goto", url="http://a.test/two")

    assert [tab.title for tab in sight.tabs] == ["One", "Two"]
    assert sight.active_tab == 1
    assert "tab 1: Two, http://a.test/two (in front)" in sight.text(View())
    assert browser.do("tab_focus", index=0).lines == ['"First"']
    browser.do("tab_focus", index=1)
    sight = browser.do("tab_close")
    assert (len(sight.tabs), sight.lines) == (1, ['"First"'])


def test_link_into_a_new_tab_brings_it_to_the_front(browser: Browser) -> None:
    browser.site.pages["/two"] = "<p>Second</p>"
    browser.show("<a href=/two target=_blank>Next</a>")
    sight = browser.do("click", bid="1")

    assert (len(sight.tabs), sight.active_tab, sight.lines) == (2, 1, ['"Second"'])
    browser.do("tab_close")


def test_tab_that_closes_itself_gives_way(browser: Browser) -> None:
    browser.site.pages["/two"] = "<button onclick='window.close()'>Close</button>"
    browser.show("<button onclick=\"window.open('/two')\">Next</button>")
    browser.do("click", bid="1")
    sight = browser.do("click", bid="1")

    assert (len(sight.tabs), sight.lines) == (1, ['[1] button "Next" focused'])


def test_only_tab_stays_open(browser: Browser) -> None:
    browser.show("<p>First</p>")

    assert browser.do("tab_close").error == "This is the only tab; it stays open."


@pytest.mark.parametrize("index", [-1, 1, 99])
def test_tab_that_does_not_exist_is_explained(browser: Browser, index: int) -> None:
    browser.show("<p>First</p>")

    assert browser.do("tab_focus", index=index).error == f"There is no tab {index}. Tabs are numbered from 0 to 0."


def test_tabs_are_limited(browser: Browser) -> None:
    browser.show("<p>First</p>")
    for _ in range(7):
        assert browser.do("new_tab").error == ""

    assert browser.do("new_tab").error == "There are 8 tabs, as many as may be. Close one with tab_close()."


def test_keys_and_mouse_go_to_the_tab_in_front(browser: Browser) -> None:
    browser.show("<input id=one autofocus>")
    browser.do("new_tab")
    browser.site.pages["/two"] = "<input id=two autofocus>"
    browser.do("goto", url="http://a.test/two")
    browser.do("keyboard_type", text="second")
    assert browser.value("two.value") == "second"
    browser.do("tab_focus", index=0)
    browser.do("keyboard_type", text="first")
    assert browser.value("one.value") == "first"
