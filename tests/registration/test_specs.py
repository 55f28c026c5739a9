"""Each family's list of environments, and what is rendered from it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agentgym.registration.registry import OWN_FAMILIES


@pytest.mark.parametrize("package", OWN_FAMILIES)
def test_specs_of_a_family_can_be_the_first_import_of_a_process(package):
    read = f"from {package}.specs import SPECS; import agentgym; print({{agentgym.spec(s.id) == s for s in SPECS}})"
    done = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("{True}\n", "")
