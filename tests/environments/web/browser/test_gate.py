"""The gate to the network: names, redirects, what is refused, and how answers are carried."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from agentgym_web.browser.gate import Folder, Network, Server
from agentgym_web.browser.settings import View
from tests.environments.web.browser.conftest import Opening
from tests.environments.web.browser.driving import Browser
from tests.environments.web.browser.string_site import StringSite, Text


def test_names_of_sites_lead_to_their_servers(browser: Browser) -> None:
    browser.site.pages |= {"a.test/x": "<p>A</p>", "b.test/x": "<p>B</p>"}

    assert browser.do("goto", url="http://a.test/x").lines == ['"A"']
    assert browser.do("goto", url="http://b.test/x").lines == ['"B"']
    assert browser.page.traffic.visited[-2:] == ["GET a.test/x", "GET b.test/x"]


@pytest.mark.parametrize(
    "url", ["http://nowhere.test/", "http://sub.a.test/", "http://127.0.0.1/", "http://localhost/", "http://[::1]/"]
)
def test_other_names_are_refused_and_counted(browser: Browser, url: str) -> None:
    sight = browser.do("goto", url=url)

    assert "cannot be reached from here. Sites that can: a.test, b.test, c.test." in sight.text(View())
    assert len(browser.page.traffic.refused) == 1


def test_port_of_a_server_is_not_reached_around_its_name(browser: Browser) -> None:
    browser.site.pages["/"] = "<p>here</p>"
    sight = browser.do("goto", url=f"http://127.0.0.1:{browser.site.port}/")

    assert sight.lines[0] == 'heading "Forbidden" level=1'
    assert browser.site.asked == []


def test_redirect_within_the_sites_is_followed(browser: Browser) -> None:
    browser.site.pages["/go"] = Text(status=302, headers=[("Location", "http://b.test/end")])
    browser.site.pages["/end"] = "<p>End</p>"

    sight = browser.do("goto", url="http://a.test/go")
    assert (sight.url, sight.lines) == ("http://b.test/end", ['"End"'])


def test_redirect_out_of_the_sites_is_refused(browser: Browser) -> None:
    browser.site.pages["/go"] = Text(status=302, headers=[("Location", "http://nowhere.test/end")])

    assert "nowhere.test cannot be reached" in browser.do("goto", url="http://a.test/go").text(View())
    assert browser.page.traffic.refused == ["nowhere.test:80"]


def test_redirects_without_end_are_given_up(browser: Browser) -> None:
    browser.site.pages["/go"] = Text(status=302, headers=[("Location", "/go")])
    sight = browser.do("goto", url="http://a.test/go")

    assert "could not be loaded" in " ".join(sight.notes)


@pytest.mark.parametrize(
    "script",
    [
        "fetch('http://nowhere.test/a')",
        "new Image().src = 'http://nowhere.test/a'",
        "navigator.sendBeacon('http://nowhere.test/a')",
        "new WebSocket('ws://nowhere.test/a')",
        "new EventSource('http://nowhere.test/a')",
        "document.head.append(Object.assign(document.createElement('script'), { src: 'http://nowhere.test/a' }))",
        "document.body.append(Object.assign(document.createElement('iframe'), { src: 'http://nowhere.test/a' }))",
        "new Worker(window.URL.createObjectURL(new Blob([\"fetch('http://nowhere.test/a')\"])))",
    ],
)
def test_requests_of_scripts_are_refused(browser: Browser, script: str) -> None:
    browser.show(f'<p>here</p><button onclick="{script.replace(chr(34), "&quot;")}">Go</button>')
    browser.do("click", bid="1")
    deadline = time.monotonic() + 60
    while not browser.page.traffic.refused and time.monotonic() < deadline:
        time.sleep(0.01)

    assert "nowhere.test:80" in browser.page.traffic.refused


def test_server_that_does_not_answer_is_explained(browser: Browser) -> None:
    browser.page.start_over(Network(sites={"a.test": Server(port=1)}))

    assert "a.test does not answer" in browser.do("goto", url="http://a.test/").text(View())


def test_headers_of_a_site_replace_those_of_the_page(browser: Browser, site: StringSite) -> None:
    seen: list[str] = []
    find = site.find
    try:
        site.find = lambda host, path: (seen.append(host), Text("<p>here</p>"))[1]  # type: ignore[method-assign,func-returns-value]
        browser.page.start_over(Network(sites={"a.test": Server(port=site.port, headers=(("Host", "told.test"),))}))
        browser.do("goto", url="http://a.test/")
    finally:
        site.find = find  # type: ignore[method-assign]

    assert seen[0] == "told.test"


def test_folder_is_a_site_of_files(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "site" / "sub").mkdir(parents=True)
    (tmp_path / "site" / "index.html").write_text("<p>Home Ω</p>")
    (tmp_path / "site" / "sub" / "a b.html").write_text("<p>File</p>")
    (tmp_path / "secret.html").write_text("<p>secret</p>")
    (tmp_path / "site" / "out.html").symlink_to(tmp_path / "secret.html")
    browser.page.start_over(Network(sites={"f.test": Folder(tmp_path / "site")}))

    assert browser.do("goto", url="http://f.test/").lines == ['"Home Ω"']
    assert browser.do("goto", url="http://f.test/sub/a%20b.html?x=1").lines == ['"File"']
    for path in ("/%2e%2e/secret.html", "/..%2fsecret.html", "/out.html", "/none.html", "/sub"):
        assert "There is no such file." in browser.do("goto", url=f"http://f.test{path}").text(View()), path


def test_site_of_the_last_episode_is_not_shown_from_a_cache(browser: Browser, tmp_path: Path) -> None:
    for said in ("First", "Second"):
        (tmp_path / said).mkdir()
        (tmp_path / said / "index.html").write_text(f"<p>{said}</p>")
        browser.page.start_over(Network(sites={"f.test": Folder(tmp_path / said)}))

        assert browser.do("goto", url="http://f.test/").lines == [f'"{said}"']


def test_folder_takes_no_posts(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<form method=post><button>Send</button></form>")
    browser.page.start_over(Network(sites={"f.test": Folder(tmp_path)}))
    browser.do("goto", url="http://f.test/")

    assert "This site only has files." in browser.do("click", bid="1").text(View())


def test_answer_that_is_too_long_is_cut_off(windows: Opening, site: StringSite) -> None:
    browser = Browser(windows(settle_s=0.5), site)
    site.pages["/big"] = "<p>" + "word " * 400_000
    browser.page.start_over(Network(sites={"a.test": Server(port=site.port)}, max_bytes=200_000))
    browser.do("goto", url="http://a.test/big")

    assert browser.value("document.body ? document.body.textContent.length : 0") < 400_000


def test_network_is_replaced_between_episodes(browser: Browser, site: StringSite) -> None:
    site.pages["/"] = "<p>here</p>"
    browser.page.start_over(Network(sites={"new.test": Server(port=site.port)}))

    assert browser.do("goto", url="http://new.test/").lines == ['"here"']
    assert "cannot be reached" in browser.do("goto", url="http://a.test/").text(View())
