"""Tasks of moderators: reports, locks, moves, removals and bans."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence

from agentgym_web.sites.core.drafts import Draft, Step
from agentgym_web.sites.core.draws import choose, literal, literals, require
from agentgym_web.sites.core.row_checks import count_is, on_the_way
from agentgym_web.sites.forum.lookup import THREADS
from agentgym_web.sites.forum.moderation import BAN_DAYS
from agentgym_web.sites.forum.talk import STRAYS
from agentgym_web.sites.forum.tasks import wishes
from agentgym_web.sites.forum.tasks.drawing import draw_moderator, spammers, to_board, to_thread
from agentgym_web.sites.forum.writing import REASONS

OPEN_REPORTS = """
SELECT reports.*, posts.author, threads.title, boards.name AS board, boards.slug FROM reports
JOIN posts ON posts.id = post_id JOIN threads ON threads.id = posts.thread_id JOIN boards ON boards.id = board_id
WHERE status = 'open' ORDER BY reports.created, reports.id
"""


def draw_reports(db: sqlite3.Connection, rng: random.Random) -> tuple[str, list[sqlite3.Row]]:
    """A board with open reports, and these, the oldest first."""
    rows = db.execute(OPEN_REPORTS).fetchall()
    board = choose(rng, sorted({row["board"] for row in rows}))
    return board, [row for row in rows if row["board"] == board]


def dismiss_all(board: str, reports: Sequence[sqlite3.Row]) -> list[Step]:
    """The steps from any page that dismiss reports on a board."""
    steps: list[Step] = [["click", "link", "Reports"]]
    for row in reports:
        steps += [
            ["select", "combobox", "Board", board],
            ["click", "button", "Apply"],
            ["click", "button", "Dismiss report", {"within": f"Report no. {row['id']}:"}],
        ]
    return steps


def close_reports(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Uphold the open reports of some authors' posts for a reason, and dismiss the others."""
    reason = rng.choice(REASONS)
    reports = [row for row in db.execute(OPEN_REPORTS) if row["reason"] == reason]
    authors = sorted({row["author"] for row in reports} - set(spammers()))
    guilty = spammers() if reason == "advertising" else rng.sample(authors, min(len(authors), 2))
    if reason == "advertising":
        guilty = rng.sample(guilty, rng.choice((1, 2)))
    upheld = [row for row in reports if row["author"] in guilty]
    dismissed = [row for row in reports if row["author"] not in guilty]
    require(upheld and dismissed and len(reports) <= 14)
    user = draw_moderator(db, rng)
    closed = f"closed_by = {literal(user)} AND id IN"
    up, down = literals([row["id"] for row in upheld]), literals([row["id"] for row in dismissed])
    posts = literals([row["post_id"] for row in upheld])
    return Draft(
        f'Close all open reports with the reason "{reason}": uphold those about posts by {" and by ".join(guilty)}, '
        "which removes these posts, and dismiss all others. Leave reports with other reasons alone.",
        user=user,
        checks=[
            count_is("upheld", "reports", f"status = 'upheld' AND {closed} {up}", len(upheld)),
            count_is("dismissed", "reports", f"status = 'dismissed' AND {closed} {down}", len(dismissed)),
            count_is("removed", "posts", f"is_removed = 1 AND id IN {posts}", len(upheld)),
            on_the_way("first upheld", "reports", f"status = 'upheld' AND {closed} {up}"),
            on_the_way("first dismissed", "reports", f"status = 'dismissed' AND {closed} {down}"),
            on_the_way("all upheld", "reports", f"status = 'upheld' AND {closed} {up}", len(upheld)),
        ],
        touched={
            "reports": [0, len(reports), 0],
            "posts": [0, len({row["post_id"] for row in upheld}), 0],
            "moderation_log": [len(reports), 0, 0],
        },
        walkthrough=_closing(reports, {row["id"] for row in upheld}, reason),
    )


def _closing(reports: Sequence[sqlite3.Row], upheld: set[int], reason: str) -> list[Step]:
    steps: list[Step] = [["click", "link", "Reports", {"nth": 0}]]
    for row in reports:
        steps += [["select", "combobox", "Reason", reason], ["click", "button", "Apply"]]
        button = "Uphold and remove post" if row["id"] in upheld else "Dismiss report"
        steps.append(["click", "button", button, {"within": f"Report no. {row['id']}:"}])
    return steps


