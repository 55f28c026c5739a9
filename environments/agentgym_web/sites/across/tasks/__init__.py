"""The templates of tasks across sites: from orders, letters and threads, what is refused, and what is planted."""

from __future__ import annotations

from agentgym_web.sites.across.drafts import AcrossTemplate
from agentgym_web.sites.across.tasks import letters, orders, planted, refused, threads

TEMPLATES: tuple[AcrossTemplate, ...] = (
    *orders.TEMPLATES,
    *letters.TEMPLATES,
    *threads.TEMPLATES,
    *refused.TEMPLATES,
    *planted.TEMPLATES,
)
