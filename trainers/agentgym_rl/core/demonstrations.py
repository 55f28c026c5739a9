"""Demonstrations as token sequences: collected from scripted policies or read from a run, then rendered.

Their tokens are derived: no policy sampled them, so they carry no behaviour log-probability and are only cloned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from agentgym.errors import ConfigError
from agentgym.message import Message, ToolSchema
from agentgym.outcome import GRADED
from agentgym.policies.by_name import load
from agentgym.policies.cast import Cast
from agentgym.prompting.conversation import Conversation
from agentgym.prompting.history import parse_history
from agentgym.prompting.renderer import ChatRenderer
from agentgym.prompting.reply_ids import reply_renderer
from agentgym.rollout import Job, Progress, RolloutSettings, collect_episodes, draw_seed, game_maker, shuffled_tasks
from agentgym.store import Purpose, RunStore
from agentgym.suite import Suite, is_held_out, require_trainable
from agentgym.trajectory import FINAL_PICTURES, FINAL_PROMPT, LAST_MESSAGES, Trajectory, Turn
from agentgym_rl.core.roles import LearnerTools


def collect_demonstrations(
    suite: Suite,
    demonstrator: str,
    count: int,
    seed: int,
    *,
    cast: Cast | None = None,
    on_finish: Callable[[list[Trajectory]], None] | None = None,
    progress: Progress | None = None,
    max_concurrent: int = 64,
) -> list[Trajectory]:
    """Records of a scripted policy on train tasks, in an order that depends on the seed alone.

    Args:
        suite: Its train split is played.
        demonstrator: Name of a scripted policy of the environment.
        count: Number of episodes.
        seed: Seed of the order of tasks and of the demonstrator's choices.
        cast: Which roles of a game are demonstrated; policies among the partners are replaced by scripts. None: the
            suite's.
        on_finish: Called with each episode, such as a store's writer.
        progress: A display.
        max_concurrent: Episodes that are open at once.

    Raises:
        KeyboardInterrupt: Ctrl-C; what was played went to `on_finish`.
    """
    tasks = shuffled_tasks(suite.train_tasks(), draw_seed(seed, "demonstrations"))
    jobs = [Job(next(tasks), f"demo-{index:06d}", draw_seed(seed, "demo", index)) for index in range(count)]
    require_trainable(job.task for job in jobs)
    cast = (cast or Cast.of(suite.env, options=suite.env_options)).with_scripts()
    settings = RolloutSettings(max_concurrent=max_concurrent, env_threads=4)
    records, _ = collect_episodes(
        jobs,
        game_maker(suite, cast=cast),
        cast.policies(load(demonstrator, suite.env)),
        settings,
        on_finish=on_finish,
        progress=progress,
    )
    if len({record.id.rpartition("/")[0] for record in records}) < count:
        raise KeyboardInterrupt  # fewer demonstrations would be another run
    return [record for record in records if record.outcome is not None and record.outcome.is_graded]


def recorded_demonstrations(
    store: RunStore,
    suite: str,
    held_out: Collection[str],
    *,
    setting: str,
    roles: Collection[str] = (),
    purpose: Purpose | None = None,
    is_solved: bool = False,
    reads_tokens: bool = False,
) -> list[Trajectory]:
    """The graded episodes of a run, all of which may be learnt from.

    Args:
        store: The run.
        suite: Name of the suite that they must be of.
        held_out: Content hashes of its tasks that are no train tasks.
        setting: What named the run, for messages.
        roles: Episodes of these roles alone; all where none is given.
        purpose: Episodes that were collected for this alone; None for all.
        is_solved: Only those that solved their task.
        reads_tokens: Whether their token arrays are wanted.

    Raises:
        ConfigError: There are none, or some are of another suite or of held-out tasks.
        StoreError: The run is damaged.
    """
    rows = store.episode_rows() if purpose is None else store.episode_rows(purpose=purpose)
    graded = [row for row in rows if row.outcome in GRADED]
    found = list(store.load(graded, with_tokens=reads_tokens))
    found = [each for each in found if (not roles or each.role in roles) and (each.success or not is_solved)]
    strange = sorted({each.suite for each in found} - {suite})
    known = [each.id for each in found if is_held_out(each.split, each.content_hash, held_out)]
    if strange or known or not found:
        raise ConfigError(
            f"{setting} '{store.folder}' cannot be learnt from: {len(found)} episodes, suites besides {suite!r}: "
            f"{strange}, held-out episodes: {known[:3]}; record train tasks of this suite"
        )
    return found


def with_tokens(
    trajectories: Iterable[Trajectory],
    renderer: ChatRenderer,
    tools: Sequence[ToolSchema],
    history: str = "full",
) -> list[Trajectory]:
    """Copies of trajectories whose turns carry derived tokens: what the template makes of their messages.

    Args:
        trajectories: With messages; their tokens are not read.
        renderer: Of the policy's tokenizer.
        tools: Tools that the template presents; of `LearnerTools` those of each trajectory's role.
        history: Which turns prompts leave out, as `RolloutSettings.history`.
    """
    render_reply: dict[str, Callable[[Message], list[int]]] = {}

    def tokenised(trajectory: Trajectory) -> Trajectory:
        role = trajectory.role
        own = tools.of(role) if isinstance(tools, LearnerTools) else tools
        if role not in render_reply:
            render_reply[role] = reply_renderer(renderer, own)
        talk = Conversation(renderer, own, parse_history(history))
        return _tokenised(trajectory, talk, render_reply[role], renderer.stop_ids)

    return [tokenised(trajectory) for trajectory in trajectories]


def _tokenised(
    trajectory: Trajectory, talk: Conversation, render_reply: Callable[[Message], list[int]], stop_ids: Collection[int]
) -> Trajectory:
    turns: list[Turn] = []
    for turn in trajectory.turns:
        talk.observe(turn.messages)
        prompt, ids = talk.prompt(), render_reply(turn.reply)
        if turn.was_cut and ids and ids[-1] in stop_ids:
            ids = ids[:-1]  # a limit ended the message, so that its end is nobody's token
        turns.append(
            replace(
                turn,
                prompt_ids=np.asarray(prompt.new_ids, np.int32),
                action_ids=np.asarray(ids, np.int32),
                opens_segment=prompt.opens_segment,
                pictures=prompt.new_pictures,
                behaviour_logprobs=None,
                version=-1,
            )
        )
        talk.reply(ids, turn.text, turn.reply, turn.was_cut)
    kept = {key: value for key, value in trajectory.metadata.items() if key not in (FINAL_PROMPT, FINAL_PICTURES)}
    found = replace(trajectory, turns=turns, is_derived=True, metadata=kept)
    last = kept.get(LAST_MESSAGES)
    if last and turns and trajectory.is_truncated:  # for bootstrapping
        talk.observe(last)
        prompt = talk.prompt()
        found.record_final_prompt(prompt.ids, prompt.pictures)
    return found
