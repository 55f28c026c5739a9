"""`agentgym play ENV`: an episode in the terminal, played by a person or watched, with tools and reward events shown.

What is shown goes to stderr and is stripped of terminal escapes; the result goes to stdout.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import tyro
from rich.console import Console

from agentgym.cli.output import AsJson, note, print_json, read_partners
from agentgym.env import AgentEnv, CutMessage
from agentgym.errors import AgentGymError, CancelledEpisode, ConfigError, ContextOverflowError, ContractError
from agentgym.message import ToolSchema
from agentgym.origin import told
from agentgym.policies.by_name import load
from agentgym.policies.human import HumanPolicy
from agentgym.policy import Policy, Request, Sampling
from agentgym.prompting.conversation import Conversation
from agentgym.prompting.parsing import canonical_text
from agentgym.prompting.renderer import ChatRenderer
from agentgym.registration import make, spec
from agentgym.rollout.episode import PlainTalk, Talk
from agentgym.suite import find_task, load_suite
from agentgym.task import Task


def run(
    env: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ENV")],
    *,
    task: str = "",
    seed: int | None = None,
    policy: str = "human",
    role: str = "",
    partner: tuple[str, ...] = (),
    as_json: AsJson = False,
) -> int:
    """Play an environment in the terminal, or watch another policy play it.

    Args:
        env: Id of the environment, such as agentgym/Wordle-v0.
        task: Id of a task, such as tools/lookup:test-00000; without one, a task is made from the seed.
        seed: Seed of the task and the episode; without one, drawn and said.
        policy: Who plays: human, oracle, null, random, demo, torch:PATH, or endpoint:URL#MODEL.
        role: Of a game the role that is played; its first where none is given.
        partner: Of a game who plays other roles, as ROLE=scripted, scripted:NAME, torch:PATH, endpoint:URL#MODEL.
        as_json: Print the result as JSON for machines.
    """
    if task:
        _require_own(task, env)
    given = {"role": role, "partners": read_partners(partner)}
    options: dict[str, Any] = {name: value for name, value in given.items() if value}
    game = make(env, **options)
    viewer = HumanPolicy(Console(stderr=True), input if sys.stdout.isatty() else _read_line)
    player: Policy = viewer if policy == "human" else load(policy, env)
    if seed is None and not task:
        seed = secrets.randbelow(2**31)
        note(f"seed {seed}; play the same again with --seed {seed}")
    result = play(game, player, viewer, task=task or None, seed=seed)
    if as_json:
        print_json({"env": env, "policy": policy, **result})
    else:
        print(
            f"{result['outcome']} after {result['turns']} turns: reward {result['reward']:g}, score {result['score']}"
        )
    return 1 if result["outcome"] == "cancelled" else 0


def play(
    env: AgentEnv, player: Policy, viewer: HumanPolicy, *, task: Task | str | None = None, seed: int | None = None
) -> dict[str, Any]:
    """Play one episode and show it.

    Args:
        env: The environment; closed at the end.
        player: Who plays; may be the viewer itself.
        viewer: Shows messages and reward events.
        task: What to play; None makes a task from the seed.
        seed: Seed of the episode; None takes the task's.

    Returns:
        JSON values: task, seed, turns, reward, outcome, success, score.

    Raises:
        ContractError: The environment's own code failed; says where.
    """
    try:
        _, info = env.reset(seed=seed, options={"task": task} if task is not None else None)
        assert env.task is not None
        talk = _talk(player, env.tools)
        talk.observe(info["messages"])
        total = 0.0
        while "outcome" not in info:
            try:
                text, was_cut = _answer(player, talk, env)
            except (CancelledEpisode, ContextOverflowError) as error:
                _, info = env.finalize("cancelled" if isinstance(error, CancelledEpisode) else "context")
                break
            if player is not viewer:
                viewer.show(talk.messages[-1 - len(info["messages"]) : -1])
                viewer.show([{"role": "assistant", "content": text}])
            _, reward, _, _, info = env.step(CutMessage(text) if was_cut else text)
            total += reward
            viewer.show_events(info["reward_events"])
            talk.observe(info["messages"])
        viewer.show(info.get("messages", ()))
        result = {"task": env.task.id, "seed": env.task.seed if seed is None else seed, "turns": env.turn}
        return {**result, "reward": total, **_ending(info)}
    except Exception as error:  # a boundary: an environment's own code may raise anything
        if isinstance(error, AgentGymError):
            raise
        raise ContractError(f"the episode failed: {told(error)}") from error
    finally:
        env.close()


def _require_own(task_id: str, env_id: str) -> None:
    """Refuse a task of another environment before it fails for what its configuration lacks."""
    found = find_task(task_id)
    owner = load_suite(found.suite).env
    if owner != spec(env_id).id:
        raise ConfigError(f"task {task_id!r} is of {owner}, not of {env_id}: play {owner}, or choose another task")


def _talk(player: Policy, tools: Sequence[ToolSchema]) -> Talk:
    """A conversation as the player takes it: with token ids or without."""
    if not player.uses_tokens:
        return PlainTalk()
    renderer = ChatRenderer(player.tokenizer)  # type: ignore[attr-defined]
    return Conversation(renderer, tools, max_context=getattr(player, "max_context", None))


def _answer(player: Policy, talk: Talk, env: AgentEnv) -> tuple[str, bool]:
    """The player's message, taken up by the conversation, and whether the token limit cut it."""
    assert env.task is not None
    prompt = talk.prompt()
    ids = None if prompt is None else prompt.ids
    request = Request("play", env.turn, env.task, talk.messages, env.tools, ids, env.turn, Sampling(), env.role)
    reply = player.generate([request])[0]
    text = canonical_text(reply.text, env.tools) if env.tools and reply.ids is not None else reply.text
    sampled = () if reply.ids is None else reply.ids.tolist()
    talk.reply(sampled, text, {"role": "assistant", "content": text}, reply.was_cut)
    return text, reply.was_cut


def _read_line(prompt: str) -> str:
    """As `input`, but the prompt goes to stderr, so that the result keeps stdout for itself."""
    print(prompt, end="", file=sys.stderr, flush=True)
    return input()


def _ending(info: dict[str, Any]) -> dict[str, Any]:
    return {"outcome": str(info["outcome"]), "success": info["success"], "score": info["score"]}
