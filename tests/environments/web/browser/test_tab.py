"""Waiting for a page's answer, without a browser."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import cast

import pytest

from agentgym_web.browser.errors import PageGoneError
from agentgym_web.browser.tab import Tab


@pytest.mark.parametrize(
    ("timeout_s", "is_interrupted", "state", "error"),
    [
        (60.0, True, {}, asyncio.CancelledError),
        (0.0, False, {}, TimeoutError),
        (60.0, False, {"is_crashed": True}, PageGoneError),
        (60.0, False, {"is_storming": True}, PageGoneError),
    ],
)
def test_wait_that_ends_early_leaves_no_command_that_nobody_hears_of(
    timeout_s: float, is_interrupted: bool, state: dict[str, bool], error: type[BaseException]
) -> None:
    tab = cast(Tab, SimpleNamespace(**{"is_crashed": False, "is_storming": False, **state}))

    async def play() -> None:
        command = asyncio.get_running_loop().create_future()
        wait = asyncio.ensure_future(Tab.crash_or(tab, command, timeout_s))
        await asyncio.sleep(0)
        if is_interrupted:
            wait.cancel()
        with pytest.raises(error):
            await wait
        assert command.cancelled()

    asyncio.run(play())
