"""What a tab's page waits for, by the browser's events."""

from __future__ import annotations

import asyncio

import pytest

from agentgym_web.browser.underway import UnderWay

IMAGE = {"requestId": "r1", "type": "Image", "frameId": "main"}


def told(*events: tuple[str, dict[str, str]]) -> UnderWay:
    under_way = UnderWay()
    for method, params in events:
        under_way.heard(method, params, "main")
    return under_way


@pytest.mark.parametrize("kind", ["Image", "Stylesheet", "Font"])
def test_picture_or_style_is_under_way_until_it_ends(kind: str) -> None:
    under_way = told(("Network.requestWillBeSent", IMAGE | {"type": kind}))
    assert not under_way.is_over

    under_way.heard("Network.loadingFinished", {"requestId": "r1"}, "main")
    assert (under_way.is_over, under_way.num_ended) == (True, 1)


@pytest.mark.parametrize("kind", ["Document", "Fetch", "XHR", "WebSocket", "EventSource", "Ping", "Media"])
def test_other_requests_are_waited_for_elsewhere_or_not_at_all(kind: str) -> None:
    assert told(("Network.requestWillBeSent", IMAGE | {"type": kind})).is_over


@pytest.mark.parametrize(
    ("events", "is_over"),
    [
        (["Page.frameRequestedNavigation"], False),
        (["Page.frameRequestedNavigation", "Page.frameClearedScheduledNavigation"], True),
        (
            ["Page.frameRequestedNavigation", "Page.frameStartedLoading", "Page.frameClearedScheduledNavigation"],
            False,
        ),
        (["Page.frameStartedLoading", "Page.frameStoppedLoading"], True),
        (["Page.frameStartedLoading", "Page.frameDetached"], True),
    ],
)
def test_frame_is_under_way_until_it_is_loaded_or_gone(events: list[str], is_over: bool) -> None:
    assert told(*((event, {"frameId": "inner"}) for event in events)).is_over is is_over


def test_outermost_frame_is_not_counted() -> None:
    assert told(("Page.frameStartedLoading", {"frameId": "main"})).is_over


def test_wait_ends_when_all_is_over() -> None:
    under_way = told(("Network.requestWillBeSent", IMAGE))

    async def wait() -> bool:
        asyncio.get_running_loop().call_later(
            0.01, under_way.heard, "Network.loadingFailed", {"requestId": "r1"}, "main"
        )
        return await under_way.over(30)

    assert asyncio.run(wait()) is True


def test_what_takes_too_long_is_never_waited_for_again() -> None:
    under_way = told(("Network.requestWillBeSent", IMAGE))

    assert asyncio.run(under_way.over(0.01)) is False
    assert asyncio.run(under_way.over(30)) is True
    assert under_way.num_ended == 0
