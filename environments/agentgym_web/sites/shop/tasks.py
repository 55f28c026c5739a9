"""The templates of the tasks on the shop."""

from __future__ import annotations

from agentgym_web.sites.core.drafts import Template
from agentgym_web.sites.shop import account_tasks, buying_tasks, errand_tasks, question_tasks, special_tasks

TEMPLATES: tuple[Template, ...] = (
    *buying_tasks.TEMPLATES,
    *account_tasks.TEMPLATES,
    *errand_tasks.TEMPLATES,
    *question_tasks.TEMPLATES,
    *special_tasks.TEMPLATES,
)
