from __future__ import annotations

import random

import pytest

from agentgym_dialogue.boards.line_board import board_of

BOARDS = [board_of(3, 3, 3, False), board_of(5, 4, 4, False), board_of(7, 6, 4, True), board_of(4, 5, 3, True)]


def slow_rows(board, cells):
    """All rows of the board as sets of cells, by columns and rows."""
    found = []
    for column in range(board.columns):
        for row in range(board.rows):
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                line = [(column + right * index, row + up * index) for index in range(board.length)]
                if all(0 <= c < board.columns and 0 <= r < board.rows for c, r in line):
                    found.append({board.cell(c, r) for c, r in line})
    return [line for line in found if line & cells]


@pytest.mark.parametrize("board", BOARDS)
def test_rows_and_what_lacks_for_them_are_those_of_a_slow_search(board):
    rng = random.Random(0)
    cells = [board.cell(column, row) for column in range(board.columns) for row in range(board.rows)]
    for _ in range(300):
        marked = {cell for cell in cells if rng.random() < 0.5}
        marks = sum(marked)
        rows = slow_rows(board, set(cells))
        assert board.has_row(marks) == any(row <= marked for row in rows)
        lacking = {cell for row in rows for cell in row if row - {cell} <= marked}
        assert board.completing(marks) == sum(lacking)


@pytest.mark.parametrize("board", BOARDS)
def test_picture_is_read_back(board):
    rng = random.Random(1)
    for _ in range(50):
        first, second = 0, 0
        for turn in range(rng.randrange(board.columns * board.rows)):
            _, bit = rng.choice(board.moves(first | second))
            first, second = (first | bit, second) if turn % 2 else (first, second | bit)
        assert board.read(board.picture(first, second).split("\n")) == (first, second)


def test_marks_fall_to_the_lowest_free_cell_until_a_column_is_full():
    board = board_of(4, 3, 3, True)
    taken = 0
    for row in range(3):
        bit = board.bit(taken, 2)
        assert bit == board.cell(2, row)
        taken |= bit
    assert board.bit(taken, 2) == 0
    assert [move for move, _ in board.moves(taken)] == [0, 1, 3]


def test_squares_are_numbered_from_the_top_left():
    board = BOARDS[0]
    assert board.picture(board.bit(0, 0), board.bit(0, 5)) == "X 2 3\n4 5 O\n7 8 9"
    assert board.bit(board.bit(0, 4), 4) == 0
