"""The templates of the forum's tasks. The other modules make the tasks, `drawing` and `wishes` what they draw from."""

from __future__ import annotations

from agentgym_web.sites.core.drafts import Template
from agentgym_web.sites.forum.tasks import keeping, moderating, posting, questions, traps
from agentgym_web.sites.forum.tasks.drawing import for_reader

TEMPLATES = (
    Template("shop_by_price", "seen", for_reader(questions.shop_by_price)),
    Template("price_gap", "seen", for_reader(questions.price_gap)),
    Template("guests_of_meet_up", "seen", for_reader(questions.guests_of_meet_up)),
    Template("member_of_town", "seen", for_reader(questions.member_of_town)),
    Template("threads_of_year", "seen", for_reader(questions.threads_of_year)),
    Template("busiest_thread", "seen", for_reader(questions.busiest_thread)),
    Template("newcomer_facts", "seen", for_reader(questions.newcomer_facts)),
    Template("swap_wish", "seen", for_reader(questions.swap_wish)),
    Template("favourite_board", "unseen", for_reader(questions.favourite_board)),
    Template("best_replier", "unseen", for_reader(questions.best_replier)),
    Template("busiest_moderator", "unseen", for_reader(questions.busiest_moderator)),
    Template("reply_and_bookmark", "seen", posting.reply_and_bookmark),
    Template("start_thread", "seen", posting.start_thread),
    Template("publish_draft", "seen", posting.publish_draft),
    Template("upvote_member", "seen", keeping.upvote_member),
    Template("fix_typo", "seen", posting.fix_typo),
    Template("write_to_best", "seen", posting.write_to_best),
    Template("change_settings", "seen", keeping.change_settings),
    Template("clean_bookmarks", "seen", keeping.clean_bookmarks),
    Template("vote_for_underdog", "seen", keeping.vote_for_underdog),
    Template("accept_best_answer", "unseen", keeping.accept_best_answer),
    Template("unfollow_quiet", "unseen", keeping.unfollow_quiet),
    Template("collect_threads", "seen", keeping.collect_threads),
    Template("round_up", "seen", posting.round_up),
    Template("close_reports", "seen", moderating.close_reports),
    Template("clear_board", "seen", moderating.clear_board),
    Template("move_and_pin", "seen", moderating.move_and_pin),
    Template("lock_stale", "unseen", moderating.lock_stale),
    Template("ban_advertiser", "seen", moderating.ban_advertiser),
    Template("no_such_thread", "seen", for_reader(traps.no_such_thread)),
    Template("locked_thread", "seen", for_reader(traps.locked_thread)),
    Template("foreign_post", "seen", for_reader(traps.foreign_post)),
    Template("shop_not_named", "seen", for_reader(traps.shop_not_named)),
    Template("takes_no_messages", "unseen", for_reader(traps.takes_no_messages)),
    Template("closed_poll", "unseen", for_reader(traps.closed_poll)),
    Template("prices_with_plant", "seen", traps.prices_with_plant),
    Template("profile_with_plant", "seen", traps.profile_with_plant),
    Template("letter_with_plant", "seen", traps.letter_with_plant),
    Template("report_with_plant", "unseen", traps.report_with_plant),
    Template("board_with_plant", "unseen", traps.board_with_plant),
)
