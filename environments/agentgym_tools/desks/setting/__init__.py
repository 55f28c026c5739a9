"""The setting of all desks: the days on which they take place, and the names of people and places."""
