from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from agentgym_web.sites.core.sessions import Sessions
from agentgym_web.sites.core.web import web_app
from agentgym_web.sites.shop.app import SITE


@pytest.fixture(scope="module")
def sessions() -> Sessions:
    return Sessions(SITE)


@pytest.fixture
def db(sessions: Sessions) -> Callable[[], sqlite3.Connection]:
    return lambda: sessions.database("default")


@pytest.fixture
def member(sessions: Sessions) -> str:
    return str(sessions.database("other").execute("SELECT login FROM address ORDER BY id").fetchone()[0])


@pytest.fixture
def client(sessions: Sessions, member: str) -> TestClient:
    """A client on a fresh shop, with a customer logged in."""
    sessions.reset("default", member)
    return TestClient(web_app(SITE, sessions))
