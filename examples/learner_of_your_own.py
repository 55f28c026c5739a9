"""A learner of your own, which raises the probability of the best episode of each group."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from agentgym.trajectory import Group
from agentgym_rl.core.cloning import clone_step
from agentgym_rl.core.config.kind import LearnerKind
from agentgym_rl.core.config.train import LearnerOptions
from agentgym_rl.core.learner import Workplace
from agentgym_rl.run.config import load_config
from agentgym_rl.run.job import train
from agentgym_rl.run.learners import register_learner


@dataclass(frozen=True)
class BestOfGroupOptions(LearnerOptions):
    """The keys of the table `[algorithm]` for this learner."""

    learner: Literal["best_of_group"] = "best_of_group"


class BestOfGroup:
    """L = -(1/N) sum_k log pi(token_k), over the sampled tokens of the best episodes."""

    def __init__(self, place: Workplace[BestOfGroupOptions]) -> None:
        self.place = place

    def learn(self, groups: list[Group], state: Any) -> dict[str, float]:
        """Take one step of the optimiser; what is returned is logged."""
        place, config = self.place, self.place.config
        best = [max(group.members, key=lambda member: member.total_reward or 0.0) for group in groups if group.members]
        best = [member for member in best if member.success]
        if best:
            clone_step(place.model, place.optimiser, best, config.packing, config.optimiser.max_grad_norm)
        return {"best/episodes": float(len(best))}

    def parts(self) -> dict[str, Any]:
        """Checkpoints need nothing beside the model."""
        return {}

    def close(self) -> None:
        """There is nothing to close."""


def main() -> None:
    """Register the learner, choose it in a configuration, and train for two iterations."""
    register_learner(LearnerKind(BestOfGroupOptions, BestOfGroup, lambda config: ["L = -mean log pi(best episode)"]))
    run = ["run.suite=dialogue/guess-number", "run.iterations=2", "validation.test_tasks=10"]
    start = ["warm_start.demonstrations=400", "warm_start.epochs=4", "warm_start.learning_rate=2e-3"]
    config = load_config(None, [*run, *start, "rollout.sampling.max_tokens=4", "algorithm.learner=best_of_group"])
    result = train(config, Path(tempfile.mkdtemp()) / "run")
    print(f"trained: success {result.held_out['trained']['success']['mean']:.2f}")


if __name__ == "__main__":
    main()
