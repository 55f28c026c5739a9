from agentgym_tools.desks.desks import desk
from benchmarks import tool_worlds


def test_dicts_hold_every_row_of_the_world():
    domain = desk(tool_worlds.DESK)
    data = tool_worlds.data_of(domain)
    world = domain.world("full")
    with world.call(may_write=False):
        for table, rows in data.items():
            (found,) = world.rows(f"SELECT count(*) FROM {table}")
            assert len(rows) == found[0]
    world.close()
    before = tool_worlds.digest(data)
    next(iter(data["orders"].values()))["state"] = "lost"
    assert tool_worlds.digest(data) != before


def test_quick_run_reports_each_goal():
    report = tool_worlds.measure(quick=True)
    assert len(report.goals) == 7
    assert all(goal.value > 0 for goal in report.goals)
