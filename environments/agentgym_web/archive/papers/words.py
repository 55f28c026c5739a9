"""The words that the papers are made of. All names of people, venues, methods and data sets are made up."""

from __future__ import annotations

from collections.abc import Mapping

FIRST_NAMES = (
    *("Aldis", "Berta", "Cormo", "Dagny", "Eluan", "Fenja", "Gisko", "Halka", "Imre", "Jorun", "Kelda", "Lioba"),
    *("Merit", "Nando", "Orsel", "Pilar", "Quin", "Runa", "Sorin", "Tilda", "Ulf", "Veska", "Wenzo", "Ylva"),
)
LAST_NAMES = (
    *("Abelund", "Brekka", "Corvane", "Dostrow", "Eskelin", "Fyrmann", "Garuda", "Hollmark", "Istrand", "Jokvar"),
    *("Kestrin", "Lindqor", "Marvelo", "Nakshid", "Ostrava", "Penhollow", "Quillon", "Rostami", "Sundvik", "Tarvold"),
    *("Umberlin", "Vantorre", "Wexcombe", "Yarrowin", "Zelmanov"),
)
TOPICS = (
    *("credit assignment", "dialogue games", "evaluation", "long memory", "page reading", "planning"),
    *("program repair", "safety", "simulated users", "step limits", "tool use", "world models"),
)
VENUES = (
    *("Annals of Patient Machines", "Conference on Browsing", "Harbour Symposium", "Journal of Agent Records"),
    *("Letters on Acting", "Meeting of Careful Learners", "Northern Workshop", "Transactions on Episodes"),
)
DATA_SETS = (
    *("Ambit", "Briar", "Cinder", "Delta Nine", "Ember", "Fathom", "Gable", "Hollow", "Ivory", "Juniper", "Kelp"),
    *("Lattice", "Meadow", "Nimbus", "Orchard", "Prism"),
)
METHODS = (
    *("Anchorline", "Backfold", "Clearway", "Driftless", "Echostep", "Forkwise", "Groundhook", "Halfturn", "Inlet"),
    *("Jumpcut", "Keystone", "Loopback", "Milemark", "Nextleaf", "Overpass", "Pathfold", "Quickset", "Ropewalk"),
    *("Stepladder", "Turnstile"),
)
ADJECTIVES = (
    *("Careful", "Cheap", "Early", "Even", "Frugal", "Gentle", "Honest", "Late", "Narrow", "Open", "Patient", "Plain"),
    *("Quiet", "Robust", "Shared", "Simple", "Slow", "Sparse", "Steady", "Uneven"),
)
NOUNS: Mapping[str, tuple[str, ...]] = {
    "credit assignment": ("Credit", "Returns", "Blame", "Step Rewards"),
    "dialogue games": ("Guessing Games", "Bargains", "Questions", "Talk"),
    "evaluation": ("Scores", "Held-out Tasks", "Intervals", "Benchmarks"),
    "long memory": ("Notes", "Recall", "Summaries", "Memory"),
    "page reading": ("Page Trees", "Forms", "Links", "Screens"),
    "planning": ("Plans", "Search", "Subgoals", "Lookahead"),
    "program repair": ("Patches", "Failing Tests", "Repairs", "Diffs"),
    "safety": ("Refusals", "Traps", "Injected Text", "Side Effects"),
    "simulated users": ("Users", "Personas", "Requests", "Patience"),
    "step limits": ("Budgets", "Short Episodes", "Stopping", "Turns"),
    "tool use": ("Tool Calls", "Arguments", "Lookups", "Interfaces"),
    "world models": ("Forecasts", "Dynamics", "Imagined Steps", "Simulators"),
}
SETTINGS = (
    *("for Small Models", "from Few Episodes", "in Long Tasks", "on Unseen Pages", "under Delay", "with Noisy Judges"),
    *("with Shared Baselines", "without a Critic", "without Demonstrations", "across Sites"),
)
PROBLEMS = (
    "Agents that act for many turns lose track of what they were asked.",
    "Rewards that come at the end say little about single steps.",
    "Evaluations of agents are small, and their differences are often noise.",
    "Training on recorded episodes and acting in live ones are not the same problem.",
    "Most errors of agents happen early and are noticed late.",
    "What an agent sees of a page decides what it can learn from it.",
)
REMARKS = (
    "The gain is largest where episodes are long.",
    "Most of the gain is gone when baselines are removed.",
    "Results hold over five seeds.",
    "The cost of a step hardly changes.",
    "Failures that remain are mostly early answers.",
    "A replication with a smaller model agrees.",
)
