"""Stopping a run that cannot learn, and saying why a run did not."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerFast

from agentgym.errors import LearningStalledError
from agentgym.message import content_text
from agentgym.prompting.unknown_words import unknown_words
from agentgym.registration import spec
from agentgym.store import RunStore
from agentgym.trajectory import Trajectory
from agentgym_rl.core.checkpoint import TrainerState
from agentgym_rl.core.config.tables import WatchConfig
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.run.journal import Journal

Curves = Mapping[str, tuple[NDArray[np.int64], NDArray[np.float64]]]

_MIN_GAIN = 0.02
_WINDOW = 5
_RATES = ("success", "score")
_UNKNOWN = "unknown_words"
_FOR_SUCCESS = "so choose others, a longer warm start or a larger group.size"
_FOR_FORMAT = "clone more demonstrations, and look at the messages in the report"
_NUM_READ = 300
"""Messages whose words are looked up in the tokenizer."""
_MAX_UNKNOWN = 0.05
"""Share of unknown words above which they may be why a run does not learn."""
_NO_CAUSE = (
    "no known cause stands out: try a larger learning rate, more iterations, a longer warm start "
    "(warm_start.epochs, warm_start.demonstrations), or easier tasks"
)


class Watch:
    """Counts iterations that taught nothing and raises when they are too many in a row.

    Args:
        config: The thresholds.
    """

    def __init__(self, config: WatchConfig) -> None:
        self._config = config

    def count(self, state: TrainerState, metrics: Mapping[str, float]) -> None:
        """Take up an iteration's metrics."""
        num_replayed = metrics.get("replay/drawn", 0.0) + metrics.get("hindsight/drawn", 0.0)
        is_flat = metrics.get("groups/zero_variance_share", 0.0) >= 1.0 and num_replayed == 0
        state.flat_iterations = state.flat_iterations + 1 if is_flat else 0
        is_invalid = metrics.get("outcome/invalid", 0.0) >= 1.0
        state.invalid_iterations = state.invalid_iterations + 1 if is_invalid else 0

    def check(self, state: TrainerState, metrics: Mapping[str, float]) -> None:
        """Refuse to go on where too many iterations in a row taught nothing.

        Raises:
            LearningStalledError: A threshold was crossed; says what to try.
        """
        if state.invalid_iterations >= self._config.max_invalid_iterations:
            raise LearningStalledError(
                f"every episode of the last {state.invalid_iterations} iterations ended as invalid: the model does not "
                f"speak the action format. Warm-start it from demonstrations, or look at its messages: agentgym report"
            )
        success = metrics.get("success/mean", 0.0)
        if state.flat_iterations >= self._config.max_zero_variance_iterations and success < 1.0:
            raise LearningStalledError(
                f"in the last {state.flat_iterations} iterations all episodes that are compared were rewarded alike "
                f"(success {success:.2f}), so there is nothing to learn from. Choose easier tasks, a warm start, a "
                f"larger group.size or a higher temperature"
            )
        ratio = metrics.get("critic/value_ratio", 0.0)
        if not ratio <= self._config.max_value_ratio:
            raise LearningStalledError(
                f"the critic has diverged: its mean Q is {metrics['critic/q']:.3g}, {ratio:.3g} times the largest "
                f"return that is stored; expected at most {self._config.max_value_ratio:g} times. Bound it by "
                "algorithm.critic.network.value_range, the least and the largest return; or lower "
                "algorithm.critic.expectile or algorithm.critic.optimiser.learning_rate"
            )
        if metrics.get("proxy/iterations_astray", 0.0) >= self._config.proxy.patience:
            raise LearningStalledError(
                f"the shaped reward has gone astray from the score for {metrics['proxy/iterations_astray']:.0f} "
                f"iterations (correlation {metrics['proxy/correlation']:.2f}, expected at least "
                f"{self._config.proxy.min_correlation}): the policy learns to be paid rather than to solve tasks. Put "
                '"bounded" or "corrected" behind the bonus in algorithm.credit.attribution.method, weigh it less, or '
                "go on with a larger watch.proxy.patience"
            )


