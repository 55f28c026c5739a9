"""What a method of attribution needs of the environment and of the machine, refused before anything is played.

Not here: which options go together (rules.py).
"""

from __future__ import annotations

from agentgym_rl.core import attributed
from agentgym_rl.core.config.kind import Groundwork
from agentgym_rl.groups.options import GroupOptions
from agentgym_rl.learned_attribution import making
from agentgym_rl.learned_attribution.experts import Credited
from agentgym_rl.replay.admission import tokenizer_digest


def require_recordable(ground: Groundwork[GroupOptions]) -> None:
    """Refuse a method that needs what the environment does not tell.

    Raises:
        ConfigError: Says what is missing.
    """
    attribution = ground.config.algorithm.attribution
    if attribution.method:
        attributed.require_recordable(attribution, ground.make_game, ground.suite.train_tasks()[0])


def require_predictors(ground: Groundwork[GroupOptions]) -> None:
    """Refuse a method whose experts, towers or judges cannot be had.

    Raises:
        ConfigError: Says what is missing.
    """
    attribution, warm_start, suite = ground.config.algorithm.attribution, ground.config.warm_start, ground.suite
    if attribution.method:
        run = Credited(suite.name, tokenizer_digest(ground.tokenizer), suite.held_out_hashes)
        has_demonstrations = warm_start.demonstrations > 0 and not warm_start.run
        making.require_predictors(attribution.formula, run, has_demonstrations=has_demonstrations)
