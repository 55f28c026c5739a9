import math

import pytest

from agentgym_tools.search.grading import MAX_CHARACTERS, MAX_LISTED, judge, judge_list, normal_name, read_date


@pytest.mark.parametrize(
    ("form", "answer", "given"),
    [
        ("name", "The Lantern of Korami", ' "lantern  of KORAMI". '),
        ("name", "Jola Romoni", "Ｊola Romoni"),
        ("number", 12450, "12,450"),
        ("number", 12450, 12450),
        ("number", 12450, 12450.0),
        ("number", 2, "2"),
        ("date", "1987-05-03", "1987-05-03"),
        ("date", "1987-05-03", "3 May 1987"),
        ("date", "1987-05-03", "May 3, 1987"),
        ("date", "1987-05-03", "3 may 1987."),
        ("none", None, "Unanswerable."),
        ("name", "Jola Romoni", ["Jola Romoni"]),
        ("number", 12450, ["12,450"]),
        ("none", None, ["unanswerable"]),
    ],
)
def test_judge_reads_an_answer_in_its_usual_spellings(form, answer, given):
    assert judge(form, answer, given, is_read=True) == (True, 1.0, 0, 0)
    assert judge(form, answer, given, is_read=False) == (False, 0.0, 0, 0)


@pytest.mark.parametrize(
    ("form", "answer", "given"),
    [
        ("name", "Jola Romoni", "It is Jola Romoni"),
        ("name", "Jola Romoni", "Romoni"),
        ("name", "Jola Romoni", "Jola Romoni, Ivo Fofilo"),
        ("name", "Jola Romoni", ["Jola Romoni", "Ivo Fofilo"]),
        ("name", "Jola Romoni", []),
        ("name", "Jola Romoni", "Jola Romoni" + " " * MAX_CHARACTERS),
        ("name", "Jola Romoni", ""),
        ("number", 12450, "12,450 people"),
        ("number", 12450, "1,2450"),
        ("number", 12450, "12450 or 12451"),
        ("number", 1, True),
        ("number", 12450, math.nan),
        ("number", 12450, 10**400),
        ("number", 12450, "١٢٤٥٠"),
        ("number", 12450, ["12450", "12450"]),
        ("date", "1987-05-03", "1987-03-05"),
        ("date", "1987-05-03", "1987"),
        ("date", "1987-05-03", "30 February 1987"),
        ("date", "1987-05-03", 1987),
        ("none", None, "It is unanswerable"),
        ("none", None, ""),
        ("name", "Jola Romoni", "unanswerable"),
    ],
)
def test_judge_refuses_what_only_contains_the_answer_or_is_of_another_form(form, answer, given):
    assert judge(form, answer, given, is_read=True) == (False, 0.0, 0, 0)


@pytest.mark.parametrize("text", ["0000-01-01", "1987-13-01", "3 Smarch 1987", "x" * 100_000, "1987-05-031"])
def test_date_that_is_none_is_not_read(text):
    assert read_date(text) is None


def test_list_is_scored_by_the_f1_of_its_findings():
    wanted = ["Korami Hill", "Vekeri Bay", "Rasisi Ford"]
    assert judge_list(wanted, wanted[::-1], wanted) == (True, 1.0, 3, 3)
    assert judge_list(wanted, "korami hill; Vekeri Bay\nRasisi Ford", wanted).is_right
    assert judge_list(wanted, wanted[:2], wanted).score == pytest.approx(2 * 2 / (2 + 3))
    half = judge_list(wanted, [*wanted[:1], "Sozama Wells"], wanted)
    assert (half.is_right, half.num_right, half.num_given) == (False, 1, 2)
    assert half.score == pytest.approx(2 * 1 / (2 + 3))


def test_list_counts_only_names_that_were_read_of_and_each_once():
    wanted = ["Korami Hill", "Vekeri Bay"]
    assert judge_list(wanted, wanted, []).score == 0.0
    assert judge_list(wanted, wanted, wanted[:1]).score == pytest.approx(0.5)
    assert judge_list(wanted, [wanted[0]] * 50, wanted) == (False, pytest.approx(2 / 3), 1, 1)


def test_list_that_dumps_names_is_worth_little():
    wanted = ["Korami Hill", "Vekeri Bay"]
    dump = [*wanted, *(f"Name {number}" for number in range(5000))]
    assert judge_list(wanted, dump, wanted).score < 0.001
    assert judge_list(wanted, dump[::-1], wanted).num_right == 0
    assert len(dump) > MAX_LISTED
    assert judge_list(wanted, 3, wanted).score == 0.0


def test_name_keeps_its_words():
    assert normal_name("Theodor Lind") == "theodor lind"
    assert normal_name("The The") == "the"
