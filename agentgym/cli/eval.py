"""`agentgym eval`: a policy on a split of a suite; the same code path as the rollouts of training."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import tyro

from agentgym.cli.output import AsJson, note, print_json, read_options, read_partners
from agentgym.evaluation import EvaluationResult, EvaluationSettings, evaluate, open_evaluation_store, result_text
from agentgym.policies.by_name import load
from agentgym.policy import Sampling
from agentgym.rollout import HostSettings, ProgressDisplay

_DEFAULTS = EvaluationSettings()
_SAMPLING = _DEFAULTS.rollout.sampling


@dataclass(frozen=True)
class EvalOptions:
    """What `agentgym eval` is told."""

    suite: str
    """Suite, such as tools/lookup."""
    policy: str
    """oracle, null, random, demo, another script of the environment, torch:PATH, or endpoint:URL#MODEL."""
    split: str = "test"
    """train, validation or test."""
    attempts: int = _DEFAULTS.attempts
    """Episodes of each task."""
    limit: int | None = _DEFAULTS.limit
    """Number of tasks, spread evenly over the split; all where it is not given."""
    seed: int = _DEFAULTS.seed
    """Seed of the policy's draws; environments take the tasks' own seeds."""
    temperature: float = _SAMPLING.temperature
    """0 is greedy."""
    top_p: float = _SAMPLING.top_p
    """Nucleus mass."""
    max_tokens: int = _SAMPLING.max_tokens
    """Most sampled tokens of a message."""
    concurrency: int = _DEFAULTS.rollout.max_concurrent
    """Episodes in flight at once."""
    max_fault_share: float = _DEFAULTS.rollout.max_fault_share
    """Most of the episodes, from 0 to 1, that may fail for infrastructure; more of them are an error."""
    runtime: str = _DEFAULTS.rollout.runtime
    """Where each environment runs: local, docker, bubblewrap or process; its own default where none is given."""
    hosts: str = _DEFAULTS.rollout.hosts.kind
    """Where environments run: local, or ray for the nodes of a Ray cluster."""
    num_hosts: int = _DEFAULTS.rollout.hosts.num_hosts
    """Processes on the cluster that hold environments."""
    role: str = ""
    """Of a game the role that the policy plays; the suite's where none is given."""
    partner: tuple[str, ...] = ()
    """Of a game who plays other roles, as ROLE=scripted, scripted:NAME, self, torch:PATH or endpoint:URL#MODEL."""
    run: Path | None = None
    """Run folder that keeps the episodes; what is there already is not played again."""
    allow_train: bool = _DEFAULTS.allow_train
    """Accept tasks that the policy was trained on, and say so in the result."""
    max_cost: float | None = None
    """USD that an endpoint may cost; needs --option prompt_price=… completion_price=… (USD a million tokens)."""
    option: tuple[str, ...] = ()
    """Further options of the policy, as key=value."""
    tasks: bool = False
    """Print a line for each task too."""
    as_json: AsJson = False
    """Print JSON for machines."""

    @property
    def settings(self) -> EvaluationSettings:
        """How to evaluate."""
        sampling = Sampling(self.temperature, self.max_tokens, self.top_p)
        hosts = HostSettings(self.hosts, num_hosts=self.num_hosts)
        return EvaluationSettings(
            attempts=self.attempts,
            limit=self.limit,
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
            ),
        )

    @property
    def policy_options(self) -> dict[str, Any]:
        """Keyword arguments of the policy."""
        options = read_options(self.option)
        return options if self.max_cost is None else {**options, "max_cost": self.max_cost}


def run(options: Annotated[EvalOptions, tyro.conf.arg(name=""), tyro.conf.OmitArgPrefixes]) -> int:
    """Evaluate a policy on a split of a suite; exit code 1 where episodes are missing after an interrupt."""
    result = evaluate_by_name(options)
    if options.as_json:
        print_json(result.to_json())
    else:
        print(result_text(result, with_tasks=options.tasks))
    if result.num_missing:
        kept = "are kept; the same command plays the others" if options.run else "are lost; --run FOLDER keeps them"
        note(f"{result.num_missing} episodes are missing, those played {kept}")
    return 1 if result.num_missing else 0


def evaluate_by_name(options: EvalOptions) -> EvaluationResult:
    """Load the policy and evaluate it, in a run folder where one is given."""
    settings = options.settings
    policy = load(options.policy, options.suite, **options.policy_options)
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(open_evaluation_store(options.run)) if options.run else None
        progress = ProgressDisplay(f"{options.policy} on {options.suite} {options.split}")
        return evaluate(policy, options.suite, options.split, settings, store=store, progress=progress)
