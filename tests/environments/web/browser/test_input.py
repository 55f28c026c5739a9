"""The state of hands: what is held down, and what a new episode lets go of."""

from __future__ import annotations

from tests.environments.web.browser.driving import RECORDER, Browser

HOVERED = "<style>button:hover {{ outline: 1px solid }}</style><button id=one>{}</button>"


def test_new_episode_finds_no_key_held(browser: Browser) -> None:
    browser.show(RECORDER + HOVERED.format("One"))
    browser.do("keyboard_down", key="Shift")
    browser.page.start_over()
    browser.show(RECORDER + HOVERED.format("One"))
    browser.do("click", bid="1")

    assert [each["keys"] for each in browser.events("click")] == [""]


def test_new_episode_finds_the_mouse_out_of_the_way(browser: Browser) -> None:
    browser.show(HOVERED.format("One"))
    browser.do("hover", bid="1")
    assert browser.value("one.matches(':hover')") is True
    browser.page.start_over()
    browser.show(HOVERED.format("Two"))

    assert browser.value("one.matches(':hover')") is False


def test_page_that_leaves_at_a_click_is_no_error(browser: Browser) -> None:
    browser.site.pages["/two"] = "<p>Second</p>"
    browser.show("<button onmousedown=\"location = '/two'\">Go</button>")
    sight = browser.do("dblclick", bid="1")

    assert (sight.error, sight.lines) == ("", ['"Second"'])


def test_click_that_opens_an_alert_is_answered(browser: Browser) -> None:
    browser.show("<button onclick=\"alert('Careful \\n now'); this.textContent = 'after'\">Go</button>")
    sight = browser.do("click", bid="1")

    assert sight.notes == ['The page showed a dialog (alert), which was closed: "Careful now"']
    assert sight.lines == ['[1] button "after" focused']
