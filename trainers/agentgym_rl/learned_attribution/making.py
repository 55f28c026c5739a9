"""Who predicts what a formula reads: made for training, and fitted at once to a run that is over.

Each predictor is a file of its own; asking a judge is the work of `agentgym.attribution.learned.judge_rater`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from transformers import PreTrainedModel

from agentgym.attribution import StepFormula
from agentgym.attribution.compose import leaves
from agentgym.attribution.learned.expert import Expert
from agentgym.attribution.learned.judge_rater import AskedRater, JudgePredictor, RuleRater
from agentgym.attribution.learned.judged import RULES, Judged
from agentgym.attribution.learned.predicted import FitConfig, Predictor
from agentgym.attribution.learned.rudder import Rudder
from agentgym.attribution.learned.spa import Spa
from agentgym.attribution.offline import graded_rows
from agentgym.errors import ConfigError
from agentgym.policies.judge import judge_named
from agentgym.store import Purpose, RunStore
from agentgym_rl.learned_attribution.discriminator import Discriminator
from agentgym_rl.learned_attribution.estimator import Estimator
from agentgym_rl.learned_attribution.experts import Credited, expert_episodes
from agentgym_rl.learned_attribution.progress import ProgressEstimator
from agentgym_rl.learned_attribution.return_decomposition import ReturnPredictor
from agentgym_rl.learned_attribution.towers import require_tower


def make_predictors(
    formula: StepFormula, store: RunStore | None, policy: PreTrainedModel | None = None
) -> list[Predictor]:
    """A predictor for each method of a formula that reads one; those that learn have not learnt yet.

    Args:
        formula: The method.
        store: The run, which may hold an expert's demonstrations.
        policy: The weights that training starts from; None where nothing is trained.

    Raises:
        ConfigError: A method has no demonstrations, no tower, or is asked for twice with different options.
        UnknownNameError: There is no such judge.
        StoreError: There is no run of demonstrations.
    """
    run = Credited("") if store is None else Credited.of(store)
    return [_predictor(leaf, store, run, policy) for leaf in _reading(formula)]


def require_predictors(formula: StepFormula, run: Credited, *, has_demonstrations: bool) -> None:
    """Refuse a method whose predictors cannot be made, before a run is begun; a judge is asked whether it answers.

    Args:
        formula: The method.
        run: That will be credited.
        has_demonstrations: Whether the run will hold demonstrations.

    Raises:
        AgentGymError: As `make_predictors`; or the judge does not answer.
    """
    for leaf in _reading(formula):
        fit = getattr(leaf, "fit", None)
        if isinstance(fit, FitConfig):
            require_tower(fit, run.digest)
        if isinstance(leaf, Expert) and (leaf.run or not has_demonstrations):
            expert_episodes(leaf, None, run)
        if isinstance(leaf, Judged) and leaf.judge != RULES:
            judge_named(leaf.judge, leaf.answers).ask("Answer with one word: ready.")


def _reading(formula: StepFormula) -> list[StepFormula]:
    """The methods of a formula that read predictions, each once."""
    found: dict[str, StepFormula] = {}
    for leaf in leaves(formula):
        if leaf.reads and found.setdefault(leaf.name, leaf) != leaf:
            raise ConfigError(f"{leaf.name} stands twice in {formula.name} with different options; keep one")
    return list(found.values())


def _predictor(method: StepFormula, store: RunStore | None, run: Credited, policy: PreTrainedModel | None) -> Predictor:
    if isinstance(method, Spa):
        return ProgressEstimator(method, policy)
    if isinstance(method, Rudder):
        return ReturnPredictor(method, policy)
    if isinstance(method, Expert):
        return Discriminator(method, expert_episodes(method, store, run), policy)
    assert isinstance(method, Judged)
    if method.judge == RULES:
        return JudgePredictor(method, RuleRater())
    return JudgePredictor(method, AskedRater(judge_named(method.judge, method.answers).ask, method))


def fit_to_run(
    predictors: Sequence[Predictor], store: RunStore, purpose: Purpose | None = None, policies: Sequence[str] = ()
) -> None:
    """Fit those that learn to the episodes of a run that `attribute_run` would credit, once.

    Where there are more than the window takes, they are drawn at random.

    Raises:
        ConfigError: There are no such episodes, or they are the expert's own.
    """
    learning = [each for each in predictors if isinstance(each, Estimator)]
    collected_for, rows, _ = graded_rows(store, purpose, policies)
    if collected_for == "demo" and any(isinstance(each, Discriminator) and not each.run for each in learning):
        raise ConfigError(
            f"expert would tell the demonstrations of {store.folder} from themselves; name another run of "
            "demonstrations with expert.run, or other episodes with --purpose"
        )
    for estimator in learning:
        draw = random.Random(estimator.config.seed)
        count = min(len(rows), estimator.config.window)
        chosen = sorted(draw.sample(range(len(rows)), count))
        estimator.observe(list(store.load([rows[at] for at in chosen])))
        estimator.fit()
