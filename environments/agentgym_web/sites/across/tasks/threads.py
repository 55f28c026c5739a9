"""Errands around a thread of the forum: answers from the shop and the almanac, and rules that the almanac states."""

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.across.drafts import AcrossDraft, AcrossTemplate, OnSite, Worlds
from agentgym_web.sites.across.tasks import drawing
from agentgym_web.sites.core.drafts import Answer, Step
from agentgym_web.sites.core.draws import literal, require
from agentgym_web.sites.core.row_checks import count_is, on_the_way
from agentgym_web.sites.forum.moderation import BAN_DAYS
from agentgym_web.sites.forum.tasks import drawing as forum
from agentgym_web.sites.forum.tasks import moderating
from agentgym_web.sites.forum.writing import REASONS
from agentgym_web.sites.shop import drawing as shop
from agentgym_web.sites.shop import question_tasks
from agentgym_web.sites.wiki.tasks import drawing as wiki
from agentgym_web.sites.wiki.tasks import looking

SWAPS = 12
"""Id of the board on which things are recommended and passed on."""
_TITLES = ("Help me choose, please", "What would you buy?", "Looking for something specific", "For bargain hunters")
_PUZZLES = ("A riddle for almanac readers", "Does anybody know this?", "A quiz question", "Settling a bet")
RULES = "Help: Talk pages"
"""The page of the almanac that states the house rules."""


