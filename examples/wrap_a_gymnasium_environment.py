"""Wrap an environment of Gymnasium, so that an LLM agent can play it in text."""

from typing import Any

import agentgym


def describe(observation: Any, env: Any) -> str:
    """What the agent reads of a state: the place on the map, in words."""
    row, column = divmod(int(observation), env.ncol)
    return f"You are in row {row}, column {column} of a frozen lake. The goal is in row 3, column 3."


def main() -> None:
    """Walk over a lake that is not slippery."""
    view = agentgym.TextView(
        instruction="Reach the goal and avoid the holes.",
        describe=describe,
        actions=("left", "down", "right", "up"),
    )
    env = agentgym.make_from_gymnasium("FrozenLake-v1", view, is_slippery=False)
    observation, info = env.reset(seed=0)
    print(observation["text"])
    for message in ("I go down.", "down", "Now right.", "down", "right", "right"):
        observation, reward, terminated, truncated, info = env.step(message)
        print(f"> {message}\n{observation['text']}")
        if terminated or truncated:
            break
    print(f"{info['outcome']}, success: {info['success']}, last reward {reward}")
    env.close()


if __name__ == "__main__":
    main()
