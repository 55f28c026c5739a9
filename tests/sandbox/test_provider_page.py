"""The provider that docs/add-a-sandbox-provider.md writes passes the checks of sandbox providers."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "add-a-sandbox-provider.md"


def test_provider_of_the_page_passes_the_checks(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names = {"__name__": "example"}
    exec(compile(example, str(PAGE), "exec"), names)
    assert capsys.readouterr().out.startswith("19\n")
    assert {result.name for result in names["report"].results if result.status == "passed"} >= {
        "exec",
        "reset",
        "leaks",
    }
