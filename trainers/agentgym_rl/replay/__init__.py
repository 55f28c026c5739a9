"""Replay: views over the store of a run and of earlier ones: what is drawn, how it counts, what a checkpoint keeps.

Not here: when to draw and which loss to use. Tokens stay in the store; memory holds columns of numbers alone.
"""
