"""Shapes and dtypes in the annotations of the trainer's maths are checked while its tests run."""

from __future__ import annotations

import jaxtyping

MATHS = (
    "advantages",
    "aggregation",
    "discounting",
    "gae",
    "importance",
    "kl",
    "logprobs",
    "loss_metrics",
    "losses",
    "micro_batch",
    "overlong",
    "packing",
    "ratios",
    "reinforce_pp",
    "values",
)

jaxtyping.install_import_hook([f"agentgym_rl.{name}" for name in MATHS], "beartype.beartype")
