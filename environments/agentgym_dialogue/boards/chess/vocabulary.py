"""What a tokenizer for chess must know: sides, pieces, and moves cut before their last digit.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

NUMBERS: range | None = range(101)
"""Numbers that must be single tokens: empty squares of FEN, rows and clocks."""
_FILES, _PIECES = "abcdefgh", "KQRBN"


def texts() -> list[str]:
    """Texts that hold every word that may occur, but rare ones of FEN and of moves, which are spelt."""
    said = ["Win as White. Win as Black. Each turn say your move, such as Nf3.", "White plays Nf6. Black plays Nf6."]
    said += ["Checkmate. You win.", "Checkmate. You lose.", "Draw by stalemate.", "Draw by lack of material."]
    said += ["Draw by repetition.", "Draw by fifty moves.", "Say one move, such as Nf3 or g1f3."]
    said += ["Say one move a message.", "That move is illegal."]
    said += ["More than one piece can do that. Say which, such as Nbd2.", "K Q R B N P k q r b n p w b KQkq O-O x"]
    moves = [f"{piece}{takes}{file}1" for piece in ("", *_PIECES) for takes in ("", "x") for file in _FILES]
    moves += [f"{start}x{file}1" for start in _FILES for file in _FILES if start != file]
    return [*said, *moves]
