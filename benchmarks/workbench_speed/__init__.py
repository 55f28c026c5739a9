"""What grading an entry of the workbench costs, beside the checker of bfcl-eval's multi-turn part."""
