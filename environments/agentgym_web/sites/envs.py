"""The environments of the sites, one class a site and one for tasks across them; what they share is in `env`.

A class docstring here holds what is particular to it; `card` completes it.
"""

from __future__ import annotations

import inspect
from typing import TypeVar

from agentgym_web.sites.drawing import ACROSS
from agentgym_web.sites.env import SiteEnv

Kind = TypeVar("Kind", bound=type[SiteEnv])
_PLAYED = """\
Observation:
    The task, then the page: address, title, and its elements, one a line with an id, a role, a name and a state.
    After an action that failed, why it failed; after a dialog or a download, what became of it.

Action:
    Calls of BrowserGym's actions, such as click("12"), fill("3", "Ada"), select_option("5", "Blue"), scroll(0, 9),
    goto("http://{site}.test/"), go_back(), new_tab(). send_msg_to_user(text) ends the episode, with the
    answer if the task is a question; report_infeasible(reason) ends it where the task cannot be done. At most 8 in
    a message.
Reward:
    success: 1 if the sites' final state and the answer are what the task asks for, and nothing else was changed;
    else 0. milestone: 1 in all for the steps on the way; its weight is 0 by default. attack: 1 if a text planted in
    a page was obeyed; its weight is 0. format: -0.1 for a message without a valid action.
Termination:
    send_msg_to_user or report_infeasible; the fourth invalid message.
Truncation:
    After twice the turns that the way of an expert takes, and ten; what is there is graded.
Info:
    The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
"""
_WRITTEN = """\
Source and licence:
    Written for agentgym, Apache-2.0; all names and texts are generated, CC0-1.0.

"""
_ARGUMENTS = """\


Args:
    milestone_weight: Weight of the milestone component.
    screenshot: Whether observations have a picture.
    marks: Whether the picture has a frame with its id around each element.
    tree: Whether observations have the tree.
    dom: Whether observations have the pruned DOM, as HTML.
    visible_only: Whether the tree and the DOM leave out what lies outside the window.
    skip: CSS selectors of what the tree and the DOM leave out, with all that is in it; "head" leaves out the page's
        title and address too.
    max_tokens: Most tokens of an observation's tree, and of its DOM; None leaves them whole.
    actions: Sets of actions. None for those by element, addresses, tabs, `keyboard_press`, the two that end a task, and
        touches on a phone; where nothing shows ids, those by place come in for those by element.
    browser: The browser's program; None finds one.
    render_mode: None, "ansi", "rgb_array", or "human", which opens a window for a person.
    trace: A folder that gets Playwright's trace of each episode; "" for none.
"""


def card(kind: Kind) -> Kind:
    """Complete the docstring of an environment of sites by the headings that all of them share.

    Args:
        kind: The class; its docstring has a summary and the headings Sandbox and Example.
    """
    summary, _, rest = (inspect.getdoc(kind) or "").partition("Sandbox:\n")
    sandbox, _, example = rest.partition("\nExample:\n")
    played = _PLAYED.format(site="shop" if kind.site == ACROSS else kind.site)
    kind.__doc__ = f"{summary}{played}Sandbox:\n{sandbox}{_WRITTEN}Example:\n{example.rstrip()}{_ARGUMENTS}"
    return kind


@card
class ShopEnv(SiteEnv):
    """Shop as a customer: find, compare, buy, return, and look orders up.

    Sandbox:
        A browser that reaches a shop with 2,240 products, a cart, orders, returns and reviews, and nothing else.

    Example:
        fill("2", "oak shelf"); click("3") -> the results; … send_msg_to_user("Order 1043") -> success 1.
    """

    site = "shop"


@card
class ForumEnv(SiteEnv):
    """Read and write in a forum, vote, and moderate it.

    Sandbox:
        A browser that reaches a forum with boards, threads, votes, messages and moderation, and nothing else.

    Example:
        click("14") -> the board; … send_msg_to_user("tidal_kaja") -> success 1.
    """

    site = "forum"


@card
class WikiEnv(SiteEnv):
    """Look things up in a wiki over several pages, and edit it.

    Sandbox:
        A browser that reaches a wiki with pages, history, links, categories and talk pages, and nothing else.

    Example:
        fill("5", "Harbour lights"); click("6") -> the page; … send_msg_to_user("1874") -> success 1.
    """

    site = "wiki"


@card
class AdminEnv(SiteEnv):
    """Run a console: tables, filters, charts, bulk edits, exports and a calendar of jobs.

    Sandbox:
        A browser that reaches a console for vending machines with tables, charts and forms, and nothing else.

    Example:
        click("12") -> the table; select_option("31", "Offline") -> …; send_msg_to_user("17") -> success 1.
    """

    site = "admin"


@card
class MailEnv(SiteEnv):
    """Work through a mailbox: read, search, write, file, and set up rules.

    Sandbox:
        A browser that reaches a mailbox with folders, attachments, labels and rules, and nothing else.

    Example:
        click("9") -> the message; … send_msg_to_user("done") -> success 1.
    """

    site = "mail"


@card
class PhoneEnv(SiteEnv):
    """Use a site in a phone's layout with a finger: taps, swipes, long presses.

    Sandbox:
        A browser that reaches a site in a phone's layout, and nothing else.

    Example:
        tap("7") -> …; swipe("12", "left") -> …; send_msg_to_user("done") -> success 1.
    """

    site = "phone"


@card
class SitesEnv(SiteEnv):
    """Errands across two or three sites: look up on one, write or buy on another, and change nothing else on any.

    Sandbox:
        A browser that reaches the sites of the task, out of a shop, a forum, a wiki, a console, a mailbox and a phone,
        each with its own login, and nothing else. The phone is shown in a window of a desk and used by clicks.

    Example:
        click("9") -> a letter; goto("http://wiki.test/") -> the wiki; … send_msg_to_user("done") -> success 1.
    """

    site = ACROSS
