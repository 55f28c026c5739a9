"""`agentgym record`: records episodes of one or more policies in a run folder, as offline data."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import tyro

from agentgym.cli.options import Partners, with_options
from agentgym.cli.output import AsJson, note, print_json, print_table, read_options, read_partners
from agentgym.errors import ConfigError
from agentgym.evaluation import Player, RecordingResult, RecordingSettings, record
from agentgym.policy import Sampling
from agentgym.ranges import Range
from agentgym.rollout import ProgressDisplay

_DEFAULTS = RecordingSettings()
_SAMPLING = _DEFAULTS.rollout.sampling
_PLAYER = re.compile(r"(?P<name>.+?)(?:\((?P<options>[^()]*)\))?(?:=(?P<share>[^=()#/]+))?")


@with_options
@dataclass(frozen=True)
class RecordOptions:
    """The options of `agentgym record`."""

    suite: str
    """The suite, such as dialogue/maze."""
    run: Path
    """The folder that keeps the episodes. Episodes that it already holds are not played again."""
    policy: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME=SHARE ...")] = ("demo",)
    """The policies with their shares, such as demo=0.5 random=0.5. Options go in parentheses: 'demo(quality=0.9)'."""
    split: str = "train"
    """The split: train; or validation or test, with --allow-held-out."""
    episodes: int = _DEFAULTS.episodes
    """How many episodes to record, over all policies."""
    seed: int = _DEFAULTS.seed
    """The seed of the order of tasks, of which policy plays which task, and of the policies' draws."""
    temperature: float = _SAMPLING.temperature
    """The sampling temperature; 0 is greedy."""
    max_tokens: int | None = None
    """The most tokens to sample for a message. The default is the limit that a policy was trained with, or 256."""
    concurrency: Annotated[int, Range(1)] = _DEFAULTS.rollout.max_concurrent
    """How many episodes are played at once."""
    runtime: str = _DEFAULTS.rollout.runtime
    """Where each environment runs: local, docker, bubblewrap or process. The default is the environment's own."""
    role: str = ""
    """The role of a game that is recorded. The default is the suite's role."""
    partner: Partners = ()
    """Who plays another role of a game: ROLE=scripted, scripted:NAME, self, torch:PATH or endpoint:URL#MODEL."""
    screenshots: bool = False
    """Record what a person would have seen at each turn, for environments that show something. The report shows it."""
    allow_held_out: bool = False
    """Allow validation and test tasks. Training refuses to learn from such episodes."""
    overwrite: bool = False
    """Remove a recording that is already in the folder."""
    as_json: AsJson = False
    """Print JSON."""

    @property
    def settings(self) -> RecordingSettings:
        """How to record."""
        rollout = replace(
            _DEFAULTS.rollout,
            sampling=Sampling(self.temperature, _SAMPLING.max_tokens if self.max_tokens is None else self.max_tokens),
            max_concurrent=self.concurrency,
            runtime=self.runtime,
            record_screenshots=self.screenshots,
        )
        return RecordingSettings(
            episodes=self.episodes,
            seed=self.seed,
            role=self.role,
            partners=read_partners(self.partner),
            is_held_out_allowed=self.allow_held_out,
            overwrite=self.overwrite,
            has_own_limits=self.max_tokens is None,
            rollout=rollout,
        )


def run(options: Annotated[RecordOptions, tyro.conf.arg(name=""), tyro.conf.OmitArgPrefixes]) -> int:
    """Record episodes of one or more policies.

    The exit code is 1 if episodes are missing after an interrupt.
    """
    players = [read_player(text) for text in options.policy]
    result = record(players, options.suite, options.run, options.split, options.settings, progress_of=ProgressDisplay)
    print_json(result.to_json()) if options.as_json else _print(result)
    if result.num_missing:
        note(f"{result.num_missing} episodes are missing; run the same command again to play them")
    return 1 if result.num_missing else 0


def read_player(text: str) -> Player:
    """A policy of the mix from "NAME", "NAME=SHARE" or "NAME(KEY=VALUE,...)=SHARE".

    Raises:
        ConfigError: The share is not a positive number, or an option has no "=".
    """
    found = _PLAYER.fullmatch(text)
    name, options, share = (found["name"], found["options"], found["share"]) if found else (text, None, None)
    try:
        number = 1.0 if share is None else float(share)
    except ValueError:
        raise ConfigError(
            f"--policy {text!r} ends with the share {share!r}, which is not a number; expected NAME=SHARE such as "
            "demo=0.5, or 'demo(quality=0.9)=0.5' with options"
        ) from None
    return Player(name, read_options(options.split(",")) if options else {}, number)


def _print(result: RecordingResult) -> None:
    rows = [
        (label, each.episodes, *(_shown(rate) for rate in (each.success, each.score, each.mean_return)))
        for label, each in result.players.items()
    ]
    title = f"recorded on {result.suite} {result.split}, in {result.folder}"
    print_table(("policy", "episodes", "success", "score", "return"), rows, title)


def _shown(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.3f}"
