"""Devices and dtypes by name, as configuration files and the command line write them.

Nothing is placed on them here.
"""

from __future__ import annotations

import torch

from agentgym.errors import ConfigError


def device_of(named: str | torch.device) -> torch.device:
    """The device of a name such as "cpu" or "cuda:0".

    Raises:
        ConfigError: There is none.
    """
    try:
        device = torch.device(named)
    except RuntimeError as error:
        raise ConfigError(f"there is no device {named!r}; expected cpu, cuda or cuda:0") from error
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ConfigError(
            f"device {named!r} is asked for, but torch finds {torch.cuda.device_count()}; use device='cpu'"
        )
    return device


def dtype_of(named: torch.dtype | str | None, device: torch.device) -> torch.dtype:
    """The dtype of a name such as "bfloat16"; None is float32 on a CPU and else bfloat16.

    Raises:
        ConfigError: There is none that weights can have.
    """
    if named is None:
        return torch.float32 if device.type == "cpu" else torch.bfloat16
    dtype = getattr(torch, named, None) if isinstance(named, str) else named
    if dtype not in (torch.float32, torch.bfloat16, torch.float16):
        raise ConfigError(f"there is no dtype {named!r} for weights; expected float32, bfloat16 or float16")
    return dtype
