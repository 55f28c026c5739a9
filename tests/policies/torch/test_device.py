import pytest
import torch

from agentgym.errors import ConfigError
from agentgym.policies.torch.device import device_of, dtype_of


def test_names_become_devices_and_dtypes():
    cpu = device_of("cpu")
    assert cpu == device_of(torch.device("cpu"))
    assert dtype_of("bfloat16", cpu) is dtype_of(torch.bfloat16, cpu) is torch.bfloat16
    assert dtype_of(None, cpu) is torch.float32
    assert dtype_of(None, torch.device("cuda")) is torch.bfloat16


@pytest.mark.parametrize("name", ["gpu", "cuda:99", "cpu:x"])
def test_unknown_devices_are_refused(name):
    with pytest.raises(ConfigError, match=r"expected|finds|use device"):
        device_of(name)


@pytest.mark.parametrize("name", ["int8", "manual_seed", "no", torch.int64])
def test_unknown_dtypes_are_refused(name):
    with pytest.raises(ConfigError, match="expected float32"):
        dtype_of(name, torch.device("cpu"))
