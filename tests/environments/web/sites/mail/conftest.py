from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from agentgym_web.sites.core.sessions import Sessions
from agentgym_web.sites.core.web import web_app
from agentgym_web.sites.mail.app import SITE


@pytest.fixture(scope="module")
def sessions() -> Sessions:
    return Sessions(SITE)


@pytest.fixture
def db(sessions: Sessions) -> Callable[[], sqlite3.Connection]:
    return lambda: sessions.database("default")


@pytest.fixture
def owner(sessions: Sessions) -> str:
    return str(sessions.database("other").execute("SELECT min(login) FROM account").fetchone()[0])


@pytest.fixture
def client(sessions: Sessions, owner: str) -> TestClient:
    """A client on fresh mailboxes, with an owner logged in."""
    sessions.reset("default", owner)
    return TestClient(web_app(SITE, sessions))
