"""What learning from the best stored episodes needs of them, refused before a run's folder is made.

Not here: which options go together (kinds.py).
"""

from __future__ import annotations

import numpy as np

from agentgym_rl.core.config.kind import Groundwork
from agentgym_rl.offline.options import EpisodeOptions
from agentgym_rl.offline.stored_episodes import best
from agentgym_rl.replay.recordings import Rendering, stored_returns


def require_better(ground: Groundwork[EpisodeOptions]) -> None:
    """Refuse to learn from the best episodes of stored runs where all of them return alike.

    Raises:
        ConfigError: All episodes return alike.
    """
    algorithm = ground.config.algorithm
    if algorithm.least_quantile:
        rendering = Rendering.of(ground.config, ground.suite, ground.policy)
        returns = [stored_returns(folder, rendering) for folder in algorithm.runs]
        best(np.concatenate(returns), algorithm.least_quantile)
