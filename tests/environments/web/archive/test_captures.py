from agentgym_web.archive.captures import Capture, Captures, plain_url

HTML = [("Content-Type", "text/html; charset=utf-8")]


def test_url_without_fragment_default_port_and_case_of_the_host():
    assert plain_url("HTTPS://Site.TEST:443/A?b=1#part") == "https://site.test/A?b=1"
    assert plain_url("http://site.test:8080") == "http://site.test:8080/"


def test_get_is_found_whatever_the_order_of_parameters():
    found = Captures([Capture("GET", "https://site.test/s?a=1&b=2", 200)])
    assert found.find("GET", "https://site.test/s?b=2&a=1") is found.all[0]
    assert found.find("GET", "https://site.test/s?a=1") is None
    assert found.find("GET", "http://site.test/s?a=1&b=2") is None


def test_post_is_found_by_its_body_alone():
    found = Captures([Capture("POST", "https://site.test/p", 200, body=b"1", sent=b"q=1")])
    assert found.find("POST", "https://site.test/p", b"q=1") is found.all[0]
    assert found.find("POST", "https://site.test/p", b"q=2") is None
    assert found.find("GET", "https://site.test/p") is None


def test_later_error_does_not_replace_a_good_answer():
    good, bad = Capture("GET", "http://a.test/", 200), Capture("GET", "http://a.test/", 503)
    assert Captures([good, bad]).find("GET", "http://a.test/") is good
    assert Captures([bad, good]).find("GET", "http://a.test/") is good


def test_pages_are_answers_with_html_each_once():
    page = Capture("GET", "http://a.test/", 200, HTML)
    picture = Capture("GET", "http://a.test/x.png", 200, [("Content-Type", "image/png")])
    missing = Capture("GET", "http://a.test/y", 404, HTML)
    assert Captures([page, picture, page, missing]).pages == ["http://a.test/"]


def test_headers_of_a_coding_that_is_gone_are_dropped():
    capture = Capture("GET", "http://a.test/", 200, [("Content-Encoding", "br"), ("Content-Length", "3"), *HTML])
    assert capture.plain_headers() == HTML
