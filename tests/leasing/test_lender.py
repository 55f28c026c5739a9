"""Lending with and without a pool, against kilns."""

import dataclasses

import pytest

from agentgym.leasing.lender import Lender
from agentgym.leasing.pool import Pool
from agentgym.leasing.settings import PoolSettings
from tests.leasing.kilns import Firing, Kiln, KilnMaker


class SmallKilns(Lender[Kiln, Firing]):
    """Fits every firing to the one small kiln that there is."""

    num_fits = 0

    def fitted(self, spec: Firing) -> Firing:
        self.num_fits += 1
        return super().fitted(dataclasses.replace(spec, kilowatts=1.0))


def test_lender_without_a_pool_makes_each_kiln_and_closes_it_also_after_an_error() -> None:
    lender = Lender(KilnMaker())
    with pytest.raises(ZeroDivisionError), lender.lease(Firing()) as kiln:
        raise ZeroDivisionError
    assert kiln.is_closed
    assert lender.capacity(Firing()) is None


def test_lender_with_a_pool_gives_the_kiln_back_to_it() -> None:
    with Pool(KilnMaker(), PoolSettings(ready=0), {"kW": 8.0}) as pool:
        lender = Lender(pool.maker, pool)
        with lender.lease(Firing()) as kiln:
            assert pool.stats().leased == 1
        assert pool.stats().leased == 0
        assert not kiln.is_closed
        assert lender.capacity(Firing()) == 4


def test_lender_fits_each_spec_once_and_lends_what_fits() -> None:
    lender = SmallKilns(KilnMaker())
    for _ in range(2):
        with lender.lease(Firing(50.0)) as kiln:
            assert kiln.firing.kilowatts == 1.0
    assert lender.num_fits == 1
