"""What an agent is told of files that were not taken over."""

from agentgym_swe.repair.looking import MAX_LEFT_OUT, told_left_out


def test_left_out_files_are_named_up_to_a_number_and_the_others_counted():
    assert told_left_out([]) == ""
    few = [(f"tests/test_{index}.py", "a test") for index in range(MAX_LEFT_OUT)]
    assert told_left_out(few).endswith("tests/test_7.py (a test)")
    assert told_left_out([*few, ("a", "b"), ("c", "d")]).endswith("tests/test_7.py (a test); and 2 more")
