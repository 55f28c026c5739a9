"""The program `agentgym`: a Ctrl-C while Python still imports is one line too; all else is in `agentgym.cli`.

Beside the package, not in it: importing any part of that first imports what all of it needs.
"""

import sys


def main() -> int:
    """Import the command line and run the process's command; returns the exit code."""
    try:
        from agentgym.cli.main import main as run  # here, where an interrupt is caught

        return run()
    except KeyboardInterrupt:
        print("agentgym: interrupted", file=sys.stderr)  # noqa: T201 - the only thing that it says
        return 1