def why_not_learning(
    curves: Curves, held_out: Mapping[str, Mapping[str, Any]] | None = None, unknown: str = ""
) -> list[str]:
    """What the metrics of a run say about why it did not improve; empty for a run that did, in training and held out.

    A single iteration shows no improvement, but it may show what stands in the way of one.

    Args:
        curves: Metrics of the phase "train", as `RunStore.metrics` returns them.
        held_out: Results on held-out tasks by stage, as JSON, where there are any.
        unknown: That the tokenizer does not know many of the suite's words, where this is so.
    """
    success = _values(curves, "success/mean")
    if len(success) < 2:
        found = [text for is_so, text in _suspicions(curves, 1) if is_so] if len(success) else []
        found += [unknown] if unknown else []
        return ["fewer than two iterations: too few to say whether it improves", *found]
    window = max(1, min(_WINDOW, len(success) // 2))
    gain = success[-window:].mean() - success[:window].mean()
    reasons = _of_held_out(held_out or {})
    if gain < _MIN_GAIN:
        reasons.insert(
            0, f"success in training went from {success[:window].mean():.3f} to {success[-window:].mean():.3f}"
        )
    if not reasons:
        return []
    found = [text for is_so, text in _suspicions(curves, window) if is_so]
    found += [unknown] if unknown else []
    return reasons + (found or [_NO_CAUSE])


def _of_held_out(held_out: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """That what was trained is not surely better than what it started from, by success or by score, if it is not."""
    start, trained = held_out.get("cloned") or held_out.get("untrained"), held_out.get("trained")
    if start is None or trained is None:
        return []
    before, after = start["success"], trained["success"]
    is_measured = None not in (before["mean"], after["mean"])
    if not is_measured or any(trained[key]["low"] > start[key]["mean"] for key in _RATES):
        return []
    interval = f"[{after['low']:.3f}, {after['high']:.3f}]"
    return [f"held-out success went from {before['mean']:.3f} to {after['mean']:.3f} {interval}, which may be chance"]


def _suspicions(curves: Curves, window: int) -> list[tuple[bool, str]]:
    last = {name: float(values[-window:].mean()) for name, (_, values) in curves.items() if len(values)}

    def value(name: str) -> float:
        return last.get(name, 0.0)

    entropy = _values(curves, "loss/entropy")
    fell = len(entropy) > 1 and entropy[-1] < 0.05 * entropy[0]
    flat, invalid, cut = (value(name) for name in ("groups/zero_variance_share", "outcome/invalid", "policy/cut_share"))
    return [
        (value("success/mean") > 0.98, "success is near 1 already: the tasks are too easy to improve on"),
        (
            flat > 0.7,
            f"{flat:.0%} of the groups have no variance: most tasks are always or never solved, {_FOR_SUCCESS}",
        ),
        (invalid > 0.3, f"{invalid:.0%} of the episodes end as invalid actions: {_FOR_FORMAT}"),
        (value("outcome/truncated") > 0.5, f"{value('outcome/truncated'):.0%} of the episodes are cut by a limit"),
        (
            cut > 0.1,
            f"{cut:.0%} of the messages hit the token limit: raise rollout.sampling.max_tokens, or {_FOR_FORMAT}",
        ),
        (fell, "entropy fell under a twentieth of its start: lower the learning rate or add an entropy bonus"),
        (value("mismatch/k3") > 1e-3, f"sampling and training disagree (k3 {value('mismatch/k3'):.1e} nats)"),
        (value("loss/clip_high") + value("loss/clip_low") > 0.5, "most tokens are clipped: lower the learning rate"),
        (0 < value("grad_norm/mean") < 1e-4, "gradients are tiny: raise the learning rate or check the rewards"),
        (value("outcome/infrastructure") > 0.05, f"{value('outcome/infrastructure'):.0%} of the episodes broke"),
        *_waiting(curves),
        (last.get("advantage/std") == 0.0, "all advantages are zero: no reward tells episodes apart"),
    ]


def _waiting(curves: Curves) -> list[tuple[bool, str]]:
    """That the policy has not been updated, as it waits for episodes that are better than the worst."""
    lacking = _values(curves, "start/lacking_episodes")
    if not len(lacking):
        return []
    text = (
        f"the policy has made no update: it waits for episodes that return more than the worst one, {lacking[-1]:.0f} "
        "more (algorithm.start.better_episodes): clone a better start, choose easier tasks, or wait for fewer"
    )
    return [(not len(_values(curves, "updates")), text)]


def _values(curves: Curves, name: str) -> NDArray[np.float64]:
    return curves[name][1] if name in curves else np.zeros(0)


def messages_of(records: Iterable[Trajectory]) -> Iterable[str]:
    """All messages of some episodes."""
    return (content_text(message) for record in records for message in record.transcript())


def look_up(
    texts: Iterable[str],
    tokenizer: PreTrainedTokenizerFast,
    config: TrainConfig,
    env: str,
    journal: Journal,
    store: RunStore | None,
) -> None:
    """Say which words of a suite the tokenizer does not know, and keep it with the run where they are many.

    Args:
        texts: Messages of the suite; the first of them are read.
        tokenizer: What the model reads with.
        config: The run's configuration.
        env: Id of the suite's environment.
        journal: Where it is said.
        store: Where it is kept; None on ranks other than 0.
    """
    found = unknown_words(tokenizer, itertools.islice(texts, _NUM_READ))
    if not found.num_words:
        return
    told = f"the tokenizer does not know {found}"
    if found.share > _MAX_UNKNOWN:
        package = spec(env).entry_point.partition(":")[0].rpartition(".")[0]
        remedy = "use a model that knows them" if config.model.path else f"add them to texts() of {package}.vocabulary"
        told = f"{told}, and spells them in bytes: {remedy}"
        if store is not None:
            store.set_meta({_UNKNOWN: told})
    journal.say(told if found.share else "the tokenizer knows all words of the suite that were looked up")


def told_before(store: RunStore | None) -> str:
    """What was said of many unknown words; "" if nothing was."""
    return "" if store is None else str(store.meta.get(_UNKNOWN, ""))
