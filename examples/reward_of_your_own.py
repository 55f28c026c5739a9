"""A reward of your own: guessing a number, with a small reward for answering in a single word."""

import agentgym
from agentgym import Action, EnvReply
from agentgym_dialogue.guessing.guess_number.env import GuessNumberEnv


class BriefGuessNumberEnv(GuessNumberEnv):
    """GuessNumber-v0 with one more reward component, `brief`."""

    # The reward of a step is the weighted sum of its events, so every component needs a weight.
    reward_weights = {**GuessNumberEnv.reward_weights, "brief": 0.1}

    def respond(self, action: Action) -> EnvReply:
        """Answer the guess as the game does, and add an event for a message of one word."""
        reply = super().respond(action)
        is_brief = len(action.content.split()) == 1
        return reply._replace(events=[*reply.events, self.event("brief", float(is_brief))])


def main() -> None:
    """Register the environment and look at the reward of two messages."""
    agentgym.register(
        agentgym.EnvSpec(
            id="example/BriefGuessNumber-v0",
            entry_point=f"{__name__}:BriefGuessNumberEnv",
            scripts="agentgym_dialogue.guessing.guess_number.scripts:SCRIPTS",
            family="example",
        )
    )
    env = agentgym.make("example/BriefGuessNumber-v0")
    observation, _ = env.reset(options={"task": "dialogue/guess-number:test-00000"})
    print(observation["text"])
    for message in ("33", "My guess is 34."):
        _, reward, *_, info = env.step(message)
        print(f"{message!r}: reward {reward}")
        for event in info["reward_events"]:
            print(f"  {event.component} = {event.value}")
    env.close()


if __name__ == "__main__":
    main()
