"""Watches how much memory the pages of a browser take, and ends the processes that take too much.

A page whose process was ended has crashed, as far as its window is concerned; other windows go on.
"""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import suppress
from pathlib import Path

from agentgym_web.browser.program.process import BrowserProcess

_EVERY_S, _MOST_S = 0.5, 3.0
_SHARE = 0.03
"""The watch looks at every process of the machine, and takes no larger share of the time than this."""
_PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / 2**20


async def watch_memory(process: BrowserProcess) -> None:
    """End the processes of pages that take more than the browser's settings allow, until it is cancelled."""
    loop = asyncio.get_running_loop()
    took_s = 0.0
    while True:
        await asyncio.sleep(min(max(_EVERY_S, took_s / _SHARE), _MOST_S))
        began = time.monotonic()
        await loop.run_in_executor(None, end_largest, process)
        took_s = time.monotonic() - began


def end_largest(process: BrowserProcess) -> list[int]:
    """End the processes of pages that take too much memory, and return their ids."""
    ended = []
    for pid in process.pids():
        with suppress(OSError, ValueError, IndexError):
            resident = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_MIB
            if resident > process.max_page_mib and b"--type=renderer" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, 9)
                ended.append(pid)
    return ended
