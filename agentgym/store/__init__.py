"""The record of a run: one SQLite file that training, resuming, reports, re-scoring and export share.

Checkpoints (weights, optimiser, random states) are files of the trainer, not rows here.
"""

from agentgym.store.export import export_jsonl
from agentgym.store.query import EpisodeFilter, EpisodeRow, Purpose
from agentgym.store.run_store import DATABASE, RunStore

__all__ = ["DATABASE", "EpisodeFilter", "EpisodeRow", "Purpose", "RunStore", "export_jsonl"]
