"""When a page counts as quiet, on a clock of its own and on real time."""

from __future__ import annotations

import time

import pytest

from agentgym_web.browser.settings import View
from tests.environments.web.browser.conftest import Opening
from tests.environments.web.browser.driving import Browser
from tests.environments.web.browser.string_site import StringSite, Text

SHOWN = ".then((reply) => reply.text()).then((text) => { p.textContent = text })"
BOTH = pytest.mark.parametrize("which", ["browser", "real_browser"])


@BOTH
def test_request_is_waited_for_until_its_body_is_used(which: str, request: pytest.FixtureRequest) -> None:
    browser: Browser = request.getfixturevalue(which)
    browser.site.pages["/slow"] = Text("slow answer", wait_s=0.1, body_wait_s=0.15)

    assert browser.show(f"<p id=p>early</p><script>fetch('/slow'){SHOWN}</script>").lines == ['"slow answer"']


@BOTH
def test_requests_one_after_the_other_are_waited_for(which: str, request: pytest.FixtureRequest) -> None:
    browser: Browser = request.getfixturevalue(which)
    browser.site.pages["/one"] = Text('{"next": "/two"}', "application/json", body_wait_s=0.06)
    browser.site.pages["/two"] = Text("the second", wait_s=0.06)
    script = f"fetch('/one').then((reply) => reply.json()).then((found) => fetch(found.next)){SHOWN}"

    assert browser.show(f"<p id=p>early</p><script>{script}</script>").lines == ['"the second"']


@BOTH
def test_old_kind_of_request_is_waited_for(which: str, request: pytest.FixtureRequest) -> None:
    browser: Browser = request.getfixturevalue(which)
    browser.site.pages["/slow"] = Text("slow answer", wait_s=0.1)
    browser.show("""<p id=p>early</p><button onclick="const r = new XMLHttpRequest(); r.open('GET', '/slow');
        r.onload = () => { p.textContent = r.responseText }; r.send()">Go</button>""")

    assert browser.do("click", bid="1").lines[0] == '"slow answer"'


@BOTH
def test_failing_request_is_waited_for_once(which: str, request: pytest.FixtureRequest) -> None:
    browser: Browser = request.getfixturevalue(which)
    script = "fetch('http://nowhere.test/').catch(() => { p.textContent = 'failed' })"

    assert browser.show(f"<p id=p>early</p><script>{script}</script>").lines == ['"failed"']


@BOTH
def test_timer_that_is_due_soon_is_waited_for(which: str, request: pytest.FixtureRequest) -> None:
    browser: Browser = request.getfixturevalue(which)
    body = "<p id=p>early</p><script>setTimeout(() => { p.textContent = 'late' }, 60)</script>"

    assert browser.show(body).lines == ['"late"']


@BOTH
def test_animation_is_at_its_end(which: str, request: pytest.FixtureRequest) -> None:
    browser: Browser = request.getfixturevalue(which)
    browser.show("""<style>#box { width: 10px; transition: width 3s } .wide { width: 500px !important }</style>
        <div id=box></div><button onclick="box.className = 'wide'; box.ontransitionend = () => {
          this.textContent = 'ended' }">Go</button>""")

    assert browser.do("click", bid="1").lines == ['[1] button "ended" focused']
    assert browser.value("box.getBoundingClientRect().width") == 500


def test_endless_animation_is_not_waited_for(browser: Browser) -> None:
    browser.show("""<style>@keyframes turn { to { rotate: 1turn } } p { animation: turn 1s infinite }</style>
        <p>Turning</p>""")

    assert browser.sight.lines == ['"Turning"']


def test_image_is_waited_for(browser: Browser) -> None:
    browser.site.pages["/a.svg"] = Text(_square("red"), "image/svg+xml", wait_s=0.15)
    browser.show(
        "<button onclick=\"document.body.insertAdjacentHTML('beforeend', '<img id=i src=/a.svg>')\">Go</button>"
    )
    browser.do("click", bid="1")

    assert browser.value("i.complete && i.naturalWidth") == 40


def test_image_of_a_style_sheet_is_waited_for(browser: Browser) -> None:
    browser.site.pages["/a.svg"] = Text(_square("red"), "image/svg+xml", wait_s=0.15)
    browser.show("""<style>.on { background: url(/a.svg) }
          #box { position: absolute; left: 0; top: 200px; width: 40px; height: 40px }</style>
        <div id=box></div><button onclick="box.className = 'on'">Go</button>""")
    picture = browser.do("click", View(screenshot=True), bid="1").picture

    assert picture is not None
    assert tuple(picture[220, 20]) == (255, 0, 0)


def test_style_sheet_that_a_script_adds_is_waited_for(browser: Browser) -> None:
    browser.site.pages["/a.css"] = Text("p { display: none }", "text/css", wait_s=0.15)
    browser.show("""<p>gone</p><button onclick="document.head.insertAdjacentHTML('beforeend',
        '<link rel=stylesheet href=/a.css>')">Go</button>""")

    assert browser.do("click", bid="1").lines == ['[1] button "Go" focused']


def test_frame_that_a_script_adds_is_waited_for(browser: Browser) -> None:
    browser.site.pages["/in"] = Text("<p>inner</p>", wait_s=0.15)
    browser.show(
        "<button onclick=\"document.body.insertAdjacentHTML('beforeend', '<iframe src=/in></iframe>')\">Go</button>"
    )

    assert browser.do("click", bid="1").lines[-1] == ' "inner"'


