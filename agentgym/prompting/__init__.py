"""Messages to token ids, and replies back to text: rendering, conversations, history, model families, tiny tokenizers.

Nothing is imported here: rendering needs the extra `train`, the rest does not. See docs/prompting.md.
"""
