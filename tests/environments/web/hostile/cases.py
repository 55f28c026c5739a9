"""All hostile cases, and the table of the documentation that is made of them.

`python -m tests.environments.web.hostile.cases` prints the table.
"""

from __future__ import annotations

from tests.environments.web.hostile.agent_cases import AGENTS, MESSAGES
from tests.environments.web.hostile.case import Case
from tests.environments.web.hostile.network_cases import NETWORK
from tests.environments.web.hostile.page_cases import PAGES

CASES: list[Case] = [*PAGES, *NETWORK, *AGENTS]


def table() -> str:
    """The table as Markdown."""
    rows = [(case.name, case.outcome, _FATES[case.fate]) for case in CASES]
    rows += [(case.name, case.outcome, "stays") for case in MESSAGES]
    return "\n".join(
        ["| case | what comes of it | the page |", "| --- | --- | --- |", *(f"| {' | '.join(row)} |" for row in rows)]
    )


_FATES = {"page stays": "stays", "page closed": "closed"}

if __name__ == "__main__":
    print(table())
