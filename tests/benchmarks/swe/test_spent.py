"""Processor time of sandboxes that end while it is counted."""

from agentgym.sandbox.engines.bubblewrap import BubblewrapProvider
from agentgym.sandbox.spec import Limits, SandboxSpec
from benchmarks.swe.spent import spent_seconds

BURNT_S = 0.3
BURN = f"import time\nwhile time.process_time() < {BURNT_S}: pass\nopen('burnt', 'w').close()\ntime.sleep(60)"
IN_BACKGROUND = 'nohup python3 -c "$1" > /dev/null 2>&1 & while [ ! -e burnt ]; do sleep .02; done'


def test_time_of_what_is_killed_with_its_sandbox_counts() -> None:
    with spent_seconds() as spent:
        before = spent()
        with BubblewrapProvider().start(SandboxSpec(limits=Limits(cpus=None, memory_mib=None))) as sandbox:
            sandbox.exec(["bash", "-c", IN_BACKGROUND, "bash", BURN], keep_background=True)
        assert BURNT_S <= spent() - before < 20 * BURNT_S
