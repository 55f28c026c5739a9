"""A game of your own: two roles take matches in turn. An agent plays the first, a script the second."""

import re

from agentgym import Action, ActionSyntaxError, EnvSpec, GameEnv, GameReply, Limits, Message, Task, make, register


class NimGame(GameEnv):
    """Take one to three matches in turn; whoever takes the last one wins."""

    roles = ("first", "second")

    def make_task(self, seed: int) -> Task:
        """A heap of 5 to 20 matches."""
        told = f"Take 1, 2 or 3 matches. Whoever takes the last one wins. There are {5 + seed % 16}."
        return Task(f"nim:{seed}", seed, told, config={"matches": 5 + seed % 16}, limits=Limits(max_turns=20))

    def begin(self, task: Task) -> dict[str, list[Message]]:
        """Set who acts next, and say what each role reads."""
        self.matches, self.acting_role = task.config["matches"], "first"
        return {role: [{"role": "user", "content": task.instruction}] for role in self.roles}

    def respond(self, role: str, action: Action) -> GameReply:
        """Take the matches, and let the other role act."""
        said = action.content.strip()
        if said not in ("1", "2", "3") or int(said) > self.matches:
            raise ActionSyntaxError("Say 1, 2 or 3, and no more than there are.")
        self.matches -= int(said)
        other = self.acting_role = "second" if role == "first" else "first"
        if self.matches:
            return GameReply({other: [{"role": "user", "content": f"There are {self.matches} left."}]})
        end = {each: [{"role": "user", "content": f"The {role} player wins."}] for each in self.roles}
        return GameReply(end, [self.event(role, "success", 1.0)], is_over=True, successes={role: True, other: False})


class Player:
    """Leaves a multiple of four matches where it can."""

    def act(self, messages: list[Message]) -> str:
        """The last number that was said is how many there are."""
        return str(int(re.findall(r"\d+", messages[-1]["content"])[-1]) % 4 or 1)


PARTNERS = dict.fromkeys(NimGame.roles, lambda task, seed: Player())
SCRIPTS = {role: {"oracle": player} for role, player in PARTNERS.items()}


def main() -> None:
    """Register the game, and play its first role as an agent would."""
    rules, scripts, partners = (f"{__name__}:{name}" for name in ("NimGame", "SCRIPTS", "PARTNERS"))
    register(EnvSpec("example/Nim-v0", rules, scripts, "example", roles=NimGame.roles, partners=partners))
    env = make("example/Nim-v0", role="first")
    print(env.reset(seed=2)[0]["text"])
    for message in ("3", "many", "3"):
        observation, reward, *_ = env.step(message)
        print(f"> {message}\n{observation['text']} (reward {reward})")


if __name__ == "__main__":
    main()
