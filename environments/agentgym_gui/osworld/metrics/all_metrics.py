"""Every metric that is computed here, by OSWorld's name."""

from __future__ import annotations

from collections.abc import Mapping

from agentgym_gui.osworld.metrics import documents, pictures, slides, tables, texts, values
from agentgym_gui.osworld.metrics.values import Metric

METRICS: Mapping[str, Metric] = {
    name: metric
    for module in (values, texts, pictures, documents, tables, slides)
    for name, metric in module.METRICS.items()
}
"""The metrics by name. `infeasible` is none of them: it asks for nothing but the agent's refusal."""
