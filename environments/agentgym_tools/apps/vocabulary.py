"""The words of tools/apps-small: those of its requests, APIs and results.

From it a tokenizer is built in which each of these words is one token; the tokenizer itself is made elsewhere.
"""

from __future__ import annotations

import json
import random

from agentgym_tools.apps.base.bases import bench_of
from agentgym_tools.apps.catalogue import APPS, carry_out
from agentgym_tools.apps.drafts import REASONS
from agentgym_tools.apps.drawing import Wanted, draw_task
from agentgym_tools.apps.env import FINISHED, NO_CALL, OPENING
from agentgym_tools.apps.planning import plan_of
from agentgym_tools.apps.session import solution
from agentgym_tools.worlds import World

NUMBERS = range(600)
"""Numbers that should be single tokens: most ids of the small world."""
_DRAWS = 150


def texts() -> list[str]:
    """All texts from which the words are taken, without repeats."""
    found = [*NO_CALL.values(), FINISHED, OPENING, *REASONS, "Error: There is no", "has no API", "true false null"]
    found.append("list_apps list_apis describe_api call_api finish app api arguments answer infeasible")
    for name, app in APPS.items():
        found += [name, app.about, *(json.dumps(each["function"]) for each in app.tools.values())]
    rng = random.Random("words of the apps")
    for number in range(_DRAWS):
        plan = plan_of(task := draw_task(rng, Wanted("small"), f"words-{number}"))
        world = World(bench_of("small"), plan.now)
        calls = solution(plan)
        found += [task.instruction, *(carry_out(world, plan.user, call).text for call in calls)]
        found += [json.dumps(dict(call.arguments)) for call in calls]
        world.close()
    return list(dict.fromkeys(found))
