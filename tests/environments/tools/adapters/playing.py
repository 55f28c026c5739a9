"""One way to play an episode of another project's task."""

from agentgym_tools.adapters.scripts import SCRIPTS

AGENT = SCRIPTS["agent"]


def play(env, number, script):
    """Play a task by a script; the last info, with all messages and the reward events by component."""
    task = env.make_task(number)
    _, info = env.reset(options={"task": task})
    player, messages = script(task, 0) if callable(script) else script, list(info["messages"])
    while "outcome" not in info:
        text = player.act(messages)
        *_, info = env.step(text)
        messages += [{"role": "assistant", "content": text}, *info["messages"]]
    return {**info, "messages": messages, "events": {event.component: event for event in info["reward_events"]}}


def values(info):
    """The values of the last reward events by component."""
    return {name: event.value for name, event in info["events"].items()}
