"""What PostgreSQL's rights do not settle: words that read the clock, and what its refusals are called.

Which functions and relations a statement may use is settled in `template`.
"""

from __future__ import annotations

import re

from agentgym_tools.sql.guard import SqlRefusedError

MAX_WALL_S = 2.0
"""Wall time of one statement."""
_CLOCK = re.compile(
    r"\b(current_date|current_time|current_timestamp|localtime|localtimestamp|current_catalog"
    r"|now|today|tomorrow|yesterday)\b",
    re.IGNORECASE,
)
# Ways to write a word so that it is not seen: escapes, and literals that go on in another line.
_DISGUISED = re.compile(r"(?<![\w'])(?:e|u&)['\"][^'\"]*\\|'\s*(?:--[^\n]*)?\n\s*'", re.IGNORECASE)
_FORBIDDEN_STATES = {"42501"}
_EXPLAINED = {
    "57014": f"Stopped: the statement takes too long, more than {MAX_WALL_S:.0f} seconds. Read fewer rows at once.",
    "53200": "Stopped: the statement needs too much memory. Ask for less.",
    "53400": "Stopped: the statement needs too much room. Ask for less.",
    "53100": "Stopped: the statement or the tables need too much room. Ask for less.",
    "54000": "Stopped: a text, a number or the statement is too long. Ask for less.",
    "54001": "Stopped: the statement is nested too deeply.",
}
_FULL, _INTO = "File too large", "INTO is not allowed"
_MANY = "cannot insert multiple commands"
_WRITING_CURSOR = "DECLARE CURSOR must not contain data-modifying"


def require_timeless(sql: str) -> None:
    """Refuse words that stand for the present.

    Raises:
        SqlRefusedError: There is one; a table or a text of the databases holds none.
    """
    found = _CLOCK.search(sql)
    if found is not None:
        raise SqlRefusedError(f"{found[0][:20]} is not allowed: the database knows no present.", is_violation=True)
    if _DISGUISED.search(sql):
        raise SqlRefusedError("Escapes and texts that go on in another line are not allowed.", is_violation=True)


def refusal_of(state: str, message: str) -> SqlRefusedError:
    """What an error of PostgreSQL is for the agent.

    Args:
        state: The five letters of its SQLSTATE.
        message: Its first line.
    """
    if state in _EXPLAINED:
        return SqlRefusedError(_EXPLAINED[state])
    if state in _FORBIDDEN_STATES:
        return SqlRefusedError(f"Not allowed: {message[:200]}.", is_violation=True)
    if _FULL in message:
        return SqlRefusedError(_EXPLAINED["53100"])
    if _INTO in message:
        return SqlRefusedError("SELECT INTO is not allowed.", is_violation=True)
    if _MANY in message:
        return SqlRefusedError("Only one statement a call.")
    if _WRITING_CURSOR in message:
        return SqlRefusedError("INSERT, UPDATE and DELETE are not allowed here: this tool only reads.", True)
    return SqlRefusedError(f"Error: {message[:300]}")
