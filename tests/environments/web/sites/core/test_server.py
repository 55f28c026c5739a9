"""The server as a process, over its sockets."""

from __future__ import annotations

import subprocess
import sys
import time

import httpx
import pytest

from agentgym.errors import UnknownNameError
from agentgym_web.sites.core.all_sites import SITES, load_site
from agentgym_web.sites.core.server import require_user
from agentgym_web.sites.core.site import connect, snapshot

MODULE = "agentgym_web.sites.core.server"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sockets")
    sockets = {name: folder / f"{name}.sock" for name in ("web", "control")}
    command = [sys.executable, "-m", MODULE, "mail", "--web", sockets["web"], "--control", sockets["control"]]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        clients = {
            name: httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), base_url="http://mail.test")
            for name, path in sockets.items()
        }
        _wait(sockets["control"])
        yield process, clients, sockets
        for client in clients.values():
            client.close()
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def _wait(path):
    for _ in range(2400):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError("the server did not start")


def _ask(clients, path, **body):
    reply = clients["control"].post(path, json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


def test_session_is_reset_used_checked_and_dropped(server):
    _, clients, _ = server
    headers = {"X-Agentgym-Session": "s1"}
    _ask(clients, "/reset", session="s1", user="agnes.sandstrom", plants=[["DELETE FROM rule WHERE id > ?", [1]]])
    rule = {"field": "Sender", "words": "x", "act": "Star"}
    assert clients["web"].post("/rules", data=rule, headers=headers).status_code == 303
    checks = [{"sql": "SELECT count(*) FROM rule", "rows": [[2]]}, {"sql": "SELECT 1", "rows": []}]
    assert _ask(clients, "/check", session="s1", checks=checks) == [True, False]
    (added,) = _ask(clients, "/changes", session="s1")["rule"]["added"]
    assert added["words"] == "x"
    assert _ask(clients, "/changes", session="s2") == {}
    _ask(clients, "/drop", session="s1")
    assert _ask(clients, "/changes", session="s1") == {}


def test_control_says_what_is_wrong(server):
    _, clients, _ = server
    for path, body in (
        ("/check", {"checks": [{"sql": "SELEC", "rows": []}]}),
        ("/check", {}),
        ("/reset", {"plants": [["x", []]]}),
    ):
        reply = clients["control"].post(path, json=body)
        assert reply.status_code == 400
        assert reply.json()["error"]


@pytest.mark.parametrize("path", ["/reset", "/check", "/changes", "/drop"])
def test_pages_do_not_reach_the_control(server, path):
    _, clients, _ = server
    assert clients["web"].post(path, json={}).status_code in (404, 405)


def test_pages_forbid_assets_from_elsewhere(server):
    _, clients, _ = server
    policy = clients["web"].get("/login").headers["content-security-policy"]
    assert "default-src 'self'" in policy


def test_sockets_are_for_the_owner_alone(server):
    _, _, sockets = server
    assert all(path.stat().st_mode & 0o077 == 0 for path in sockets.values())


@pytest.mark.parametrize("name", SITES)
def test_users_of_a_site_are_known_and_others_are_refused(name):
    site = load_site(name)
    db = connect(snapshot(site))
    (first, *_) = db.execute(site.users).fetchone()
    db.close()
    require_user(site, first)
    with pytest.raises(UnknownNameError, match=f"the site '{name}' has no user 'nobody.here'"):
        require_user(site, "nobody.here")
