"""Replay: views over the store of a run and of earlier ones: what is drawn, how it counts, what a checkpoint keeps.

Not here: when to draw and which loss to use. Tokens stay in the store; memory holds columns of numbers alone.
"""

from agentgym_rl.replay.across_runs import ReplayAcrossRuns
from agentgym_rl.replay.admission import open_runs, record_tokenizer, require_same_kind, tokenizer_digest
from agentgym_rl.replay.buffer import ReplayBuffer
from agentgym_rl.replay.covariance import CovarianceConfig, covariance_mask
from agentgym_rl.replay.draw import Draw, Sampler
from agentgym_rl.replay.hindsight import Hindsight, HindsightConfig
from agentgym_rl.replay.imitation import ImitationConfig, SelfImitation, UsualReturns
from agentgym_rl.replay.index import ReplayConfig, ReplayIndex
from agentgym_rl.replay.options import ReplayOptions
from agentgym_rl.replay.prioritised import PrioritisedReplay, PriorityConfig
from agentgym_rl.replay.reading import ReplayedTurn, read_episodes, read_turns
from agentgym_rl.replay.returns import ReturnWeightedReplay, return_weights
from agentgym_rl.replay.successes import TaskSuccesses, is_replayed
from agentgym_rl.replay.uniform import UniformReplay
from agentgym_rl.replay.weights import replay_weights, require_behaviour_logprobs, weight_metrics

__all__ = [
    "CovarianceConfig",
    "Draw",
    "Hindsight",
    "HindsightConfig",
    "ImitationConfig",
    "PrioritisedReplay",
    "PriorityConfig",
    "ReplayAcrossRuns",
    "ReplayBuffer",
    "ReplayConfig",
    "ReplayIndex",
    "ReplayOptions",
    "ReplayedTurn",
    "ReturnWeightedReplay",
    "Sampler",
    "SelfImitation",
    "TaskSuccesses",
    "UniformReplay",
    "UsualReturns",
    "covariance_mask",
    "is_replayed",
    "open_runs",
    "read_episodes",
    "read_turns",
    "record_tokenizer",
    "replay_weights",
    "require_behaviour_logprobs",
    "require_same_kind",
    "return_weights",
    "tokenizer_digest",
    "weight_metrics",
]
