"""Templates of tasks that cannot be done, each the twin of one that can: what is asked about is not there.

The right end is to say so and to leave everything as it is. The twin keeps a constant refusal from paying.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import replace

from agentgym.errors import TaskError
from agentgym_gui.templates.plan import Ending, Plan, Template
from agentgym_gui.templates.steps import give_up

# The twin; where its request names what is looked for; and the name of something that is nowhere.
_ASKED = (
    ("thunar.rename", r"Rename (\S+) to", "Documents/zeppelin.txt"),
    ("thunar.delete", r"Throw (\S+) away", "Documents/zeppelin.txt"),
    ("thunar.copy", r"copy of (\S+) there", "Documents/zeppelin.txt"),
    ("gnumeric.set_cell", r"price of the (\w+) to", "zeppelin"),
    ("gnumeric.delete_row", r"row of the (\w+),", "zeppelin"),
    ("zim.tick", r"boxes of (\w+) and", "zeppelins"),
    ("homebank.delete_transaction", r'memo "(\w+)"', "zeppelins"),
    ("engrampa.extract_one", r"Extract (\S+) from", "zeppelin.txt"),
    ("engrampa.delete_member", r"Delete (\S+) from", "zeppelin.txt"),
    ("mail.move", r'mail "([^"]+)" into', "The zeppelin for the airport"),
    ("mail.who", r'mail "([^"]+)"\?', "The zeppelin for the airport"),
    ("settings.theme", r"theme\) to (\S+)\.", "Zeppelin"),
    ("terminal.count_lines", r"lines does (\S+) have", "logs/zeppelin.log"),
    ("atril.phone_number", r"number of (.+?) in the", "Otto Zeppelin"),
)


def _template(twin: Template, pattern: str, missing: str) -> Template:
    def make(rng: random.Random) -> Plan:
        plan = twin.make(rng)
        match = re.search(pattern, plan.goal)
        if match is None:
            raise TaskError(f"the request of {twin.name} does not fit {pattern!r}: {plan.goal}")
        done = plan.ending
        return replace(
            plan,
            goal=plan.goal[: match.start(1)] + missing + plan.goal[match.end(1) :],
            goals=(),
            may_change=tuple(each for each in plan.may_change if each not in done.files),
            may_set=(),
            ending=Ending(failed=True),
            oracle=(give_up(f"There is no {missing}."),),
            near_misses=(Ending(), done, *([replace(done, failed=True)] if done.files or done.settings else [])),
        )

    return Template(f"impossible.{twin.name.replace('.', '_')}", make, twin=twin.name)


def impossible_templates(possible: Mapping[str, Template]) -> tuple[Template, ...]:
    """The twins of templates that can be done."""
    return tuple(_template(possible[name], pattern, missing) for name, pattern, missing in _ASKED)
