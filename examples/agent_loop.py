"""An agent in a plain Gymnasium loop: it reads text, says a number, and halves the range with every hint."""

import re

import gymnasium

import agentgym


class Halving:
    """An agent of your own: anything that turns what it reads into its next message."""

    def __init__(self) -> None:
        self.low, self.high, self.last = 0, 0, 0

    def act(self, text: str) -> str:
        """The next message, given what the environment said last."""
        found = re.search(r"between (\d+) and (\d+)", text)
        if found:
            self.low, self.high = int(found[1]), int(found[2])
        elif "higher" in text:
            self.low = self.last + 1
        elif "lower" in text:
            self.high = self.last - 1
        self.last = (self.low + self.high) // 2
        return f"I guess {self.last}."


def main() -> None:
    """Play the first five tasks of the test split."""
    env = gymnasium.make("agentgym/GuessNumber-v0")
    solved = 0
    for task in agentgym.load_suite("dialogue/guess-number").tasks("test")[:5]:
        agent = Halving()
        observation, info = env.reset(options={"task": task})
        terminated = truncated = False
        while not (terminated or truncated):
            action = agent.act(observation["text"])
            observation, _, terminated, truncated, info = env.step(action)
        solved += info["success"]
        print(f"{task.id}: {info['outcome']}, last answer {observation['text']!r}")
    env.close()
    print(f"solved {solved} of 5")


if __name__ == "__main__":
    main()
