"""The rows that a workbench's world starts with: a schema and a filling for each set of tools."""