def clear_board(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Dismiss all open reports on a board."""
    board, reports = draw_reports(db, rng)
    require(2 <= len(reports) <= 9)
    user = draw_moderator(db, rng)
    closed = (
        f"status = 'dismissed' AND closed_by = {literal(user)} AND id IN {literals([row['id'] for row in reports])}"
    )
    return Draft(
        f"We have decided to be lenient on the board {board} this month. Dismiss all open reports of posts on that "
        "board, whatever their reason, and touch no others.",
        user=user,
        checks=[
            count_is("dismissed", "reports", closed, len(reports)),
            on_the_way("first dismissed", "reports", closed),
            on_the_way("second dismissed", "reports", closed, 2),
        ],
        touched={"reports": [0, len(reports), 0], "moderation_log": [len(reports), 0, 0]},
        walkthrough=dismiss_all(board, reports),
    )


def lock_stale(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Lock the threads of a board and tag that nobody has answered for long."""
    board = choose(rng, db.execute("SELECT * FROM boards WHERE id <= 10 ORDER BY id").fetchall())
    tag, year = rng.choice(("question", "guide", "chat")), rng.choice(("2023", "2024", "2025"))
    threads = db.execute(f"{THREADS} WHERE board_id = ? AND tag = ? AND is_removed = 0", (board["id"], tag)).fetchall()
    stale = [thread for thread in threads if thread["last_post"] < year and not thread["is_locked"]]
    require(2 <= len(stale) <= 8 and len(threads) <= 15)
    user = draw_moderator(db, rng)
    ids = literals([thread["id"] for thread in stale])
    return Draft(
        f'On the board {board["name"]}, lock every thread with the tag "{tag}" whose last post is from before {year}, '
        "unless it is locked already.",
        user=user,
        checks=[
            count_is("locked", "threads", f"is_locked = 1 AND id IN {ids}", len(stale)),
            on_the_way("one locked", "threads", f"is_locked = 1 AND id IN {ids}"),
            on_the_way("two locked", "threads", f"is_locked = 1 AND id IN {ids}", 2),
        ],
        touched={"threads": [0, len(stale), 0], "moderation_log": [len(stale), 0, 0]},
        walkthrough=[
            *to_board(board["name"]),
            ["select", "combobox", "Tag", tag],
            ["select", "combobox", "State", "Not locked"],
            ["click", "button", "Apply"],
            *[["click", "checkbox", f"Choose {thread['title']}"] for thread in stale],
            ["click", "button", "Lock chosen threads"],
        ],
    )


def move_and_pin(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Move a thread to another board and pin it there."""
    sql = f"{THREADS} WHERE board_id <= 10 AND is_removed = 0 AND is_pinned = 0 ORDER BY threads.id"
    thread = choose(rng, db.execute(sql).fetchall())
    board = choose(rng, db.execute("SELECT * FROM boards WHERE id != ? ORDER BY id", (thread["board_id"],)).fetchall())
    user = draw_moderator(db, rng)
    where = f"id = {thread['id']} AND"
    turn = "unlock" if thread["is_locked"] else "lock"
    return Draft(
        f'The thread "{thread["title"]}" by {thread["author"]} stands on the wrong board. Move it to {board["name"]}, '
        f"pin it there, and {turn} it.",
        user=user,
        checks=[
            count_is(
                "moved, pinned, lock turned",
                "threads",
                f"{where} board_id = {board['id']} AND is_pinned = 1 AND is_locked = {1 - thread['is_locked']}",
            ),
            on_the_way("moved", "threads", f"{where} board_id = {board['id']}"),
            on_the_way("pinned", "threads", f"{where} is_pinned = 1"),
        ],
        touched={"threads": [0, 1, 0], "moderation_log": [3, 0, 0]},
        walkthrough=[
            *to_thread(db, thread["id"]),
            ["select", "combobox", "Move to", board["name"]],
            ["click", "button", "Move thread"],
            ["click", "button", "Pin thread"],
            ["click", "button", f"{turn.capitalize()} thread"],
        ],
    )


def ban_advertiser(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Remove an advert from a thread and ban its author."""
    sql = f"""
        SELECT posts.*, title FROM posts JOIN threads ON threads.id = thread_id WHERE posts.is_removed = 0
        AND threads.is_removed = 0 AND posts.author IN {literals(spammers())} ORDER BY posts.id
    """  # noqa: S608 - our own names
    post = choose(rng, db.execute(sql).fetchall())
    sql = f"SELECT count(*) FROM posts WHERE thread_id = ? AND (author IN {literals(spammers())} OR body IN (?, ?))"  # noqa: S608
    require(db.execute(sql, (post["thread_id"], *STRAYS[-2:])).fetchone()[0] == 1)
    days, length = rng.choice(BAN_DAYS)
    reason, user = rng.choice(wishes.BAN_REASONS), draw_moderator(db, rng)
    banned = f"user = {literal(post['author'])}"
    exact = f"{banned} AND reason = {literal(reason)} AND moderator = {literal(user)} AND days IS {days or 'NULL'}"
    time = length.lower() if days == "" else f"for {length}"
    return Draft(
        f'Somebody has posted an advert in the thread "{post["title"]}". Remove this post, and ban its author '
        f'{time}, with the reason "{reason}". Leave the reports as they are.',
        user=user,
        checks=[
            count_is("removed", "posts", f"id = {post['id']} AND is_removed = 1"),
            count_is("banned", "bans", exact),
            on_the_way("removed", "posts", f"id = {post['id']} AND is_removed = 1"),
            on_the_way("banned", "bans", banned),
        ],
        touched={"posts": [0, 1, 0], "bans": [1, 0, 0], "moderation_log": [2, 0, 0]},
        walkthrough=[
            *to_thread(db, post["thread_id"]),
            *[["click", "link", "Next page"]] * ((post["number"] - 1) // 10),
            ["click", "button", "Remove post", {"within": f"Post #{post['number']},"}],
            ["click", "link", post["author"], {"within": f"Post #{post['number']},"}],
            ["click", "link", "Ban"],
            ["select", "combobox", "Length", length],
            ["fill", "textbox", "Reason", reason],
            ["click", "button", "Ban member"],
        ],
    )
