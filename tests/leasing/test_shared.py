"""Pools that a process shares are made once for each name, and anew after they were closed."""

import signal
import subprocess
import sys

import pytest

from agentgym.leasing.pool import Pool
from agentgym.leasing.settings import PoolSettings
from agentgym.leasing.shared import SharedPools
from tests.leasing.kilns import Firing, KilnMaker, KilnStartError


def test_shared_pool_is_made_once_for_a_name_and_anew_after_close() -> None:
    shared = SharedPools(lambda name: Pool(KilnMaker(), PoolSettings(ready=0)))
    first = shared.get("gas")
    assert shared.get("gas") is first
    assert shared.get("wood") is not first
    shared.close()
    with pytest.raises(KilnStartError, match="closed"):
        first.lease(Firing())
    assert shared.get("gas") is not first
    shared.close()


SLOW_END = """
import sys, time
from agentgym import stopping
from agentgym.leasing.pool import Pool
from agentgym.leasing.settings import PoolSettings
from agentgym.leasing.shared import SharedPools
from tests.leasing.kilns import Firing, KilnMaker

class SlowMaker(KilnMaker):
    def close(self, resource):
        for _ in range(int(10 * float(sys.argv[1]))):  # short sleeps: the timer also fires after a long stop
            time.sleep(0.1)
        super().close(resource)

stopping._PATIENCE_S = float(sys.argv[2])
pool = SharedPools(lambda name: Pool(SlowMaker(), PoolSettings(ready=0)), left_to="the potter").get("gas")
lease = pool.lease(Firing())
print("lit", flush=True)
"""


def test_a_process_whose_resources_take_long_to_end_says_so_and_a_quick_one_is_silent() -> None:
    says = {}
    for seconds, patience_s in ((0.0, 60.0), (1.5, 0.1)):
        command = [sys.executable, "-c", SLOW_END, str(seconds), str(patience_s)]
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        says[seconds] = said.stderr
    assert says == {0.0: "", 1.5: "ending 1 kiln; Ctrl-C leaves that to the potter\n"}


def test_an_interrupt_while_resources_end_ends_the_process_at_once() -> None:
    # What runs in a shell's background ignores SIGINT, and hands that on.
    command = ["env", "--default-signal=INT", sys.executable, "-c", SLOW_END, "60", "0.1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT
        assert line.startswith("ending 1 kiln")
        assert process.stderr.read() == ""
