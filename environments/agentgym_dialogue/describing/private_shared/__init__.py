"""Tell what one is asked, no more, and know at any time what one has told; ask for what is not known yet.

The rules are in `game`, what is talked about in `domains`, rule-based players in `partners`, others in `scripts`.
"""
