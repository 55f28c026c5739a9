"""`agentgym play ENV`: plays one episode in the terminal and shows its tools and reward events.

The conversation goes to stderr, without terminal escapes. The result goes to stdout.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console

from agentgym.cli.options import KeyValues, Partners, with_options
from agentgym.cli.output import AsJson, note, print_json, read_options, read_partners, show
from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError, ConfigError, ContractError, UnknownNameError
from agentgym.evaluation import RecordingSettings, keep_episode
from agentgym.game import GameReply
from agentgym.origin import describe_error
from agentgym.policies.by_name import load
from agentgym.policies.human import HumanPolicy, Window
from agentgym.policy import Policy, Reply, Request, Sampling, draw_seed, sampling_of
from agentgym.ranges import SEED
from agentgym.registration import is_environment, make, spec
from agentgym.registration.env_spec import load_named
from agentgym.rollout import RolloutSettings, play_episode
from agentgym.suite import find_task, load_suite, suite_names
from agentgym.task import SPLITS, Task
from agentgym.trajectory import LAST_MESSAGES, Turn


@with_options
def run(
    env: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ENV")],
    *,
    task: str = "",
    seed: Annotated[int | None, SEED] = None,
    policy: str = "human",
    role: str = "",
    partner: Partners = (),
    window: bool = False,
    record: Path | None = None,
    env_option: KeyValues = (),
    as_json: AsJson = False,
) -> int:
    """Play an environment in the terminal or in a window, or watch another policy play it.

    Args:
        env: The id of the environment, such as agentgym/Wordle-v0.
        task: The id of a task, such as tools/lookup:test-00000, or of a task in a file that --env-option names.
            Without it, the environment makes a task from the seed.
        seed: The seed of the task and the episode. Without it, a seed is drawn and printed.
        policy: Who plays: human, a script (oracle, null, random, demo, …), torch:PATH, endpoint:URL#MODEL, or a class
            of your own file, python:FILE.py:CLASS.
        role: The role to play in a game. The default is the game's first role.
        partner: Who plays another role of a game: ROLE=scripted, scripted:NAME, torch:PATH or endpoint:URL#MODEL. The
            partner self works only in eval and record.
        window: Open the environment's own window, such as a browser's. What you do there is played as actions; the
            terminal takes actions, too.
        record: A folder that keeps the episode as a demonstration, with pictures if there are some. Without --task, a
            train task of the environment's first suite is played. Tasks of a file of your own cannot be kept.
        env_option: Options of the environment, such as tasks=FILE. Values are read as JSON.
        as_json: Print the result as JSON.
    """
    _require_environment(env)
    told = "" if seed is None else f", seed {seed}"
    if seed is None and not task:
        seed = secrets.randbelow(2**31)
        told = f", seed {seed}; to play the same episode again, use --seed {seed}"
    given = {"role": role, "partners": read_partners(partner), "render_mode": "human" if window else ""}
    options: dict[str, Any] = {name: value for name, value in given.items() if value}
    options |= read_options(env_option, "--env-option")
    if window and "human" not in load_named(spec(env), "entry_point").metadata["render_modes"]:
        raise ConfigError(f"{env} has no window of its own; play it in the terminal, without --window")
    game = make(env, **options)
    seen = game if isinstance(game, Window) else None
    reader = input if sys.stdout.isatty() else _read_line
    viewer = HumanPolicy(Console(stderr=True), reader, seen if window else None)
    player: Policy = viewer if policy == "human" else load(policy, env)
    wanted = partial(_wanted, game, env, task, seed, is_kept=record is not None, options=options)
    seed_of_env = None if record is not None and not task else seed
    result = play(game, player, viewer, task=wanted, seed=seed_of_env, record=record, told=told)
    if as_json:
        print_json({"env": env, "policy": policy, **result})
    else:
        show(_ending(result))
    return 1 if result["outcome"] == "cancelled" else 0


def _ending(result: Mapping[str, Any]) -> str:
    """How an episode ended, in a line."""
    number, outcome = result["turns"], result["outcome"]
    begins = f"{outcome} after {number} turn{'' if number == 1 else 's'}"
    if result["score"] is None:
        return f"{begins}: no reward and no score, because the episode has no verdict"
    why = ", because too many messages had no valid action" if outcome == "invalid" else ""
    return f"{begins}{why}: reward {result['reward']:g}, score {result['score']}"


def play(
    env: AgentEnv,
    player: Policy,
    viewer: HumanPolicy,
    *,
    task: Task | Callable[[], Task],
    seed: int | None = None,
    record: Path | None = None,
    told: str = "",
) -> dict[str, Any]:
    """Play one episode and show it.

    Args:
        env: The environment; closed at the end.
        player: Who plays; may be the viewer itself.
        viewer: Shows messages and reward events.
        task: What to play, or what gives it.
        seed: Seed of the episode; None takes the task's.
        record: A run folder that keeps the episode with what was seen at each turn; None keeps nothing.
        told: What follows the task's id in the line that names it.

    Returns:
        JSON values: task, seed, turns, reward, outcome, success, score.

    Raises:
        ContractError: The environment's own code failed; says where.
    """

    def show_events(role: str, turn: Turn, answer: GameReply) -> None:
        viewer.show_events(answer.events, env.reward_weights)

    try:
        wanted = task if isinstance(task, Task) else task()
        note(f"task {wanted.id}{told}")
        watched = player if player is viewer else Watched(player, viewer)
        settings = RolloutSettings(sampling=sampling_of(player, Sampling()))
        if record is not None:
            settings = replace(RecordingSettings().rollout, sampling=settings.sampling, record_screenshots=True)
        episode = play_episode(
            env, watched, wanted, seed=wanted.seed, env_seed=seed, settings=settings, on_turn=show_events
        )
    except Exception as error:  # a boundary: an environment's own code may raise anything
        if isinstance(error, AgentGymError):
            raise
        raise ContractError(f"the episode failed: {describe_error(error)}") from error
    finally:
        env.close()
    if str(episode.outcome) != "cancelled":  # else they were shown when the message was asked for
        viewer.show(episode.metadata.get(LAST_MESSAGES, ()))
    if record is not None:
        is_kept = keep_episode(record, wanted, episode)
        note(f"kept in {record}" if is_kept else "not kept, because the episode has no verdict")
    return {
        "task": episode.task_id,
        "seed": episode.seed,
        "turns": len(episode.turns),
        "reward": episode.total_reward or 0.0,
        "outcome": str(episode.outcome),
        "success": episode.success,
        "score": episode.score,
    }


class Watched:
    """A policy whose conversation is shown while it plays.

    Args:
        policy: Who plays.
        viewer: Shows what it receives and says.
    """

    def __init__(self, policy: Policy, viewer: HumanPolicy) -> None:
        self._policy, self._viewer = policy, viewer
        self._num_shown = 0
        self.name, self.uses_tokens, self.concurrency = policy.name, policy.uses_tokens, policy.concurrency

    def __getattr__(self, name: str) -> Any:
        """What else the policy has, such as its tokenizer."""
        return getattr(self._policy, name)

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        """The policy's reply to one request."""
        [request] = requests
        self._viewer.show(request.messages[self._num_shown :])
        [reply] = self._policy.generate(requests)
        self._viewer.show([{"role": "assistant", "content": reply.text}])
        self._num_shown = len(request.messages) + 1
        return [reply]

    def forget(self, episode: str) -> None:
        """Drop what the policy keeps for an episode that ended."""
        self._policy.forget(episode)


