"""A game of two roles that tiny models learn within seconds: both name one of two arms, and win if they are alike."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from agentgym.action import Action
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import Message, user
from agentgym.registration import EnvSpec, register
from agentgym.suite import Suite, read_suite
from agentgym.task import Limits, Task
from tests.trainers.rl import vocabulary
from tests.trainers.rl.toys import arm


class Pair(GameEnv):
    """First one, then the other pulls an arm; the second does not see the first one's."""

    roles = ("first", "second")

    def make_task(self, seed: int) -> Task:
        return Task(
            f"toys/pair:made-{seed}", seed, limits=Limits(max_turns=4, step_timeout_s=5.0), seed_is_content=True
        )

    def begin(self, task: Task) -> Inbox:
        self.acting_role, self.arm = "first", -1
        return {"first": [user("the lamp is red")], "second": [user("the lamp is blue")]}

    def respond(self, role: str, action: Action) -> GameReply:
        pulled = arm(action.content, 2)
        if role == "first":
            self.arm, self.acting_role = pulled, "second"
            return GameReply({"second": [user("go on")]})
        is_right = pulled == self.arm
        events = [self.event(each, "success", float(is_right)) for each in self.roles]
        return GameReply({}, events, is_over=True, successes=dict.fromkeys(self.roles, is_right))


class Puller:
    """Always pulls arm 1."""

    def __init__(self, task: Task, seed: int) -> None:
        self.word = next(word for word in vocabulary.ITEMS if arm(word, 2) == 1)

    def act(self, messages: Sequence[Message]) -> str:
        return self.word


SCRIPTS = {role: {"demo": Puller, "random": Puller} for role in Pair.roles}
PARTNERS = dict.fromkeys(Pair.roles, Puller)


def install_pair(root: Path) -> Suite:
    """Register the game and write a suite of it."""
    entry = f"{__name__}:Pair"
    register(
        EnvSpec("toys/Pair-v0", entry, f"{__name__}:SCRIPTS", "toys", roles=Pair.roles, partners=f"{__name__}:PARTNERS")
    )
    folder = root / "toys" / "pair"
    folder.mkdir(parents=True, exist_ok=True)
    lists = "".join(f'{split} = ["all"]\n' for split in ("train", "validation", "test"))
    folder.joinpath("suite.toml").write_text(
        'name = "toys/pair"\nenv = "toys/Pair-v0"\ndescription = "A toy."\nlicense = "Apache-2.0"\nsource = "here"\n'
        f'headline = "all"\n[splits]\n{lists}[strata]\nall = "all"\n[scores]\n'
    )
    for place, split in enumerate(("train", "validation", "test")):
        lines = []
        for number in range(16 if split == "train" else 4):
            fields = Pair().make_task(1000 * place + number).to_json()
            fields |= {"id": f"toys/pair:{split}-{number:03d}", "stratum": "all"}
            del fields["suite"], fields["split"]
            lines.append(json.dumps(fields))
        folder.joinpath(f"{split}.jsonl").write_text("\n".join(lines) + "\n")
    return read_suite(folder)
