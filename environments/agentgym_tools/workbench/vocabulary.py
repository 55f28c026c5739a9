"""The words of tools/workbench-small: those of its rules, requests, tools and results.

From it a tokenizer is built in which each of these words is one token; the tokenizer itself is made elsewhere.
"""

from __future__ import annotations

import json

from agentgym_tools.workbench.acts import ACTS, ALL_DONE, NO_CALL, NO_VALUE, PUT_RIGHT, REASONS
from agentgym_tools.workbench.env import NOT_RUN, rules_for
from agentgym_tools.workbench.generate import SMALL_TEMPLATES
from agentgym_tools.workbench.requests.all_requests import TEMPLATES
from agentgym_tools.workbench.requests.out_of_reach import TEMPLATES as OUT_OF_REACH
from agentgym_tools.workbench.rows.people import PEOPLE, TOWNS
from agentgym_tools.workbench.rows.vehicle import DOORS, KINDS, LIGHTS, MODES
from agentgym_tools.workbench.sets.vehicle import VehicleTools
from agentgym_tools.workbench.template import FRAMES

NUMBERS = range(300)
"""Numbers that should be single tokens."""


def texts() -> list[str]:
    """All texts from which the words are taken, without repeats."""
    found = [NO_CALL, NO_VALUE, PUT_RIGHT, ALL_DONE, NOT_RUN, "Noted.", *FRAMES, *REASONS]
    found += [rules_for(person.id) for person in PEOPLE]
    for template in [*(TEMPLATES[name] for name in SMALL_TEMPLATES), *OUT_OF_REACH]:
        found += [*template.texts, *template.vague, template.missing]
    found += [json.dumps(tool["function"]) for tool in (*ACTS, *VehicleTools.tools.values())]
    found += [*TOWNS, *DOORS, *KINDS, *LIGHTS, *MODES, "locked unlocked set released on off engine brake lights mode"]
    found += ["The door is locked. is now released", "Error: the engine runs. these doors are not locked:", "yes no"]
    return list(dict.fromkeys(filter(None, found)))
