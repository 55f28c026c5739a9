"""Makes the learners from stored episodes, with the episodes that they draw from, and prepares their models.

Not here: how they learn; each learner has a file of its own.
"""

from __future__ import annotations

from transformers import PreTrainedModel

from agentgym.policies.torch.steering import steer
from agentgym.rollout import draw_seed
from agentgym_rl.core.learner import Workplace
from agentgym_rl.offline.a_lol import AlolLearner
from agentgym_rl.offline.cloning import CloningLearner
from agentgym_rl.offline.options import (
    AlolOptions,
    CloningOptions,
    EpisodeOptions,
    IlqlOptions,
    MonteCarloOptions,
    SteeredOptions,
    StepPreferenceOptions,
)
from agentgym_rl.offline.steered import SteeredLearner
from agentgym_rl.offline.step_agent import StepAgentLearner
from agentgym_rl.offline.stored_episodes import StoredEpisodes
from agentgym_rl.replay.admission import open_runs


def open_episodes(place: Workplace[EpisodeOptions]) -> StoredEpisodes:
    """The episodes of the runs that are learnt from.

    Raises:
        ConfigError: There is nothing to learn from.
        StoreError: A run cannot be learnt from.
    """
    algorithm, tokenizer = place.config.algorithm, place.policy.tokenizer
    bounds = algorithm.replay.bounds_of_runs()
    indices = open_runs(place.runs, bounds, suite=place.suite.name, tokenizer=tokenizer)
    return StoredEpisodes(indices, draw_seed(place.config.run.seed, "offline"), algorithm.least_quantile)


def make_cloning(place: Workplace[CloningOptions]) -> CloningLearner:
    """Behaviour cloning of stored episodes; raises as `open_episodes` does."""
    return CloningLearner(place, open_episodes(place))


def make_steered(place: Workplace[MonteCarloOptions | IlqlOptions]) -> SteeredLearner:
    """A clone of stored episodes, and the critic that steers it; raises as `open_episodes` does."""
    return SteeredLearner(place, open_episodes(place))


def make_a_lol(place: Workplace[AlolOptions]) -> AlolLearner:
    """A-LoL over stored episodes; raises as `open_episodes` does."""
    return AlolLearner(place, open_episodes(place))


def make_step_preference(place: Workplace[StepPreferenceOptions]) -> StepAgentLearner:
    """StepAgent over stored episodes; raises as `open_episodes` does."""
    return StepAgentLearner(place, open_episodes(place))


def steer_model(model: PreTrainedModel, options: SteeredOptions) -> None:
    """Add the heads that steer the model, before it is moved to its device."""
    steer(model, options.width, options.beta)
