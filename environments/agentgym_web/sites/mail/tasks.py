"""The templates of the tasks on the mail service."""

from __future__ import annotations

from agentgym_web.sites.core.drafts import Template
from agentgym_web.sites.mail import errand_tasks, question_tasks, sorting_tasks, special_tasks, writing_tasks

TEMPLATES: tuple[Template, ...] = (
    *question_tasks.TEMPLATES,
    *writing_tasks.TEMPLATES,
    *sorting_tasks.TEMPLATES,
    *errand_tasks.TEMPLATES,
    *special_tasks.TEMPLATES,
)
