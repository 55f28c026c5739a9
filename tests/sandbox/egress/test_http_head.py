"""Heads of requests to the proxy: what is sent on, and what is refused because it could be read in two ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.sandbox.egress.http_head import RefusedRequest, parse_head


def head(*lines):
    return "\r\n".join([*lines, "", ""]).encode()


def test_a_tunnel_names_host_and_port():
    request = parse_head(head("CONNECT Example.com:443 HTTP/1.1", "Host: other"))
    assert (request.is_tunnel, request.host, request.port) == (True, "example.com", 443)


def test_a_request_is_sent_on_in_origin_form_with_the_host_that_was_checked():
    request = parse_head(
        head(
            "POST http://Example.com:8080/a?b=c HTTP/1.1",
            "Host: internal.test",
            "Proxy-Connection: keep-alive",
            "Proxy-Authorization: Basic c2VjcmV0",
            "Connection: X-Secret, Content-Length",
            "X-Secret: 1",
            "Content-Length: 3",
            "X-Kept: yes",
        )
    )
    assert (request.host, request.port, request.body_bytes) == ("example.com", 8080, 3)
    assert request.forwarded.decode().split("\r\n") == [
        "POST /a?b=c HTTP/1.1",
        "Host: Example.com:8080",
        "Content-Length: 3",
        "X-Kept: yes",
        "Connection: close",
        "",
        "",
    ]


def test_a_bare_host_asks_for_its_root():
    assert parse_head(head("GET http://a.test?x=1 HTTP/1.1")).forwarded.startswith(b"GET /?x=1 HTTP/1.1\r\n")


@pytest.mark.parametrize(
    "lines",
    [
        ["GET / HTTP/1.1", "Host: a.test"],
        ["GET https://a.test/ HTTP/1.1"],
        ["GET ftp://a.test/ HTTP/1.1"],
        ["GET http://user@a.test/ HTTP/1.1"],
        ["GET http://a.test@b.test/ HTTP/1.1"],
        ["GET http://a.test\\@b.test/ HTTP/1.1"],
        ["GET http://a.test:99999/ HTTP/1.1"],
        ["GET http://a.test/ HTTP/2.0"],
        ["GET  http://a.test/ HTTP/1.1"],
        ["CONNECT a.test HTTP/1.1"],
        ["CONNECT a.test:443/x HTTP/1.1"],
        ["CONNECT http://a.test:443 HTTP/1.1"],
        ["CONNECT 2130706433:80 HTTP/1.1"],
        ["GET http://a.test/ HTTP/1.1", "no colon"],
        ["GET http://a.test/ HTTP/1.1", "Space : x"],
        ["GET http://a.test/ HTTP/1.1", "A: b", " folded"],
        ["GET http://a.test/ HTTP/1.1", "A: b\nInjected: c"],
        ["GET http://a.test/ HTTP/1.1", "A: b\rInjected: c"],
        ["GET http://a.test/ HTTP/1.1", "A: b\0"],
        ["POST http://a.test/ HTTP/1.1", "Content-Length: 1", "Content-Length: 2"],
        ["POST http://a.test/ HTTP/1.1", "Content-Length: 1", "Transfer-Encoding: chunked"],
        ["POST http://a.test/ HTTP/1.1", "Transfer-Encoding: gzip, chunked"],
        ["POST http://a.test/ HTTP/1.1", "Content-Length: +1"],
        ["POST http://a.test/ HTTP/1.1", "Content-Length: -1"],
    ],
)
def test_an_ambiguous_request_is_refused(lines):
    with pytest.raises(RefusedRequest) as refusal:
        parse_head(head(*lines))
    assert refusal.value.status == 400


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_refused(content):
    try:
        request = parse_head(b"GET http://a.test/ HTTP/1.1\r\n" + content + b"\r\n\r\n")
    except RefusedRequest:
        return
    assert request.host == "a.test"
    assert request.forwarded.count(b"Host: ") >= 1
    assert request.forwarded.split(b"\r\n")[1] == b"Host: a.test"
