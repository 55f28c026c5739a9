"""What desk and the modules say, read into a screen."""

from __future__ import annotations

from agentgym_gui.actions.events import Box
from agentgym_gui.desktop.tree import Naming, read_screen, read_windows

WINDOWS = "11\t7\t0\t0\t100\t100\t\teditor\tBelow\n12\t8\t50\t50\t100\t100\ta\tcalculator\tAbove\n"


def line(number: int, x: int, y: int, window: int = 11, name: str = "Save", states: str = "") -> str:
    return f"1\t{number}\tpush button\t{states}\t{x}\t{y}\t10\t10\t{window}\t{name}\t\t"


def screen(*lines: str, naming: Naming | None = None, pid: int = 7):
    text = "\n".join([f"application\t{pid}\tanswered", *lines])
    return read_screen(read_windows(WINDOWS), text, naming or Naming())


def test_windows_are_read_from_the_lowest_to_the_topmost():
    below, above = read_windows(WINDOWS)
    assert (below.title, below.is_active, above.title, above.is_active) == ("Below", False, "Above", True)
    assert above.box == Box(50, 50, 100, 100)


def test_windows_leave_out_lines_that_are_none():
    assert read_windows("x\n1\t2\t3\n" + WINDOWS.replace("11\t7", "nan\t7")) == read_windows(WINDOWS)[1:]


def test_element_under_a_higher_window_is_left_out():
    found = screen(line(1, 10, 10), line(2, 60, 60))
    assert [each.box.x for each in found.elements] == [10]


def test_elements_keep_their_ids_from_screen_to_screen():
    naming = Naming()
    first = screen(line(5, 10, 10), line(6, 20, 10), naming=naming)
    second = screen(line(9, 0, 10), line(6, 20, 10), naming=naming)
    assert [each.id for each in first.elements] == ["1", "2"]
    assert [each.id for each in second.elements] == ["3", "2"]


def test_elements_of_two_processes_never_share_an_id():
    naming = Naming()
    ids = {screen(line(1, 10, 10), naming=naming, pid=pid).elements[0].id for pid in (7, 8, 9)}
    assert len(ids) == 3


def test_names_get_their_line_breaks_and_backslashes_back():
    assert screen(line(1, 10, 10, name=r"a\nb\\n")).elements[0].name == "a\nb\\n"


def test_module_that_lies_makes_no_element():
    no_number = line(1, 10, 10).replace("\t10\t10\t", "\tNaN\t10\t", 1)
    lies = ["1\t2\trole", no_number, "-\t" * 11, "\t" * 11, "9" * 40 + "\t0" * 11]
    lies += [line(1, 10, 10).replace("\t10\t10\t", f"\t{number}\t10\t", 1) for number in ("--5", "²")]
    lies += ["application\t²\tanswered", f"application\t{'9' * 5000}\tanswered"]
    assert screen(*lies).elements == ()


def test_module_that_floods_is_cut():
    found = screen(*(line(number, 10, 10) for number in range(1, 5001)))
    assert len(found.elements) == 4000
    assert found.is_cut
