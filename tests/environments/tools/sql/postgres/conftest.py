import pytest

from agentgym.errors import ConfigError
from agentgym_tools.sql.postgres.programs import PACKAGE, find_programs


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of this folder are skipped where PostgreSQL is not installed."""
    try:
        find_programs()
    except ConfigError:
        for item in items:
            if __name__.rpartition(".")[0] in item.nodeid.replace("/", "."):
                item.add_marker(pytest.mark.skip(reason=f"PostgreSQL is not installed: apt-get install {PACKAGE}"))
