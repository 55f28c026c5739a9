"""Find one's way in rooms that only the guide has a map of; guide whom one cannot see.

The rules are in `game`, rooms and routes in `rooms`, rule-based players in `partners`, other players in `scripts`.
"""
