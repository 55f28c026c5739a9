from __future__ import annotations

from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from agentgym_web.sites.core.sessions import Sessions
from agentgym_web.sites.core.web import web_app
from agentgym_web.sites.wiki.app import SITE


@pytest.fixture(scope="module")
def sessions() -> Sessions:
    return Sessions(SITE)


@pytest.fixture
def visit(sessions: Sessions) -> Callable[[str | None], TestClient]:
    """A client on a fresh wiki, with somebody logged in."""

    def begin(user: str | None) -> TestClient:
        sessions.reset("default", user)
        return TestClient(web_app(SITE, sessions), follow_redirects=True)

    return begin
