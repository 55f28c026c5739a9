"""Social scenarios: two characters talk, each with a wish and a secret, and every line is weighed in five ways.

Players are in `partners` and `scripts`, the content in `scenarios`, what lines do in `acts`, verdicts in `verdict`.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any, Self

from agentgym.action import Action
from agentgym.errors import ConfigError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import user
from agentgym.reward import RewardEvent
from agentgym.task import Limits, Task
from agentgym_dialogue.bargaining.social_scenario.acts import KIND_ACTS, Acts, acts_of, breaks
from agentgym_dialogue.bargaining.social_scenario.scenarios import RELATIONSHIPS, RULES, SECRETS, WISHES, draw_scenario
from agentgym_dialogue.bargaining.social_scenario.verdict import Judge, question, read_verdict
from agentgym_dialogue.plain_line import plain_line

ROLES = ("first", "second")
NUM_LINES = 10
MIN_LINES, MAX_LINES = 2, 40
MAX_INVALID = 2
MAX_WORDS = 30
COMPONENTS = ("goal", "relationship", "knowledge", "secret", "rule")
LEAST_LEVEL, MOST_LEVEL = -5, 5
_HARM = {"insult": -2, "threat": -3}


def scenario_task(
    task_id: str, seed: int, config: dict[str, Any], private: dict[str, Any], lines: int = NUM_LINES, **fields: Any
) -> Task:
    """The task of playing a scenario; `config` and `private` are those of `draw_scenario`, `fields` further ones."""
    return Task(
        task_id,
        seed,
        "Talk, and get what you want.",
        config={**config, "lines": lines},
        private=private,
        limits=_limits(lines),
        **fields,
    )


@cache
def _limits(lines: int) -> Limits:
    return Limits(max_turns=(lines + 1) // 2 + MAX_INVALID, max_invalid=MAX_INVALID)


class SocialScenarioGame(GameEnv):
    """Get another person to grant a wish by talk, while keeping a secret, the relationship and the rules of the place.

    Observation:
        Text. The first message says who the role and the other are, the role's wish and secret, the rule of the place
        and the number of lines. Then come the other's lines (`They say: …`). The last message is `The talk is over.`
        and whether the wish is granted.
    Action:
        A line in plain English of at most 30 words and 300 characters. Words in it show what it does: greeting, thanks,
        praise, apology, asking what the other wants, offering (`I can walk the dog`), requesting (naming one's own
        wish), agreeing, refusing, insults and threats. Anything longer, empty or in other letters is invalid and costs
        no line.
    Reward:
        For each line, by rules: `goal`: 1, once, when the other agrees to the role's wish after the role named it.
        `relationship` (weight 0.2): the change of its level by the role's line, divided by 5. A first greeting, thanks,
        praise, or apology after harm counts 1, a first offer of what the other wants 2, refusing -1, an insult -2, a
        threat -3. `knowledge` (0.2): 1, once, when the role learns the other's wish by asking. `secret` (0.5): -1,
        once, when the role gives its own secret away. `rule` (0.5): -1 for a line that insults, threatens, shouts, or
        breaks the place's rule. `format`: 0 for an invalid message. With a judge, its verdict on each line gives these
        five instead (goal and knowledge 0 to 1, relationship -1 to 1, secret and rule -1 to 0).
    Termination:
        Both wishes are granted, the lines of both (10 in all) are used up, or a role sent more invalid messages than
        the task's limit (2).
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. Success means that the wish is granted; the rules decide this, also with a judge. The
        score is 0 without success, and otherwise the mean of 1, the relationship's level from 0 to 1, whether the
        other's wish is known, whether the secret is kept, and whether no rule is broken.
    Sandbox:
        None.
    Source and licence:
        After Sotopia (Zhou et al. 2024, arXiv 2310.11667), written for this project, Apache-2.0; the tasks of
        dialogue/social-scenario and all their texts are CC0-1.0. Differs: scenarios are small and generated; five of
        its seven dimensions are rated; each line is rated, by rules unless a judge is named.

    Example:
        `You are Ada. Ben is your neighbour. You want the fence painted. …` / `Hello, nice to see you. What do you
        need?` / `They say: I want to borrow a ladder.` / `I can lend you the ladder. Would you see to the fence?` /
        `They say: Yes, agreed. Thank you.`

    Args:
        num_lines: Lines of both roles together in a task made from a seed, 2 to 40.
        judge: Who judges lines instead of the rules. In `agentgym.make`, it is the name of a policy, such as
            `endpoint:URL#MODEL`; "" for no judge. A failure of the judge is an infrastructure fault and never a reward.

    Raises:
        ConfigError: The number is out of its range, or the judge cannot be asked.
    """

    roles = ROLES
    reward_weights = {"goal": 1.0, "relationship": 0.2, "knowledge": 0.2, "secret": 0.5, "rule": 0.5, "format": 1.0}
    disclosed = {role: (f"{role}_wish", f"{role}_secret") for role in ROLES}

    def __init__(self, num_lines: int = NUM_LINES, judge: Judge | str = "") -> None:
        super().__init__()
        if not MIN_LINES <= num_lines <= MAX_LINES:
            raise ConfigError(f"social-scenario got num_lines={num_lines}; expected {MIN_LINES} to {MAX_LINES}")
        if isinstance(judge, str) and judge:
            raise ConfigError(f"social-scenario got the judge {judge!r} by name; make it with agentgym.make_game")
        self.num_lines = num_lines
        self._judge = None if isinstance(judge, str) else judge
        self._config: dict[str, Any] = {}
        self._private: dict[str, Any] = {}
        self._lines: list[str] = []
        self._level = 0
        self._marks: frozenset[tuple[str, str]] = frozenset()  # what has happened once, by role

    def make_task(self, seed: int) -> Task:
        """A random scenario."""
        return scenario_task(f"social-scenario:{seed}", seed, *draw_scenario(random.Random(seed)), lines=self.num_lines)

    def begin(self, task: Task) -> Inbox:
        """Tell both who they are."""
        self._config, self._private = dict(task.config), dict(task.private)
        needed = {"names", "relationship", "rule", "lines"} - set(self._config)
        needed |= {f"{role}_{part}" for role in ROLES for part in ("wish", "secret")} - set(self._private)
        if needed:
            raise TaskError(f"task {task.id!r} lacks {sorted(needed)} in config or private; see scenario_task")
        known = (self._config["relationship"] in RELATIONSHIPS, self._config["rule"] in RULES)
        wishes, secrets = ([self._private[f"{role}_{part}"] for role in ROLES] for part in ("wish", "secret"))
        if not all(known) or not set(wishes) <= set(WISHES) or not set(secrets) <= set(SECRETS):
            raise TaskError(f"task {task.id!r} names an unknown relationship, rule, wish or secret")
        self._lines, self._marks = [], frozenset()
        self._level = RELATIONSHIPS[self._config["relationship"]]
        self.acting_role = "first"
        return {role: [user(self._rules(role))] for role in ROLES}

    def respond(self, role: str, action: Action) -> GameReply:
        """Weigh a line, and hand it to the other."""
        line = plain_line(action.content, "a line", MAX_WORDS)
        other = "second" if role == "first" else "first"
        verdict = None
        if self._judge is not None:
            verdict = read_verdict(self._judge.ask(question(self._rules(role), "\n".join(self._lines), line)))
        events = self._weigh(role, other, line, acts_of(line))
        if verdict is not None:
            events = [self.event(role, name, value)._replace(source="judge") for name, value in verdict.items()]
        self._lines.append(f"{self._name(role)}: {line}")
        self.acting_role = other
        is_granted = all((each, "granted") in self._marks for each in ROLES)
        if is_granted or len(self._lines) >= self._config["lines"]:
            reply = self.grade()
            reply.events = events
            reply.inbox = {
                other: [user(f"They say: {line}\n{self._end_text(other)}")],
                role: [user(self._end_text(role))],
            }
            return reply
        return GameReply({other: [user(f"They say: {line}")]}, events)

    def grade(self) -> GameReply:
        """What is reached so far counts."""
        return GameReply(
            is_over=True,
            successes={role: (role, "granted") in self._marks for role in ROLES},
            scores={role: self._score(role) for role in ROLES},
        )

    def anchor(self) -> str:
        """All lines and invalid messages; equal within one task only."""
        return f"{self.acting_role} {self._lines} {sorted(self.num_invalid.items())}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def progress(self, role: str) -> float:
        """Steps towards the wish: it is named, the relationship is good, the other's wish is offered, it is granted."""
        if (role, "granted") in self._marks:
            return 1.0
        named, offered = (role, "requested") in self._marks, (role, "offered") in self._marks
        return (named + offered + (self._level > 1)) / 4

    def _name(self, role: str) -> str:
        name: str = self._config["names"][ROLES.index(role)]
        return name

    def _rules(self, role: str) -> str:
        other = "second" if role == "first" else "first"
        wish, secret = WISHES[self._private[f"{role}_wish"]], SECRETS[self._private[f"{role}_secret"]]
        begins = "You begin." if role == "first" else "They begin."
        relationship = self._config["relationship"]
        whose = "a" if relationship == "stranger" else "your"
        return (
            f"You are {self._name(role)}. {self._name(other)} is {whose} {relationship}. You want {wish}; get them "
            f"to agree. Your secret: {secret}. {RULES[self._config['rule']]} {self._config['lines']} lines in all. "
            f"{begins}"
        )

    def _end_text(self, role: str) -> str:
        granted = (role, "granted") in self._marks
        return f"The talk is over. Your wish is {'granted' if granted else 'not granted'}."

    def _mark(self, role: str, what: str) -> bool:
        """Whether something happens to a role for the first time."""
        is_new = (role, what) not in self._marks
        self._marks |= {(role, what)}
        return is_new

    def _weigh(self, role: str, other: str, line: str, acts: Acts) -> list[RewardEvent]:
        """What a line changes, as reward events of the speaker and, where it grants something, of the other."""
        events = []
        own, theirs = self._private[f"{role}_wish"], self._private[f"{other}_wish"]
        before = self._level
        self._level = max(LEAST_LEVEL, min(MOST_LEVEL, before + self._change(role, acts, theirs)))
        if self._level != before:
            events.append(self.event(role, "relationship", (self._level - before) / MOST_LEVEL))
        if self._private[f"{role}_secret"] in acts.secrets and self._mark(role, "told"):
            events.append(self.event(role, "secret", -1.0))
        if acts.done & _HARM.keys() or breaks(line, self._config["rule"]):
            self._mark(role, "broke")
            events.append(self.event(role, "rule", -1.0))
        if own in acts.requested:
            self._mark(role, "requested")
            if (other, "asked") in self._marks and self._mark(other, "knows"):
                events.append(self.event(other, "knowledge", 1.0))
        if "ask" in acts.done:
            self._mark(role, "asked")
        agrees = "agree" in acts.done and "refuse" not in acts.done
        if agrees and (other, "requested") in self._marks and self._mark(other, "granted"):
            events.append(self.event(other, "goal", 1.0))
        return events

    def _change(self, role: str, acts: Acts, theirs: str) -> int:
        """By how much a line changes the level of the relationship."""
        harm = sum(_HARM[act] for act in acts.done & _HARM.keys()) - ("refuse" in acts.done)
        if acts.done & _HARM.keys():
            self._mark(role, "harmed")
        good = sum(self._mark(role, act) for act in KIND_ACTS if act in acts.done)
        if "sorry" in acts.done and (role, "harmed") in self._marks:
            good += self._mark(role, "sorry")
        if theirs in acts.offered:
            good += 2 * self._mark(role, "offered")
        return good + harm

    def _score(self, role: str) -> float:
        if (role, "granted") not in self._marks:
            return 0.0
        level = (self._level - LEAST_LEVEL) / (MOST_LEVEL - LEAST_LEVEL)
        known, told, broke = ((role, what) in self._marks for what in ("knows", "told", "broke"))
        return (1 + level + known + (not told) + (not broke)) / 5
