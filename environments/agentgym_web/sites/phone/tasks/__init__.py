"""The templates of tasks on the phone: questions, talking, planning, what is refused, and what is planted."""

from __future__ import annotations

from agentgym_web.sites.core.drafts import Template
from agentgym_web.sites.phone.tasks import planning, planted, questions, refused, talking

TEMPLATES: tuple[Template, ...] = (
    *questions.TEMPLATES,
    *talking.TEMPLATES,
    *planning.TEMPLATES,
    *refused.TEMPLATES,
    *planted.TEMPLATES,
)
