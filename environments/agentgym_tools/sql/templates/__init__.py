"""Templates of questions and changes: each draws its words and its SQL for any schema.

What is common to them is in `drafts`; which ones there are is told by `TEMPLATES`.
"""

from collections.abc import Mapping

from agentgym_tools.sql.templates import ambiguous, changes, groups, joins, nested, rows, windows
from agentgym_tools.sql.templates.drafts import Draft, Pick, Template

TEMPLATES: Mapping[str, Template] = {
    template.name: template
    for module in (rows, joins, groups, nested, windows, changes, ambiguous)
    for template in module.TEMPLATES
}
"""All templates by name."""

__all__ = ["TEMPLATES", "Draft", "Pick", "Template"]
