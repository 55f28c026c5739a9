"""Programs that run in sandboxes beside a package's tests: no file of agentgym imports them, and they import none."""
