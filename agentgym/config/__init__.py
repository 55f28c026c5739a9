"""Reading a configuration: one TOML file plus dotted overrides into frozen dataclasses, unknown keys being errors.

A field whose type is a union of dataclasses is a choice: one key of the table, its tag, says which of them the table
is, and only the keys of that one are known. No inheritance between files and no interpolation. Defaults stand in the
dataclasses alone.
"""

from agentgym.config.building import ADVICE, above, build, naming, pruned, tables_of
from agentgym.config.source import Source
from agentgym.config.tables import dotted_keys, merged, read_tables
from agentgym.config.toml import MAX_LEVELS, Table, not_toml, parsed_toml

__all__ = [
    "ADVICE",
    "MAX_LEVELS",
    "Source",
    "Table",
    "above",
    "build",
    "dotted_keys",
    "merged",
    "naming",
    "not_toml",
    "parsed_toml",
    "pruned",
    "read_tables",
    "tables_of",
]
