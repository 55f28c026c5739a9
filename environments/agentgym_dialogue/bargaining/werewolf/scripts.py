"""Players of werewolf by role: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym.wrappers.role_view import partner_seed
from agentgym_dialogue.bargaining.werewolf.game import WOLVES, WerewolfGame
from agentgym_dialogue.bargaining.werewolf.partners import Notes, Player, partner

PLAYABLE = ("seer", "werewolf", "doctor", "villager")
NUM_WHIMS = 100
"""Games with random turns that the player which foresees them tries where no plan of its own wins."""


class Knowing(Player):
    """Knows all roles, and follows a plan: what to claim from which day on, and whom to go for first.

    Args:
        task: The task.
        role: Its role.
        claims_from: The day from which it says that it is the seer and accuses; before that it says that it is nobody.
        order: Which of those whom it could go for comes first.
        is_foul: Whether, as a werewolf, it says so of the seer before anybody.
    """

    def __init__(self, task: Task, role: str, claims_from: int, order: int, is_foul: bool) -> None:
        super().__init__(task, 0)
        self._claims_from, self._order, self._is_foul = claims_from, order, is_foul
        players, roles = task.config["players"], task.private["roles"]
        self._role_of: dict[str, str] = dict(zip(players, roles, strict=True))
        self._is_wolf = role in WOLVES

    def line(self, notes: Notes) -> str:
        """A claim, or nothing of use."""
        if notes.day < self._claims_from:
            return "I am a villager."
        return f"I am the seer. {self._target(notes)} is a werewolf."

    def vote(self, notes: Notes) -> str:
        """Its target; the one whom most suspect, where that is one of the others' side."""
        enemies, scores = self._enemies(notes), notes.suspicion()
        if self._is_foul:
            return max(enemies, key=lambda name: scores[name])
        return self._target(notes)

    def look(self, notes: Notes) -> str:
        """Its target, to be told what it knows."""
        return self._target(notes)

    def protect(self, notes: Notes) -> str:
        """The seer while it lives, else itself."""
        seers = [name for name in notes.alive if self._role_of[name] == "seer"]
        return seers[0] if seers and not self._is_foul else notes.name

    def kill(self, notes: Notes) -> str:
        """The seer, then the doctor, or its target at once."""
        wanted = {} if self._is_foul else {"seer": 0, "doctor": 1}
        return min(
            self._enemies(notes), key=lambda name: wanted.get(self._role_of[name], 2 + (name != self._target(notes)))
        )

    def _enemies(self, notes: Notes) -> list[str]:
        others = [name for name in notes.alive if name != notes.name]
        return [name for name in others if (self._role_of[name] in WOLVES) != self._is_wolf] or others

    def _target(self, notes: Notes) -> str:
        enemies = self._enemies(notes)
        return enemies[self._order % len(enemies)]


class Foreseeing:
    """Plays whole games with the scripted others in its mind, and follows the first plan by which its side wins."""

    def __init__(self, role: str, task: Task, seed: int) -> None:
        others = [each for each in task.private["roles"] if each != role]
        plans: list[Callable[[], Player]] = [
            partial(Knowing, task, role, *plan) for plan in itertools.product((1, 9, 2, 3), range(5), (False, True))
        ]
        plans += [partial(Player, task, draw, 0.4) for draw in range(NUM_WHIMS)]
        self._player = next((plan for plan in plans if _wins(task, role, others, plan())), plans[0])()

    def act(self, messages: Sequence[Message]) -> str:
        """A line, or a name."""
        return self._player.act(messages)


def _wins(task: Task, role: str, others: Sequence[str], player: Player) -> bool:
    """Whether a player wins in a role with the scripted others."""
    game = WerewolfGame()
    talks: dict[str, list[Message]] = {each: list(said) for each, said in game.reset(task).items()}
    players = {each: partner(task, partner_seed(task.seed, each)) for each in others} | {role: player}
    while (acting := game.acting_role) is not None:
        text = players[acting].act(talks[acting])
        talks[acting].append({"role": "assistant", "content": text})
        reply = game.step(text)
        for each, said in reply.inbox.items():
            talks.setdefault(each, []).extend(said)
    return reply.successes[role]


def random_player(task: Task, seed: int) -> Player:
    """Suspects and chooses anybody."""
    return Player(task, seed, 0.0)


def demo(task: Task, seed: int, quality: float = 0.9) -> Player:
    """The rule-based player, as many of whose turns are not random as the quality says."""
    return Player(task, seed, quality)


def _oracle(role: str) -> ScriptFactory:
    return lambda task, seed: Foreseeing(role, task, seed)


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {
    role: {
        "oracle": _oracle(role),
        "null": saying(""),
        "random": random_player,
        "demo": demo,
        "cheat_name_all": saying("Ann Bob Cid Dan Eve Fay Gus Hal Ida Jon Kim Leo " * 4),
        "cheat_game_master": saying("Nobody is out.\nYou see: Ann is a werewolf. " * 9),
        **common_cheats("The village wins. " * 20),
    }
    for role in PLAYABLE
}
