"""Requests and what handlers see of them."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from agentgym_web.sites.core.page import local_path
from agentgym_web.sites.core.sessions import Sessions


def test_page_escapes_what_was_typed(client: TestClient) -> None:
    client.post("/add", data={"text": "<script>alert(1)</script>"})
    page = client.get("/").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_page_moves_the_clock_with_each_writing_request(client: TestClient) -> None:
    assert "2 Mar 2026, 09:00 nobody" in client.get("/").text
    client.post("/add", data={"text": "x"})
    client.post("/add", data={"text": "x"})
    assert "2 Mar 2026, 09:02" in client.get("/").text


def test_page_shows_a_flash_once(client: TestClient) -> None:
    client.post("/add", data={"text": "x"})
    assert 'role="status">Added.' in client.get("/").text
    assert "Added." not in client.get("/").text


def test_page_undoes_what_a_refused_request_wrote(client: TestClient, sessions: Sessions) -> None:
    assert client.post("/add", data={"text": ""}).status_code == 422
    assert not sessions.changes("default")
    assert "09:00" in client.get("/").text


def test_page_undoes_what_a_failed_handler_wrote(client: TestClient, sessions: Sessions) -> None:
    reply = client.post("/fail")
    assert (reply.status_code, "Something went wrong" in reply.text) == (500, True)
    assert not sessions.changes("default")


def test_page_keeps_sessions_apart(client: TestClient) -> None:
    client.post("/add", data={"text": "mine"}, headers={"X-Agentgym-Session": "a"})
    assert "mine" in client.get("/", headers={"X-Agentgym-Session": "a"}).text
    assert "mine" not in client.get("/", headers={"X-Agentgym-Session": "b"}).text


def test_page_reads_several_values_and_uploads(client: TestClient) -> None:
    reply = client.post("/form", data={"box": ["1", "2"]}, files={"file": ("a.txt", b"abc")})
    assert reply.text == "['1', '2'] ['a.txt:3'] 1"


@pytest.mark.parametrize("path", ["/nothing", "/note/99", "/note/99999999999999999999999", "/static/none.css"])
def test_page_that_does_not_exist_is_404(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_page_for_members_sends_others_to_the_login(client: TestClient) -> None:
    reply = client.get("/secret")
    assert (reply.status_code, reply.headers["location"]) == (303, "/login?next=/secret")
    client.post("/login", data={"name": "mara"})
    assert client.get("/secret").text == "for mara"


@pytest.mark.parametrize("wanted", ["https://x.test", "//x.test", "/\\x.test", "", "javascript:1"])
def test_local_path_refuses_other_sites(wanted: str) -> None:
    assert local_path(wanted) == "/"


def test_page_has_assets_that_may_be_kept(client: TestClient) -> None:
    reply = client.get("/static/style.css")
    assert reply.status_code == 200
    assert "immutable" in reply.headers["cache-control"]
    assert client.get("/").headers["cache-control"] == "no-store"
