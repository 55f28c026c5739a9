"""Seeds of the suites whose tasks the oracle of the page does not solve; they are left out.

`python -m agentgym_web.miniwob.unsolved` plays all tasks and prints this table anew.
"""

from __future__ import annotations

from collections.abc import Mapping

UNSOLVED: Mapping[str, tuple[int, ...]] = {}
"""Seeds by page."""
