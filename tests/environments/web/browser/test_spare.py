"""The window that is made ahead where windows of the same settings come and go."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing

import pytest

from agentgym_web.browser.gate import Network
from agentgym_web.browser.hub import Hub
from agentgym_web.browser.settings import PageSettings, View
from tests.environments.web.browser.string_site import StringSite

SETTINGS = PageSettings(virtual_time=True)


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with closing(Hub()) as made:
        yield made


def test_window_made_ahead_is_as_new(hub: Hub, site: StringSite, network: Network) -> None:
    site.pages["/kept"] = "<p id=p></p><script>p.textContent = document.cookie; document.cookie = 'who=me'</script>"
    seen, contexts = [], []
    for _ in range(4):
        with closing(hub.open(SETTINGS, network)) as page:
            seen.append(list(page.open("http://a.test/kept", View()).lines))
            contexts.append(page._window.context)
    assert len(set(contexts)) == 4
    assert all(lines == seen[0] for lines in seen)


def test_window_made_ahead_does_not_count_as_used(hub: Hub, network: Network) -> None:
    for _ in range(3):
        hub.open(SETTINGS, network).close()
    (browser,) = hub._browsers

    async def made() -> None:
        assert browser._spare is not None
        await asyncio.wait({browser._spare[1]})

    hub.run(made())
    assert (browser.num_used, len(browser.windows)) == (0, 1)
    context = browser.windows[0].context
    with closing(hub.open(PageSettings(width=500), network)) as other:
        assert other._window.context != context
    with closing(hub.open(SETTINGS, network)) as page:
        assert page._window.context == context


def test_window_made_ahead_that_came_to_harm_is_not_used(hub: Hub, network: Network) -> None:
    for _ in range(3):
        hub.open(SETTINGS, network).close()
    (browser,) = hub._browsers

    async def crash() -> str:
        assert browser._spare is not None
        window = await browser._spare[1]
        window.tab.is_crashed = True
        return window.context

    context = hub.run(crash())
    with closing(hub.open(SETTINGS, network)) as page:
        assert page._window.context != context
    assert context not in {window.context for window in browser.windows}
