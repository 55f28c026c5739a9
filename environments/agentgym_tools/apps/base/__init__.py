"""The apps' database: people who know each other, and what they have in each app."""
