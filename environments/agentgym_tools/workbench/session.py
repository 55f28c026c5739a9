"""The state of an episode at the workbench: the present request, what was read, tried and changed, and the verdicts.

What a request comes to is in `aims`, the verdict in `grading`, the next right calls in `planning`.
"""

from __future__ import annotations

import copy
from typing import Any, Self

from agentgym_tools.workbench.acts import ASK, NO_VALUE
from agentgym_tools.workbench.aims import Aim, UnmeetableError, aim_of
from agentgym_tools.workbench.base import bench
from agentgym_tools.workbench.cases import Settled
from agentgym_tools.workbench.grading import Ending, Verdict, judge
from agentgym_tools.workbench.plan import Plan, Stage
from agentgym_tools.workbench.sets.all_sets import SET_OF, TOOLS, Kit
from agentgym_tools.workbench.template import UndrawableError
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, as_text
from agentgym_tools.worlds.changes import contents
from agentgym_tools.worlds.toolbox import Result, Seen


class Session:
    """An episode.

    Args:
        plan: The entry.

    Attributes:
        plan: The entry.
        stages: The user's messages, and what is to be done about each.
        number: Index of the present stage; beyond the last one at the end.
        kit: The tools on the present world.
        seen: What tools have shown.
        past: The requests that are over.
        verdicts: One for each stage that is over.
        aim: What is to be reached now.
        made: Calls of this stage that have changed something, in order.
        tried: Keys of all calls of this stage.
        is_asked: Whether the value that this stage lacks was asked for.
        num_needless: Number of questions of this stage that nobody needed.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.stages = plan.stages
        self.number = 0
        self.kit = Kit(World(bench()), plan.me)
        self.seen: set[Seen] = set()
        self.past: list[Settled] = []
        self.verdicts: list[Verdict] = []
        self.aim: Aim
        self._begin()

    def _begin(self) -> None:
        self.made: list[Call] = []
        self.tried: set[str] = set()
        self.is_asked, self.num_needless = False, 0
        world = self.kit.world
        world.mark_start()
        try:
            self.aim = aim_of(self.stage, world, self.plan.me, self.past)
        except (UndrawableError, UnmeetableError):  # drawn where another of several right ways had been taken before
            if not self.past:
                raise
            world.close()
            world = self.aim.ideal.fork()
            self.kit = Kit(world, self.plan.me)
            self.past[-1] = Settled(self.aim.ideal.changes(), self.past[-1].answer)
            world.mark_start()
            self.aim = aim_of(self.stage, world, self.plan.me, self.past)

    @property
    def is_over(self) -> bool:
        """Whether no request is left."""
        return self.number >= len(self.stages)

    @property
    def stage(self) -> Stage:
        """The present stage."""
        return self.stages[self.number]

    @property
    def lacks_value(self) -> bool:
        """Whether the present request needs a value that has not been asked for."""
        return self.stage.request.condition == "ask" and not self.is_asked

    @property
    def is_right(self) -> bool:
        """Whether every request so far was dealt with rightly."""
        return all(verdict.is_right for verdict in self.verdicts)

    @property
    def has_evidence(self) -> bool:
        """Whether what the present request rests on has been seen."""
        evidence = self.aim.case.evidence
        return not evidence or any(needed <= self.seen for needed in evidence)

    @property
    def tools(self) -> list[str]:
        """Names of the tools that are listed now."""
        supplied = {
            each.request.template.key_tool for each in self.stages[: self.number + 1] if not each.is_without_tool
        }
        missing = self.plan.withheld - supplied
        return [name for name in TOOLS if SET_OF[name] in self.plan.sets and name not in missing]

    def carry_out(self, call: Call) -> Result:
        """Make a call."""
        result = self.kit.call(call)
        self.seen |= result.seen
        self.tried.add(call.key)
        if TOOLS[call.tool].is_writing and not result.is_failure:
            self.made.append(call)
        return result

    def ask(self, parameter: str) -> str:
        """What the user answers to the question for a parameter."""
        request = self.stage.request
        self.tried.add(Call(ASK, {"parameter": parameter}).key)
        if self.lacks_value and as_text(parameter) == request.template.missing:
            self.is_asked = True
            return f"{request.template.missing}: {request.facts[request.template.missing]}"
        self.num_needless += 1
        return NO_VALUE

    def now(self) -> list[str]:
        """The contents of the net changes since the stage began."""
        return contents(self.kit.world.changes())

    def end(self, ending: Ending) -> Verdict:
        """End the present request, put the world right where it is wrong, and begin the next one."""
        aim, world = self.aim, self.kit.world
        said = self.lacks_value or self.num_needless > 0
        changes = world.changes()
        verdict = judge(aim, contents(changes), ending, has_evidence=self.has_evidence, is_badly_asked=said)
        if not verdict.is_right:
            world.close()
            self.kit = Kit(aim.ideal.fork(), self.plan.me)
            changes = aim.ideal.changes()
        if not self.stage.is_without_tool:
            self.past.append(Settled(changes, aim.case.answer))
        self.verdicts.append(verdict)
        self.number += 1
        if not self.is_over:
            self._begin()
        return verdict

    def fork(self) -> Self:
        """A copy that goes on by itself."""
        twin = copy.copy(self)
        twin.kit = Kit(self.kit.world.fork(), self.plan.me)
        twin.seen, twin.past, twin.verdicts = set(self.seen), list(self.past), list(self.verdicts)
        twin.made, twin.tried = list(self.made), set(self.tried)
        return twin

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.fork()

    def key(self) -> tuple[Any, ...]:
        """A canonical value of everything that the future depends on."""
        past = [(contents(settled.changes), settled.answer) for settled in self.past]
        asked = (self.is_asked, self.num_needless > 0)
        made = [call.key for call in self.made]
        return (
            self.number,
            sorted(self.seen),
            past,
            self.verdicts,
            made,
            sorted(self.tried),
            asked,
            self.kit.world.state(),
        )

    def close(self) -> None:
        """Give the connections back."""
        self.kit.world.close()
