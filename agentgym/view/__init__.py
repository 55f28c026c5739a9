"""Looking at a run: one HTML file that opens offline, drawn from the run's database.

The file runs no script, and shows everything that a model wrote as text.
"""

from agentgym.view.report import write_report

__all__ = ["write_report"]
