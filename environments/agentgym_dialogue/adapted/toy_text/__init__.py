"""FrozenLake, Taxi and Blackjack of Gymnasium, told in words.

What is theirs (rules, rewards) stays in Gymnasium; the text, the tasks and the players are here.
"""
