"""Replay: views of the store of a run and of earlier runs, draws and their weights, and the state for checkpoints.

Not here: when to draw and which loss to use. Tokens stay in the store, and memory holds only columns of numbers.
"""
