"""Train from Python: clone a few demonstrations into a tiny model, then two iterations of GRPO. It takes seconds."""

import tempfile
from pathlib import Path

from agentgym.policy import Sampling
from agentgym.rollout import RolloutSettings
from agentgym_rl.core.config.tables import GroupConfig, OptimiserConfig, RunConfig, ValidationConfig, WarmStartConfig
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.groups.options import GroupOptions
from agentgym_rl.run.job import train

CONFIG = TrainConfig(
    run=RunConfig(suite="dialogue/guess-number", iterations=2),
    algorithm=GroupOptions(),  # with its defaults, the preset loop of the GRPO family
    warm_start=WarmStartConfig(demonstrations=400, epochs=4, learning_rate=2e-3, batch_episodes=32),
    group=GroupConfig(size=4, tasks=8),
    # A guess is one token and the end of the message.
    rollout=RolloutSettings(sampling=Sampling(max_tokens=4)),
    optimiser=OptimiserConfig(learning_rate=1e-3),
    validation=ValidationConfig(every=0, test_tasks=20),
)
"""Every table of a configuration file is a dataclass; what is left out keeps its default."""


def main() -> None:
    """Train in a temporary folder and say how each stage does on held-out tasks."""
    result = train(CONFIG, Path(tempfile.mkdtemp()) / "run")
    for stage, held_out in result.held_out.items():
        print(f"{stage}: success {held_out['success']['mean']:.2f}")


if __name__ == "__main__":
    main()
