"""The layout check finds each kind of violation when one is planted, and passes a clean tree."""

from pathlib import Path

import pytest

from scripts.check_layout import Checker
from scripts.check_rooms import DECLARED_PAIRS

CLEAN = {
    "agentgym/errors.py": '"""Root\n└── Leaf (ValueError)"""\nclass Root(Exception): ...\nclass Leaf(Root): ...\n',
    "agentgym/env.py": 'from agentgym.errors import Root\n\n__all__ = ["make"]\n\ndef make():\n    """Make."""\n',
    "agentgym/policies/torch/policy.py": '"""Torch."""\nimport torch\n',
    "agentgym/policies/by_name.py": "def load():\n    from agentgym.policies.torch.policy import TorchPolicy\n",
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
        ("agentgym__rollout", "from agentgym.policies.torch.policy import TorchPolicy\n", "needs torch"),
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


# The rules of `check_rooms`: each finds what is planted, and what is just allowed passes.


@pytest.mark.parametrize(("num_files", "is_refused"), [(20, False), (21, True)])
def test_folder_with_more_than_twenty_files_is_refused(tmp_path: Path, num_files: int, is_refused: bool) -> None:
    planted = {f"agentgym__view__part{number}": "x = 1\n" for number in range(num_files)}
    found = violations(tmp_path, **planted)
    assert (
        found
        == (["agentgym/view:1: 21 source files side by side, at most 20; give related ones a folder"][:is_refused])
    )


@pytest.mark.parametrize(("num_lines", "is_refused"), [(300, False), (301, True)])
def test_class_of_more_than_three_hundred_lines_is_refused(tmp_path: Path, num_lines: int, is_refused: bool) -> None:
    found = violations(tmp_path, agentgym__view__large="class Large:\n" + "    x = 1\n" * (num_lines - 1))
    assert found == (["agentgym/view/large.py:1: class Large has 301 lines, at most 300"][:is_refused])


def test_circle_of_imports_is_refused_also_where_it_is_for_types_alone(tmp_path: Path) -> None:
    for_types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from agentgym.view.first import x\n"
    found = violations(
        tmp_path,
        agentgym__view__first="from agentgym.view.second import x\n",
        agentgym__view__second="from agentgym.view.third import x\n",
        agentgym__view__third=for_types,
    )
    assert len(found) == 1
    assert "in a circle, TYPE_CHECKING included: agentgym.view.first, agentgym.view.second" in found[0]


def test_packages_that_import_each_other_are_refused_also_without_a_circle_of_modules(tmp_path: Path) -> None:
    planted = {
        "agentgym__view__page": "from agentgym.interop.read import x\n",
        "agentgym__interop__read": "x = 1\n",
        "agentgym__interop__write": "from agentgym.view.style import x\n",
        "agentgym__view__style": "x = 1\n",
    }
    found = violations(tmp_path, **planted)
    assert [violation for violation in found if "agentgym.interop and agentgym.view import each other" in violation]
    assert len(found) == 1


def test_declared_pair_of_packages_may_import_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = {
        "agentgym__cli__train": "from agentgym_rl.run import train\n",
        "trainers__agentgym_rl__run": "from agentgym.env import make\n",
    }
    assert violations(tmp_path, **planted) == []
    monkeypatch.setattr("scripts.check_rooms.DECLARED_PAIRS", {})
    assert any("agentgym and agentgym_rl import each other" in found for found in violations(tmp_path, **planted))


def test_every_declared_pair_has_a_reason() -> None:
    assert all(len(pair) == 2 and reason.strip() for pair, reason in DECLARED_PAIRS.items())


@pytest.mark.parametrize(
    ("room", "target", "expected"),
    [
        ("core", "groups", "agentgym_rl.core.a imports agentgym_rl.groups.b: core stands below groups"),
        ("groups", "core", None),
        ("attic", "core", "attic is none of the trainer's rooms"),
    ],
)
def test_room_of_the_trainer_imports_only_those_below_it(
    tmp_path: Path, room: str, target: str, expected: str | None
) -> None:
    planted = {
        f"trainers__agentgym_rl__{room}__a": f"from agentgym_rl.{target}.b import x\n",
        f"trainers__agentgym_rl__{target}__b": "x = 1\n",
    }
    found = violations(tmp_path, **planted)
    assert (len(found) == 1 and expected in found[0]) if expected else found == []
