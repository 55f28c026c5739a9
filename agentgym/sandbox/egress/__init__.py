"""The way out of a sandbox: a proxy that lets declared sites through and nothing else."""
