"""Where untrusted work runs: the contract, its providers, and a pool of ready sandboxes.

Nothing here grades; environments that work in a sandbox build on `sandbox_env`.
"""
