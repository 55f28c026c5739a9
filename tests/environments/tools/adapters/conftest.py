"""Interpreters that have packages of the peers' shape, and one way to play an episode."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from agentgym.registration import make
from agentgym_tools.adapters.pipe import Pipe

FIXTURES = Path(__file__).with_name("fixtures")


@pytest.fixture
def interpreter(tmp_path):
    """Makes an interpreter that finds a package of a given version: a fixture, or one that is empty."""

    def make(package, version, distribution=""):
        program = tmp_path / f"python-{package}-{version}"
        if program.exists():
            return str(program)
        site = tmp_path / f"site-{package}-{version}"
        source = FIXTURES / package
        if source.is_dir():
            shutil.copytree(source, site / package)
        info = site / f"{(distribution or package).replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution or package}\nVersion: {version}\n")
        program.write_text(f'#!/bin/sh\nPYTHONPATH="{site}" exec "{sys.executable}" "$@"\n')
        program.chmod(0o755)
        return str(program)

    return make


@pytest.fixture
def opened():
    """Makes environments, and closes them."""
    made = []

    def make_one(env_id, **options):
        made.append(make(env_id, **options))
        return made[-1]

    yield make_one
    for env in made:
        env.close()


@pytest.fixture
def moody():
    """Makes pipes to the moody driver, and closes them."""
    pipes = []

    def make(**options):
        pipe = Pipe(sys.executable, str(FIXTURES / "moody.py"), {"suite": "x"}, "make one", **options)
        pipes.append(pipe)
        return pipe

    yield make
    for pipe in pipes:
        pipe.close()


@pytest.fixture
def lines():
    """Writes JSON lines."""

    def write(path, *rows):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    return write
