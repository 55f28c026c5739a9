"""Runs the failed tests of a whole run once more, by themselves, and says which of them pass now.

A test that fails only beside others, such as for the load of the machine, has a defect of its own. It is named, and
refuses no change. Failures in more than three files are no such accident.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

MAX_FILES = 3
FAILED = Path(".pytest_cache/v/cache/lastfailed")
TESTS_FAILED = 1
"""pytest's exit code where all tests ran and some failed; with any other one, some may not have run."""


def main(exit_code: int) -> int:
    """The exit code of the run as a whole.

    Args:
        exit_code: pytest's of the first run, in this folder.
    """
    if exit_code != TESTS_FAILED or not FAILED.is_file():
        return exit_code
    failed = sorted(json.loads(FAILED.read_text(encoding="utf-8")))
    files = {test.partition("::")[0] for test in failed}
    if not failed or len(files) > MAX_FILES:
        return exit_code
    print(f"== test: once more, without others beside them: {len(failed)} failed ==", flush=True)
    again = subprocess.run([sys.executable, "-m", "pytest", *failed], check=False).returncode  # noqa: S603 - our tests
    if again == 0:
        print("== test: these failed beside others and pass alone; find out why, and mend them ==")
        print("\n".join(failed), flush=True)
    return again


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
