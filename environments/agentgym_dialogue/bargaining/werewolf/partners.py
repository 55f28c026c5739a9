"""Rule-based players of werewolf: they weigh claims, votes and deaths, and lie as werewolves.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.bargaining.werewolf.game import ROLES
from agentgym_dialogue.bargaining.werewolf.speech import NAMES, Claims, claims

PARTNER_QUALITY = 0.75
"""Share of the turns of scripted players that are not random."""

_START = re.compile(r"^You are (\w+), (?:a|the) (\w+)\. Players: ([\w, ]+)\. .*?(?:The other werewolf is (\w+)\.)?$")
_VOTES = re.compile(r"(\w+) for (\w+)[,.]")
_GONE = re.compile(r"(\w+) was (?:a|the) (\w+)\.")
_SEEN = re.compile(r"^You see: (\w+) is (a|no) werewolf\.$")


class Notes:
    """What a player has heard, in the order of hearing it.

    Attributes:
        name: Its own name.
        role: Its own role.
        alive: Names of the living.
        friend: The other werewolf; "" where there is none, or it is none itself.
        gone: The roles of the dead.
        seen: What the seer saw: whether a name is a werewolf.
        said: The claims of each name that spoke.
        seers: Who claimed to be the seer, the dead among them.
        votes: All votes: who voted for whom.
        asked: What is asked last.
        day: The day.
    """

    def __init__(self) -> None:
        self.name = self.role = self.friend = self.asked = ""
        self.alive: list[str] = []
        self.gone: dict[str, str] = {}
        self.seen: dict[str, bool] = {}
        self.said: dict[str, list[Claims]] = {}
        self.seers: list[str] = []
        self.votes: list[tuple[str, str]] = []
        self.day = 0

    def hear(self, text: str) -> None:
        """Take in a message of the game."""
        for line in text.split("\n"):
            self._hear_line(line)

    def _hear_line(self, line: str) -> None:
        speaker, _, said = line.partition(": ")
        if speaker in NAMES:
            claim = claims(said)
            self.said.setdefault(speaker, []).append(claim)
            if claim.role == "seer" and speaker not in self.seers:
                self.seers.append(speaker)
        elif line.startswith(("Votes: ", "Nobody died")) or " is dead. " in line:
            self.votes += _VOTES.findall(line)
            for name, role in _GONE.findall(line):
                self.gone[name] = role
                self.alive.remove(name)
        elif line.startswith("Day "):
            self.day = int(line[4:-1])
        elif line.startswith("You see: ") and (seen := _SEEN.match(line)):
            self.seen[seen[1]] = seen[2] == "a"
        elif line.startswith("You are ") and (start := _START.match(line)):
            self.name, self.role, self.friend = start[1], start[2], start[4] or ""
            self.alive = start[3].split(", ")
        elif line.endswith(("Say a line.", "Vote for one.", "?")):
            self.asked = line

    def verdicts(self, name: str) -> dict[str, bool]:
        """What somebody said of others, the last word of each."""
        return {other: is_wolf for claim in self.said.get(name, ()) for other, is_wolf in claim.verdicts}

    def suspicion(self) -> dict[str, float]:
        """How much the talk, the votes and the dead speak against each living other, as anybody can hear."""
        scores = {name: 0.0 for name in self.alive if name != self.name}
        seers = self.seers
        for seer in seers:
            verdicts = self.verdicts(seer)
            trust = self._trust(seer, len(seers), verdicts)
            for name, is_wolf in verdicts.items():
                if name in scores:
                    scores[name] += trust * (4.0 if is_wolf else -3.0)
            if seer in scores:
                scores[seer] += (1.5 if len(seers) > 1 else -2.0) + (6.0 if trust < 0 else 0.0)
        for voter, name in self.votes:
            if voter in scores and name in self.gone:
                scores[voter] += -1.0 if self.gone[name] == "werewolf" else 0.7
        for speaker, said in self.said.items():
            for name in said[-1].suspects if speaker != self.name else ():
                if name in scores:
                    scores[name] += 0.3
        return scores

    def _trust(self, seer: str, num_seers: int, verdicts: dict[str, bool]) -> float:
        """How far somebody who claims to be the seer is believed; negative for a liar."""
        role = self.gone.get(seer)
        if role is not None:
            return 3.0 if role == "seer" else -1.0
        if self.role == "seer" or any(self.gone.get(name) == "seer" for name in self.gone):
            return -1.0
        for name, is_wolf in verdicts.items():
            if name in self.gone and (self.gone[name] == "werewolf") != is_wolf:
                return -1.0
        if verdicts.get(self.name) is not None and verdicts[self.name] != (self.role == "werewolf"):
            return -1.0
        return 1.0 if num_seers == 1 else 0.4


class Player:
    """Plays any role by its rules.

    Args:
        task: The task; its private part is not looked at.
        seed: Seed of its temper and of how it breaks ties.
        quality: Share of its turns that are so; in the others it says nothing of use, and chooses anybody.
    """

    def __init__(self, task: Task, seed: int, quality: float = 1.0) -> None:
        rng = random.Random(seed)
        self._bold = rng.random() < 0.4
        self._taste = {name: rng.random() for name in NAMES}
        self._heeds = [rng.random() < quality for _ in range(40)]
        self._whims = [rng.random() for _ in range(40)]
        self._notes = Notes()
        self._num_heard = 0

    def act(self, messages: Sequence[Message]) -> str:
        """A line, or a name."""
        for message in messages[self._num_heard :]:
            if message["role"] == "user":
                self._notes.hear(message["content"])
        self._num_heard = len(messages)
        notes = self._notes
        turn = sum(message["role"] == "assistant" for message in messages) % len(self._heeds)
        if not self._heeds[turn]:
            return self._anything(self._whims[turn])
        if notes.asked == "Say a line.":
            return self.line(notes)
        if notes.asked == "Vote for one.":
            return self.vote(notes)
        return {"seer": self.look, "doctor": self.protect}.get(notes.role, self.kill)(notes)

    def anchor(self) -> str:
        """Nothing: what it says follows from what it has heard."""
        return ""

    def line(self, notes: Notes) -> str:
        """What it says by day."""
        if notes.role == "seer":
            return self._line_of_seer(notes)
        if notes.role == "werewolf":
            return self._line_of_werewolf(notes)
        top, score = self._most_suspected(notes)
        return f"I suspect {top}." if score >= 1.0 else "I am a villager."

    def vote(self, notes: Notes) -> str:
        """Whom it votes for."""
        if notes.role == "werewolf":
            others = [name for name in notes.alive if name not in (notes.name, notes.friend)]
            scores = notes.suspicion()
            return max(others, key=lambda name: scores[name] + self._taste[name])
        return self._most_suspected(notes)[0]

    def look(self, notes: Notes) -> str:
        """Whom the seer looks at: the most suspected one that it has not seen."""
        scores = notes.suspicion()
        unseen = [name for name in scores if name not in notes.seen] or list(scores)
        return max(unseen, key=lambda name: scores[name] + self._taste[name])

    def protect(self, notes: Notes) -> str:
        """Whom the doctor protects: who says that it is the seer, the least suspected of them, else anybody."""
        scores = {**notes.suspicion(), notes.name: 0.0}
        seers = [name for name in notes.seers if name in notes.alive]
        return min(seers or notes.alive, key=lambda name: scores[name] + self._taste[name] + notes.day * 0.01)

    def kill(self, notes: Notes) -> str:
        """Whom a werewolf kills: who says that it is the seer, else who is suspected least."""
        others = [name for name in notes.alive if name not in (notes.name, notes.friend)]
        scores = notes.suspicion()
        seers = [name for name in notes.seers if name in others]
        return min(seers or others, key=lambda name: scores[name] + self._taste[name])

    def _most_suspected(self, notes: Notes) -> tuple[str, float]:
        scores = notes.suspicion()
        for name, is_wolf in notes.seen.items():
            if name in scores:
                scores[name] += 20.0 if is_wolf else -20.0
        top = max(scores, key=lambda name: scores[name] + self._taste[name])
        return top, scores[top]

    def _line_of_seer(self, notes: Notes) -> str:
        wolves = [name for name in notes.alive if notes.seen.get(name)]
        good = [name for name in notes.alive if notes.seen.get(name) is False]
        is_contested = any(name != notes.name for name in notes.seers)
        if wolves:
            return f"I am the seer. {wolves[-1]} is a werewolf."
        if good and (is_contested or self._bold or notes.name in notes.seers):
            return f"I am the seer. {good[-1]} is no werewolf."
        top, score = self._most_suspected(notes)
        return f"I suspect {top}." if score >= 1.0 else "I am a villager."

    def _line_of_werewolf(self, notes: Notes) -> str:
        others = [name for name in notes.alive if name not in (notes.name, notes.friend)]
        scores = notes.suspicion()
        accusers = [name for name in notes.seers if notes.verdicts(name).get(notes.name)]
        target = max(others, key=lambda name: scores[name] + self._taste[name])
        rivals = [name for name in notes.seers if name in others]
        if notes.name in notes.seers or (accusers and "seer" not in notes.gone.values()):
            return f"I am the seer. {(rivals or [target])[0]} is a werewolf."
        return f"I suspect {target}." if self._bold or scores[target] >= 1.0 else "I am a villager."

    def _anything(self, draw: float) -> str:
        notes = self._notes
        others = [name for name in notes.alive if name not in (notes.name, notes.friend)]
        name = others[int(draw * len(others))]
        return f"I suspect {name}." if notes.asked == "Say a line." else name


def partner(task: Task, seed: int) -> Player:
    """The scripted player of any role, which does anything in some of its turns."""
    return Player(task, seed, PARTNER_QUALITY)


PARTNERS: dict[str, ScriptFactory] = dict.fromkeys(ROLES, partner)
