from agentgym.suite import load_suite
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


def test_parked_episodes_are_small_and_share_eight_connections():
    tasks = load_suite("tools/desk-shop").tasks("test")[:4]
    size, num_connections = tool_worlds.parked([(task, ['get_order(order_id="W1")']) for task in tasks], 100)
    assert 5 < size < 17
    assert num_connections == tool_worlds.CONNECTIONS


def test_quick_run_reports_each_goal():
    report = tool_worlds.measure(quick=True)
    assert len(report.goals) == 8
    assert all(goal.value > 0 for goal in report.goals)
