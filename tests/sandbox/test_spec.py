"""Sandbox specs: JSON, keys, and the refusal of malformed ones."""

from __future__ import annotations

import json

import pytest

from agentgym.errors import ConfigError
from agentgym.sandbox.spec import Limits, Mount, Network, SandboxSpec


def test_spec_survives_json() -> None:
    spec = SandboxSpec(
        image="agentgym/python",
        command=("server", "--port", "80"),
        env={"LANG": "C.UTF-8"},
        mounts=(Mount("/usr/share/dict", "/dict"),),
        limits=Limits(memory_mib=None),
        network=Network(allow=("pypi.example:443",)),
    )
    again = SandboxSpec.from_json(json.loads(json.dumps(spec.to_json())))
    assert again == spec
    assert again.key == spec.key
    assert {again: 1}[spec] == 1


def test_spec_key_differs_with_every_field() -> None:
    specs = [
        SandboxSpec(),
        SandboxSpec(image="agentgym/python"),
        SandboxSpec(env={"A": "b"}),
        SandboxSpec(limits=Limits(pids=7)),
        SandboxSpec(network=Network(group="peers")),
        SandboxSpec(mounts=(Mount("/a", "/b"),)),
        SandboxSpec(writable_root=True),
    ]
    assert len({spec.key for spec in specs}) == len(specs)


def test_spec_relaxed_drops_named_limits_only() -> None:
    relaxed = SandboxSpec().relaxed("memory_mib", "pids")
    assert relaxed.limits == Limits(memory_mib=None, pids=None)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cpu", r"the limit 'cpu' cannot be left out; did you mean cpus\?"),
        ("output_bytes", "'output_bytes' cannot be left out; known: cpus, memory_mib, pids, tmp_mib, wall_s, work_mib"),
    ],
)
def test_limits_that_cannot_be_left_out_name_those_that_can(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SandboxSpec().relaxed(name)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SandboxSpec(image=""), "image"),
        (lambda: SandboxSpec(work_dir="/testbed"), "writable_root"),
        (lambda: SandboxSpec(work_dir="work"), "absolute"),
        (lambda: SandboxSpec(env={"A=B": "c"}), "A=B"),
        (lambda: Mount("relative", "/x"), "absolute"),
        (lambda: Mount("/x/../y", "/x"), r"\.\."),
        (lambda: Limits(memory_mib=0), "memory_mib"),
        (lambda: Network(group="a", allow=("b",)), "both"),
        (lambda: Network(alias="a"), "group"),
        (lambda: Network(group="Not valid"), "group"),
        (lambda: Network(allow=("http://host/",)), "host"),
        (lambda: SandboxSpec.from_json({"imgae": "x"}), "image"),
    ],
)
def test_spec_refuses_what_is_malformed(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ConfigError, match=message):
        make()