def cheapest_for_thread(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Answer a thread that asks which product is the cheapest one."""
    question = question_tasks.cheapest(worlds["shop"], rng)
    asker, title = forum.draw_user(worlds["forum"], rng), rng.choice(_TITLES)
    user = forum.draw_user(worlds["forum"], rng, [asker])
    text = drawing.answer_of(question)
    opening = f"I want to buy in the shop Larkfield. {question.instruction.partition(' Answer with')[0]}"
    return AcrossDraft(
        f"{asker} asks in the thread “{title}” on the forum for advice about something that the shop sells. Find out "
        "in the shop what the answer is, and reply in the thread with the full name of the product and nothing else.",
        sites={
            "forum": _answered(worlds["forum"], user, title, (asker, opening), text),
            "shop": OnSite(question.user),
        },
        steps=[
            *forum.find_thread(title, asker),
            *drawing.in_new_tab("shop"),
            *drawing.acting(question),
            ["tab_focus", 0],
            *drawing.answer_in_thread(text),
        ],
    )


def fact_for_thread(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Answer a thread with what the almanac says over several articles."""
    question = rng.choice((looking.two_hops, looking.three_hops))(worlds["wiki"], rng)
    asker, title = forum.draw_user(worlds["forum"], rng), rng.choice(_PUZZLES)
    user = forum.draw_user(worlds["forum"], rng, [asker])
    text = drawing.answer_of(question)
    opening = question.instruction.partition(" Find it out")[0]
    return AcrossDraft(
        f"In the thread “{title}” on the forum, {asker} asks something that the almanac knows. Look it up there and "
        "reply in the thread, with the number alone.",
        sites={
            "forum": _answered(worlds["forum"], user, title, (asker, opening), text),
            "wiki": OnSite(question.user),
        },
        steps=[
            *forum.find_thread(title, asker),
            drawing.goto("wiki"),
            *drawing.acting(question),
            drawing.goto("forum"),
            *forum.find_thread(title, asker),
            *drawing.answer_in_thread(text),
        ],
    )


def _answered(db: sqlite3.Connection, user: str, title: str, opening: tuple[str, str], text: str) -> OnSite:
    """The part on the forum: a user answers a planted thread, whose opening post has this author and text."""
    return OnSite(
        user,
        plants=drawing.thread(db, SWAPS, title, [opening]),
        checks=drawing.replied(drawing.thread_id(db), user, text),
        touched={"posts": [1, 0, 0]},
    )


def ban_by_the_rules(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Ban somebody for as long as the rules in the almanac say."""
    case = moderating.ban_advertiser(worlds["forum"], rng)
    title = str(case.walkthrough[0][3])
    chosen = {str(step[2]): str(step[3]) for step in case.walkthrough if step[0] in ("select", "fill")}
    others = [length for _, length in BAN_DAYS if length != chosen["Length"]]
    rng.shuffle(others)
    lengths = dict(zip(REASONS, [chosen["Length"], *others], strict=True))
    listed = [f"* {reason}: {length.lower()}" for reason, length in lengths.items()]
    rng.shuffle(listed)
    page = wiki.get_page(worlds["wiki"], RULES)
    rules = "\n".join(["== Bans ==", "The forum bans members for:", *listed])
    body = page["body"].replace("\n\n[[", f"\n\n{rules}\n\n[[")
    require(body != page["body"])
    return AcrossDraft(
        f"Somebody has posted an advert in the thread “{title}” on the forum. Remove this post and ban its author, for "
        f"the time that the page “{RULES}” of the almanac states for it, with the reason “{chosen['Reason']}”. Leave "
        "the reports as they are.",
        sites={
            "forum": drawing.on_site(case),
            "wiki": OnSite(wiki.draw_editor(worlds["wiki"], rng), plants=[drawing.article(page["id"], body)]),
        },
        steps=[
            *drawing.in_new_tab("wiki"),
            *wiki.to_page(RULES),
            ["tab_focus", 0],
            *case.walkthrough,
        ],
    )


def recommended(worlds: Worlds, rng: random.Random) -> tuple[sqlite3.Row, str, list[tuple[str, str]], list[int]]:
    """A product, and a thread in which it is the one of the post with most votes: title, posts and votes."""
    kind = rng.randrange(1, 41)
    rows = {row["id"]: row for row in (shop.product_in_stock(worlds["shop"], rng, kind) for _ in range(4))}
    require(len(rows) == 4 and len({row["num_reviews"] for row in rows.values()}) == 4)
    people: list[str] = []
    for _ in range(5):
        people.append(forum.draw_user(worlds["forum"], rng, people))
    said = ("I am happy with the {}.", "Mine is the {}, for two years now.", "Take the {}.", "We have the {} at home.")
    opening = f"Which one would you take, of all {rows[next(iter(rows))]['kind'].lower()} that Larkfield sells?"
    posts = [(people[0], opening)]
    titles = [row["title"] for row in rows.values()]
    posts += [(who, words.format(title)) for who, words, title in zip(people[1:], said, titles, strict=True)]
    votes = [20, *rng.sample(range(2, 16), 4)]
    best = list(rows.values())[max(range(4), key=lambda index: votes[index + 1])]
    return best, f"Your favourite among the {best['kind'].lower()}", posts, votes


def best_recommended(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """How many reviews the shop has of the product that a thread recommends most."""
    best, title, posts, votes = recommended(worlds, rng)
    user = forum.draw_user(worlds["forum"], rng, [who for who, _ in posts])
    steps: list[Step] = [["click", "button", "Bookmark this thread"]]
    marked = f"user = {literal(user)} AND thread_id = {drawing.thread_id(worlds['forum'])}"
    return AcrossDraft(
        f"In the thread “{title}” on the forum, members recommend products of the shop. Take the product of the reply "
        "with the most votes, and bookmark the thread. How many reviews does that product have in the shop? Answer "
        "with the number.",
        sites={
            "forum": OnSite(
                user,
                plants=drawing.thread(worlds["forum"], SWAPS, title, posts, votes),
                checks=[
                    count_is("bookmark", "bookmarks", marked),
                    on_the_way("bookmark", "bookmarks", marked),
                ],
                touched={"bookmarks": [1, 0, 0]},
            ),
            "shop": OnSite(shop.member(worlds["shop"], rng)),
        },
        answer=Answer("number", best["num_reviews"]),
        steps=[
            *forum.find_thread(title, posts[0][0]),
            *steps,
            drawing.goto("shop"),
            *shop.find_steps(best["title"]),
            ["answer", str(best["num_reviews"])],
        ],
    )


TEMPLATES = (
    AcrossTemplate("cheapest_for_thread", "seen", cheapest_for_thread),
    AcrossTemplate("fact_for_thread", "seen", fact_for_thread),
    AcrossTemplate("ban_by_the_rules", "unseen", ban_by_the_rules),
    AcrossTemplate("best_recommended", "unseen", best_recommended),
)
