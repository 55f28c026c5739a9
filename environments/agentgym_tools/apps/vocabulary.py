"""The words of tools/apps-small: those of its requests, APIs and results.

From it a tokenizer is built in which each of these words is one token; the tokenizer itself is made elsewhere.
"""

from __future__ import annotations

import json
import random

from agentgym.errors import ConfigError
from agentgym_tools.apps.base.bases import bench_of
from agentgym_tools.apps.catalogue import APPS, carry_out
from agentgym_tools.apps.drafts import REASONS
from agentgym_tools.apps.drawing import Wanted, draw_task
from agentgym_tools.apps.env import FINISHED, NO_CALL, OPENING
from agentgym_tools.apps.planning import plan_of
from agentgym_tools.apps.session import solution
from agentgym_tools.apps.templates import TEMPLATES
from agentgym_tools.worlds import World

NUMBERS = range(600)
"""Numbers that should be single tokens: most ids of the small world."""
_DRAWS = 3


def texts() -> list[str]:
    """All texts from which the words are taken, without repeats."""
    found = [*NO_CALL.values(), FINISHED, OPENING, *REASONS, "Error: There is no", "has no API", "true false null"]
    found.append("list_apps list_apis describe_api call_api finish app api arguments answer infeasible")
    for name, app in APPS.items():
        found += [name, app.about, *(json.dumps(each["function"]) for each in app.tools.values())]
    found += _texts_of_base()
    for name in TEMPLATES:
        found += _texts_of_template(name)
    return list(dict.fromkeys(found))


def _texts_of_base() -> list[str]:
    base = bench_of("small").base
    db = base.connect()
    cells = [cell for table in base.tables for row in db.execute(f"SELECT * FROM {table.name}") for cell in row]  # noqa: S608
    db.close()
    return [cell for cell in dict.fromkeys(cells) if isinstance(cell, str)]


def _texts_of_template(name: str) -> list[str]:
    """What tasks of a template ask for, and their calls with the results; nothing where the small world has none."""
    found: list[str] = []
    rng = random.Random(f"words of {name}")
    for number in range(_DRAWS):
        try:
            plan = plan_of(task := draw_task(rng, Wanted("small", name), f"words-{number}"))
        except ConfigError:
            return found
        world = World(bench_of("small"), plan.now)
        found.append(task.instruction)
        for call in solution(plan):
            found += [call.tool, json.dumps(dict(call.arguments)), carry_out(world, plan.user, call).text]
        world.close()
    return found
