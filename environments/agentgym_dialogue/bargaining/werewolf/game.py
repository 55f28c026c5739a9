"""Werewolf: players of hidden roles, who talk and vote by day, while some look, protect and kill by night.

Players are in `partners` and `scripts`, what lines claim in `speech`, the suites' tasks in `generate`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any, Self

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import Message, user
from agentgym.task import Limits, Task
from agentgym_dialogue.bargaining.werewolf.speech import NAMES, name_in
from agentgym_dialogue.plain_line import plain_line

WOLVES = ("werewolf", "werewolf_2")
VILLAGERS = ("villager", "villager_2", "villager_3", "villager_4", "villager_5")
ROLES = ("seer", "werewolf", "doctor", "villager", "werewolf_2", *VILLAGERS[1:])
MIN_PLAYERS, MAX_PLAYERS = 5, 9
TWO_WOLVES_FROM = 7
MAX_DAYS = 6
MAX_INVALID = 2
MAX_WORDS, MAX_CHARS = 40, 200
QUESTIONS = {"seer": "Night. Whom do you look at?", "doctor": "Night. Whom do you protect?"}
KILL = "Night. Whom do you kill?"


def roles_of(num_players: int) -> tuple[str, ...]:
    """The roles of a game of so many players."""
    wolves = WOLVES if num_players >= TWO_WOLVES_FROM else WOLVES[:1]
    return ("seer", "doctor", *wolves, *VILLAGERS[: num_players - 2 - len(wolves)])


def kind_of(role: str) -> str:
    """What a role is called among players: the second werewolf is a werewolf."""
    return role.partition("_")[0]


def werewolf_task(task_id: str, seed: int, players: Sequence[str], roles: Sequence[str], **fields: Any) -> Task:
    """The task of winning as one of some players; `fields` are further ones of the task.

    Args:
        task_id: Its id.
        seed: Its seed, by which scripted players choose.
        players: Names in the order in which they speak.
        roles: Their roles, in the same order: those of `roles_of`.
        fields: Further fields of the task.
    """
    return Task(
        task_id,
        seed,
        "Find the werewolves, or hide as one.",
        config={"players": list(players)},
        private={"roles": list(roles)},
        limits=_limits(),
        **fields,
    )


@cache
def _limits() -> Limits:
    return Limits(max_turns=3 * MAX_DAYS + 1 + MAX_INVALID, max_invalid=MAX_INVALID)


def draw_players(rng: random.Random, num_players: int) -> tuple[list[str], list[str]]:
    """Names and roles."""
    roles = list(roles_of(num_players))
    rng.shuffle(roles)
    return rng.sample(NAMES, num_players), roles


class WerewolfGame(GameEnv):
    """Find the werewolves among the players by talk and votes, or win as one of them.

    Observation:
        Text. The first message gives the player's name and role and the players; a werewolf also learns who the other
        werewolf is. Then come what others say (`Bob: I suspect Cid.`), all votes of a day at once, who died and what
        they were, what the seer sees (only to the seer: `You see: Cid is a werewolf.`), and what to do: `Say a line.`,
        `Vote for one.` or `Night. Whom do you kill?`
    Action:
        By day, a line in plain English of at most 40 words and 200 characters, which everybody hears. For a vote or at
        night, a text with one name: another living player to vote for, to look at or to kill (a werewolf cannot kill a
        werewolf), or any living player to protect. Anything else is invalid and changes nothing.
    Reward:
        `outcome`: 1 if the role's side wins, -1 if it loses or the game was not played to its end. `format`: 0 for an
        invalid message.
    Termination:
        No werewolf is left; there are as many werewolves as others; six days are over, and the werewolves win; or a
        role sent more invalid messages than the task's limit (2), which loses. A dead player acts no more, but may
        still win.
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. Success and score are 1 if the role's side wins.
    Sandbox:
        None.
    Source and licence:
        After Mafia (Davidoff 1986) and its variants, written for this project, Apache-2.0; the tasks of
        dialogue/werewolf are CC0-1.0. In the first night, only the seer acts, so that everybody plays a day. If there
        are two werewolves, the second one hears the first and chooses. A player who dies reveals its role. If votes are
        tied, nobody dies.

    Example:
        seer: `You are Ann, the seer. Players: Ann, Bob, Cid, Dan, Eve. … Night. Whom do you look at?` / `Bob` /
        `You see: Bob is a werewolf. Day 1. Say a line.` / `I am the seer. Bob is a werewolf.` / `Bob: … Vote for one.`
        / `Bob` / `Votes: … Bob is out. Bob was a werewolf. The village wins.`

    Args:
        num_players: Players of a task made from a seed, 5 to 9; 0 for any number.

    Raises:
        ConfigError: The number is out of its range.
    """

    roles: Sequence[str] = ROLES
    reward_weights = {"outcome": 1.0, "format": 1.0}

    def __init__(self, num_players: int = 0) -> None:
        super().__init__()
        if num_players and not MIN_PLAYERS <= num_players <= MAX_PLAYERS:
            raise ConfigError(f"werewolf got num_players={num_players}; expected {MIN_PLAYERS} to {MAX_PLAYERS}, or 0")
        self.num_players = num_players
        self._name_of: dict[str, str] = {}
        self._role_of: dict[str, str] = {}
        self._alive: tuple[str, ...] = ()
        self._living: tuple[str, ...] = ()  # the roles of those alive, in the same order
        self._phase = ""
        self._day = 0
        self._waiting: tuple[str, ...] = ()
        self._chosen: dict[str, str] = {}
        self._news: dict[str, list[str]] = {}
        self._log = ""

    def make_task(self, seed: int) -> Task:
        """Random names and roles."""
        rng = random.Random(seed)
        number = self.num_players or rng.randint(MIN_PLAYERS, MAX_PLAYERS)
        return werewolf_task(f"werewolf:{seed}", seed, *draw_players(rng, number))

    def begin(self, task: Task) -> Inbox:
        """Tell each its role, and ask the seer."""
        try:
            players, roles = tuple(task.config["players"]), tuple(task.private["roles"])
        except KeyError as error:
            raise TaskError(f"task {task.id!r} lacks {error}; werewolf needs players and private roles") from None
        if sorted(roles) != sorted(roles_of(len(players))) or not set(players) <= set(NAMES):
            raise TaskError(f"task {task.id!r}: expected known names, with the roles {roles_of(len(players))}")
        self.roles = tuple(role for role in ROLES if role in roles)
        self._role_of = dict(zip(players, roles, strict=True))
        self._name_of = {role: name for name, role in self._role_of.items()}
        self._alive, self._living, self._day, self._log = players, roles, 0, ""
        self._news = {role: [self._rules(role, players)] for role in self.roles}
        self._chosen = {}
        self._ask("night", ("seer",))
        return self._deliver()

    def respond(self, role: str, action: Action) -> GameReply:
        """Take a line, a vote or a choice of the night."""
        if self._phase == "talk":
            line = plain_line(action.content, "a line", MAX_WORDS, MAX_CHARS)
            self._log += f"{line}\n"
            self._tell(f"{self._name_of[role]}: {line}", but=role)
        else:
            self._chosen[role] = self._choice(role, action.content)
            self._log += f"{self._chosen[role]} "
            if role == "werewolf" and "werewolf_2" in self._waiting:
                self._news["werewolf_2"].append(f"{self._name_of[role]} would kill {self._chosen[role]}.")
        self._waiting = self._waiting[1:]
        if not self._waiting:
            winner = self._next_phase()
            if winner:
                return self._end(winner)
        self._ask(self._phase, self._waiting)
        return GameReply(self._deliver())

    def grade(self) -> GameReply:
        """A game that is not played to its end is lost: by who broke the rules too often, else by all."""
        assert self.task is not None
        breakers = [role for role in self.roles if self.num_invalid[role] > self.task.limits.max_invalid]
        losers = breakers or self.roles
        return GameReply(
            events=[self.event(role, "outcome", -1.0 if role in losers else 0.0) for role in self.roles],
            is_over=True,
            successes=dict.fromkeys(self.roles, False),
        )

    def anchor(self) -> str:
        """All that was said and chosen, and invalid messages; equal within one task only."""
        return f"{self.acting_role} {self._log} {sorted(self.num_invalid.items())}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def _rules(self, role: str, players: Sequence[str]) -> str:
        article = "a" if kind_of(role) in ("werewolf", "villager") else "the"
        wolves = [name for name in players if self._role_of[name] in WOLVES]
        many = "1 werewolf" if len(wolves) == 1 else f"{len(wolves)} werewolves"
        others = [name for name in wolves if name != self._name_of[role]]
        friend = f" The other werewolf is {others[0]}." if role in WOLVES and others else ""
        return (
            f"You are {self._name_of[role]}, {article} {kind_of(role)}. Players: {', '.join(players)}. Among them are "
            f"{many}, a seer and a doctor. The village wins when no werewolf is left, the werewolves when they are as "
            f"many as the others.{friend}"
        )

    def _tell(self, text: str, but: str = "") -> None:
        for role in self._living:
            if role != but:
                self._news[role].append(text)

    def _ask(self, phase: str, waiting: tuple[str, ...]) -> None:
        """Ask the first of those who are to act."""
        self._phase, self._waiting = phase, waiting
        role = self.acting_role = waiting[0]
        asked = {"talk": "Say a line.", "vote": "Vote for one."}.get(phase)
        self._news[role].append(asked or QUESTIONS.get(role, KILL))

    def _deliver(self) -> dict[str, list[Message]]:
        """The news of the one who acts; the others hear theirs when they do, or at the end."""
        role = self.acting_role
        assert role is not None
        news, self._news[role] = self._news[role], []
        return {role: [user("\n".join(news))]}

    def _choice(self, role: str, content: str) -> str:
        may_name_itself = role == "doctor" and self._phase == "night"
        allowed = frozenset(self._alive if may_name_itself else set(self._alive) - {self._name_of[role]})
        if self._phase == "night" and role in WOLVES:
            allowed -= {self._name_of[wolf] for wolf in WOLVES if wolf in self._name_of}
        if content in allowed:
            return content
        name = name_in(content, allowed) if len(content) <= MAX_CHARS else None
        if name is None:
            names = ", ".join(each for each in self._alive if each in allowed)
            raise ActionSyntaxError(f"Say one name of {names}.")
        return name

    def _next_phase(self) -> str:
        """Go on to the next phase; returns the side that has won, "" while none has."""
        if self._phase == "talk":
            self._phase, self._waiting = "vote", self._living
            self._chosen = {}
            return ""
        if self._phase == "vote":
            self._count_votes()
            self._phase = "night"
            self._waiting = tuple(role for role in (*WOLVES, "seer", "doctor") if role in self._living)
        else:
            self._end_night()
            self._day += 1
            self._tell(f"Day {self._day}.")
            self._phase, self._waiting = "talk", self._living
        self._chosen = {}
        num_wolves = sum(role in WOLVES for role in self._living)
        if not num_wolves:
            return "village"
        is_late = self._day >= MAX_DAYS and self._phase == "night"
        return "werewolves" if is_late or 2 * num_wolves >= len(self._alive) else ""

    def _count_votes(self) -> None:
        votes = [f"{self._name_of[role]} for {name}" for role, name in self._chosen.items()]
        ranked = Counter(self._chosen.values()).most_common(2)
        is_tie = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
        fate = "Nobody is out." if is_tie else self._remove(ranked[0][0], "out")
        self._tell(f"Votes: {', '.join(votes)}. {fate}")
        self._bury("" if is_tie else ranked[0][0])

    def _end_night(self) -> None:
        """The seer sees, even one who dies then, and the werewolves' victim dies unless it is protected."""
        seen = self._chosen.get("seer")
        if seen is not None:
            sees = f"{seen} is {'a' if self._role_of[seen] in WOLVES else 'no'} werewolf."
            self._news["seer"].append(f"You see: {sees}")
        kills = [self._chosen[role] for role in WOLVES if role in self._chosen]
        if not kills:
            return
        victim = "" if kills[-1] == self._chosen.get("doctor") else kills[-1]
        self._tell(self._remove(victim, "dead") if victim else "Nobody died.")
        self._bury(victim)

    def _remove(self, name: str, how: str) -> str:
        """The words for somebody's end."""
        kind = kind_of(self._role_of[name])
        return f"{name} is {how}. {name} was {'a' if kind in ('werewolf', 'villager') else 'the'} {kind}."

    def _bury(self, name: str) -> None:
        """Take a name from the living, who have been told by then."""
        self._alive = tuple(each for each in self._alive if each != name)
        self._living = tuple(self._role_of[each] for each in self._alive)

    def _end(self, winner: str) -> GameReply:
        won = {role: (role in WOLVES) == (winner == "werewolves") for role in self.roles}
        text = "The village wins." if winner == "village" else "The werewolves win."
        return GameReply(
            {role: [user("\n".join([*self._news[role], text]))] for role in self.roles},
            [self.event(role, "outcome", 1.0 if won[role] else -1.0) for role in self.roles],
            is_over=True,
            successes=won,
        )
