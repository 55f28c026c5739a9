"""`agentgym attribute RUN --method NAME ...`: computes step credit for a finished run, by several methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import tyro

from agentgym.attribution import (
    METHODS,
    PREDICTED,
    Attribution,
    RunCredit,
    StepFormula,
    attribute_run,
    make_attributions,
    stored_credit,
)
from agentgym.attribution.forks import Forks
from agentgym.attribution.learned.judged import Judged
from agentgym.attribution.learned.predicted import Predicting
from agentgym.attribution.offline import graded_rows, require_free
from agentgym.attribution.registry import method_names
from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, note, print_json, print_table, progress_bar, require_each_once
from agentgym.config import build, read_tables
from agentgym.errors import ConfigError, MissingExtraError
from agentgym.evaluation.named_forks import NamedForks, forks_of
from agentgym.store import Purpose, RunStore

_Options = Annotated[
    tuple[str, ...],
    tyro.conf.arg(
        name="set",
        metavar="KEY=VALUE ...",
        help="Options of the methods, as METHOD.KEY=VALUE, or KEY=VALUE if there is only one method.",
    ),
]
_KNOWN = ", ".join([*METHODS, *PREDICTED, Forks.name])
_TRAINING_ONLY = ("fit.every", "fit.epochs")
_FIFTHS = ("first fifth", "second", "third", "fourth", "last fifth")


@with_options
def run(
    folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")],
    *,
    method: tuple[str, ...] = (),
    options: _Options = (),
    label: tuple[str, ...] = (),
    purpose: Purpose | None = None,
    policy: tuple[str, ...] = (),
    overwrite: bool = False,
    as_json: AsJson = False,
) -> int:
    """Compute which turn of each episode earned what, and store the result with the run.

    Without --method, the command shows the credit that the run already holds.

    Methods that learn (spa, rudder, expert) are fitted to the run's episodes first.

    The method judged asks a judge. The method forks plays on from each turn.

    Args:
        folder: The folder of a recording, an evaluation or a finished training run.
        method: Names of methods: terminal, environment, return_to_go, uniform, potential, gated, anchors,
            episode_groups, turn_groups, tool_use, state_counts, bounded, corrected, spa, rudder, expert, judged, forks.
            Commas make a chain, such as gated,potential,return_to_go. Plus signs make a sum,
            such as episode_groups+0.5*anchors.
        options: Options of the methods.
        label: One label for each method, under which its credit is stored. The default is the text of the method.
        purpose: Which episodes of the run to use: train (those it trained on), demo (demonstrations and recordings),
            validation or test (those it was evaluated on). The default is the first of train, demo, validation and test
            that the run has.
        policy: Use only episodes of these policies. The default is all of them.
        overwrite: Replace credit that is stored under the same label.
        as_json: Print JSON.
    """
    if not method:
        _refuse_alone(
            {"--set": options, "--label": label, "--purpose": purpose, "--policy": policy, "--overwrite": overwrite}
        )
        with RunStore.open(folder, read_only=True) as store:
            found = stored_credit(store)
    else:
        labels = _labels(method, label)
        _refuse_of_training(options)
        require_each_once(options)
        asked = dict(zip(labels, _asked(method, options), strict=True))
        with RunStore.open(folder) as store:
            if not overwrite:
                require_free(store, labels)
            methods = {name: _method(each, store, purpose, policy) for name, each in asked.items()}
            with progress_bar("episodes") as on_group:
                found = attribute_run(
                    store, methods, purpose=purpose, policies=policy, overwrite=overwrite, on_group=on_group
                )
        _warn(found)
    if as_json:
        print_json({"run": str(folder), "methods": [each.to_json() for each in found]})
    elif found:
        _print(found)
    else:
        note(f"{folder} holds no credit yet; compute some with --method, which takes: {_KNOWN}")
    return 0


def _asked(method: Sequence[str], options: Sequence[str]) -> list[StepFormula | NamedForks]:
    """What each text stands for; a text is a formula, or the one name that needs a live environment."""
    texts = [text for text in method if text != Forks.name]
    if len(texts) == len(method):
        return list(make_attributions(texts, options))
    prefix = f"{Forks.name}."
    own = [option for option in options if option.startswith(prefix) or not texts]
    tables, source = read_tables(None, [prefix + option.removeprefix(prefix) for option in own])
    forks = build(NamedForks, tables.get(Forks.name, {}), source, prefix)
    formulas = iter(make_attributions(texts, [option for option in options if option not in own]))
    return [forks if text == Forks.name else next(formulas) for text in method]


def _method(
    formula: StepFormula | NamedForks, store: RunStore, purpose: Purpose | None, policies: Sequence[str]
) -> Attribution:
    """The method, with those who predict what it reads, or play on, where it needs anybody."""
    if isinstance(formula, NamedForks):
        _announce(formula, store, purpose, policies)
        return forks_of(store, formula)
    if not formula.reads:
        return formula
    try:
        from agentgym_rl.learned_attribution.making import fit_to_run, make_predictors
    except ImportError as error:
        if (error.name or "").partition(".")[0].startswith("agentgym"):
            raise
        raise MissingExtraError(f"the method {formula.name}", "train") from error

    predictors = make_predictors(formula, store)
    if any(hasattr(each, "fit") for each in predictors):
        note(f"{formula.name}: learning from the run")
    fit_to_run(predictors, store, purpose, policies)
    return Predicting(formula, predictors)


def _announce(forks: NamedForks, store: RunStore, purpose: Purpose | None, policies: Sequence[str]) -> None:
    """Say how much will be played, and whose values they are where others played."""
    _, rows, _ = graded_rows(store, purpose, policies)
    states = sum(-(-row.num_turns // forks.every) for row in rows)
    played = f"{states * forks.continuations:,} continuations by {forks.player}"
    note(f"{Forks.name}: {played}, {forks.continuations} from each of {states:,} states of {len(rows):,} episodes")
    others = sorted({row.policy for row in rows} - {forks.player})
    if others:
        note(
            f"warning: these are values of {forks.player}, but {', '.join(others[:3])} played; to get their values, "
            "name them as the player, such as --set forks.player=torch:runs/demo/models/trained"
        )


def _refuse_of_training(options: Sequence[str]) -> None:
    idle = [option for option in options if option.partition("=")[0].strip().endswith(_TRAINING_ONLY)]
    if idle:
        raise ConfigError(
            f"{', '.join(idle)} applies to training only; a finished run is fitted once, with fit.first_epochs passes"
        )


def _labels(method: Sequence[str], label: Sequence[str]) -> Sequence[str]:
    labels = label or method
    if len(labels) != len(method) or len(set(labels)) < len(labels):
        raise ConfigError(
            f"each method needs its own label: got the methods {', '.join(method)} and the labels "
            f"{', '.join(labels)}; give one different --label for each method"
        )
    return labels


def _refuse_alone(given: Mapping[str, object]) -> None:
    alone = [name for name, value in given.items() if value]
    if alone:
        raise ConfigError(f"{', '.join(alone)} needs a --method: {_KNOWN}")


def _warn(found: Sequence[RunCredit]) -> None:
    """Say why methods gave no turn anything, and how much those that compare states had to compare."""
    for each in found:
        if each.singleton_share is not None:
            note(
                f"{each.label}: {each.singleton_share:.0%} of the turns have no other turn in the same state to be "
                "compared with"
            )
    silent: dict[str, list[str]] = {}
    for each in found:
        if not any(each.mean_by_fifth):
            silent.setdefault(_why_silent(each), []).append(each.label)
    for why, labels in silent.items():
        note(f"{', '.join(labels)} gave no turn any credit: {why}")


def _why_silent(found: RunCredit) -> str:
    names = method_names(found.method)
    if Forks.name in names:
        return "from every state that was played on, the episodes were worth the same"
    if Judged.name in names:
        return (
            "every turn was rated 0, or no episode scored above 0 in what was judged; judged.dimensions names what is "
            "judged, which is measured by the official score or by the reward component of that name"
        )
    if found.yields == "advantages":
        return (
            "no episode earned anything, or there is nothing to compare; the method needs several episodes of a task "
            "by one policy, or a group of them, with different returns"
        )
    return "the episodes earned nothing that could be given to turns"


def _print(found: Sequence[RunCredit]) -> None:
    columns = ("label", "conserving", "yields", "purpose", "episodes", "left out", *_FIFTHS)
    rows = [
        (
            each.label,
            "yes" if each.conserves else "no",
            each.yields,
            each.purpose,
            each.episodes,
            each.left_out,
            *("-" if mean is None else f"{mean:.4g}" for mean in each.mean_by_fifth),
        )
        for each in found
    ]
    print_table(columns, rows, "mean |credit| of a turn, by its position in the episode")
