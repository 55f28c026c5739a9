"""The pool knows nothing of what it lends: here it lends kilns, bounded by kilowatts and flues."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import agentgym.leasing
from agentgym.errors import ConfigError
from agentgym.leasing.pool import Pool
from agentgym.leasing.settings import PoolSettings
from agentgym.leasing.stats import PoolStats
from tests.leasing.kilns import Firing, Kiln, KilnMaker, KilnStartError

KilnPool = Pool[Kiln, Firing]


@pytest.fixture
def maker() -> KilnMaker:
    return KilnMaker()


@pytest.fixture
def pool(maker: KilnMaker) -> Iterator[KilnPool]:
    with Pool(maker, PoolSettings(ready=0, wait_s=60.0), {"kW": 8.0}) as made:
        yield made
    assert maker.lit == set()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("kiln-pool")]


def settled(pool: KilnPool) -> PoolStats:
    deadline = time.monotonic() + 60
    while pool.stats().busy and time.monotonic() < deadline:
        time.sleep(0.002)
    return pool.stats()


def test_kiln_comes_back_empty_and_goes_out_again(pool: KilnPool, maker: KilnMaker) -> None:
    with pool.lease(Firing()) as first:
        first.pots = 3
    assert settled(pool).ready == 1
    with pool.lease(Firing()) as second:
        assert second is first
        assert (second.pots, second.num_resets) == (0, 1)
    assert maker.num_started == 1
    assert settled(pool).resets == {"in_place": 2, "recreate": 0}


def test_kiln_that_came_back_last_cools_down_while_the_other_goes_out(maker: KilnMaker) -> None:
    with Pool(maker, PoolSettings(ready=2), {"kW": 8.0}) as pool:
        pool.prepare(Firing())
        leased = []
        for _ in range(4):
            with pool.lease(Firing()) as kiln:
                leased.append(kiln)
                settled(pool)
            settled(pool)
        assert pool.stats().ready > 2  # one more than are kept, which is left to age
        assert leased[0] is leased[2] is not leased[1] is leased[3]


def test_kiln_whose_canary_sees_a_pot_is_quarantined_and_closed(pool: KilnPool, maker: KilnMaker) -> None:
    with pool.lease(Firing()) as kiln:
        kiln.glued_pots = 1
    stats = settled(pool)
    assert (stats.quarantined, stats.lost, stats.ready) == (1, 0, 0)
    assert kiln.is_closed
    with pool.lease(Firing()) as other:
        assert other is not kiln


def test_kiln_whose_reset_raises_anything_is_closed_and_its_room_comes_back(pool: KilnPool, maker: KilnMaker) -> None:
    for _ in range(5):  # more than fit beside each other
        with pool.lease(Firing()) as kiln:
            kiln.reset_error = ZeroDivisionError("odd")
        assert settled(pool).ready == 0
        assert kiln.is_closed
    assert pool.stats().quarantined == pool.stats().lost == 0
    assert maker.num_started == 5


def test_kiln_that_does_not_close_gives_its_room_back(maker: KilnMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    def close(kiln: Kiln) -> None:
        raise RecursionError("its pots lie too deep")

    with Pool(maker, PoolSettings(ready=0, wait_s=30.0), {"kW": 2.0}) as pool:
        monkeypatch.setattr(maker, "close", close)
        for _ in range(3):  # more than fit, one after the other
            with pool.lease(Firing()) as kiln:
                kiln.is_broken = True
        assert settled(pool).lost == 3
    assert maker.num_started == 3


def test_kiln_that_breaks_while_it_is_out_counts_as_lost(pool: KilnPool) -> None:
    with pool.lease(Firing()) as kiln:
        kiln.is_broken = True
    assert settled(pool).lost == 1
    assert kiln.is_closed


def test_kiln_that_broke_on_the_shelf_is_not_lent(pool: KilnPool) -> None:
    with pool.lease(Firing()) as kiln:
        pass
    assert settled(pool).ready == 1
    kiln.is_broken = True
    with pool.lease(Firing()) as other:
        assert not other.is_broken
    assert settled(pool).lost == 1


def test_power_bounds_what_burns_at_once(maker: KilnMaker) -> None:
    def fire(number: int) -> None:
        with small.lease(Firing(2.0 if number % 2 else 3.0)):
            time.sleep(0.001)

    with Pool(maker, PoolSettings(ready=2), {"kW": 8.0}) as small, ThreadPoolExecutor(8) as executor:
        list(executor.map(fire, range(60)))
        assert small.stats().leases == 60
    assert maker.most_lit <= 4


def test_capacity_is_that_of_the_scarcest_unit(maker: KilnMaker) -> None:
    with Pool(maker, PoolSettings(ready=0), {"kW": 8.0, "flues": 3}) as bounded:
        assert bounded.capacity(Firing(2.0)) == 3
        assert bounded.capacity(Firing(4.0)) == 2
    with Pool(maker, PoolSettings(ready=0)) as unbounded:
        assert unbounded.capacity(Firing()) is None


def test_messages_and_errors_are_those_of_the_resource(pool: KilnPool) -> None:
    with pytest.raises(ConfigError, match=r"a kiln of 9\.0 kW and 1 flues does not fit into the pool of 8\.0 kW"):
        pool.lease(Firing(9.0))
    with pytest.raises(ConfigError, match="no kiln takes more than 100 kW"):
        pool.lease(Firing(101.0))
    with pool.lease(Firing(8.0)):
        pool.settings = PoolSettings(ready=0, wait_s=0.1)
        with pytest.raises(KilnStartError, match=r"no kiln within 0\.1 s: 1 are out, which fills the pool of 8\.0 kW"):
            pool.lease(Firing(8.0))
    pool.close()
    with pytest.raises(KilnStartError, match="the pool of kilns is closed"):
        pool.lease(Firing())


def test_ready_kiln_of_another_spec_is_put_out_where_its_power_is_needed(pool: KilnPool, maker: KilnMaker) -> None:
    with pool.lease(Firing(5.0)) as large:
        pass
    settled(pool)
    with pool.lease(Firing(4.0)):
        assert large.is_closed
    assert maker.most_lit == 1


def test_kiln_that_cannot_be_lit_is_the_error_of_who_waits(pool: KilnPool, maker: KilnMaker) -> None:
    maker.has_gas = False
    with pytest.raises(KilnStartError, match="no gas"):
        pool.lease(Firing())
    assert pool.stats().failed_starts == 1


def test_lease_ends_at_the_time_that_the_maker_names(maker: KilnMaker) -> None:
    now = [0.0]
    with Pool(maker, PoolSettings(ready=0), clock=lambda: now[0]) as pool:
        lease = pool.lease(Firing(longest_s=60.0))
        endless = pool.lease(Firing())
        now[0] = 61.0
        pool.tidy()
        assert (settled(pool).expired, pool.stats().leased) == (1, 1)
        assert lease.resource.is_closed
        assert not endless.resource.is_closed


def test_leftovers_are_cleaned_up_once_when_a_pool_opens(pool: KilnPool, maker: KilnMaker) -> None:
    with pool.lease(Firing()):
        pass
    assert maker.num_clean_ups == 1


def test_nothing_that_is_queued_is_lit_or_cleaned_while_a_pool_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    maker, is_lighting, may_light = KilnMaker(), threading.Event(), threading.Event()
    start, resets = maker.start, []

    def slow_start(spec: Firing) -> Kiln:
        is_lighting.set()
        may_light.wait(60)
        return start(spec)

    monkeypatch.setattr(maker, "reset", resets.append)
    pool = Pool(maker, PoolSettings(ready=0, workers=1))
    lease = pool.lease(Firing())
    monkeypatch.setattr(maker, "start", slow_start)
    waiting = [threading.Thread(target=refused, args=(pool, Firing(kilowatts))) for kilowatts in (3.0, 4.0, 5.0)]
    for thread in waiting:
        thread.start()
    is_lighting.wait(60)
    lease.release()
    closing = threading.Thread(target=pool.close)
    closing.start()
    for thread in waiting:
        thread.join(60)
    may_light.set()
    closing.join(60)
    assert (maker.num_started, maker.lit, resets) == (2, set(), [])


def refused(pool: KilnPool, firing: Firing) -> None:
    with pytest.raises(KilnStartError, match="closed"):
        pool.lease(firing)


def test_no_word_of_sandboxes_stands_in_the_package() -> None:
    folder = Path(agentgym.leasing.__file__).parent
    found = [path.name for path in folder.glob("*.py") if "sandbox" in path.read_text(encoding="utf-8").lower()]
    assert found == []
