import http.server
import threading
from contextlib import contextmanager

import pytest

from agentgym.errors import ConfigError
from agentgym_web.archive.captures import Capture, Captures
from agentgym_web.archive.recording import record_pages
from agentgym_web.archive.replaying import archive_network, the_archive
from agentgym_web.archive.warc import ArchiveError
from agentgym_web.browser.gate import Network
from agentgym_web.browser.hub import the_hub
from agentgym_web.browser.settings import PageSettings, View

CUT = "…"
"""A page of which half an answer comes."""
HTML = ("Content-Type", "text/html; charset=utf-8")
VIEW = View()
PAGES = {
    "/": '<h1>Home</h1><a href="/a">A</a><a href="/old">Old</a><img src="/missing.png">'
    '<script>fetch("/d.json").then((r) => r.json()).then((d) => document.body.append("got " + d.v))</script>',
    "/a": '<h1>Page A</h1><a href="/b?y=2&x=1">B</a>',
    "/b": "<h1>Page B</h1>",
    "/new": "<h1>New</h1>",
    "/d.json": '{"v": 42}',
    "/form": '<form method="post" action="/form"><input name="q" value="1"><button>Go</button></form>',
}


def site(base: str) -> Captures:
    captures = [
        Capture(
            "GET",
            base + path,
            200,
            [HTML if path != "/d.json" else ("Content-Type", "application/json")],
            text.encode(),
        )
        for path, text in PAGES.items()
        if path != "/b"
    ]
    return Captures(
        [
            *captures,
            Capture("GET", base + "/b?x=1&y=2", 200, [HTML], b"<h1>Page B</h1>"),
            Capture("GET", base + "/old", 302, [("Location", "/new")]),
            Capture("POST", base + "/form", 200, [HTML], b"<h1>Posted 1</h1>", b"q=1"),
        ]
    )


@pytest.fixture
def page():
    opened = the_hub().open(PageSettings(virtual_time=True))
    yield opened
    opened.close()


@pytest.mark.parametrize("base", ["http://site.test", "https://site.test"])
def test_page_its_scripts_and_its_links_are_answered_by_the_archive(page, base):
    page.start_over(archive_network(site(base)))
    sight = page.open(f"{base}/", VIEW)
    assert '"got 42"' in sight.lines
    sight = page.step([("click", {"bid": "1"})], VIEW)
    assert (sight.url, sight.lines[0]) == (f"{base}/a", 'heading "Page A" level=1')
    assert 'heading "Page B" level=1' in page.step([("click", {"bid": "1"})], VIEW).lines


@pytest.mark.parametrize("base", ["http://site.test", "https://site.test"])
def test_redirects_are_followed_within_the_archive(page, base):
    page.start_over(archive_network(site(base)))
    page.open(f"{base}/", VIEW)
    sight = page.step([("click", {"bid": "2"})], VIEW)
    assert (sight.url, list(sight.lines)) == (f"{base}/new", ['heading "New" level=1'])


def test_form_is_answered_where_its_body_was_recorded(page):
    page.start_over(archive_network(site("https://site.test")))
    page.open("https://site.test/form", VIEW)
    assert 'heading "Posted 1" level=1' in page.step([("click", {"bid": "2"})], VIEW).lines
    page.open("https://site.test/form", VIEW)
    sight = page.step([("fill", {"bid": "1", "value": "2"}), ("click", {"bid": "2"})], VIEW)
    assert sight.title == "Not in the archive"


def test_new_tab_is_answered_by_the_archive_too(page):
    found = [Capture("GET", "https://a.test/", 200, [HTML], b'<a href="/b" target="_blank">Open</a>')]
    found.append(Capture("GET", "https://a.test/b", 200, [HTML], b"<h1>In a new tab</h1>"))
    page.start_over(archive_network(Captures(found)))
    page.open("https://a.test/", VIEW)
    sight = page.step([("click", {"bid": "1"})], VIEW)
    assert len(sight.tabs) == 2
    assert 'heading "In a new tab" level=1' in sight.lines


@contextmanager
def server(pages):
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.do_GET()

        def do_OPTIONS(self):
            self.do_GET()

        def do_GET(self):
            asked.append(self.path)
            if self.path == "/old":
                self.send_response(302)
                self.send_header("Location", "/new")
                self.end_headers()
                return
            text = pages.get(self.path.partition("?")[0])
            if text is CUT:
                self.send_response(200)
                self.send_header("Content-Length", "100")
                self.end_headers()
                self.wfile.write(b"half")
                self.close_connection = True
                return
            self.send_response(404 if text is None else 200)
            self.send_header("Content-Type", "application/json" if self.path.endswith("json") else HTML[1])
            self.end_headers()
            self.wfile.write((text or "none").encode())

        def log_message(self, *args):
            pass

    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    try:
        yield listening.server_port, asked
    finally:
        listening.shutdown()
        listening.server_close()


