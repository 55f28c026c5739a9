"""The templates of the wiki's tasks. What they make is in `looking`, `mending`, `caring` and `traps`."""

from __future__ import annotations

from agentgym_web.sites.core.drafts import Template
from agentgym_web.sites.wiki.tasks import caring, looking, mending, traps
from agentgym_web.sites.wiki.tasks.drawing import for_reader

TEMPLATES = (
    Template("two_hops", "seen", for_reader(looking.two_hops)),
    Template("three_hops", "seen", for_reader(looking.three_hops)),
    Template("four_hops", "unseen", for_reader(looking.four_hops)),
    Template("name_at_the_end", "seen", for_reader(looking.name_at_the_end)),
    Template("compare_four", "seen", for_reader(looking.compare_four)),
    Template("places_of_island", "seen", for_reader(looking.places_of_island)),
    Template("most_in_category", "seen", for_reader(looking.most_in_category)),
    Template("who_wrote", "seen", for_reader(looking.who_wrote)),
    Template("editor_ranks", "seen", for_reader(looking.editor_ranks)),
    Template("edits_in_history", "unseen", for_reader(looking.edits_in_history)),
    Template("linking_kind", "unseen", for_reader(looking.linking_kind)),
    Template("correct_number", "seen", mending.correct_number),
    Template("add_found_fact", "seen", mending.add_found_fact),
    Template("new_page", "seen", mending.new_page),
    Template("add_category", "seen", mending.add_category),
    Template("overview_page", "seen", mending.overview_page),
    Template("move_page", "seen", mending.move_page),
    Template("add_redirect", "unseen", mending.add_redirect),
    Template("undo_vandal", "seen", for_reader(mending.undo_vandal)),
    Template("undo_all_of_vandal", "seen", mending.undo_all_of_vandal),
    Template("settle_topic", "seen", caring.settle_topic),
    Template("begin_topics", "seen", caring.begin_topics),
    Template("watch_works", "seen", caring.watch_works),
    Template("unwatch_quiet", "seen", caring.unwatch_quiet),
    Template("thank_largest", "unseen", caring.thank_largest),
    Template("review_editor", "seen", caring.review_editor),
    Template("protect_works", "unseen", caring.protect_works),
    Template("no_such_article", "seen", for_reader(traps.no_such_article)),
    Template("fact_not_told", "seen", for_reader(traps.fact_not_told)),
    Template("protected_page", "seen", for_reader(traps.protected_page)),
    Template("missing_revision", "seen", for_reader(traps.missing_revision)),
    Template("admins_only", "unseen", for_reader(traps.admins_only)),
    Template("title_taken", "unseen", for_reader(traps.title_taken)),
    Template("hops_with_plant", "seen", traps.hops_with_plant),
    Template("topic_with_plant", "seen", traps.topic_with_plant),
    Template("history_with_plant", "unseen", traps.history_with_plant),
    Template("editor_with_plant", "seen", traps.editor_with_plant),
)
