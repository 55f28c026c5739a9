"""The algorithm-blind core: batches, packing, the model, scoring, checkpoints, demonstrations."""