def leaky(port):
    """A page that asks a server for something in every way that a page has, and the paths that it asks for.

    The gate refuses every web socket and notes it; all else reaches a site that may be reached.
    """
    base = f"http://127.0.0.1:{port}"
    page = (
        f'<h1>Leaky</h1><img src="{base}/img"><iframe src="{base}/frame"></iframe>'
        f'<link rel="stylesheet" href="{base}/css"><link rel="preconnect" href="{base}">'
        f'<script>navigator.sendBeacon("{base}/beacon", "x"); new WebSocket("ws://127.0.0.1:{port}/socket");'
        f'new EventSource("{base}/events"); '
        f'fetch("{base}/fetch", {{method: "PUT", headers: {{"X-A": "1"}}}}).catch(() => 0);'
        f'window.open("{base}/popup")</script>'
    )
    return page, {"/img", "/frame", "/css", "/beacon", "/events", "/fetch", "/popup", "/direct"}


def ask_for_all(page, network, port):
    page.start_over(network)
    page.open("http://localhost/", VIEW)
    page.step([("noop", {"wait_ms": 500})], VIEW)
    page.step([("goto", {"url": f"http://127.0.0.1:{port}/direct"})], VIEW)


def test_nothing_outside_the_archive_is_reached_though_a_page_asks_in_every_way(page):
    with server({}) as (port, asked):
        html, paths = leaky(port)
        archive = Captures([Capture("GET", "http://localhost/", 200, [HTML], html.encode())])
        ask_for_all(page, archive_network(archive), port)
        assert asked == []
        assert set(page.traffic.refused) == {f"127.0.0.1:{port}"}  # a slow page asks again
        with server({"/": html}) as (own, _):
            ask_for_all(page, Network({"localhost": _server(own), "127.0.0.1": _server(port)}), port)
        assert set(asked) == paths
        assert set(page.traffic.refused) == {f"127.0.0.1:{port}"}


def test_window_forgets_the_archive_at_the_next_start(page):
    page.start_over(archive_network(site("http://site.test")))
    page.open("http://site.test/", VIEW)
    page.start_over(Network())
    sight = page.open("http://site.test/", VIEW)
    assert "Home" not in sight.text(VIEW)
    assert page.traffic.refused == ["site.test:80"]


def test_recorded_site_replays_after_its_server_is_gone(page, tmp_path):
    out = tmp_path / "site.warc.gz"
    with server(PAGES) as (port, _):
        base = f"http://127.0.0.1:{port}"
        num_pages, num_answers, left_out = record_pages([f"{base}/"], out, max_pages=10)
        live = the_hub().open(PageSettings(virtual_time=True), Network(sites={"127.0.0.1": _server(port)}))
        shown = {path: live.open(base + path, VIEW).lines for path in ("/", "/a", "/b?y=2&x=1", "/old")}
        live.close()
    assert (num_pages, num_answers, left_out) == (4, 7, [])
    page.start_over(archive_network(the_archive(out)))
    assert {path: page.open(base + path, VIEW).lines for path in shown} == shown


def _server(port):
    from agentgym_web.browser.gate import Server

    return Server(port=port)


def test_recording_stops_at_the_number_of_pages(tmp_path):
    with server(PAGES) as (port, asked):
        assert record_pages([f"http://127.0.0.1:{port}/"], tmp_path / "a.warc", max_pages=1)[0] == 1
        assert "/a" not in asked


def test_recording_of_a_site_that_is_down_says_so_and_leaves_no_file(tmp_path):
    with server(PAGES) as (port, _):
        pass
    with pytest.raises(ConfigError, match="check that the site is up"):
        record_pages([f"http://127.0.0.1:{port}/"], tmp_path / "a.warc")
    assert list(tmp_path.iterdir()) == []


def test_recording_of_an_address_without_a_page_says_what_it_got_and_leaves_nothing(tmp_path):
    with server(PAGES) as (port, _), pytest.raises(ConfigError, match=r"got other answers: .*/nosuch with status 404"):
        record_pages([f"http://127.0.0.1:{port}/nosuch"], tmp_path / "new" / "folders" / "a.warc")
    assert list(tmp_path.iterdir()) == []


def test_two_ports_of_this_machine_are_recorded_together(tmp_path):
    out = tmp_path / "a.warc"
    with server({"/": "<p>one</p>"}) as (one, _), server({"/": "<p>two</p>"}) as (two, _):
        urls = [f"http://localhost:{port}/" for port in (one, two)]
        assert record_pages(urls, out, max_pages=2)[:2] == (2, 2)
    assert the_archive(out).pages == urls


def test_answer_whose_body_does_not_come_whole_is_left_out_and_named(tmp_path):
    with server({"/": "<p>one</p><img src=/cut.png>", "/cut.png": CUT}) as (port, _):
        base = f"http://127.0.0.1:{port}"
        recorded = record_pages([f"{base}/"], tmp_path / "a.warc")
        assert recorded == (1, 1, [f"{base}/cut.png"])
        with pytest.raises(ConfigError, match=r"got other answers: .*/cut\.png without its body"):
            record_pages([f"{base}/cut.png"], tmp_path / "b.warc")
    assert not (tmp_path / "b.warc").exists()


@pytest.mark.parametrize("url", ["file:///etc/passwd", "shop.test", "https://localhost:1/"])
def test_address_that_cannot_be_recorded_is_refused(tmp_path, url):
    with pytest.raises(ConfigError, match=r"begins with http:|reached over http"):
        record_pages([url], tmp_path / "a.warc")


def test_archive_is_read_anew_when_its_file_changes(tmp_path):
    path = tmp_path / "a.warc"
    with pytest.raises(ArchiveError, match="there is no archive"):
        the_archive(path)
