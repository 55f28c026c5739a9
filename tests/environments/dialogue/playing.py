"""What tests of dialogue games share: what a role is told, how scripts fare, and which words occur.

Records of single episodes are those of `agentgym.testing.episodes`.
"""

from agentgym.testing.episodes import play_script
from agentgym.trajectory import Trajectory, Turn


def told(reply, role):
    """What a game's reply tells a role."""
    return "\n".join(message["content"] for message in reply.inbox.get(role, ()))


def played(env, script, num_tasks, **options):
    """Records of the first tasks that an environment makes, each played by a script of its seed."""
    tasks = [env.make_task(seed) for seed in range(num_tasks)]
    return [play_script(env, task, script(task, task.seed, **options)) for task in tasks]


def num_solved(env, script, num_tasks, **options):
    """How many of the first tasks a script solves, which must say nothing invalid."""
    records = played(env, script, num_tasks, **options)
    assert not any(step.is_invalid for record in records for step in record.steps)
    return sum(record.success for record in records)


def words_in(texts, marks=".,:"):
    """Words of texts without the marks around them; numbers are none."""
    words = {word.strip(marks) for text in texts for word in text.split()}
    return {word for word in words if not word.isdecimal()}


def texts_of(records):
    """All that was observed and said in records."""
    return [text for record in records for text in (record.first.text, *record.actions, *_observed(record))]


def _observed(record):
    return [step.text for step in record.steps]


def trajectory_of(task, record, **fields):
    """The trajectory of a record, as far as an environment looks at it to relabel it."""
    turns = [
        Turn(i, [], {"role": "assistant", "content": text}, text, was_invalid=step.is_invalid)
        for i, (text, step) in enumerate(zip(record.actions, record.steps, strict=True))
    ]
    return Trajectory("e", task.id, turns=turns, success=record.success, **fields)
