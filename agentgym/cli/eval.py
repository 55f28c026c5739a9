"""`agentgym eval`: evaluates a policy on a split of a suite, through the same code as the rollouts of training."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import tyro

from agentgym.cli.options import KeyValues, Partners, with_options
from agentgym.cli.output import AsJson, note, print_json, read_options, read_partners, show
from agentgym.evaluation import (
    EvaluationResult,
    EvaluationSettings,
    evaluate,
    open_evaluation_store,
    result_text,
    suite_named,
)
from agentgym.policies.by_name import load
from agentgym.policy import Policy, Sampling, sampling_of
from agentgym.ranges import Range
from agentgym.rollout import HostSettings, ProgressDisplay
from agentgym.store.folder import removed_if_unused

_DEFAULTS = EvaluationSettings()
_SAMPLING = _DEFAULTS.rollout.sampling


@with_options
@dataclass(frozen=True)
class EvalOptions:
    """The options of `agentgym eval`."""

    suite: str
    """A suite, such as tools/lookup, or an environment that makes the tasks, such as agentgym/WebArena-v0."""
    policy: str
    """Who plays: a script (oracle, random, demo, …), torch:PATH, endpoint:URL#MODEL, or yours, python:FILE.py:CLASS."""
    split: str = "test"
    """The split: train, validation or test."""
    attempts: int = _DEFAULTS.attempts
    """How many episodes to play of each task."""
    limit: int | None = _DEFAULTS.limit
    """How many tasks to play, spread evenly over the split; of an environment, its first ones. The default is all."""
    task: Annotated[tuple[str, ...], tyro.conf.arg(metavar="ID ...")] = ()
    """Play only the tasks with these ids."""
    env_option: KeyValues = ()
    """Options of the environment, as JSON, such as tasks=FILE. With a suite, only those that keep its tasks."""
    seed: int = _DEFAULTS.seed
    """The seed of the policy's draws. Environments use the seeds of their tasks."""
    temperature: float = _SAMPLING.temperature
    """The sampling temperature; 0 is greedy."""
    top_p: float = _SAMPLING.top_p
    """The probability mass of nucleus sampling; 1 samples from all tokens."""
    max_tokens: int | None = None
    """The most tokens to sample for a message. The default is the limit that the policy was trained with, or 256."""
    concurrency: Annotated[int, Range(1)] = _DEFAULTS.rollout.max_concurrent
    """How many episodes are played at once."""
    max_fault_share: float = _DEFAULTS.rollout.max_fault_share
    """The share of episodes, from 0 to 1, that may fail for reasons of infrastructure before the evaluation stops."""
    runtime: str = _DEFAULTS.rollout.runtime
    """Where each environment runs: local, docker, bubblewrap or process. The default is the environment's own."""
    hosts: str = _DEFAULTS.rollout.hosts.kind
    """Which machines hold the environments: local for this one, ray for the nodes of a Ray cluster."""
    num_hosts: int = _DEFAULTS.rollout.hosts.num_hosts
    """How many processes on the cluster hold environments."""
    role: str = ""
    """The role that the policy plays in a game. The default is the suite's role."""
    partner: Partners = ()
    """Who plays another role of a game: ROLE=scripted, scripted:NAME, self, torch:PATH or endpoint:URL#MODEL."""
    screenshots: bool = False
    """Record what a person would have seen at each turn, for environments that show something. The report shows it."""
    run: Path | None = None
    """A folder that keeps the episodes. Episodes that it already holds are not played again."""
    allow_train: bool = _DEFAULTS.allow_train
    """Accept tasks that the policy was trained on. The result says so."""
    max_cost: float | None = None
    """The most USD that an endpoint may cost; needs --option prompt_price=… completion_price=… (USD/million tokens)."""
    option: KeyValues = ()
    """Options of the policy, such as quality=0.9."""
    tasks: bool = False
    """Also print a line for each task."""
    as_json: AsJson = False
    """Print JSON."""

    def settings(self, policy: Policy) -> EvaluationSettings:
        """How to evaluate a policy, whose message limit holds unless another one is given."""
        sampling = sampling_of(policy, Sampling(self.temperature, top_p=self.top_p), self.max_tokens)
        hosts = HostSettings(self.hosts, num_hosts=self.num_hosts)
        return EvaluationSettings(
            attempts=self.attempts,
            limit=self.limit,
            tasks=self.task,
            seed=self.seed,
            allow_train=self.allow_train,
            role=self.role,
            partners=read_partners(self.partner),
            rollout=replace(
                _DEFAULTS.rollout,
                sampling=sampling,
                max_concurrent=self.concurrency,
                max_fault_share=self.max_fault_share,
                runtime=self.runtime,
                hosts=hosts,
                record_screenshots=self.screenshots,
            ),
        )

    @property
    def policy_options(self) -> dict[str, Any]:
        """Keyword arguments of the policy."""
        options = read_options(self.option)
        return options if self.max_cost is None else {**options, "max_cost": self.max_cost}


def run(options: Annotated[EvalOptions, tyro.conf.arg(name=""), tyro.conf.OmitArgPrefixes]) -> int:
    """Evaluate a policy on a split of a suite.

    The exit code is 1 if episodes are missing after an interrupt.
    """
    result = evaluate_by_name(options)
    if options.as_json:
        print_json(result.to_json())
    else:
        show(result_text(result, with_tasks=options.tasks))
    if result.num_resumed and options.screenshots:
        note("episodes that were in the run folder keep the screenshots that they have; another --run plays them again")
    if result.num_missing:
        kept = "run the same command again to play them" if options.run else "use --run FOLDER to keep what was played"
        note(f"{result.num_missing} episodes are missing; {kept}")
    return 1 if result.num_missing else 0


def evaluate_by_name(options: EvalOptions) -> EvaluationResult:
    """Load the policy and evaluate it, in a run folder where one is given."""
    suite = suite_named(options.suite, read_options(options.env_option, "--env-option"), options.limit)
    policy = load(options.policy, options.suite, **options.policy_options)
    settings = options.settings(policy)
    with contextlib.ExitStack() as stack:
        if options.run:
            stack.enter_context(removed_if_unused(options.run))
        store = stack.enter_context(open_evaluation_store(options.run)) if options.run else None
        progress = ProgressDisplay(f"{options.policy} on {options.suite} {options.split}")
        return evaluate(policy, suite, options.split, settings, store=store, progress=progress)
