"""One site and one browser for all tests of the browser layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agentgym_web.browser.gate import Network, Server
from agentgym_web.browser.hub import the_hub
from agentgym_web.browser.page import WebPage
from agentgym_web.browser.settings import PageSettings
from tests.environments.web.browser.driving import Browser
from tests.environments.web.browser.string_site import StringSite, serve

SITES = ("a.test", "b.test", "c.test")
Opening = Callable[..., WebPage]


@pytest.fixture(scope="session")
def string_site() -> Iterator[StringSite]:
    with serve() as site:
        yield site


@pytest.fixture
def site(string_site: StringSite) -> StringSite:
    """The site, empty."""
    string_site.pages.clear()
    string_site.asked.clear()
    string_site.posted.clear()
    return string_site


@pytest.fixture(scope="session")
def network(string_site: StringSite) -> Network:
    return Network(sites={name: Server(port=string_site.port) for name in SITES})


@pytest.fixture(scope="session")
def windows(network: Network) -> Iterator[Opening]:
    """Windows by their settings, each opened once."""
    opened: dict[tuple[Any, ...], WebPage] = {}

    def window(**options: Any) -> WebPage:
        key = tuple(sorted((name, str(value)) for name, value in options.items()))
        if key not in opened or opened[key].is_lost:
            opened[key] = the_hub().open(PageSettings(**{"virtual_time": True, **options}), network)
        opened[key].start_over(network)
        return opened[key]

    yield window
    for page in opened.values():
        page.close()


@pytest.fixture
def browser(windows: Opening, site: StringSite) -> Browser:
    """A window whose pages have a clock of their own."""
    return Browser(windows(), site)


@pytest.fixture
def real_browser(windows: Opening, site: StringSite) -> Browser:
    """A window whose pages run on real time."""
    return Browser(windows(virtual_time=False, settle_s=15.0), site)


@pytest.fixture
def touch_browser(windows: Opening, site: StringSite) -> Browser:
    """A touch screen."""
    return Browser(windows(touch=True, width=400, height=600), site)
