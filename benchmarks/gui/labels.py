"""Labelled targets for grounding: how many items with their boxes are rendered a second on ready desktops.

An item counts once for each screen that shows it. Its descriptions are counted apart.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from agentgym.sandbox.pool import SandboxPool
from agentgym_gui.desktop.settings import DesktopSettings
from agentgym_gui.grounding.applications import APPLICATIONS
from agentgym_gui.grounding.rendering import DESKTOPS, render
from benchmarks.measure import significant

_READY_S = 3.0


def targets(pool: SandboxPool, num_screens: int) -> dict[str, float]:
    """Screens, items and descriptions a second, with the start of each application and the files that are written.

    Args:
        pool: Keeps at least `DESKTOPS` desktops ready.
        num_screens: How many screens are rendered, of all applications in all their states.
    """
    pool.prepare(DesktopSettings().spec())
    time.sleep(_READY_S)
    with tempfile.TemporaryDirectory() as folder:
        made = render(Path(folder), pool, num_screens, list(APPLICATIONS), fixed_look=True)
    return {
        "desktops": DESKTOPS,
        "screens": made.num_screens,
        "openings that failed": made.num_failed,
        "screens a second": significant(made.num_screens / made.seconds),
        "items a second": significant(made.num_items / made.seconds),
        "descriptions a second": significant(made.num_targets / made.seconds),
    }
