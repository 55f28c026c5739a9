"""Moves as text: standard algebraic notation (SAN), or the engine's (UCI), anywhere in a message.

What a legal move does to the game is in `board_env`.
"""

from __future__ import annotations

import re

import chess

from agentgym.errors import ActionSyntaxError

MAX_CHARS = 2_000
"""Longest message, in characters, that is read for a move."""
MAX_NAMED = 8

_MOVE = re.compile(
    r"(?<![\w-])(?:[Oo0]-[Oo0](?:-[Oo0])?|[a-h][1-8][a-h][1-8][qrbnQRBN]?"
    r"|[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[QRBN])?)[+#]?(?![\w-])"
)
_UCI = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?")


def read_move(content: str, board: chess.Board) -> chess.Move:
    """The one move that a message names.

    Raises:
        ActionSyntaxError: It names none or several, or it is illegal or ambiguous.
    """
    named = dict.fromkeys(_MOVE.findall(content)) if len(content) <= MAX_CHARS else {}
    if not named or len(named) > MAX_NAMED:
        raise ActionSyntaxError("Say one move, such as Nf3 or g1f3.")
    moves = {_parse(text, board) for text in named}
    if len(moves) > 1:
        raise ActionSyntaxError("Say one move a message.")
    return moves.pop()


def _parse(text: str, board: chess.Board) -> chess.Move:
    plain = text.rstrip("+#")
    try:
        if _UCI.fullmatch(plain.lower()):
            return board.parse_uci(plain.lower())
        return board.parse_san(plain.replace("0", "O").replace("o", "O"))
    except chess.AmbiguousMoveError:
        raise ActionSyntaxError("More than one piece can do that. Say which, such as Nbd2.") from None
    except ValueError:
        raise ActionSyntaxError("That move is illegal.") from None
