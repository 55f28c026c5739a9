import pytest

from agentgym_tools.sql.comparing import Form, canonical, same_rows


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        (2, 2.0, True),
        (0.1 + 0.2, 0.3, True),
        (1 / 3, 0.33, False),
        (None, "", False),
        (None, 0, False),
        ("1", 1, False),
        ("a", b"a", False),
        ("a", "A", False),
        (0, -0.0, True),
        (float("inf"), float("-inf"), False),
    ],
)
def test_values_are_compared_with_their_types(one, other, are_same):
    assert (canonical(one) == canonical(other)) is are_same


def test_rows_are_a_multiset():
    reference = [(1, "a"), (1, "a"), (2, None)]
    assert same_rows([(2, None), (1, "a"), (1.0, "a")], reference, Form())
    assert not same_rows([(2, None), (1, "a")], reference, Form())
    assert not same_rows([(2, None), (2, None), (1, "a")], reference, Form())


def test_columns_stand_in_the_order_of_the_question():
    assert not same_rows([("a", 1)], [(1, "a")], Form())
    assert not same_rows([(1, "a", 1)], [(1, "a")], Form())


def test_order_counts_only_where_it_is_asked_for_and_ties_may_stand_either_way():
    reference = [(1, 9), (2, 9), (3, 5)]
    ordered = Form(order=(1,))
    assert same_rows([(2, 9), (1, 9), (3, 5)], reference, ordered)
    assert not same_rows([(3, 5), (1, 9), (2, 9)], reference, ordered)
    assert same_rows([(3, 5), (1, 9), (2, 9)], reference, Form())


def test_any_of_equal_rows_may_fill_the_limit():
    reference, form = [(1, 9), (2, 7), (3, 7), (4, 7), (5, 1)], Form(order=(1,), limit=3)
    assert same_rows([(1, 9), (4, 7), (2, 7)], reference, form)
    assert not same_rows([(1, 9), (4, 7), (4, 7)], reference, form)
    assert not same_rows([(1, 9), (4, 7)], reference, form)
    assert not same_rows([(1, 9), (4, 7), (5, 1)], reference, form)
    assert not same_rows([(1, 9), (6, 7), (2, 7)], reference, form)


def test_no_rows_equal_no_rows_only():
    assert same_rows([], [], Form())
    assert not same_rows([], [(1,)], Form())
    assert not same_rows([(1,)], [], Form())