def test_form_that_is_sent_is_waited_for(browser: Browser) -> None:
    browser.site.pages["/sent"] = Text("<p>Thanks</p>", wait_s=0.15)
    browser.show("<form method=post action=/sent><input name=a value=1><button>Send</button></form>")

    assert browser.do("click", bid=browser.id("Send")).lines == ['"Thanks"']
    assert browser.site.posted == [b"a=1"]


STORY = """<p id=p></p><script>
  const say = (what) => { p.textContent += what + " at " + Math.round(performance.now()) + "; " };
  say("began");
  setTimeout(() => say("timer"), 130);
  setInterval(() => say("every"), 200);
  requestAnimationFrame(() => say("frame"));
  fetch("/slow").then((reply) => reply.text()).then((text) => { say(text); setTimeout(() => say("after"), 40) });
  Promise.resolve().then(() => say("promise " + Math.random() + " " + new Date().toISOString()));
</script><button onclick="say('clicked'); fetch('/slow').then(() => say('answered'))">Go</button>"""


def test_virtual_time_tells_the_same_story_twice(browser: Browser) -> None:
    stories = []
    for wait_s in (0.0, 0.08):  # an answer takes none of the page's time
        browser.site.pages["/slow"] = Text("slow answer", wait_s=wait_s)
        browser.show(STORY)
        told = [browser.sight.text(View())]
        for name, arguments in (("click", {"bid": "1"}), ("noop", {"wait_ms": 350}), ("click", {"bid": "1"})):
            told.append(browser.do(name, **arguments).text(View()))
        stories.append(told)

    assert stories[0] == stories[1]
    assert "after at" in stories[0][0]
    assert "answered at" in stories[0][1]


def test_step_moves_the_clock_by_its_span(browser: Browser) -> None:
    browser.show("<p id=p></p><script>setInterval(() => { p.textContent = performance.now() }, 50)</script>")
    before = int(browser.sight.lines[0].strip('"'))

    for number in range(1, 4):
        assert int(browser.page.look(View()).lines[0].strip('"')) == before + 500 * number


def test_date_begins_where_the_settings_say_and_can_be_used(browser: Browser) -> None:
    browser.show("<p id=p></p><script>p.textContent = [new Date().toISOString(), typeof Date(), new Date(0).getTime(), "
                 "Date.UTC(2020, 0), new Date() instanceof Date].join(' ')</script>")  # fmt: skip

    assert browser.sight.lines == ['"2026-03-02T09:00:00.000Z string 0 1577836800000 true"']


def test_cleared_timers_do_not_run(browser: Browser) -> None:
    browser.show("""<p id=p>quiet</p><script>const say = () => { p.textContent = 'loud' };
        clearTimeout(setTimeout(say, 10)); clearInterval(setInterval(say, 10));
        cancelAnimationFrame(requestAnimationFrame(say)); cancelIdleCallback(requestIdleCallback(say));</script>""")

    assert browser.sight.lines == ['"quiet"']


def test_timer_that_fails_stops_no_other(browser: Browser) -> None:
    browser.show("""<p id=p>early</p><script>setTimeout(() => { throw new Error('no') }, 10);
        setTimeout("p.textContent = 'late'", 20)</script>""")

    assert browser.sight.lines == ['"late"']


ENDLESS = {
    "timers": "const again = () => setTimeout(again, 0); again()",
    "interval": "setInterval(() => { p.textContent += '.' }, 1)",
    "frames": "const again = () => requestAnimationFrame(again); again()",
    "promises": "const again = async () => { await new Promise((go) => setTimeout(go)); again() }; again()",
    "changes": "const again = () => { p.dataset.n = Math.random(); setTimeout(again, 5) }; again()",
    "requests": "const again = () => fetch('/one').then(again); again()",
    "channel": "const { port1, port2 } = new MessageChannel(); port1.onmessage = () => port2.postMessage(0); "
    "port2.postMessage(0)",
    "opened": "onload = () => { document.open(); document.write('<p id=p>here</p>') }",
    "answer": "fetch('/never')",
    "image": "document.body.append(Object.assign(new Image(), { src: '/never' }))",
}


@pytest.mark.parametrize("kind", ENDLESS)
@pytest.mark.parametrize("virtual", [True, False])
def test_page_that_never_rests_is_shown_in_bounded_time(
    windows: Opening, site: StringSite, kind: str, virtual: bool
) -> None:
    browser = Browser(windows(virtual_time=virtual, settle_s=0.4, load_s=1.0), site)
    site.pages["/one"] = "one"
    site.pages["/never"] = Text("never", wait_s=3)
    began = time.monotonic()
    sight = browser.show(f"<p id=p>here</p><script>{ENDLESS[kind]}</script>")
    browser.page.look(View())

    assert sight.lines[0].startswith('"here')
    assert time.monotonic() - began < 60  # without a bound it would be endless


def test_answer_that_never_comes_is_waited_for_once(windows: Opening, site: StringSite) -> None:
    browser = Browser(windows(settle_s=2.0), site)
    site.pages["/never"] = Text("never", wait_s=60)
    browser.show("<p>here</p><script>fetch('/never')</script>")
    waits = []
    for _ in range(8):
        began = time.monotonic()
        browser.page.look(View())
        waits.append(time.monotonic() - began)

    assert min(waits) < 1.5


def _square(color: str) -> str:
    size = 'width="40" height="40"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><rect {size} fill="{color}"/></svg>'
