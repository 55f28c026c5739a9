"""The verdicts of other projects' graders: alone, through the adapter, and ours side by side."""
