from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from agentgym_web.sites.admin.app import SITE
from agentgym_web.sites.core.sessions import Sessions
from agentgym_web.sites.core.web import web_app

USER = "sigrid.barlow"


@pytest.fixture(scope="module")
def sessions() -> Sessions:
    return Sessions(SITE)


@pytest.fixture
def one(sessions: Sessions) -> Callable[..., sqlite3.Row]:
    """The first row of a query on the session's database."""
    return lambda sql, *values: sessions.database("default").execute(sql, values).fetchone()


@pytest.fixture
def client(sessions: Sessions) -> TestClient:
    sessions.reset("default", USER)
    return TestClient(web_app(SITE, sessions))
