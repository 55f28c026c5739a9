"""The layout check finds each kind of violation when one is planted, and passes a clean tree."""

from pathlib import Path

import pytest

from scripts.check_layout import Checker

CLEAN = {
    "agentgym/errors.py": '"""Root\n└── Leaf (ValueError)"""\nclass Root(Exception): ...\nclass Leaf(Root): ...\n',
    "agentgym/env.py": 'from agentgym.errors import Root\n\n__all__ = ["make"]\n\ndef make():\n    """Make."""\n',
    "agentgym/policies/torch_policy.py": '"""Torch."""\nimport torch\n',
    "agentgym/policies/by_name.py": "def load():\n    from agentgym.policies.torch_policy import TorchPolicy\n",
    "agentgym/cli/train.py": "def run():\n    from agentgym_rl.run import train\n",
    "environments/agentgym_x/env.py": "from agentgym.env import make\nfrom agentgym.wrappers import w\n",
    "trainers/agentgym_rl/run.py": "import torch\nfrom agentgym.rollout import collect\n",
}


def violations(root: Path, **planted: str) -> list[str]:
    for name, text in {**CLEAN, **{key.replace("__", "/") + ".py": value for key, value in planted.items()}}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Checker(root).run()


def test_clean_tree_passes(tmp_path: Path) -> None:
    assert violations(tmp_path) == []


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("agentgym__env", "from agentgym.rollout import collect\n", "higher layer"),
        ("agentgym__env", "import agentgym_x.env\n", "environment package agentgym_x"),
        ("agentgym__policies__by_name", "import agentgym_rl\n", "imports the trainer agentgym_rl"),
        ("agentgym__rollout", "import torch\n", "imports torch"),
        ("agentgym__rollout", "from agentgym.policies.torch_policy import TorchPolicy\n", "needs torch"),
        ("agentgym__rollout", "def f():\n    from agentgym.env import make\n", "inside a function"),
        ("agentgym__rollout", "def f():\n    import json\n", "inside a function"),
        ("agentgym__novelty", "x = 1\nimport agentgym.env\n", "stands in no layer"),
        ("environments__agentgym_x__env", "import torch\n", "imports torch"),
        ("environments__agentgym_x__env", "from agentgym.rollout import collect\n", "may import up to"),
        ("environments__agentgym_x__env", "import agentgym_rl\n", "an environment imports the trainer"),
        ("trainers__agentgym_rl__run", "import agentgym_x\n", "knows environments by id only"),
        ("trainers__agentgym_rl__run", "from agentgym.cli.main import main\n", "no command"),
        ("agentgym__view__utils", "x = 1\n", "called 'utils'"),
        ("agentgym__view__long", "x = 1\n" * 601, "601 lines"),
        ("agentgym__view__long", "def f():\n" + "    x = 1\n" * 61, "body of f() has 61 lines"),
        ("agentgym__view__wide", "def f(a, b, c, d, e, g, h): ...\n", "f() takes 7 parameters"),
        ("agentgym__view__wide", "def f(*, a, b, c, d, e, g, h, i, j, k, m): ...\n", "f() takes 11 parameters"),
        ("agentgym__view__exports", '__all__ = ["gone"]\n', "'gone', which is not there"),
        ("agentgym__view__exports", '__all__ = ["bare"]\ndef bare(): ...\n', "'bare', which has no docstring"),
        ("agentgym__view__exports", '__all__ = ["x"]\nfrom agentgym.env import x\n', "'x', which is not there"),
        ("agentgym__errors", '"""Errors: Root."""\nclass Leaf(Exception): ...\n', "Leaf is missing from the tree"),
    ],
)
def test_planted_violation_is_found(tmp_path: Path, file: str, text: str, expected: str) -> None:
    found = violations(tmp_path, **{file: text})
    assert any(expected in violation and violation.startswith(file.replace("__", "/")) for violation in found), found


def test_docstring_and_elif_chain_are_not_counted(tmp_path: Path) -> None:
    long_docstring = 'def f():\n    """Idea.\n' + "    line\n" * 80 + '    """\n    return 1\n'
    chain = "def g(x):\n    if x == 0:\n        return 0\n"
    chain += "".join(f"    elif x == {number}:\n        return {number}\n" for number in range(1, 9))
    assert violations(tmp_path, agentgym__view__fine=long_docstring + chain) == []


def test_fifth_level_of_nesting_is_refused(tmp_path: Path) -> None:
    text = "def f(x):\n"
    for depth, opening in enumerate(["for a in x:", "if a:", "while a:", "with a:", "try:"], start=1):
        text += "    " * depth + opening + "\n"
    text += "    " * 6 + "pass\n" + "    " * 5 + "finally:\n" + "    " * 6 + "pass\n"
    assert any("nests 5 deep" in violation for violation in violations(tmp_path, agentgym__view__deep=text))
