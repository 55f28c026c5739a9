"""`agentgym attribute RUN --method NAME ...`: credit by step for a run that is over, several methods side by side."""

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
from agentgym.attribution.judged import Judged
from agentgym.attribution.offline import graded_rows, require_free
from agentgym.attribution.predicted import Predicting
from agentgym.attribution.registry import method_names
from agentgym.cli.output import AsJson, note, print_json, print_table, progress_bar
from agentgym.config import build, read_tables
from agentgym.errors import ConfigError, MissingExtraError
from agentgym.evaluation.named_forks import NamedForks, forks_of
from agentgym.store import Purpose, RunStore

_Options = Annotated[
    tuple[str, ...],
    tyro.conf.arg(name="set", help="Options of methods, as NAME.key=value; key=value where one method is named."),
]
_KNOWN = ", ".join([*METHODS, *PREDICTED, Forks.name])
_TRAINING_ONLY = ("fit.every", "fit.epochs")
_FIFTHS = ("first fifth", "second", "third", "fourth", "last fifth")


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
    """Assign credit to the episodes of a run, keep it as reward events beside the recorded ones, and compare methods.

    Without a method the credit that is kept already is told. Methods that learn (spa, rudder, expert) are fitted to the
    run's episodes first; judged asks a judge; forks, which stands alone, plays on from each turn.

    Args:
        folder: The run's folder: of a recording, an evaluation or a training that is over.
        method: Names of methods; with commas between them a chain, such as gated,potential,return_to_go; with plus
            signs a sum, such as episode_groups+0.5*anchors.
        options: Options of methods.
        label: What the credit of each method is kept under; its own text where none is given.
        purpose: Episodes that were collected for this; where it is not given those trained on, else demonstrations,
            else what was evaluated.
        policy: Episodes of these policies alone; all where none is given.
        overwrite: Replace credit that is kept under the same label.
        as_json: Print JSON for machines.
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
        note(f"{folder} holds no credit yet; name a --method: {_KNOWN}")
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
            f"warning: these are values of {forks.player}, but {', '.join(others[:3])} played; for theirs name them as "
            "player, such as --set forks.player=torch:runs/demo/models/trained"
        )
    history = (store.meta.get("config") or {}).get("rollout", {}).get("history", "full")
    if history != "full":
        note(
            f"warning: the run left turns out of prompts (rollout.history = {history!r}), and {forks.player} is shown "
            "the whole conversation: these values are not quite those of the policy that played"
        )


def _refuse_of_training(options: Sequence[str]) -> None:
    idle = [option for option in options if option.partition("=")[0].strip().endswith(_TRAINING_ONLY)]
    if idle:
        raise ConfigError(
            f"{', '.join(idle)} is for training: a run that is over is fitted once, with fit.first_epochs passes"
        )


def _labels(method: Sequence[str], label: Sequence[str]) -> Sequence[str]:
    labels = label or method
    if len(labels) != len(method) or len(set(labels)) < len(labels):
        raise ConfigError(
            f"each method needs a label of its own: got the methods {', '.join(method)} and the labels "
            f"{', '.join(labels)}; give as many different ones with --label"
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
            note(f"{each.label}: {each.singleton_share:.0%} of the turns are compared with no other in their state")
    silent: dict[str, list[str]] = {}
    for each in found:
        if not any(each.mean_by_fifth):
            silent.setdefault(_why_silent(each), []).append(each.label)
    for why, labels in silent.items():
        note(f"no turn has any credit by {', '.join(labels)}: {why}")


def _why_silent(found: RunCredit) -> str:
    names = method_names(found.method)
    if Forks.name in names:
        return "wherever it was played on from, the episodes were worth the same"
    if Judged.name in names:
        return (
            "every turn was rated 0, or no episode came anywhere in what was judged: judged.dimensions says what that "
            "is, the official score measures it, or the reward component of its name"
        )
    if found.yields == "advantages":
        return (
            "nothing was earned, or nothing can be compared: it takes several episodes of a task by one policy, or a "
            "group of them, with returns that differ"
        )
    return "the episodes earned nothing that it could give to turns"


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
    print_table(columns, rows, "mean |credit| of a turn, by where in its episode it stands")