def _wanted(
    env: AgentEnv, env_id: str, task_id: str, seed: int | None, *, is_kept: bool, options: Mapping[str, Any]
) -> Task:
    """The task of an id; without one, what the environment makes from a seed, or a train task to demonstrate."""
    if env.num_tasks is not None:
        return _own_task(env, task_id, seed, is_kept=is_kept, options=options)
    if task_id:
        return _suite_task(task_id, env_id)
    assert seed is not None, "a task or a seed is given"
    return _train_task(env_id, seed) if is_kept else env.make_task(seed)


def _own_task(env: AgentEnv, task_id: str, seed: int | None, *, is_kept: bool, options: Mapping[str, Any]) -> Task:
    """One of the tasks that an environment has itself, such as those of a file that an option names."""
    if is_kept:
        raise ConfigError(
            "--record keeps demonstrations of a suite's train tasks, and these options play tasks of your own, which "
            "are of no suite; leave out --record, or the option that names them"
        )
    if not task_id:
        assert seed is not None, "a task or a seed is given"
        return env.make_task(seed)
    known = {task.id: task for task in map(env.make_task, range(env.num_tasks or 0))}
    if task_id not in known:
        _require_split_played(task_id, known, options)
        raise UnknownNameError("task", task_id, known, owner="what these options play")
    return known[task_id]


def _require_split_played(task_id: str, known: Iterable[str], options: Mapping[str, Any]) -> None:
    """Refuse a task of another split of a folder that an option names, of which the train tasks are played."""
    begins = task_id.partition(":")[0]
    split = next((split for split in SPLITS if task_id.startswith(f"{begins}:{split}-")), "train")
    if split == "train" or not any(each.startswith(f"{begins}:") for each in known):
        return
    for name, value in options.items():
        file = Path(str(value)) / f"{split}.jsonl"
        if file.is_file():
            raise ConfigError(
                f"task {task_id!r} is of the {split} split, and of the folder {value} only train.jsonl is played; name "
                f"the file: --env-option {name}={file}"
            )


def _train_task(env_id: str, seed: int) -> Task:
    """A task to demonstrate: of the train split of the environment's first suite, drawn by a seed."""
    suites = spec(env_id).suites
    if not suites:
        raise ConfigError(f"name the task to record with --task: {env_id} has no suite to draw one from")
    tasks = load_suite(suites[0]).train_tasks()
    return tasks[draw_seed(seed, "played task") % len(tasks)]


def _require_environment(name: str) -> None:
    """Refuse a suite, and say how one of its tasks is played."""
    if is_environment(name) or name not in suite_names():
        return
    suite = load_suite(name)
    first = suite.tasks(next(iter(suite.splits)))[0].id
    raise ConfigError(f"{name} is a suite of {suite.env}; play a task of it: agentgym play {suite.env} --task {first}")


def _suite_task(task_id: str, env_id: str) -> Task:
    """A task of a suite; one of another environment is refused before it fails for what its configuration lacks."""
    begins, colon, _ = task_id.partition(":")
    if colon and "/" not in begins:
        raise ConfigError(
            f"task {task_id!r} is of no suite; if it stands in a file of yours, name the file with an option of the "
            "environment, such as --env-option tasks=FILE"
        )
    found = find_task(task_id)
    owner = load_suite(found.suite).env
    if owner != spec(env_id).id:
        raise ConfigError(f"task {task_id!r} belongs to {owner}, not to {env_id}; play {owner}, or choose another task")
    return found


def _read_line(prompt: str) -> str:
    """As `input`, but the prompt goes to stderr, so that the result keeps stdout for itself."""
    print(prompt, end="", file=sys.stderr, flush=True)
    return input()
