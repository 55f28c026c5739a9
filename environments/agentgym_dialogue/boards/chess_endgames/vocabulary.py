"""What a tokenizer for chess endgames must know: pieces, squares cut before their digit, and moves likewise.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

_FILES, _PIECES = "abcdefgh", "KQRBN"
NUMBERS: range | None = range(101)
"""Numbers that must be single tokens: empty squares of FEN, rows and clocks."""


def texts() -> list[str]:
    """Texts that hold every word that may occur, but rare ones of FEN and of moves, which are spelt."""
    said = ["Mate as White. Each turn say your move, such as Nf3.", "Black plays Kf6. White Ka1. Black Ka1."]
    said += ["Checkmate. You win.", "Draw by stalemate.", "Draw by lack of material.", "Draw by repetition."]
    said += ["Draw by fifty moves.", "Say one move, such as Nf3 or g1f3.", "Say one move a message."]
    said += ["That move is illegal.", "More than one piece can do that. Say which, such as Nbd2."]
    said += ["K Q R B N P k q r b n p w b x"]
    return [*said, *(f"{piece}{file}1" for piece in ("", *_PIECES) for file in _FILES), *(f"P{f}1" for f in _FILES)]
