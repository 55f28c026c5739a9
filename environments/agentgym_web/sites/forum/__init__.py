"""A forum of people who make, mend and wander: boards, threads, votes, messages and moderation."""
