"""The templates of tasks on the console: questions, changes by area, what is refused, and what is planted."""

from __future__ import annotations

from agentgym_web.sites.admin.tasks import (
    jobs,
    machines,
    numbers,
    people,
    planted,
    refused,
    tickets,
)
from agentgym_web.sites.core.drafts import Template

TEMPLATES: tuple[Template, ...] = (
    *numbers.TEMPLATES,
    *machines.TEMPLATES,
    *tickets.TEMPLATES,
    *jobs.TEMPLATES,
    *people.TEMPLATES,
    *refused.TEMPLATES,
    *planted.TEMPLATES,
)
