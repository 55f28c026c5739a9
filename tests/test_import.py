from __future__ import annotations

import subprocess
import sys

import agentgym

PROGRAM = """
import os, sys
touched = []
sys.addaudithook(lambda event, args: touched.append(args) if event == "open" and isinstance(args[2], int)
                 and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) else None)
sys.dont_write_bytecode = True
before = dict(os.environ)
import agentgym
heavy = {"torch", "transformers", "playwright", "docker", "ray", "httpx", "rich"} & set(sys.modules)
own = {name for name in sys.modules if name.startswith(("agentgym_", "agentgym.testing", "agentgym.cli"))}
own -= {name for name in own if "." not in name or name.endswith(".specs")}
print(sorted(heavy), sorted(own), touched, before == dict(os.environ))
"""


def test_import_is_light_silent_and_touches_nothing(tmp_path):
    paths = [path for path in sys.path if path]
    program = f"import sys; sys.path[:0] = {paths!r}\n{PROGRAM}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    tables = ["agentgym_dialogue.adapted", "agentgym_dialogue.adapted.catalogue"]
    tables += ["agentgym_tools.adapters", "agentgym_tools.adapters.peers"]
    assert ran.stdout == f"[] {tables} [] True\n"
    assert ran.stderr == ""
    assert not list(tmp_path.iterdir())


def test_every_exported_name_exists():
    assert sorted(agentgym.__all__) == agentgym.__all__
    for name in agentgym.__all__:
        assert hasattr(agentgym, name)
